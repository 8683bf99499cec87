//===- Kernels.h - inner loops of elementwise operations --------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// An elementwise operation is one or more kernels: plain loops over dense
// arrays of at most kChunk elements. Narrow floats reach them as f32 and leave
// them by one rounding.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_OPERATIONS_KERNELS_H
#define TILEC_LIB_INTERPRETER_OPERATIONS_KERNELS_H

#include "Value.h"
#include "mlir/IR/Operation.h"

namespace tilec::interpreter {

struct State;
enum class Step;

/// Computes `n` elements of `out` from the arrays `in`.
using KernelFn = void (*)(int64_t n, const void *const *in, void *out);

/// One result of an elementwise operation.
struct Kernel {
  KernelFn fn = nullptr;
  /// Numbers of the operands it reads, at most three.
  llvm::SmallVector<unsigned, 3> operands;
  /// Are narrow floats read and written as bits?
  bool raw = false;
  /// The kind that `fn` writes, and the kind that is kept.
  Kind computes = Kind::I1, stores = Kind::I1;
  Rounding rounding = Rounding::to_nearest_even;
  /// Number of the result.
  unsigned result = 0;
  /// Position in `operands` of a divisor, or -1.
  int divisor = -1;
  /// What it counts as, empty for nothing, and how often an element.
  llvm::StringRef flopKind = {};
  unsigned flops = 1;

  /// The kind in which operand `i` of the operation is read.
  Kind readKind(mlir::Operation *op, unsigned i) const;
  /// Is one of the `n` integers of a divisor's array 0?
  static bool hasZero(Kind kind, const void *data, int64_t n);
  /// Runs on a chunk and stores the result's elements at `out`; `scratch` holds
  /// what is rounded afterwards.
  void run(int64_t n, const void *const *in, void *out, void *scratch) const {
    if (computes == stores)
      return fn(n, in, out);
    fn(n, in, scratch);
    if (computes == Kind::F64)
      narrow(stores, rounding, static_cast<const double *>(scratch), out, n);
    else
      narrow(stores, rounding, static_cast<const float *>(scratch), out, n);
  }
};

/// The kernels of an operation. Fails, with an error, on types that it has none
/// for.
using Describe = mlir::LogicalResult (*)(
    mlir::Operation *op, llvm::SmallVectorImpl<Kernel> &kernels);

/// An operation's name and its kernels.
struct KernelEntry {
  llvm::StringLiteral name;
  Describe describe;
};
llvm::ArrayRef<KernelEntry> intKernels();
llvm::ArrayRef<KernelEntry> floatKernels();
llvm::ArrayRef<KernelEntry> castKernels();

/// What describes an elementwise operation, or null if it is not one.
Describe findKernels(llvm::StringRef name);

/// The kind of an operand and of a result; one that no loop is for if the
/// interpreter does not know the type.
Kind operandKind(mlir::Operation *op, unsigned i = 0);
Kind resultKind(mlir::Operation *op, unsigned i = 0);

/// Adds a kernel that reads all operands; without a loop the types are unknown.
mlir::LogicalResult addKernel(mlir::Operation *op,
                              llvm::SmallVectorImpl<Kernel> &kernels,
                              KernelFn fn, Kind computes,
                              llvm::StringRef flopKind = {},
                              unsigned result = 0);

/// The loop for f32 or for f64, by the kind that an operation computes in.
KernelFn pickFloat(Kind kind, KernelFn f32, KernelFn f64);

/// The error for a type that an operation has no kernel for.
mlir::LogicalResult unknownTypes(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Stands for i1, whose true is -1 as a signed number.
struct Bit {};

/// How elements are kept and what they are as numbers.
template <typename Tag>
struct Elem {
  using Stored = Tag;
  using Value = Tag;
  static constexpr unsigned width = sizeof(Tag) * 8;
  static Value get(Stored stored) { return stored; }
  static Stored put(Value value) { return value; }
};
template <>
struct Elem<Bit> {
  using Stored = uint8_t;
  using Value = int8_t;
  static constexpr unsigned width = 1;
  static Value get(Stored stored) { return static_cast<Value>(-stored); }
  static Stored put(Value value) { return value & 1; }
};
template <typename Tag>
using ValueOf = typename Elem<Tag>::Value;
template <typename Tag>
using StoredOf = typename Elem<Tag>::Stored;

/// out[i] = F(in0[i])
template <typename F, typename Out, typename A>
void map1(int64_t n, const void *const *in, void *out) {
  auto *a = static_cast<const StoredOf<A> *>(in[0]);
  auto *r = static_cast<StoredOf<Out> *>(out);
  for (int64_t i = 0; i < n; ++i)
    r[i] = Elem<Out>::put(F::apply(Elem<A>::get(a[i])));
}

/// out[i] = F(in0[i], in1[i])
template <typename F, typename Out, typename A, typename B>
void map2(int64_t n, const void *const *in, void *out) {
  auto *a = static_cast<const StoredOf<A> *>(in[0]);
  auto *b = static_cast<const StoredOf<B> *>(in[1]);
  auto *r = static_cast<StoredOf<Out> *>(out);
  for (int64_t i = 0; i < n; ++i)
    r[i] = Elem<Out>::put(F::apply(Elem<A>::get(a[i]), Elem<B>::get(b[i])));
}

/// out[i] = F(in0[i], in1[i], in2[i])
template <typename F, typename Out, typename A, typename B, typename C>
void map3(int64_t n, const void *const *in, void *out) {
  auto *a = static_cast<const StoredOf<A> *>(in[0]);
  auto *b = static_cast<const StoredOf<B> *>(in[1]);
  auto *c = static_cast<const StoredOf<C> *>(in[2]);
  auto *r = static_cast<StoredOf<Out> *>(out);
  for (int64_t i = 0; i < n; ++i)
    r[i] = Elem<Out>::put(
        F::apply(Elem<A>::get(a[i]), Elem<B>::get(b[i]), Elem<C>::get(c[i])));
}

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_OPERATIONS_KERNELS_H
