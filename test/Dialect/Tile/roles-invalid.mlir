// RUN: wna16-opt %s --split-input-file --verify-diagnostics

// Roles, and fills by other engines than threads: one function per rule of docs/spec.md,
// named after the rule.

tile.kernel @role_c1_other_op() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      // expected-error @+1 {{'arith.constant' op expected nothing but tile.role in tile.roles [ROLE-C1]}}
      %c0 = arith.constant 0 : index
      tile.role "all" warps 1 {
      }
    }
  }
}

// -----

tile.kernel @role_c2_too_few() attributes {arg_names = [], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    // expected-error @+1 {{'tile.roles' op expected the roles to have all 4 warps of the kernel, found 3 [ROLE-C2]}}
    tile.roles {
      tile.role "consumer" warps 2 {
      }
      tile.role "producer" warps 1 single_thread {
      }
    }
  }
}

// -----

tile.kernel @role_c3_parts_on_work() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [4, 64] of [4, 64] parts 2 {
    // expected-error @+1 {{'tile.roles' op expected the parts of K on a role, found them on its tile.for_each_work [ROLE-C3]}}
    tile.roles {
      tile.role "all" warps 2 {
      }
    }
  }
}

// -----

tile.kernel @role_c4_no_part() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      // expected-error @+1 {{'tile.role' op expected 1 region arguments of type index, one when there are parts [ROLE-C4]}}
      tile.role "all" warps 2 parts 2 () {
      }
    }
  }
}

// -----

tile.kernel @role_c4_part_without_parts() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      // expected-error @+1 {{'tile.role' op expected 0 region arguments of type index, one when there are parts [ROLE-C4]}}
      tile.role "all" warps 2 parts 1 (%part) {
      }
    }
  }
}

// -----

tile.kernel @role_c4_type() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      // expected-error @+1 {{'tile.role' op expected 1 region arguments of type index, one when there are parts [ROLE-C4]}}
      "tile.role"() <{name = "all", warps = 2 : i64, parts = 2 : i64}> ({
      ^bb0(%part: i32):
        tile.role_end
      }) : () -> ()
    }
  }
}

// -----

tile.kernel @role_c5_parts() attributes {arg_names = [], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      // expected-error @+1 {{'tile.role' op expected the parts (3) to divide the warps of the role (4) [ROLE-C5]}}
      tile.role "all" warps 4 parts 3 (%part) {
      }
    }
  }
}

// -----

// One thread needs no power of two; that the kernel has none is no error with roles.
tile.kernel @role_c5_power_of_two() attributes {arg_names = [], warps = 6 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      tile.role "producer" warps 3 single_thread {
      }
      // expected-error @+1 {{'tile.role' op expected a power of two of warps, found 3 [ROLE-C5]}}
      tile.role "consumer" warps 3 {
      }
    }
  }
}

// -----

// expected-error @+1 {{'tile.kernel' op expected a power of two of at most 32 warps, found 33 [KERNEL-C4]}}
tile.kernel @kernel_c4_too_many_with_roles() attributes {arg_names = [], warps = 33 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      tile.role "consumer" warps 32 {
      }
      tile.role "producer" warps 1 single_thread {
      }
    }
  }
}

// -----

tile.kernel @role_c6_half_a_group() attributes {arg_names = [], warps = 6 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      tile.role "consumer" warps 4 {
      }
      // expected-error @+1 {{'tile.role' op expected registers, 24 to 256 in steps of 8, on whole groups of four warps, found 40 on warps 4 to 5 [ROLE-C6]}}
      tile.role "producer" warps 2 single_thread registers 40 {
      }
    }
  }
}

// -----

tile.kernel @role_c6_begins_in_a_group() attributes {arg_names = [], warps = 5 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      tile.role "producer" warps 1 single_thread {
      }
      // expected-error @+1 {{'tile.role' op expected registers, 24 to 256 in steps of 8, on whole groups of four warps, found 40 on warps 1 to 4 [ROLE-C6]}}
      tile.role "consumer" warps 4 registers 40 {
      }
    }
  }
}

// -----

tile.kernel @role_c6_steps_of_eight() attributes {arg_names = [], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      // expected-error @+1 {{found 44 on warps 0 to 3 [ROLE-C6]}}
      tile.role "all" warps 4 registers 44 {
      }
    }
  }
}

// -----

tile.kernel @role_c6_too_few() attributes {arg_names = [], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      // expected-error @+1 {{found 16 on warps 0 to 3 [ROLE-C6]}}
      tile.role "all" warps 4 registers 16 {
      }
    }
  }
}

// -----

tile.kernel @role_c6_too_many() attributes {arg_names = [], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      // expected-error @+1 {{found 264 on warps 0 to 3 [ROLE-C6]}}
      tile.role "all" warps 4 registers 264 {
      }
    }
  }
}

// -----

#a = #tile.linear<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 16], [0, 32]] : [16, 64]>
#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]] : [64, 8]>
!panels = !tile.ring<2, [#tile.field<"x", !tile.val<8x64xf16>, #tile.swizzle<128>>]>
tile.kernel @role_c6_product() attributes {arg_names = [], warps = 5 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %r = tile.ring : !panels
    tile.roles {
      tile.role "producer" warps 1 single_thread {
      }
      tile.role "consumer" warps 4 {
        %w = tile.zero : !tile.val<16x64xf16, #a>
        %zero = tile.zero : !tile.val<64x8xf32, #acc>
        // expected-error @+1 {{'tile.mma_async' op expected a role that begins with a group of four warps, found warp 1 [ROLE-C6]}}
        %p = tile.mma_async %w, "x" of %r[%c0] [0, 0], %zero : !tile.val<16x64xf16, #a>, !panels, !tile.val<64x8xf32, #acc>
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!y = !tile.global<4x64xf16, write>
tile.kernel @role_c7_tile_from_outside(%y: !y) attributes {arg_names = ["y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %v = tile.zero : !tile.val<4x64xf16, #rows>
    tile.roles {
      tile.role "all" warps 1 {
        // expected-error @+1 {{'tile.store' op uses a tile of another role [ROLE-C7]}}
        tile.store %v, %y[%im, %in] : !tile.val<4x64xf16, #rows>, !y
      }
    }
  }
}

// -----

tile.kernel @role_c7_single_thread() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    tile.roles {
      tile.role "all" warps 1 single_thread {
        // expected-error @+1 {{'tile.zero' op expected no tiles in a role of a single thread [ROLE-C7]}}
        %v = tile.zero : !tile.val<4x64xf16>
      }
    }
  }
}

// -----

// Eight parts of two warps meet at eight barriers and, all together, at one more.
tile.kernel @role_c8_barriers() attributes {arg_names = [], warps = 32 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    // expected-error @+1 {{'tile.roles' op expected at most 15 barriers, one for each role and one for each of its parts of more than one warp, found 18 [ROLE-C8]}}
    tile.roles {
      tile.role "first" warps 16 parts 8 (%part) {
      }
      tile.role "second" warps 16 parts 8 (%part) {
      }
    }
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<4x64xf16, read>
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
tile.kernel @fill_c5_threads_of_an_engine(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill' op expected a thread map for copies by threads, and none for the other engines [FILL-C5]}}
    tile.fill "x" of %r[%im] = %x[%im, %in] threads(#rows) engine bulk : !ring, !x
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<4x64xf16, read>
tile.kernel @fill_c5_no_threads(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill' op expected a thread map for copies by threads, and none for the other engines [FILL-C5]}}
    tile.fill "x" of %r[%im] = %x[%im, %in] : !ring, !x
  }
}

// -----

!ring = !tile.ring<2, [<"s", !tile.val<1x64xf16>>]>
!s = !tile.global<4x64xf16, read>
tile.kernel @fill_c5_scales(%s: !s) attributes {arg_names = ["s"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill_scales' op expected a thread map for copies by threads, and none for the other engines [FILL-C5]}}
    tile.fill_scales "s" of %r[%im] = %s[k = %im, n = %in] {group = 128 : i64} : !ring, !s
  }
}

// -----

!ring = !tile.ring<2, [<"s", !tile.val<2x64xf16>>]>
!s = !tile.global<4x64xf16, read>
tile.kernel @fill_c6_two_rows(%s: !s) attributes {arg_names = ["s"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill_scales' op expected a field of one row for one scale per column, found 2 [FILL-C6]}}
    tile.fill_scales "s" of %r[%im] = %s[k = %im, n = %in] engine bulk {group = -1 : i64} : !ring, !s
  }
}

// -----

!ring = !tile.ring<2, [<"s", !tile.val<1x64xf16>>]>
!s = !tile.global<4x64xf16, read>
tile.kernel @scales_c1_fill(%s: !s) attributes {arg_names = ["s"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{[SCALES-C1]}}
    tile.fill_scales "s" of %r[%im] = %s[k = %im, n = %in] engine bulk {group = -2 : i64} : !ring, !s
  }
}

// -----

// What both fills check.
!ring = !tile.ring<2, [<"s", !tile.val<1x64xf16>>]>
tile.kernel @ring_c1_scales(%s: !tile.global<4x64xf16, read>) attributes {arg_names = ["s"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill_scales' op expected a field of the ring ('s'), found 't' [RING-C1]}}
    tile.fill_scales "t" of %r[%im] = %s[k = %im, n = %in] engine bulk {group = 128 : i64} : !ring, !tile.global<4x64xf16, read>
  }
}

// -----

!ring = !tile.ring<2, [<"s", !tile.val<1x64xf16>>]>
tile.kernel @fill_c1_scales(%s: !tile.global<4x64xbf16, read>) attributes {arg_names = ["s"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill_scales' op expected a matrix of 'f16', found 'bf16' [FILL-C1]}}
    tile.fill_scales "s" of %r[%im] = %s[k = %im, n = %in] engine bulk {group = 128 : i64} : !ring, !tile.global<4x64xbf16, read>
  }
}

// -----

!ring = !tile.ring<2, [<"s", !tile.val<1x64xf16>>]>
tile.kernel @fill_c4_scales(%s: !tile.global<4x64xf16, write>) attributes {arg_names = ["s"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill_scales' op expected a matrix to read, found one to write [FILL-C4]}}
    tile.fill_scales "s" of %r[%im] = %s[k = %im, n = %in] engine bulk {group = 128 : i64} : !ring, !tile.global<4x64xf16, write>
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<16x64xf16>>]>
!x = !tile.global<512x64xf16, read>
tile.kernel @fill_c9_engine(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [64, 64] of [512, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill' op expected a tensor copy to 2, 4 or 8 blocks, each with a share of the rows that is a multiple of 8, found 2 blocks for '!tile.val<16x64xf16>' [FILL-C9]}}
    tile.fill "x" of %r[%im] = %x[%im, %in] engine bulk multicast 2 : !ring, !x
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<64x64xf16>>]>
!x = !tile.global<512x64xf16, read>
tile.kernel @fill_c9_number(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [64, 64] of [512, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill' op expected a tensor copy to 2, 4 or 8 blocks, each with a share of the rows that is a multiple of 8, found 3 blocks for '!tile.val<64x64xf16>' [FILL-C9]}}
    tile.fill "x" of %r[%im] = %x[%im, %in] engine tensor multicast 3 : !ring, !x
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<128x64xf16>>]>
!x = !tile.global<512x64xf16, read>
tile.kernel @fill_c9_too_many(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [64, 64] of [512, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill' op expected a tensor copy to 2, 4 or 8 blocks, each with a share of the rows that is a multiple of 8, found 16 blocks for '!tile.val<128x64xf16>' [FILL-C9]}}
    tile.fill "x" of %r[%im] = %x[%im, %in] engine tensor multicast 16 : !ring, !x
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<8x64xf16>>]>
!x = !tile.global<512x64xf16, read>
tile.kernel @fill_c9_rows(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [64, 64] of [512, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.fill' op expected a tensor copy to 2, 4 or 8 blocks, each with a share of the rows that is a multiple of 8, found 2 blocks for '!tile.val<8x64xf16>' [FILL-C9]}}
    tile.fill "x" of %r[%im] = %x[%im, %in] engine tensor multicast 2 : !ring, !x
  }
}
