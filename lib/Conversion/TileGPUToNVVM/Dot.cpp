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

/// Shape and element type of an operand.
static std::pair<ArrayRef<int64_t>, Type> getOperandType(Value value) {
  if (auto memory = dyn_cast<MemDescType>(value.getType()))
    return {memory.getShape(), memory.getElementType()};
  auto tensor = cast<RankedTensorType>(value.getType());
  return {tensor.getShape(), tensor.getElementType()};
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

/// Rounds to tf32, to nearest with ties away from zero: half a unit in the last
/// place of tf32, with the sign and exponent of the value, is added and the
/// instruction ignores the bits below. NaN and infinity stay what they are.
/// `cvt.rna.tf32` does the same at a quarter of a product's rate.
static Value roundToTF32(Emitter &e, Value value) {
  Type i32 = e.b.getI32Type();
  Value bits = LLVM::BitcastOp::create(e.b, e.loc, i32, value);
  Value power =
      LLVM::AndOp::create(e.b, e.loc, bits, e.constant(i32, 0xFF800000));
  Value sum = LLVM::FMAOp::create(
      e.b, e.loc, LLVM::BitcastOp::create(e.b, e.loc, e.b.getF32Type(), power),
      e.f32(0x1p-11), value);
  return LLVM::BitcastOp::create(e.b, e.loc, i32, sum);
}

/// Elements as the words of a fragment.
static Value packFragment(Emitter &e, ArrayRef<Value> elements) {
  if (elements.front().getType().isF32())
    return roundToTF32(e, elements.front());
  Value word = e.pack(elements).front();
  if (!elements.front().getType().isF16())
    return word;
  // NVVM wants pairs of f16 as vectors, everything else as words.
  Type pair = VectorType::get(2, e.b.getF16Type());
  return LLVM::BitcastOp::create(e.b, e.loc, pair, word);
}

/// D = A * B + C by mma.sync (PTX ISA, "Matrix Fragments for mma.m16n8k..."):
/// the four A words are rows +0, +8, then k +4 words on; the two B words k +0,
/// +4 words.
static LogicalResult emitMma(Emitter &e, DotOp op) {
  auto [aShape, aType] = getOperandType(op.getA());
  auto [bShape, bType] = getOperandType(op.getB());
  unsigned bits = getBits(aType);
  const LinearLayout &layout = getLayout(op.getType());
  Operand a(e, op.getA(), getOperandFragments(op, 0));
  Operand b(e, op.getB(), getOperandFragments(op, 1));
  if (!a.isValid() || !b.isValid())
    return op.emitError("expected buffers that hold the operands' elements");
  RegisterMap c(layout);
  Registers acc(e.get(op.getC()));
  unsigned perWord = 32 / bits, depth = op.getTiling().getInstruction()[2];
  auto word = [&](Operand &x, bool isA, uint32_t outer, uint32_t k) {
    SmallVector<Value> elements;
    for (unsigned i = 0; i < perWord; ++i)
      elements.push_back(isA ? x.get(outer, k + i) : x.get(k + i, outer));
    return packFragment(e, elements);
  };
  // First rows and columns of the instructions of this warp.
  SmallVector<uint32_t> rows, columns;
  for (uint32_t row : c.positions(0))
    if (row % 16 == 0)
      rows.push_back(row);
  for (uint32_t column : c.positions(1))
    if (column % 8 == 0)
      columns.push_back(column);
  auto type = aType.isF16()    ? NVVM::MMATypes::f16
              : aType.isBF16() ? NVVM::MMATypes::bf16
                               : NVVM::MMATypes::tf32;
  Type result = LLVM::LLVMStructType::getLiteral(
      e.b.getContext(), SmallVector<Type>(4, e.b.getF32Type()));
  // The fragments of the next instructions are read before those of this step
  // are multiplied: the tensor cores do not wait for them.
  struct Step {
    SmallVector<SmallVector<Value, 2>> b;
    SmallVector<SmallVector<Value, 4>> a;
  };
  auto read = [&](uint32_t k) {
    Step step;
    for (uint32_t n : columns)
      step.b.push_back(
          {word(b, false, n, k), word(b, false, n, k + 4 * perWord)});
    for (uint32_t m : rows)
      step.a.push_back({word(a, true, m, k), word(a, true, m + 8, k),
                        word(a, true, m, k + 4 * perWord),
                        word(a, true, m + 8, k + 4 * perWord)});
    return step;
  };
  Step next = read(0);
  for (int64_t k = 0; k < aShape[1]; k += depth) {
    Step step = std::move(next);
    if (k + depth < aShape[1])
      next = read(k + depth);
    for (auto [m, aWords] : llvm::zip(rows, step.a))
      for (auto [n, bWords] : llvm::zip(columns, step.b)) {
        unsigned at[4] = {c.find(m, n), c.find(m, n + 1), c.find(m + 8, n),
                          c.find(m + 8, n + 1)};
        SmallVector<Value, 4> in;
        for (unsigned r : at)
          in.push_back(acc[r]);
        Value d = NVVM::MmaOp::create(
            e.b, e.loc, result, aWords, bWords, in, {16, 8, int64_t(depth)},
            std::nullopt, std::nullopt, {{type, type}},
            {{NVVM::MMALayout::row, NVVM::MMALayout::col}});
        for (unsigned i = 0; i < 4; ++i)
          acc[at[i]] = LLVM::ExtractValueOp::create(e.b, e.loc, d, i);
      }
  }
  e.set(op.getResult(), std::move(acc));
  return success();
}

//===----------------------------------------------------------------------===//
// Multiply and add
//===----------------------------------------------------------------------===//

/// An element in the type that products are added in.
static Value widen(Emitter &e, Value value, Type from, Type to) {
  if (isa<FloatType>(from))
    return emitExtF(e, value, from, to);
  if (from == to)
    return value;
  return LLVM::SExtOp::create(e.b, e.loc, to, value);
}

static Value multiplyAdd(Emitter &e, Value a, Value b, Value c) {
  if (isa<FloatType>(c.getType()))
    return LLVM::FMAOp::create(e.b, e.loc, a, b, c);
  return LLVM::AddOp::create(e.b, e.loc, c,
                             LLVM::MulOp::create(e.b, e.loc, a, b));
}

static LogicalResult emitFma(Emitter &e, DotOp op) {
  auto [aShape, aType] = getOperandType(op.getA());
  auto [bShape, bType] = getOperandType(op.getB());
  const LinearLayout &layout = getLayout(op.getType());
  Type cType = cast<RankedTensorType>(op.getType()).getElementType();
  // Products of 8- and 16-bit floats are exact in f32.
  Type sumType = cType.isF16() ? Type(e.b.getF32Type()) : cType;
  Operand a(e, op.getA(), getOperandFragments(op, 0));
  Operand b(e, op.getB(), getOperandFragments(op, 1));
  if (!a.isValid() || !b.isValid())
    return op.emitError("expected buffers that hold the operands' elements");
  RegisterMap c(layout);
  SmallVector<uint32_t> rows = c.positions(0), columns = c.positions(1);
  Registers acc;
  for (Value value : e.get(op.getC()))
    acc.push_back(widen(e, value, cType, sumType));
  for (int64_t k = 0; k < aShape[1]; ++k) {
    SmallVector<Value> right;
    for (uint32_t n : columns)
      right.push_back(widen(e, b.get(k, n), bType, sumType));
    for (uint32_t m : rows) {
      Value left = widen(e, a.get(m, k), aType, sumType);
      for (auto [n, value] : llvm::zip(columns, right)) {
        Value &sum = acc[c.find(m, n)];
        sum = multiplyAdd(e, left, value, sum);
      }
    }
  }
  if (sumType != cType)
    for (Value &value : acc)
      value = emitTruncF(e, value, sumType, cType, /*towardZero=*/false);
  e.set(op.getResult(), std::move(acc));
  return success();
}

LogicalResult tilec::emitDot(Emitter &e, DotOp op) {
  return op.getTiling().getKind() == DotKind::MMA ? emitMma(e, op)
                                                  : emitFma(e, op);
}
