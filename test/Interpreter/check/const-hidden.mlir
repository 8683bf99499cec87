// A write to what is only read, in a helper and one of two branches.

// RUN: not tile-run %s --grid 1 x="zeros(f32,4)" y="zeros(f32,4)" first=1 --check 2>&1 | FileCheck %s
// RUN: tile-run %s --grid 1 x="zeros(f32,4)" y="zeros(f32,4)" first=0 --check

func.func private @put(%p: !tile.ptr<f32>) {
  %one = arith.constant 1.0 : f32
  // CHECK: const-hidden.mlir:[[@LINE+2]]:{{[0-9]+}}: error: store to 'x', which the signature says is only read
  // CHECK-NOT: error:
  tile.store %p, %one : !tile.ptr<f32>, f32
  return
}

func.func @writes(%x: !tile.ptr<f32> {tile.name = "x", tile.type = "*kfp32"},
                  %y: !tile.ptr<f32> {tile.name = "y", tile.type = "*fp32"},
                  %first: i32 {tile.name = "first", tile.type = "i32"}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %is_first = arith.cmpi ne, %first, %zero : i32
  scf.if %is_first {
    func.call @put(%x) : (!tile.ptr<f32>) -> ()
  } else {
    func.call @put(%y) : (!tile.ptr<f32>) -> ()
  }
  return
}
