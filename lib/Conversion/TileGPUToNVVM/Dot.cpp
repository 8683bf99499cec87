//===- Dot.cpp - matrix products as instructions --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The walk is over k first, so that fragments are read from shared memory just
// before they are used and few are held at a time. Registers are found by the
// coordinates they hold, so any order of a layout's registers serves.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "TensorCores.h"
#include "tilec/Analysis/SharedMemory.h"
#include "tilec/Layout/Constructors.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {

/// The registers of a tile by the part of the coordinate that registers decide.
class RegisterMap {
public:
  explicit RegisterMap(const LinearLayout &layout) : layout(layout) {
    for (uint32_t r = 0; r < layout.size(InDim::Register); ++r)
      byCoordinate[layout.apply(InDim::Register, r)] = r;
  }

  /// The register at row i, column j; sizes wrap, as copies do.
  unsigned find(uint32_t i, uint32_t j) const {
    uint32_t flat = layout.flatten({uint32_t(i & (layout.size(0) - 1)),
                                    uint32_t(j & (layout.size(1) - 1))});
    auto it = byCoordinate.find(flat);
    assert(it != byCoordinate.end() && "fragments of one tiling fit together");
    return it->second;
  }

  /// The rows (columns) that registers decide, ascending.
  SmallVector<uint32_t> positions(unsigned axis) const {
    std::set<uint32_t> all;
    for (auto [flat, r] : byCoordinate)
      all.insert(layout.coordinate(flat, axis));
    return SmallVector<uint32_t>(all.begin(), all.end());
  }

private:
  LinearLayout layout;
  llvm::DenseMap<uint32_t, unsigned> byCoordinate;
};

/// An operand of a product, in registers or read from shared memory as needed.
class Operand {
public:
  Operand(Emitter &e, Value value, LinearLayout fragments) : map(fragments) {
    if (isa<MemDescType>(value.getType()))
      reader = makeReader(e, value, fragments);
    else
      registers = e.get(value);
  }
  /// Could the operand be set up?
  bool isValid() const { return reader || !registers.empty(); }

  Value get(uint32_t i, uint32_t j) {
    unsigned reg = map.find(i, j);
    return reader ? reader->get(reg) : registers[reg];
  }

private:
  static std::unique_ptr<SharedReader>
  makeReader(Emitter &e, Value value, const LinearLayout &fragments) {
    auto type = cast<MemDescType>(value.getType());
    auto access = planOperandRead(type, fragments);
    if (!access)
      return nullptr;
    return std::make_unique<SharedReader>(
        e, *access, fragments.size(InDim::Register), type.getElementType(),
        e.getScalar(value));
  }

  RegisterMap map;
  std::unique_ptr<SharedReader> reader;
  ArrayRef<Value> registers;
};

} // namespace

/// An element in the type that products are added in.
static Value widen(Emitter &e, Value value, Type from, Type to) {
  if (isa<FloatType>(from))
    return emitExtF(e, value, from, to);
  if (from == to)
    return value;
  return LLVM::SExtOp::create(e.b, e.loc, to, value);
}

/// The sum of a product. That of f16 is kept in f32, where the products of 8-
/// and 16-bit floats are exact, and rounded once.
struct Accumulator {
  Accumulator(Emitter &e, DotOp op)
      : e(e), type(cast<RankedTensorType>(op.getType()).getElementType()),
        sumType(type.isF16() ? Type(e.b.getF32Type()) : type) {
    for (Value value : e.get(op.getC()))
      values.push_back(widen(e, value, type, sumType));
  }

  Registers finish() {
    if (sumType != type)
      for (Value &value : values)
        value = emitTruncF(e, value, sumType, type, /*towardZero=*/false);
    return std::move(values);
  }

  Emitter &e;
  Type type, sumType;
  Registers values;
};

/// D = A * B + C by tensor cores. The fragments of the next step are read
/// before those of this one are multiplied: the tensor cores do not wait for
/// them.
static LogicalResult emitMma(Emitter &e, DotOp op) {
  int64_t depth = getOperandShape(op.getA())[1];
  const LinearLayout &layout = getLayout(op.getType());
  Operand a(e, op.getA(), getOperandFragments(op, 0));
  Operand b(e, op.getB(), getOperandFragments(op, 1));
  if (!a.isValid() || !b.isValid())
    return op.emitError("expected buffers that hold the operands' elements");
  RegisterMap c(layout);
  Accumulator sum(e, op);
  // First rows and columns of the instructions of this warp.
  SmallVector<uint32_t> rows, columns;
  for (uint32_t row : c.positions(0))
    if (row % 16 == 0)
      rows.push_back(row);
  for (uint32_t column : c.positions(1))
    if (column % 8 == 0)
      columns.push_back(column);
  TensorCores cores(e, op);
  struct Step {
    SmallVector<TensorCores::Fragment, 0> a, b;
  };
  auto read = [&](uint32_t k) {
    Step step;
    for (uint32_t n : columns)
      step.b.push_back(cores.getB(
          [&](uint32_t outer, uint32_t at) { return b.get(at, outer); }, n, k));
    for (uint32_t m : rows)
      step.a.push_back(cores.getA(
          [&](uint32_t outer, uint32_t at) { return a.get(outer, at); }, m, k));
    return step;
  };
  Step next = read(0);
  for (int64_t k = 0; k < depth; k += cores.getDepth()) {
    Step step = std::move(next);
    if (k + cores.getDepth() < depth)
      next = read(k + cores.getDepth());
    for (auto [m, left] : llvm::zip(rows, step.a))
      for (auto [n, right] : llvm::zip(columns, step.b)) {
        unsigned at[4] = {c.find(m, n), c.find(m, n + 1), c.find(m + 8, n),
                          c.find(m + 8, n + 1)};
        Value part[4];
        for (unsigned i = 0; i < 4; ++i)
          part[i] = sum.values[at[i]];
        cores.multiply(left, right, part);
        for (unsigned i = 0; i < 4; ++i)
          sum.values[at[i]] = part[i];
      }
  }
  e.set(op.getResult(), sum.finish());
  return success();
}

//===----------------------------------------------------------------------===//
// Multiply and add
//===----------------------------------------------------------------------===//

static Value multiplyAdd(Emitter &e, Value a, Value b, Value c) {
  if (isa<FloatType>(c.getType()))
    return LLVM::FMAOp::create(e.b, e.loc, a, b, c);
  return LLVM::AddOp::create(e.b, e.loc, c,
                             LLVM::MulOp::create(e.b, e.loc, a, b));
}

static LogicalResult emitFma(Emitter &e, DotOp op) {
  Type aType = getOperandElementType(op.getA()),
       bType = getOperandElementType(op.getB());
  const LinearLayout &layout = getLayout(op.getType());
  Operand a(e, op.getA(), getOperandFragments(op, 0));
  Operand b(e, op.getB(), getOperandFragments(op, 1));
  if (!a.isValid() || !b.isValid())
    return op.emitError("expected buffers that hold the operands' elements");
  RegisterMap c(layout);
  SmallVector<uint32_t> rows = c.positions(0), columns = c.positions(1);
  Accumulator sum(e, op);
  bool isTF32 = aType.isF32() && op.getPrecision() == tile::DotPrecision::TF32;
  auto factor = [&](Value value, Type from) {
    return isTF32 ? cutToTF32(e, value) : widen(e, value, from, sum.sumType);
  };
  for (int64_t k = 0; k < getOperandShape(op.getA())[1]; ++k) {
    SmallVector<Value> right;
    for (uint32_t n : columns)
      right.push_back(factor(b.get(k, n), bType));
    for (uint32_t m : rows) {
      Value left = factor(a.get(m, k), aType);
      for (auto [n, value] : llvm::zip(columns, right)) {
        Value &element = sum.values[c.find(m, n)];
        element = multiplyAdd(e, left, value, element);
      }
    }
  }
  e.set(op.getResult(), sum.finish());
  return success();
}

LogicalResult tilec::emitDot(Emitter &e, DotOp op) {
  return op.getTiling().getKind() == DotKind::MMA ? emitMma(e, op)
                                                  : emitFma(e, op);
}
