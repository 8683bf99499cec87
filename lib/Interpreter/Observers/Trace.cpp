//===- Trace.cpp - prints what a program computes -------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Tiles are printed as NumPy prints arrays: the ends of long axes alone.
//
//===----------------------------------------------------------------------===//

#include "Observers/Trace.h"
#include "Checks/Checks.h"
#include "Checks/Collector.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

/// Elements at each end of an axis that is not printed whole, and the longest
/// axis that is.
static constexpr int64_t kEnd = 3, kWhole = 8;

namespace {
/// A dense copy of a tile, to print.
struct Tile {
  const State &state;
  Type element;
  ArrayRef<int64_t> shape;
  const std::vector<char> &bytes;
  unsigned size;

  void print(llvm::raw_ostream &os, size_t axis, int64_t first) const;
  void printOne(llvm::raw_ostream &os, int64_t number) const;
};
} // namespace

/// Prints an element; a pointer as what it points to.
void Tile::printOne(llvm::raw_ostream &os, int64_t number) const {
  const char *at = bytes.data() + number * size;
  auto pointer = dyn_cast<tile::PtrType>(element);
  std::optional<Kind> kind =
      pointer ? kindOf(pointer.getPointee()) : std::nullopt;
  if (!kind)
    return printElement(os, element, at);
  uint64_t address;
  std::memcpy(&address, at, 8);
  if (const Buffer *buffer = state.memory->find(address))
    os << "&"
       << elementName(*buffer, static_cast<int64_t>(address - buffer->base),
                      sizeOf(*kind));
  else
    printElement(os, element, at);
}

void Tile::print(llvm::raw_ostream &os, size_t axis, int64_t first) const {
  if (axis == shape.size())
    return printOne(os, first);
  int64_t stride = countOf(shape.drop_front(axis + 1));
  // Rows of the last axis have a line each.
  std::string next = " ";
  if (axis + 1 < shape.size())
    next = "\n  " + std::string(axis + 1, ' ');
  os << "[";
  for (int64_t i = 0, n = shape[axis]; i < n; ++i) {
    os << (i ? next : "");
    if (n > kWhole && i == kEnd) {
      os << "...";
      i = n - kEnd - 1;
      continue;
    }
    print(os, axis + 1, first + i * stride);
  }
  os << "]";
}

/// Does another line use the result, or is it the end of its line?
static bool leavesLine(Operation *op) {
  unsigned line = lineOf(op->getLoc()).first;
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return lineOf(user->getLoc()).first != line;
  });
}

/// The value that is printed for an operation, or none.
static Value valueToShow(Operation *op) {
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return store.getValue();
  if (op->getNumResults() != 1 || op->getNumRegions() > 0 ||
      op->hasTrait<OpTrait::ConstantLike>() ||
      isa<tile::ReduceOp, tile::ScanOp>(op->getParentOp()))
    return op->getNumResults() == 1 && isa<tile::ReduceOp, tile::ScanOp>(op) &&
                   leavesLine(op)
               ? op->getResult(0)
               : Value();
  bool isAccess = isa<tile::LoadOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op);
  return isAccess || leavesLine(op) ? op->getResult(0) : Value();
}

void tilec::interpreter::emitTrace(Scope &scope, Operation *op,
                                   const Trace &trace) {
  unsigned line = lineOf(op->getLoc()).first;
  Value value = valueToShow(op);
  if (!value || (trace.line && line != trace.line))
    return;
  View view = scope.lookup(value);
  Type element = getElementTypeOrSelf(value.getType());
  Reader reader(view, view.shape, /*raw=*/true);
  std::array<int64_t, 3> program = trace.program;
  std::string name = op->getName().stripDialect().str();
  scope.emit(op, [=](State &state) {
    llvm::raw_ostream *os = state.launch->output;
    if (!os || state.program != program)
      return Step::Next;
    std::vector<char> bytes(view.denseBytes());
    reader.readAll(state.frame, bytes.data());
    *os << "line " << line << ": " << name << " " << element;
    if (!view.shape.empty()) {
      *os << "[";
      llvm::interleaveComma(view.shape, *os);
      *os << "]";
    }
    *os << " = ";
    Tile{state, element, view.shape, bytes, sizeOf(view.kind)}.print(*os, 0, 0);
    *os << "\n";
    return Step::Next;
  });
}
