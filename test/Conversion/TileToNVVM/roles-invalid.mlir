// RUN: wna16-opt %s --convert-tile-to-nvvm --split-input-file --verify-diagnostics=only-expected

// Rings with barriers, and what bulk and tensor copies can carry.

!ring = !tile.ring<1, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<4x64xf16, read>
tile.kernel @no_barriers_offset(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 528 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    // expected-error @+1 {{'tile.ring' op expected a place for its barriers; run allocate-shared first}}
    %r = tile.ring {offset = 0 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%im] : !ring
        tile.fill "x" of %r[%im] = %x[%im, %in] engine bulk : !ring, !x
        tile.commit %r[%im] : !ring
      }
    }
  }
}

// -----

!ring = !tile.ring<1, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<4x64xf16, read>
tile.kernel @no_offset(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 528 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring {barriers_offset = 512 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%im] : !ring
        // expected-error @+1 {{'tile.fill' op expected a ring with places in shared memory; run allocate-shared first}}
        tile.fill "x" of %r[%im] = %x[%im, %in] engine bulk : !ring, !x
        tile.commit %r[%im] : !ring
      }
    }
  }
}

// -----

// The commit announces the bytes of the fills that it finds in front of it.
!ring = !tile.ring<1, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<4x64xf16, read>
tile.kernel @commit_in_a_loop(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 528 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 512 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%c0] : !ring
        tile.fill "x" of %r[%c0] = %x[%im, %in] engine bulk : !ring, !x
        scf.for %i = %c0 to %c1 step %c1 {
          // expected-error @+1 {{'tile.commit' op expected the acquire of its step, and all fills, in front of it in the same block}}
          tile.commit %r[%c0] : !ring
        }
      }
    }
  }
}

// -----

!ring = !tile.ring<1, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<?x64xf16, read>
tile.kernel @fill_c7_rows(%xa: !x, %m: index) attributes {arg_names = ["x", "M"], warps = 1 : i64, shared_bytes = 528 : i64} {
  %x = tile.bind %xa rows %m : !x
  tile.for_each_work (%im, %in) tile [4, 64] of [%m, 64] {
    %r = tile.ring {offset = 0 : i64, barriers_offset = 512 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%im] : !ring
        // expected-error @+1 {{'tile.fill' op expected a matrix whose number of rows is known; tensor copies take the others [FILL-C7]}}
        tile.fill "x" of %r[%im] = %x[%im, %in] engine bulk : !ring, !x
        tile.commit %r[%im] : !ring
      }
    }
  }
}

// -----

!ring = !tile.ring<1, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<4x40xf16, read>
tile.kernel @fill_c7_columns(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 528 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring {offset = 0 : i64, barriers_offset = 512 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%im] : !ring
        // expected-error @+1 {{'tile.fill' op expected all its columns to exist; tensor copies fill the others with zeros [FILL-C7]}}
        tile.fill "x" of %r[%im] = %x[%im, %in] engine bulk : !ring, !x
        tile.commit %r[%im] : !ring
      }
    }
  }
}

// -----

!ring = !tile.ring<1, [<"x", !tile.val<4x4xf16>>]>
!x = !tile.global<4x64xf16, read>
tile.kernel @fill_c7_bytes(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 528 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring {offset = 0 : i64, barriers_offset = 512 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%im] : !ring
        // expected-error @+1 {{'tile.fill' op expected runs of a multiple of 16 bytes, in the same order in global and shared memory, found 8 bytes [FILL-C7]}}
        tile.fill "x" of %r[%im] = %x[%im, %in] engine bulk : !ring, !x
        tile.commit %r[%im] : !ring
      }
    }
  }
}

// -----

!ring = !tile.ring<1, [<"w", !tile.val<16x64x!wna16.code<4, offset = 8>>, #wna16.layout<gptq>>]>
!w = !tile.global<64x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
tile.kernel @fill_c7_order(%w: !w) attributes {arg_names = ["w"], warps = 1 : i64, shared_bytes = 528 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring {offset = 0 : i64, barriers_offset = 512 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%im] : !ring
        // expected-error @+1 {{in the same order in global and shared memory, found 512 bytes [FILL-C7]}}
        tile.fill "w" of %r[%im] = %w[%im, %in] engine bulk : !ring, !w
        tile.commit %r[%im] : !ring
      }
    }
  }
}

// -----

!ring = !tile.ring<1, [<"x", !tile.val<4x64xf16>, #tile.pitch<72>>]>
!x = !tile.global<4x64xf16, read>
tile.kernel @fill_c8_gaps(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring {offset = 0 : i64, barriers_offset = 640 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%im] : !ring
        // expected-error @+1 {{'tile.fill' op expected a field of rows without gaps, or in a swizzle, for tensor copies, found #tile.field<"x", !tile.val<4x64xf16>, #tile.pitch<72>> [FILL-C8]}}
        tile.fill "x" of %r[%im] = %x[%im, %in] engine tensor : !ring, !x
        tile.commit %r[%im] : !ring
      }
    }
  }
}

// -----

!ring = !tile.ring<1, [<"x", !tile.val<4x512xf16>>]>
!x = !tile.global<4x512xf16, read>
tile.kernel @fill_c8_box(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 4112 : i64} {
  tile.for_each_work (%im, %in) tile [4, 512] of [4, 512] {
    %r = tile.ring {offset = 0 : i64, barriers_offset = 4096 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%im] : !ring
        // expected-error @+1 {{'tile.fill' op expected at most 256 rows and columns for a tensor copy, found 4x512 [FILL-C8]}}
        tile.fill "x" of %r[%im] = %x[%im, %in] engine tensor : !ring, !x
        tile.commit %r[%im] : !ring
      }
    }
  }
}

// -----

!ring = !tile.ring<1, [<"w", !tile.val<16x64x!wna16.code<4, offset = 8>>, #wna16.layout<gptq>>]>
!w = !tile.global<64x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
tile.kernel @fill_c8_order(%w: !w) attributes {arg_names = ["w"], warps = 1 : i64, shared_bytes = 528 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring {offset = 0 : i64, barriers_offset = 512 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%im] : !ring
        // expected-error @+1 {{'tile.fill' op expected storage whose tiles follow each other along the columns, in both memories, found #tile.field<"w", !tile.val<16x64x!wna16.code<4, offset = 8>>, #wna16.layout<gptq>> [FILL-C8]}}
        tile.fill "w" of %r[%im] = %w[%im, %in] engine tensor : !ring, !w
        tile.commit %r[%im] : !ring
      }
    }
  }
}

// -----

!ring = !tile.ring<1, [<"w", !tile.val<16x512x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>]>
!w = !tile.global<64x512x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
tile.kernel @fill_c8_words(%w: !w) attributes {arg_names = ["w"], warps = 1 : i64, shared_bytes = 4112 : i64} {
  tile.for_each_work (%im, %in) tile [4, 512] of [4, 512] {
    %r = tile.ring {offset = 0 : i64, barriers_offset = 4096 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%im] : !ring
        // expected-error @+1 {{'tile.fill' op expected at most 256 words in a row for a tensor copy, found 512 [FILL-C8]}}
        tile.fill "w" of %r[%im] = %w[%im, %in] engine tensor : !ring, !w
        tile.commit %r[%im] : !ring
      }
    }
  }
}

// -----

!ring = !tile.ring<1, [<"x", !tile.val<16x64xf16>>]>
!x = !tile.global<64x64xf16, read>
tile.kernel @work_c8_multicast(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 2064 : i64} {
  // expected-error @+1 {{'tile.for_each_work' op expected the blocks along the columns (3) to be a multiple of those that fetch together (2) [WORK-C8]}}
  tile.for_each_work (%im, %in) tile [16, 64] of [64, 192] {
    %c0 = arith.constant 0 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 2048 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%c0] : !ring
        tile.fill "x" of %r[%c0] = %x[%im, %c0] engine tensor multicast 2 : !ring, !x
        tile.commit %r[%c0] : !ring
      }
    }
  }
}
