// A pointer that the signature says is only read, written through in IR that the front
// end would refuse.

// RUN: not tile-run %s --grid 3 x="zeros(f32,4)" --check 2>&1 | FileCheck %s
// RUN: not tile-run %s --grid 3 x="zeros(f32,4)" --check=json | FileCheck %s --check-prefix=JSON

// CHECK: const.mlir:[[@LINE+4]]:{{[0-9]+}}: error: store to 'x', which the signature says is only read
// JSON: {"kind": "const-write", {{.*}}"line": [[@LINE+3]], "buffer": "x", "index": [0]
func.func @writes(%x: !tile.ptr<f32> {tile.name = "x", tile.type = "*kfp32"}) attributes {tile.kernel} {
  %one = arith.constant 1.0 : f32
  tile.store %x, %one : !tile.ptr<f32>, f32
  return
}
