//===- Exchange.cpp - conversions inside a warp ---------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Carries out a plan of the layout library (Layout/Conversion.h): lanes send
// words to each other, and registers that a lane picks by its own number are
// swapped under conditions, since registers cannot be indexed.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "tilec/Layout/Conversion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {

/// A register number that depends on the lane and the warp: the xor of `step`
/// over the stages whose condition holds.
struct Stage {
  uint32_t step;
  Value condition;
};

class ExchangeEmitter {
public:
  ExchangeEmitter(Emitter &e, const Exchange &plan, Type element)
      : e(e), plan(plan), element(element),
        lane(LLVM::AndOp::create(e.b, e.loc, e.laneId(),
                                 e.i32((1 << plan.laneBits) - 1))) {}

  /// The registers of `to` from those of the source layout.
  Registers run(ArrayRef<Value> registers, const LinearLayout &to);

private:
  Value isOdd(Value index, uint32_t mask);
  SmallVector<Stage> getStages(ArrayRef<uint32_t> byLane,
                               ArrayRef<uint32_t> byWarp);
  Registers swap(Registers registers, ArrayRef<Stage> stages);
  Registers receive(ArrayRef<Value> registers, uint32_t round, uint32_t extra);

  Emitter &e;
  const Exchange &plan;
  Type element;
  Value lane;
  /// The lane that sends in round 0.
  Value sender;
};

/// All combinations of vectors, the empty one first.
Vectors combinations(ArrayRef<uint32_t> vectors) {
  Vectors all;
  for (uint32_t k = 0; k < 1u << vectors.size(); ++k)
    all.push_back(gf2::mul(vectors, k));
  return all;
}

} // namespace

/// Is the number of set bits of `index` under the mask odd?
Value ExchangeEmitter::isOdd(Value index, uint32_t mask) {
  Value bits = LLVM::AndOp::create(e.b, e.loc, index, e.i32(mask));
  if (llvm::isPowerOf2_32(mask))
    return LLVM::ICmpOp::create(e.b, e.loc, LLVM::ICmpPredicate::ne, bits,
                                e.i32(0));
  Value count = LLVM::CtPopOp::create(e.b, e.loc, bits);
  return LLVM::TruncOp::create(e.b, e.loc, e.b.getI1Type(), count);
}

/// The stages of a register number whose part for each bit of lane and warp is
/// given: one for each dimension of what it can be.
SmallVector<Stage> ExchangeEmitter::getStages(ArrayRef<uint32_t> byLane,
                                              ArrayRef<uint32_t> byWarp) {
  Vectors columns(byLane);
  columns.append(byWarp.begin(), byWarp.end());
  auto basis = gf2::independent(columns);
  Vectors steps = gf2::pick(columns, basis);
  gf2::Span span(steps);
  // Which bits of lane and warp take part in each stage.
  SmallVector<uint64_t> masks(steps.size(), 0);
  for (auto [bit, column] : llvm::enumerate(columns)) {
    uint64_t parts = *span.solve(column);
    for (size_t stage = 0; stage < steps.size(); ++stage)
      masks[stage] |= (parts >> stage & 1) << bit;
  }
  SmallVector<Stage> stages;
  for (auto [step, mask] : llvm::zip(steps, masks)) {
    uint32_t lanes = mask & ((uint64_t(1) << byLane.size()) - 1);
    uint32_t warps = mask >> byLane.size();
    Value condition;
    if (lanes)
      condition = isOdd(lane, lanes);
    if (warps) {
      Value odd = isOdd(e.warpId(), warps);
      condition = condition
                      ? Value(LLVM::XOrOp::create(e.b, e.loc, condition, odd))
                      : odd;
    }
    stages.push_back({step, condition});
  }
  return stages;
}

/// Moves the register of number r ^ (the stages' number) to number r.
Registers ExchangeEmitter::swap(Registers registers, ArrayRef<Stage> stages) {
  for (const Stage &stage : stages) {
    Registers next;
    for (uint32_t r = 0; r < registers.size(); ++r)
      next.push_back(LLVM::SelectOp::create(e.b, e.loc, stage.condition,
                                            registers[r ^ stage.step],
                                            registers[r]));
    registers = std::move(next);
  }
  return registers;
}

/// The elements that arrive in a round, in the order of `plan.pack`. `extra`
/// is what the repetition adds to the number of the register that is sent.
Registers ExchangeEmitter::receive(ArrayRef<Value> registers, uint32_t round,
                                   uint32_t extra) {
  uint32_t shift = gf2::mul(plan.Lam, round);
  uint32_t offered = gf2::mul(plan.Send, shift) ^ extra;
  Registers elements;
  for (uint32_t q : combinations(plan.pack))
    elements.push_back(registers[gf2::mul(plan.P, round ^ q) ^ offered]);
  if (!plan.crossesLanes(round))
    return elements;
  bool isBit = element.isInteger(1);
  if (isBit)
    for (Value &value : elements)
      value = LLVM::ZExtOp::create(e.b, e.loc, e.b.getI8Type(), value);
  Registers words = e.pack(elements);
  for (Value &word : words) {
    if (plan.isButterfly()) {
      word =
          shuffleLanes(e, word, NVVM::ShflKind::bfly, e.i32(shift), e.i32(31));
      continue;
    }
    Value from = LLVM::XOrOp::create(e.b, e.loc, sender, e.i32(shift));
    word = shuffleLanes(e, word, NVVM::ShflKind::idx, from, e.i32(31));
  }
  elements =
      e.unpack(words, isBit ? e.b.getI8Type() : element, elements.size());
  if (isBit)
    for (Value &value : elements)
      value = LLVM::TruncOp::create(e.b, e.loc, element, value);
  return elements;
}

Registers ExchangeEmitter::run(ArrayRef<Value> registers,
                               const LinearLayout &to) {
  // Everything that depends on the lane alone: where from, which registers.
  Value shift = e.applyLinear(e.warpId(), plan.omWarp);
  sender = LLVM::XOrOp::create(e.b, e.loc, e.applyLinear(lane, plan.N), shift);
  // What a lane offers follows from its own number and its warp's shift.
  Vectors offerByWarp;
  for (unsigned i = 0; i < std::max(plan.omWarp.size(), plan.gWarp.size()); ++i)
    offerByWarp.push_back(
        (i < plan.omWarp.size() ? gf2::mul(plan.Send, plan.omWarp[i]) : 0) ^
        (i < plan.gWarp.size() ? plan.gWarp[i] : 0));
  Registers offers =
      swap(Registers(registers), getStages(plan.Send, offerByWarp));

  Registers arrived(size_t(1) << plan.dst.size());
  for (uint32_t u = 0; u < 1u << plan.sub.size(); ++u) {
    uint32_t extra = 0;
    Value keeps;
    for (auto [i, repetition] : llvm::enumerate(plan.sub)) {
      bool one = u >> i & 1;
      extra ^= one ? repetition.registers : 0;
      Value odd = isOdd(lane, repetition.laneMask);
      Value matches = one ? odd : e.negate(odd);
      keeps = keeps ? Value(LLVM::AndOp::create(e.b, e.loc, keeps, matches))
                    : matches;
    }
    for (uint32_t j : combinations(plan.rounds)) {
      Registers elements = receive(offers, j, extra);
      for (auto [q, value] : llvm::zip(combinations(plan.pack), elements)) {
        Value &slot = arrived[j ^ q];
        slot =
            slot ? Value(LLVM::SelectOp::create(e.b, e.loc, keeps, value, slot))
                 : value;
      }
    }
  }
  arrived = swap(std::move(arrived), getStages(plan.T, {}));

  gf2::Span span(gf2::pick(to.columns(InDim::Register), plan.dst));
  Registers result;
  for (uint32_t r = 0; r < to.size(InDim::Register); ++r)
    result.push_back(arrived[*span.solve(to.apply(InDim::Register, r))]);
  return result;
}

Registers tilec::emitExchange(Emitter &e, const Exchange &plan,
                              ArrayRef<Value> registers, Type element,
                              const LinearLayout &to) {
  return ExchangeEmitter(e, plan, element).run(registers, to);
}
