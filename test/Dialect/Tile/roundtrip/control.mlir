// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

// The attributes that the dialect defines on functions and arguments.
// CHECK: func.func @kernel(%{{.*}}: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "x_ptr", tile.type = "*fp32"})
// CHECK-SAME: tile.constants = {BLOCK = 1024 : i32}
// CHECK-SAME: tile.kernel
// CHECK-SAME: tile.num_stages = 3 : i32, tile.num_warps = 8 : i32
func.func @kernel(%p: !tile.ptr<f32> {tile.name = "x_ptr", tile.type = "*fp32", tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32, tile.constants = {BLOCK = 1024 : i32}} {
  // CHECK: tile.program_id 0 {tile.divisibility = array<i32: 8>} : i32
  %0 = tile.program_id 0 {tile.divisibility = array<i32: 8>} : i32
  // CHECK: tile.num_programs 2 : i32
  %1 = tile.num_programs 2 : i32
  return
}

// CHECK-LABEL: func.func @effects
func.func @effects(%c: tensor<8xi1>, %x: tensor<8xi32>, %s: i1) {
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.gdc_wait
  tile.gdc_wait
  // CHECK: tile.gdc_launch_dependents
  tile.gdc_launch_dependents
  // CHECK: tile.assert %{{.*}}, "index \22i\22 out of range" : tensor<8xi1>
  tile.assert %c, "index \"i\" out of range" : tensor<8xi1>
  // CHECK: tile.assume %{{.*}}
  tile.assume %s
  // CHECK: tile.print "x: ", %{{.*}}, %{{.*}} : tensor<8xi32>, tensor<8xi1> {hex}
  tile.print "x: ", %x, %c : tensor<8xi32>, tensor<8xi1> {hex}
  // CHECK: tile.print "done"
  tile.print "done"
  return
}

// CHECK-LABEL: func.func @masked_print
// CHECK: tile.print "x: ", %{{.*}} : tensor<8xi32> mask %{{.*}} : tensor<8xi1>
func.func @masked_print(%x: tensor<8xi32>, %c: tensor<8xi1>) {
  tile.print "x: ", %x : tensor<8xi32> mask %c : tensor<8xi1>
  return
}

// CHECK-LABEL: func.func @inline_asm
// CHECK: tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r"(%{{.*}}) pack 1 pure : (tensor<8xi32>) -> tensor<8xi32>
// CHECK: tile.inline_asm "mov.u64 $0, %globaltimer;" constraints "=l"() pack 1 : () -> i64
func.func @inline_asm(%x: tensor<8xi32>) -> (tensor<8xi32>, i64) {
  %0 = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" (%x) pack 1 pure : (tensor<8xi32>) -> tensor<8xi32>
  %1 = tile.inline_asm "mov.u64 $0, %globaltimer;" constraints "=l" () pack 1 : () -> i64
  return %0, %1 : tensor<8xi32>, i64
}
