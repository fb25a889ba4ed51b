// RUN: wna16-opt %s --share-registers --split-input-file | FileCheck %s
// RUN: wna16-opt %s --share-registers=target=sm_80 --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: not wna16-opt %s --share-registers=target=sm_99 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}}unknown target 'sm_99'

// 65536 registers for 384 threads are 168 each; 128 threads keep 32 of theirs, and the other
// 256 have 236, in steps of 8: 232.
// CHECK-LABEL: tile.kernel @shared
// CHECK: tile.role "consumer" warps 8 registers 232 {
// CHECK: tile.role "producer" warps 4 single_thread registers 32 {
// NONE-NOT: registers 232
tile.kernel @shared() attributes {arg_names = [], warps = 12 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    tile.roles {
      tile.role "consumer" warps 8 {
      }
      tile.role "producer" warps 4 single_thread {
      }
    }
  }
}

// -----

// 640 threads begin with 96; 112 for the 512.
// CHECK-LABEL: tile.kernel @four_groups
// CHECK: tile.role "consumer" warps 16 registers 112 {
// CHECK: tile.role "producer" warps 4 single_thread registers 32 {
tile.kernel @four_groups() attributes {arg_names = [], warps = 20 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    tile.roles {
      tile.role "consumer" warps 16 {
      }
      tile.role "producer" warps 4 single_thread {
      }
    }
  }
}

// 256 threads have all that a thread can have.
// CHECK-LABEL: tile.kernel @enough
// CHECK-NOT: registers
// Less than a group of four warps gives nothing back.
// CHECK-LABEL: tile.kernel @one_warp
// CHECK-NOT: registers
// Nobody gives, or nobody takes.
// CHECK-LABEL: tile.kernel @readers
// CHECK-NOT: registers
tile.kernel @enough() attributes {arg_names = [], warps = 8 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    tile.roles {
      tile.role "consumer" warps 4 {
      }
      tile.role "producer" warps 4 single_thread {
      }
    }
  }
}
tile.kernel @one_warp() attributes {arg_names = [], warps = 17 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    tile.roles {
      tile.role "consumer" warps 16 {
      }
      tile.role "producer" warps 1 single_thread {
      }
    }
  }
}
tile.kernel @readers() attributes {arg_names = [], warps = 16 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    tile.roles {
      tile.role "first" warps 8 {
      }
      tile.role "second" warps 8 {
      }
    }
  }
}

// What is written by hand stays.
// CHECK-LABEL: tile.kernel @by_hand
// CHECK: tile.role "consumer" warps 8 {
// CHECK: tile.role "producer" warps 4 single_thread registers 40 {
tile.kernel @by_hand() attributes {arg_names = [], warps = 12 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    tile.roles {
      tile.role "consumer" warps 8 {
      }
      tile.role "producer" warps 4 single_thread registers 40 {
      }
    }
  }
}
