//===- Atomics.cpp - atomic accesses --------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Checks/Fillers.h"
#include "Operations/Access.h"
#include "Operations/Kernels.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

/// The name of the elementwise operation that an atomic one applies.
static StringRef elementwiseName(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::Add:
    return "arith.addi";
  case tile::AtomicKind::FAdd:
    return "arith.addf";
  case tile::AtomicKind::Max:
    return "arith.maxsi";
  case tile::AtomicKind::Min:
    return "arith.minsi";
  case tile::AtomicKind::UMax:
    return "arith.maxui";
  case tile::AtomicKind::UMin:
    return "arith.minui";
  case tile::AtomicKind::FMax:
    return "arith.maxnumf";
  case tile::AtomicKind::FMin:
    return "arith.minnumf";
  case tile::AtomicKind::And:
    return "arith.andi";
  case tile::AtomicKind::Or:
    return "arith.ori";
  case tile::AtomicKind::Xor:
    return "arith.xori";
  case tile::AtomicKind::Xchg:
    return {};
  }
  return {};
}

/// The kernel that changes memory, or none for an exchange.
static LogicalResult combineKernel(tile::AtomicRMWOp op,
                                   std::optional<Kernel> &kernel) {
  StringRef name = elementwiseName(op.getKind());
  if (name.empty())
    return success();
  // Kernels are described by operations: a scalar one, of the atomic's element.
  Type element = tile::getElementType(op.getType());
  OpBuilder builder(op.getContext());
  OperationState state(op.getLoc(), name);
  Block operands;
  state.addOperands({operands.addArgument(element, op.getLoc()),
                     operands.addArgument(element, op.getLoc())});
  state.addTypes(element);
  Operation *scalar = Operation::create(state);
  SmallVector<Kernel, 2> kernels;
  LogicalResult result = findKernels(name)(scalar, kernels);
  scalar->destroy();
  if (failed(result))
    return failure();
  kernel = kernels.front();
  return success();
}

/// What an atomic puts where it finds `current`.
static void combine(const Kernel &kernel, Kind kind, const char *current,
                    const char *value, char *changed) {
  alignas(8) char left[8], right[8], scratch[8];
  const void *in[] = {left, right};
  unsigned size = sizeOf(kind);
  if (computeKind(kind) != kind) {
    widen(kind, current, reinterpret_cast<float *>(left), 1);
    widen(kind, value, reinterpret_cast<float *>(right), 1);
  } else {
    std::memcpy(left, current, size);
    std::memcpy(right, value, size);
  }
  kernel.run(1, in, changed, scratch);
}

/// Changes the element at `at` as if at once, however many threads do so:
/// `change(old, next)` turns what was found into what is put. Leaves in `old`
/// what was found, and says whether the element has changed.
template <typename T, typename Change>
static bool exchange(char *at, char *old, Change change) {
  T *place = reinterpret_cast<T *>(at);
  T found = __atomic_load_n(place, __ATOMIC_SEQ_CST), next;
  do {
    std::memcpy(old, &found, sizeof(T));
    change(old, reinterpret_cast<char *>(&next));
  } while (!__atomic_compare_exchange_n(place, &found, next, /*weak=*/true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return next != found;
}

/// Runs an atomic over its active lanes, one after another; the others give 0.
template <typename Change>
static void exchangeLanes(State &state, const Access &access, uint64_t out,
                          Change change) {
  withSize(access.size, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t lane = 0; lane < access.lanes; ++lane) {
      char *old = state.frame + out + lane * sizeof(T);
      if (!access.isActive(lane)) {
        std::memset(old, 0, sizeof(T));
        continue;
      }
      char *at = state.memory->at(access.addresses[lane]);
      state.memory->changes +=
          exchange<T>(at, old, [&](const char *found, char *next) {
            change(lane, found, next);
          });
    }
  });
}

static LogicalResult buildAtomicRMW(Scope &scope, Operation *op) {
  auto atomic = cast<tile::AtomicRMWOp>(op);
  FailureOr<View> result = scope.define(atomic.getResult());
  std::optional<Kernel> kernel;
  if (failed(result) || failed(combineKernel(atomic, kernel)))
    return failure();
  AccessPlan plan(scope, op, AccessKind::Atomic, atomic.getPtr(),
                  atomic.getMask(), result->kind);
  uint64_t in = scope.makeDense(op, View(scope.lookup(atomic.getValue())));
  plan.values = in;
  uint64_t out = result->offset;
  scope
      .emit(op,
            [plan, kernel, in, out,
             sink = FillerSink(scope, op, atomic.getValue())](State &state) {
              Access access;
              if (plan.check(state, access) == Step::Fault)
                return Step::Fault;
              sink.check(state, access, in);
              unsigned size = access.size;
              const char *values = state.frame + in;
              exchangeLanes(state, access, out,
                            [&](int64_t lane, const char *found, char *next) {
                              const char *value = values + lane * size;
                              if (kernel)
                                combine(*kernel, plan.element, found, value,
                                        next);
                              else
                                std::memcpy(next, value, size);
                            });
              return Step::Next;
            })
      .touchesMemory = true;
  return success();
}

/// Looks for fillers in the lanes that a compare-and-swap has put: those that
/// found, at `out`, what they expected.
static void checkSwapped(State &state, Access access, const FillerSink &sink,
                         uint64_t in, uint64_t out, uint64_t compare) {
  std::vector<uint8_t> swapped(access.lanes);
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    uint64_t at = lane * access.size;
    swapped[lane] = access.isActive(lane) &&
                    std::memcmp(state.frame + out + at,
                                state.frame + compare + at, access.size) == 0;
  }
  access.mask = swapped.data();
  sink.check(state, access, in);
}

static LogicalResult buildAtomicCAS(Scope &scope, Operation *op) {
  auto atomic = cast<tile::AtomicCASOp>(op);
  FailureOr<View> result = scope.define(atomic.getResult());
  if (failed(result))
    return failure();
  AccessPlan plan(scope, op, AccessKind::Atomic, atomic.getPtr(),
                  atomic.getMask(), result->kind);
  uint64_t compare =
      scope.makeDense(op, View(scope.lookup(atomic.getCompare())));
  uint64_t in = scope.makeDense(op, View(scope.lookup(atomic.getValue())));
  plan.values = in;
  plan.compare = compare;
  uint64_t out = result->offset;
  scope
      .emit(op,
            [plan, compare, in, out,
             sink = FillerSink(scope, op, atomic.getValue())](State &state) {
              Access access;
              if (plan.check(state, access) == Step::Fault)
                return Step::Fault;
              unsigned size = access.size;
              exchangeLanes(
                  state, access, out,
                  [&](int64_t lane, const char *found, char *next) {
                    uint64_t at = lane * size;
                    bool isEqual =
                        std::memcmp(found, state.frame + compare + at, size) ==
                        0;
                    std::memcpy(next, isEqual ? state.frame + in + at : found,
                                size);
                  });
              if (state.isMarked)
                checkSwapped(state, access, sink, in, out, compare);
              return Step::Next;
            })
      .touchesMemory = true;
  return success();
}

ArrayRef<BuilderEntry> tilec::interpreter::atomicBuilders() {
  static const BuilderEntry entries[] = {
      {"tile.atomic_rmw", buildAtomicRMW},
      {"tile.atomic_cas", buildAtomicCAS},
  };
  return entries;
}
