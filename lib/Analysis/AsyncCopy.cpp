//===- AsyncCopy.cpp - what asynchronous copies can do --------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AsyncCopy.h"
#include "tilec/Layout/Access.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

SmallVector<uint32_t, 4> tilec::getGlobalVector(const AxisInfoAnalysis &facts,
                                                Value pointer, Value mask,
                                                bool edges) {
  if (!isa<RankedTensorType>(pointer.getType()))
    return {};
  return getGlobalVector(facts, pointer, mask, getLayout(pointer.getType()),
                         edges);
}

SmallVector<uint32_t, 4> tilec::getGlobalVector(const AxisInfoAnalysis &facts,
                                                Value pointer, Value mask,
                                                const LinearLayout &layout,
                                                bool edges) {
  auto type = cast<RankedTensorType>(pointer.getType());
  AxisInfoAnalysis::Run run = edges ? facts.getRunWithEdges(pointer, mask)
                                    : facts.getRun(pointer, mask);
  SmallVector<unsigned> order;
  for (unsigned axis = type.getRank(); axis-- > 0;)
    order.push_back(axis);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return run.contiguity[a] > run.contiguity[b];
  });
  AddressFacts address;
  address.contiguity = run.contiguity[order[0]];
  address.divisibilityBytes = run.divisibilityBytes[order[0]];
  unsigned bits =
      getBits(cast<tile::PtrType>(type.getElementType()).getPointee());
  GlobalAccess access = globalAccess(layout, order, bits, address);
  return SmallVector<uint32_t, 4>(access.registers.begin(),
                                  access.registers.end());
}

/// Does each vector of registers start at a multiple of its length in the
/// buffer? `columns` gives the offset of each register bit; a vector starts
/// with its lowest register.
static bool startsAligned(const Vectors &columns, ArrayRef<uint32_t> vector) {
  uint32_t inside = (1u << vector.size()) - 1;
  llvm::SmallBitVector done(1u << columns.size());
  for (uint32_t first = 0; first < done.size(); ++first) {
    if (done.test(first))
      continue;
    if (gf2::mul(columns, first) & inside)
      return false;
    for (uint32_t k = 0; k <= inside; ++k)
      done.set(first ^ gf2::mul(vector, k));
  }
  return true;
}

std::optional<AsyncCopyPlan> tilec::planAsyncCopy(const AxisInfoAnalysis &facts,
                                                  Value pointer, Value mask,
                                                  MemDescType buffer) {
  unsigned bits = getBits(buffer.getElementType());
  auto store =
      bestAccess(buffer.getLayout().getLinear(), getLayout(pointer.getType()),
                 bits, {AccessKind::Vec});
  if (!store)
    return std::nullopt;
  AsyncCopyPlan plan{getGlobalVector(facts, pointer, mask), *store};
  // The elements of a vector follow each other in the buffer too.
  const Vectors &columns = plan.store.addr[InDim::Register];
  unsigned together = 0;
  while (together < plan.vector.size() && together < plan.store.v &&
         gf2::mul(columns, plan.vector[together]) == 1u << together)
    ++together;
  // Nor may another register, which the vectors begin with, move elements
  // inside one.
  plan.vector.resize(together);
  while (!plan.vector.empty() && !startsAligned(columns, plan.vector))
    plan.vector.pop_back();
  together = plan.vector.size();
  if ((bits << together) < 32)
    return std::nullopt;
  return plan;
}
