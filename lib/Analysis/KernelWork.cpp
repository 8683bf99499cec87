//===- KernelWork.cpp - what one program computes and moves ---------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/KernelWork.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/MemoryAccess.h"
#include "tilec/Dialect/Tile/IR/Source.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace tilec;

double WorkCount::evaluate(double length) const {
  double sum = 0;
  for (const auto &[loops, factor] : terms)
    sum += factor * std::pow(length, double(loops.size()));
  return sum;
}

//===----------------------------------------------------------------------===//
// Lengths of loops
//===----------------------------------------------------------------------===//

/// The value of a constant integer.
static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 64)
    return std::nullopt;
  return constant.getSExtValue();
}

/// The sign of an operation of integers; empty for any other.
static StringRef getSign(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::AddIOp) { return "+"; })
      .Case([](arith::SubIOp) { return "-"; })
      .Case([](arith::MulIOp) { return "*"; })
      .Case<arith::DivSIOp, arith::DivUIOp>([](Operation *) { return "//"; })
      .Case<arith::RemSIOp, arith::RemUIOp>([](Operation *) { return "%"; })
      .Default([](Operation *) { return ""; });
}

/// How deep the text of a length may nest.
static constexpr unsigned kMaxDepth = 6;

/// An integer in the names of the source; "?" if that is not short. `inner`
/// puts a sum or product in parentheses.
static std::string describe(Value value, bool inner = false,
                            unsigned depth = 0) {
  if (std::optional<int64_t> constant = getConstant(value))
    return std::to_string(*constant);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    StringRef name = tile::getArgumentName(argument);
    return name.empty() ? "?" : name.str();
  }
  Operation *op = value.getDefiningOp();
  if (depth == kMaxDepth)
    return "?";
  auto operand = [&](unsigned i, bool in) {
    return describe(op->getOperand(i), in, depth + 1);
  };
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return "program_id(" + std::to_string(id.getAxis()) + ")";
  if (auto count = dyn_cast<tile::NumProgramsOp>(op))
    return "num_programs(" + std::to_string(count.getAxis()) + ")";
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(
          op))
    return operand(0, inner);
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
    return (isa<arith::MinSIOp>(op) ? "min(" : "max(") + operand(0, false) +
           ", " + operand(1, false) + ")";
  // (x + (d - 1)) / d, as cdiv writes it.
  if (isa<arith::DivSIOp>(op))
    if (auto sum = op->getOperand(0).getDefiningOp<arith::AddIOp>())
      if (std::optional<int64_t> divisor = getConstant(op->getOperand(1)),
          added = getConstant(sum.getRhs());
          divisor && added && *added == *divisor - 1)
        return "ceil(" + describe(sum.getLhs(), true, depth + 1) + " / " +
               std::to_string(*divisor) + ")";
  StringRef sign = getSign(op);
  if (sign.empty())
    return "?";
  std::string text =
      operand(0, true) + " " + sign.str() + " " + operand(1, true);
  if (text.find('?') != text.npos)
    return "?";
  return inner ? "(" + text + ")" : text;
}

/// How often a loop's body runs, if that is a constant.
static std::optional<int64_t> getLength(scf::ForOp loop) {
  std::optional<int64_t> low = getConstant(loop.getLowerBound()),
                         high = getConstant(loop.getUpperBound()),
                         step = getConstant(loop.getStep());
  if (!low || !high || !step || *step <= 0)
    return std::nullopt;
  if (*high <= *low)
    return 0;
  // Unsigned: the distance of two 64-bit numbers.
  return int64_t((uint64_t(*high) - uint64_t(*low) - 1) / uint64_t(*step) + 1);
}

/// How often a loop's body runs, as text.
static std::string describeLength(scf::ForOp loop) {
  std::optional<int64_t> low = getConstant(loop.getLowerBound()),
                         step = getConstant(loop.getStep());
  bool plainStep = step == 1;
  std::string distance = describe(loop.getUpperBound(), low != 0 || !plainStep);
  if (low != 0)
    distance += " - " + describe(loop.getLowerBound(), true);
  if (!plainStep)
    distance = "ceil(" + (low != 0 ? "(" + distance + ")" : distance) + " / " +
               describe(loop.getStep(), true) + ")";
  return distance.find('?') == distance.npos ? distance : "?";
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

namespace {
/// Walks a kernel with the loops around the place that it is at.
class Counter {
public:
  KernelWork work;

  void visit(Region &region, const WorkCount::Loops &loops, double times);

private:
  void visit(Operation *op, const WorkCount::Loops &loops, double times);
  void visitArithmetic(Operation *op, const WorkCount::Loops &loops,
                       double times);
  void visitMemory(Operation *op, const WorkCount::Loops &loops, double times);
};
} // namespace

/// The number of elements of a tile, or 1.
static double countElements(Type type) {
  double count = 1;
  for (int64_t size : tile::getShape(type))
    count *= ShapedType::isDynamic(size) ? 1 : double(size);
  return count;
}

/// What an operation on floating-point elements counts as; empty if it only
/// moves bits or compares.
static std::string getFlopKind(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()) ||
      !isa<FloatType>(tile::getElementType(op->getResult(0).getType())))
    return "";
  if (isa<arith::NegFOp, math::AbsFOp, math::CopySignOp, arith::ConstantOp,
          arith::SelectOp, arith::BitcastOp>(op) ||
      isa<CastOpInterface>(op))
    return "";
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return "max";
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return "min";
  StringRef name = op->getName().stripDialect();
  if (isa<arith::ArithDialect>(op->getDialect()) || isa<math::PowFOp>(op))
    name.consume_back("f");
  return name.str();
}

std::string tilec::getDotType(tile::DotOp dot) {
  Type type = tile::getElementType(dot.getA().getType());
  if (!isa<FloatType>(type))
    return "";
  if (type.isF64())
    return "fp64";
  if (type.isF32())
    return dot.getPrecision() == tile::DotPrecision::IEEE ? "fp32" : "tf32";
  if (type.isBF16())
    return "bf16";
  return type.isF16() ? "fp16" : "fp8";
}

void Counter::visitArithmetic(Operation *op, const WorkCount::Loops &loops,
                              double times) {
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    ArrayRef<int64_t> a = tile::getShape(dot.getA().getType());
    std::string type = getDotType(dot);
    if (!type.empty() && !a.empty())
      work.dots[type].add(loops, times * 2 * countElements(dot.getType()) *
                                     double(a.back()));
    return;
  }
  std::string kind = getFlopKind(op);
  if (kind.empty())
    return;
  if (tile::getElementType(op->getResult(0).getType()).isF64())
    work.flopType = "fp64";
  work.flops[kind].add(loops, times * (kind == "fma" ? 2 : 1) *
                                  countElements(op->getResult(0).getType()));
}

void Counter::visitMemory(Operation *op, const WorkCount::Loops &loops,
                          double times) {
  Value pointer = getMemoryOperands(op).pointer;
  if (!pointer)
    return;
  Type pointee =
      cast<tile::PtrType>(tile::getElementType(pointer.getType())).getPointee();
  unsigned bits = pointee.isIntOrFloat() ? pointee.getIntOrFloatBitWidth() : 64;
  double bytes =
      times * countElements(pointer.getType()) * std::max(1u, bits / 8);
  if (!isa<tile::StoreOp>(op))
    work.bytesRead.add(loops, bytes);
  if (!isa<tile::LoadOp>(op))
    work.bytesWritten.add(loops, bytes);
}

void Counter::visit(Operation *op, const WorkCount::Loops &loops,
                    double times) {
  if (isa<tile::ReduceOp, tile::ScanOp>(op)) {
    // Lines of n elements take n - 1 steps of the region each.
    unsigned axis = isa<tile::ReduceOp>(op) ? cast<tile::ReduceOp>(op).getAxis()
                                            : cast<tile::ScanOp>(op).getAxis();
    Type type = op->getOperand(0).getType();
    ArrayRef<int64_t> shape = tile::getShape(type);
    if (axis < shape.size() && shape[axis] > 0)
      times *=
          countElements(type) / double(shape[axis]) * double(shape[axis] - 1);
    for (Region &region : op->getRegions())
      visit(region, loops, times);
    return;
  }
  visitArithmetic(op, loops, times);
  visitMemory(op, loops, times);
  auto loop = dyn_cast<scf::ForOp>(op);
  WorkCount::Loops inner = loops;
  if (std::optional<int64_t> length =
          loop ? getLength(loop) : std::optional<int64_t>()) {
    times *= double(*length);
  } else if (isa<LoopLikeOpInterface>(op)) {
    inner.push_back(work.loops.size());
    work.loops.push_back({op->getLoc(), loop ? describeLength(loop) : "?"});
  }
  for (Region &region : op->getRegions())
    visit(region, inner, times);
}

void Counter::visit(Region &region, const WorkCount::Loops &loops,
                    double times) {
  for (Block &block : region)
    for (Operation &op : block)
      visit(&op, loops, times);
}

KernelWork tilec::countKernelWork(func::FuncOp kernel) {
  Counter counter;
  counter.visit(kernel.getBody(), {}, 1);
  return std::move(counter.work);
}

WorkTypes tilec::findWorkTypes(ModuleOp module) {
  WorkTypes types;
  module.walk([&](Operation *op) {
    if (auto dot = dyn_cast<tile::DotOp>(op))
      if (std::string type = getDotType(dot); !type.empty())
        types.dots = std::move(type);
    for (Type type : op->getResultTypes())
      if (tile::getElementType(type).isF64())
        types.flops = "fp64";
  });
  return types;
}
