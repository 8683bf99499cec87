//===- Elementwise.cpp - operations on each element -----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs kernels over tiles. Axes that every operand only repeats are computed
// once and repeated in the result too.
//
//===----------------------------------------------------------------------===//

#include "Checks/Fillers.h"
#include "Checks/LaneFaults.h"
#include "Checks/ValueChecks.h"
#include "Operations/Kernels.h"
#include "Scope.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tilec::interpreter;

Describe tilec::interpreter::findKernels(StringRef name) {
  static const llvm::StringMap<Describe> table = [] {
    llvm::StringMap<Describe> table;
    for (ArrayRef<KernelEntry> entries :
         {intKernels(), floatKernels(), castKernels()})
      for (const KernelEntry &entry : entries)
        table[entry.name] = entry.describe;
    return table;
  }();
  return table.lookup(name);
}

LogicalResult tilec::interpreter::unknownTypes(Operation *op) {
  InFlightDiagnostic error =
      emitError(op->getLoc(), "the interpreter does not know '")
      << op->getName() << "' on these types: ";
  llvm::interleaveComma(op->getOperandTypes(), error);
  return error << " -> " << op->getResultTypes();
}

Kind Kernel::readKind(Operation *op, unsigned i) const {
  Kind kind = kindOf(op->getOperand(operands[i]).getType()).value_or(Kind::I1);
  return raw ? kind : computeKind(kind);
}

/// Is one of `n` integers of a type 0?
template <typename T>
static bool hasZeroOf(const void *data, int64_t n) {
  return llvm::is_contained(ArrayRef(static_cast<const T *>(data), n), 0);
}

bool Kernel::hasZero(Kind kind, const void *data, int64_t n) {
  switch (sizeOf(kind)) {
  case 1:
    return hasZeroOf<int8_t>(data, n);
  case 2:
    return hasZeroOf<int16_t>(data, n);
  case 4:
    return hasZeroOf<int32_t>(data, n);
  default:
    return hasZeroOf<int64_t>(data, n);
  }
}

namespace {
/// A kernel with the places of its operands and its result.
struct Loop {
  Kernel kernel;
  SmallVector<Reader, 3> in;
  uint64_t out;
  int64_t count;

  Step run(State &state) const;
};
} // namespace

Step Loop::run(State &state) const {
  const void *pointers[3] = {};
  char *target = state.frame + out;
  for (int64_t start = 0; start < count; start += kChunk) {
    int64_t n = std::min(count - start, kChunk);
    for (size_t i = 0; i < in.size(); ++i)
      pointers[i] = in[i].read(state.frame, start, n, state.scratch[i]);
    kernel.run(n, pointers, target, state.scratch[3]);
    target += n * sizeOf(kernel.stores);
  }
  return Step::Next;
}

/// The result's view: as its type says, but axes that all operands repeat are
/// stored once. `stored` is the shape to compute.
static View resultView(Scope &scope, Operation *op, const Kernel &kernel,
                       SmallVectorImpl<int64_t> &stored) {
  ArrayRef<int64_t> shape =
      tilec::tile::getShape(op->getResult(kernel.result).getType());
  stored.assign(shape.begin(), shape.end());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    bool repeats = llvm::all_of(kernel.operands, [&](unsigned i) {
      const View &view = scope.lookup(op->getOperand(i));
      return view.shape.empty() || view.strides[axis] == 0;
    });
    if (repeats)
      stored[axis] = 1;
  }
  View view;
  view.kind = kernel.stores;
  view.shape.assign(shape.begin(), shape.end());
  view.strides = denseStrides(stored);
  view.offset = scope.allocate(bytesOf(countOf(stored), sizeOf(view.kind)));
  return view;
}

LogicalResult tilec::interpreter::buildElementwise(Scope &scope,
                                                   Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<ShapedType>(type) && !isa<RankedTensorType>(type))
      return unknownTypes(op);
  if (scope.getChecks().values)
    emitOperandChecks(scope, op);
  SmallVector<Kernel, 2> kernels;
  if (failed(findKernels(op->getName().getStringRef())(op, kernels)))
    return failure();
  for (Kernel &kernel : kernels) {
    if (kernel.divisor >= 0)
      addDivisionTest(scope, op);
    Loop loop;
    SmallVector<int64_t> stored;
    View view = resultView(scope, op, kernel, stored);
    for (unsigned i : kernel.operands)
      loop.in.emplace_back(scope.lookup(op->getOperand(i)), stored, kernel.raw);
    loop.out = view.offset;
    loop.count = countOf(stored);
    int64_t total = view.count();
    loop.kernel = std::move(kernel);
    scope.bind(op->getResult(loop.kernel.result), view);
    StringRef flopKind = loop.kernel.flopKind;
    uint64_t flops = total * loop.kernel.flops;
    Instruction &instruction = scope.emit(
        op, [loop = std::move(loop)](State &state) { return loop.run(state); });
    if (!flopKind.empty())
      instruction.flops.emplace_back(flopKind.str(), flops);
    emitFillerFlow(scope, op, view, stored);
  }
  return success();
}
