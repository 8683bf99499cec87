// RUN: tile-opt --tilec-llvm-pipeline %s | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tile-opt --tilec-llvm-pipeline=arch=sm_90a %s | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_90a && ptxas -arch=sm_90a %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_89 && ptxas -arch=sm_89 %t.ptx -o %t.cubin %}

// CHECK-LABEL: llvm.func @f8e4m3fn_to_f32
// SM80: llvm.shl %{{.*}} : i16
// SM80: llvm.bitcast %{{.*}} : i16 to f16
// SM80: llvm.fmul
// SM80: llvm.select
// SM90: "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h"
// SM90: llvm.fpext %{{.*}} : f16 to f32
func.func @f8e4m3fn_to_f32(%p: !tile.ptr<f8E4M3FN>, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f8E4M3FN> -> tensor<128x!tile.ptr<f8E4M3FN>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f8E4M3FN>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f8E4M3FN>> -> tensor<128xf8E4M3FN>
  %c = arith.extf %v : tensor<128xf8E4M3FN> to tensor<128xf32>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}

// CHECK-LABEL: llvm.func @f8e5m2_to_f32
// SM80: %[[H:.*]] = llvm.shl %{{.*}} : i16
// SM80: %[[F:.*]] = llvm.bitcast %[[H]] : i16 to f16
// SM80: llvm.fpext %[[F]] : f16 to f32
// SM90: "cvt.rn.f16x2.e5m2x2 $0, $1;", "=r,h"
func.func @f8e5m2_to_f32(%p: !tile.ptr<f8E5M2>, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f8E5M2> -> tensor<128x!tile.ptr<f8E5M2>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f8E5M2>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f8E5M2>> -> tensor<128xf8E5M2>
  %c = arith.extf %v : tensor<128xf8E5M2> to tensor<128xf32>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}

// CHECK-LABEL: llvm.func @f32_to_f8e4m3fn
// SM80-NOT: cvt
// SM80: llvm.trunc %{{.*}} : i32 to i8
// SM90: "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f"
func.func @f32_to_f8e4m3fn(%p: !tile.ptr<f32>, %o: !tile.ptr<f8E4M3FN>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %c = arith.truncf %v : tensor<128xf32> to tensor<128xf8E4M3FN>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f8E4M3FN> -> tensor<128x!tile.ptr<f8E4M3FN>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f8E4M3FN>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f8E4M3FN>>, tensor<128xf8E4M3FN>
  return
}

// CHECK-LABEL: llvm.func @f32_to_f8e5m2
// SM80-NOT: cvt
// SM80: llvm.trunc %{{.*}} : i32 to i8
// SM90: "cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;", "=h,f,f"
func.func @f32_to_f8e5m2(%p: !tile.ptr<f32>, %o: !tile.ptr<f8E5M2>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %c = arith.truncf %v : tensor<128xf32> to tensor<128xf8E5M2>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f8E5M2> -> tensor<128x!tile.ptr<f8E5M2>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f8E5M2>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f8E5M2>>, tensor<128xf8E5M2>
  return
}

// CHECK-LABEL: llvm.func @f8e4m3fn_to_bf16
// CHECK: llvm.fptrunc %{{.*}} : f32 to bf16
func.func @f8e4m3fn_to_bf16(%p: !tile.ptr<f8E4M3FN>, %o: !tile.ptr<bf16>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f8E4M3FN> -> tensor<128x!tile.ptr<f8E4M3FN>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f8E4M3FN>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f8E4M3FN>> -> tensor<128xf8E4M3FN>
  %c = arith.extf %v : tensor<128xf8E4M3FN> to tensor<128xbf16>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<bf16>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<bf16>>, tensor<128xbf16>
  return
}

// CHECK-LABEL: llvm.func @f16_to_f8e5m2
// CHECK: llvm.fpext %{{.*}} : f16 to f32
// SM90: "cvt.rn.satfinite.e5m2x2.f32
func.func @f16_to_f8e5m2(%p: !tile.ptr<f16>, %o: !tile.ptr<f8E5M2>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f16>> -> tensor<128xf16>
  %c = arith.truncf %v : tensor<128xf16> to tensor<128xf8E5M2>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f8E5M2> -> tensor<128x!tile.ptr<f8E5M2>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f8E5M2>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f8E5M2>>, tensor<128xf8E5M2>
  return
}

// CHECK-LABEL: llvm.func @f32_to_bf16_toward_zero
// CHECK: "cvt.rz.bf16.f32 $0, $1;", "=h,f"
func.func @f32_to_bf16_toward_zero(%p: !tile.ptr<f32>, %o: !tile.ptr<bf16>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %c = arith.truncf %v toward_zero : tensor<128xf32> to tensor<128xbf16>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<bf16>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<bf16>>, tensor<128xbf16>
  return
}

// CHECK-LABEL: llvm.func @f32_to_f16_toward_zero
// CHECK: "cvt.rz.f16.f32 $0, $1;", "=h,f"
func.func @f32_to_f16_toward_zero(%p: !tile.ptr<f32>, %o: !tile.ptr<f16>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %c = arith.truncf %v toward_zero : tensor<128xf32> to tensor<128xf16>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f16>>, tensor<128xf16>
  return
}

// CHECK-LABEL: llvm.func @f32_to_f16
// CHECK: llvm.fptrunc %{{.*}} : f32 to f16
func.func @f32_to_f16(%p: !tile.ptr<f32>, %o: !tile.ptr<f16>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %c = arith.truncf %v : tensor<128xf32> to tensor<128xf16>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f16>>, tensor<128xf16>
  return
}

// CHECK-LABEL: llvm.func @f64_to_f16
// CHECK: llvm.fptrunc %{{.*}} : f64 to f16
func.func @f64_to_f16(%p: !tile.ptr<f64>, %o: !tile.ptr<f16>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f64> -> tensor<128x!tile.ptr<f64>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f64>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f64>> -> tensor<128xf64>
  %c = arith.truncf %v : tensor<128xf64> to tensor<128xf16>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f16>>, tensor<128xf16>
  return
}

// 8-bit floats are added and compared in f32, and selected as bits.
// CHECK-LABEL: llvm.func @arithmetic
// CHECK: llvm.fadd %{{.*}} : f32
// CHECK: llvm.fcmp "ogt" %{{.*}} : f32
// CHECK: llvm.select %{{.*}} : i1, i8
func.func @arithmetic(%p: !tile.ptr<f8E4M3FN>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f8E4M3FN> -> tensor<128x!tile.ptr<f8E4M3FN>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f8E4M3FN>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f8E4M3FN>> -> tensor<128xf8E4M3FN>
  %a = arith.addf %v, %v : tensor<128xf8E4M3FN>
  %c = arith.cmpf ogt, %a, %v : tensor<128xf8E4M3FN>
  %b = arith.select %c, %a, %v : tensor<128xi1>, tensor<128xf8E4M3FN>
  tile.store %q, %b : tensor<128x!tile.ptr<f8E4M3FN>>, tensor<128xf8E4M3FN>
  return
}

// Where no instruction rounds toward zero: to the nearest, and a step back where that
// went past the value.
// CHECK-LABEL: llvm.func @f64_to_f32_toward_zero
// CHECK: %[[N:.*]] = llvm.fptrunc %[[X:.*]] : f64 to f32
// CHECK: %[[BACK:.*]] = llvm.fpext %[[N]] : f32 to f64
// CHECK: %[[A:.*]] = llvm.intr.fabs(%[[BACK]])
// CHECK: %[[B:.*]] = llvm.intr.fabs(%[[X]])
// CHECK: %[[PAST:.*]] = llvm.fcmp "ogt" %[[A]], %[[B]]
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[N]] : f32 to i32
// CHECK: %[[LESS:.*]] = llvm.add %[[BITS]], %{{.*}}
// CHECK: llvm.select %[[PAST]], %[[LESS]], %[[BITS]]
func.func @f64_to_f32_toward_zero(%p: !tile.ptr<f64>, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f64> -> tensor<128x!tile.ptr<f64>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f64>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f64>> -> tensor<128xf64>
  %c = arith.truncf %v toward_zero : tensor<128xf64> to tensor<128xf32>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}

// CHECK-LABEL: llvm.func @f32_to_f8e4m3fn_toward_zero
// CHECK: %[[PAST:.*]] = llvm.fcmp "ogt"
// CHECK: llvm.select %[[PAST]], %{{.*}}, %{{.*}} : i1, i8
func.func @f32_to_f8e4m3fn_toward_zero(%p: !tile.ptr<f32>, %o: !tile.ptr<f8E4M3FN>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %c = arith.truncf %v toward_zero : tensor<128xf32> to tensor<128xf8E4M3FN>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f8E4M3FN> -> tensor<128x!tile.ptr<f8E4M3FN>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f8E4M3FN>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f8E4M3FN>>, tensor<128xf8E4M3FN>
  return
}

// Through f32, whose last bit tells whether anything was lost, so that the second
// rounding is the only one.
// CHECK-LABEL: llvm.func @f64_to_f8e5m2
// CHECK: %[[LOST:.*]] = llvm.fcmp "one"
// CHECK: %[[S:.*]] = llvm.zext %[[LOST]] : i1 to i32
// CHECK: llvm.or %{{.*}}, %[[S]]
func.func @f64_to_f8e5m2(%p: !tile.ptr<f64>, %o: !tile.ptr<f8E5M2>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f64> -> tensor<128x!tile.ptr<f64>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f64>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f64>> -> tensor<128xf64>
  %c = arith.truncf %v : tensor<128xf64> to tensor<128xf8E5M2>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f8E5M2> -> tensor<128x!tile.ptr<f8E5M2>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f8E5M2>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f8E5M2>>, tensor<128xf8E5M2>
  return
}
