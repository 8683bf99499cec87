// RUN: tile-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{expected a number of 8 to 64 bits or a pointer as pointee, got 'i1'}}
func.func private @pointee(!tile.ptr<i1>) // (C1) of the type

// -----

// expected-error @+1 {{expected a number of 8 to 64 bits or a pointer as pointee, got 'tensor<4xf32>'}}
func.func private @pointee_tile(!tile.ptr<tensor<4xf32>>) // (C1) of the type

// -----

func.func @addptr_shape(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<4xi32>) { // (C1)
  // expected-error @+1 {{'tile.addptr' op expected offsets of type 'tensor<8xi32>', got 'tensor<4xi32>'}}
  %0 = tile.addptr %p, %o : tensor<8x!tile.ptr<f32>>, tensor<4xi32>
  return
}

// -----

func.func @addptr_scalar(%p: tensor<8x!tile.ptr<f32>>, %o: i64) { // (C1)
  // expected-error @+1 {{'tile.addptr' op expected offsets of type 'tensor<8xi64>', got 'i64'}}
  %0 = tile.addptr %p, %o : tensor<8x!tile.ptr<f32>>, i64
  return
}

// -----

func.func @addptr_float(%p: !tile.ptr<f32>, %o: f32) {
  // expected-error @+1 {{'tile.addptr' op operand #1 must be integer}}
  %0 = tile.addptr %p, %o : !tile.ptr<f32>, f32
  return
}

// -----

func.func @ptr_cast_width(%p: !tile.ptr<f32>) { // (C1)
  // expected-error @+1 {{'tile.ptr_cast' op expected pointers, or one pointer and one i64, got '!tile.ptr<f32>' and 'i32'}}
  %0 = tile.ptr_cast %p : !tile.ptr<f32> -> i32
  return
}

// -----

func.func @ptr_cast_integers(%x: i64) { // (C1)
  // expected-error @+1 {{'tile.ptr_cast' op expected pointers, or one pointer and one i64, got 'i64' and 'i64'}}
  %0 = tile.ptr_cast %x : i64 -> i64
  return
}

// -----

func.func @ptr_cast_shape(%p: tensor<8x!tile.ptr<f32>>) { // (C2)
  // expected-error @+1 {{'tile.ptr_cast' op expected a result of type 'tensor<8xi64>', got 'tensor<4xi64>'}}
  %0 = tile.ptr_cast %p : tensor<8x!tile.ptr<f32>> -> tensor<4xi64>
  return
}

// -----

func.func @load_type(%p: tensor<8x!tile.ptr<f32>>) { // (C1)
  // expected-error @+1 {{'tile.load' op expected a result of type 'tensor<8xf32>', got 'tensor<8xf16>'}}
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xf16>
  return
}

// -----

func.func @load_mask(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<4xi1>) { // (C2)
  // expected-error @+1 {{'tile.load' op failed to verify that mask has the shape of the pointers}}
  %0 = "tile.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x!tile.ptr<f32>>, tensor<4xi1>) -> tensor<8xf32>
  return
}

// -----

func.func @load_other_type(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf16>) { // (C3)
  // expected-error @+1 {{'tile.load' op failed to verify that other has the result's type}}
  %0 = "tile.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x!tile.ptr<f32>>, tensor<8xi1>, tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @load_other_alone(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) { // (C3)
  // expected-error @+1 {{'tile.load' op expected a mask with 'other'}}
  %0 = tile.load %p other %o : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return
}

// -----

func.func @load_no_pointer(%p: tensor<8xi64>) {
  // expected-error @+1 {{'ptr' must be address of an element in global memory or statically shaped tensor}}
  %0 = tile.load %p : tensor<8xi64> -> tensor<8xf32>
  return
}

// -----

func.func @store_type(%p: tensor<8x!tile.ptr<f32>>, %v: f32) { // (C1)
  // expected-error @+1 {{'tile.store' op expected a value of type 'tensor<8xf32>', got 'f32'}}
  tile.store %p, %v : tensor<8x!tile.ptr<f32>>, f32
  return
}

// -----

func.func @store_mask(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: i1) { // (C2)
  // expected-error @+1 {{'tile.store' op failed to verify that mask has the shape of the pointers}}
  "tile.store"(%p, %v, %m) : (tensor<8x!tile.ptr<f32>>, tensor<8xf32>, i1) -> ()
  return
}

// -----

func.func @rmw_type(%p: !tile.ptr<f32>, %v: i32) { // (C1)
  // expected-error @+1 {{'tile.atomic_rmw' op expected a value of type 'f32', got 'i32'}}
  %0 = tile.atomic_rmw add, relaxed, gpu, %p, %v : !tile.ptr<f32>, i32
  return
}

// -----

func.func @rmw_mask(%p: tensor<8x!tile.ptr<i32>>, %v: tensor<8xi32>, %m: tensor<2xi1>) { // (C2)
  // expected-error @+1 {{'tile.atomic_rmw' op failed to verify that mask has the shape of the pointers}}
  %0 = "tile.atomic_rmw"(%p, %v, %m) <{kind = 0 : i32, order = 0 : i32, scope = 0 : i32}> : (tensor<8x!tile.ptr<i32>>, tensor<8xi32>, tensor<2xi1>) -> tensor<8xi32>
  return
}

// -----

func.func @rmw_add_of_floats(%p: !tile.ptr<f32>, %v: f32) { // (C3)
  // expected-error @+1 {{'tile.atomic_rmw' op expected a type that 'add' works on, got 'f32'}}
  %0 = tile.atomic_rmw add, relaxed, gpu, %p, %v : !tile.ptr<f32>, f32
  return
}

// -----

func.func @rmw_narrow(%p: !tile.ptr<i16>, %v: i16) { // (C3)
  // expected-error @+1 {{'tile.atomic_rmw' op expected a type that 'umin' works on, got 'i16'}}
  %0 = tile.atomic_rmw umin, relaxed, gpu, %p, %v : !tile.ptr<i16>, i16
  return
}

// -----

func.func @rmw_half_max(%p: !tile.ptr<f16>, %v: f16) { // (C3)
  // expected-error @+1 {{'tile.atomic_rmw' op expected a type that 'fmax' works on, got 'f16'}}
  %0 = tile.atomic_rmw fmax, relaxed, gpu, %p, %v : !tile.ptr<f16>, f16
  return
}

// -----

func.func @rmw_fp8(%p: !tile.ptr<f8E5M2>, %v: f8E5M2) { // (C3)
  // expected-error @+1 {{'tile.atomic_rmw' op expected a type that 'fadd' works on, got 'f8E5M2'}}
  %0 = tile.atomic_rmw fadd, relaxed, gpu, %p, %v : !tile.ptr<f8E5M2>, f8E5M2
  return
}

// -----

func.func @rmw_pointer(%p: !tile.ptr<!tile.ptr<f32>>, %v: !tile.ptr<f32>) { // (C3)
  // expected-error @+1 {{'tile.atomic_rmw' op expected a type that 'xchg' works on, got '!tile.ptr<f32>'}}
  %0 = tile.atomic_rmw xchg, relaxed, gpu, %p, %v : !tile.ptr<!tile.ptr<f32>>, !tile.ptr<f32>
  return
}

// -----

func.func @cas_type(%p: !tile.ptr<i32>, %v: i64) { // (C1)
  // expected-error @+1 {{'tile.atomic_cas' op expected a value of type 'i32', got 'i64'}}
  %0 = tile.atomic_cas acq_rel, gpu, %p, %v, %v : !tile.ptr<i32>, i64
  return
}

// -----

func.func @cas_mask(%p: tensor<8x!tile.ptr<i32>>, %v: tensor<8xi32>, %m: tensor<4xi1>) { // (C3)
  // expected-error @+1 {{'tile.atomic_cas' op failed to verify that mask has the shape of the pointers}}
  %0 = "tile.atomic_cas"(%p, %v, %v, %m) <{order = 0 : i32, scope = 0 : i32}> : (tensor<8x!tile.ptr<i32>>, tensor<8xi32>, tensor<8xi32>, tensor<4xi1>) -> tensor<8xi32>
  return
}

// -----

func.func @cas_width(%p: !tile.ptr<i8>, %v: i8) { // (C2)
  // expected-error @+1 {{'tile.atomic_cas' op expected elements of 16, 32 or 64 bits, got 'i8'}}
  %0 = tile.atomic_cas acq_rel, gpu, %p, %v, %v : !tile.ptr<i8>, i8
  return
}

// -----

func.func @load_cache(%p: !tile.ptr<f32>) { // (C4)
  // expected-error @+1 {{'tile.load' op expected one of the cache modifiers 'ca', 'cg', 'cs', 'cv', got 'wb'}}
  %0 = tile.load %p {cache = 5 : i32} : !tile.ptr<f32> -> f32
  return
}

// -----

func.func @store_cache(%p: !tile.ptr<f32>, %x: f32) { // (C3)
  // expected-error @+1 {{'tile.store' op expected one of the cache modifiers 'wb', 'cg', 'cs', 'wt', got 'ca'}}
  tile.store %p, %x {cache = 1 : i32} : !tile.ptr<f32>, f32
  return
}
