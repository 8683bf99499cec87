//===- Access.cpp - loads and stores --------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Operations/Access.h"
#include "Checks/Fillers.h"
#include "Checks/ValueChecks.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <atomic>
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

AccessPlan::AccessPlan(Scope &scope, Operation *op, AccessKind kind, Value ptr,
                       Value mask, Kind element)
    : op(op), kind(kind), element(element) {
  const View &view = scope.lookup(ptr);
  emitAddressCheck(scope, op, ptr, mask);
  shape = view.shape;
  lanes = view.count();
  addresses = scope.makeDense(op, view);
  if (mask)
    this->mask = scope.makeDense(op, View(scope.lookup(mask)));
}

Step AccessPlan::check(State &state, Access &access) const {
  access.op = op;
  access.kind = kind;
  access.size = sizeOf(element);
  access.lanes = lanes;
  access.addresses =
      reinterpret_cast<const uint64_t *>(state.frame + addresses);
  access.mask =
      mask ? reinterpret_cast<const uint8_t *>(state.frame + *mask) : nullptr;
  access.shape = shape;
  access.values = values ? state.frame + *values : nullptr;
  access.compare = compare ? state.frame + *compare : nullptr;
  return state.memory->check(state, access);
}

/// Copies elements from memory to `out`; lanes that are masked off get `other`,
/// or 0.
template <typename T>
static void loadLanes(const Memory &memory, const Access &access,
                      const T *other, T *out) {
  if (access.buffer < 0) {
    for (int64_t i = 0; i < access.lanes; ++i)
      if (access.isActive(i))
        std::memcpy(&out[i], memory.at(access.addresses[i]), sizeof(T));
      else
        out[i] = other ? other[i] : T(0);
    return;
  }
  const Buffer &buffer = memory.getBuffers()[access.buffer];
  for (int64_t i = 0; i < access.lanes; ++i) {
    if (access.isActive(i))
      std::memcpy(&out[i], buffer.data + (access.addresses[i] - buffer.base),
                  sizeof(T));
    else
      out[i] = other ? other[i] : T(0);
  }
}

/// Copies elements of `in` to memory, in the order of the lanes.
template <typename T>
static void storeLanes(const Memory &memory, const Access &access,
                       const T *in) {
  if (access.buffer < 0) {
    for (int64_t i = 0; i < access.lanes; ++i)
      if (access.isActive(i))
        std::memcpy(memory.at(access.addresses[i]), &in[i], sizeof(T));
    return;
  }
  const Buffer &buffer = memory.getBuffers()[access.buffer];
  for (int64_t i = 0; i < access.lanes; ++i)
    if (access.isActive(i))
      std::memcpy(buffer.data + (access.addresses[i] - buffer.base), &in[i],
                  sizeof(T));
}

/// The kind of an access's elements.
static Kind elementKind(Type type) { return kindOf(type).value_or(Kind::I8); }

static LogicalResult buildLoad(Scope &scope, Operation *op) {
  auto load = cast<tile::LoadOp>(op);
  FailureOr<View> result = scope.define(load.getResult());
  if (failed(result))
    return failure();
  AccessPlan plan(scope, op, AccessKind::Load, load.getPtr(), load.getMask(),
                  elementKind(load.getType()));
  std::optional<uint64_t> other;
  if (load.getOther())
    other = scope.makeDense(op, View(scope.lookup(load.getOther())));
  uint64_t out = result->offset;
  bool isVolatile = load.getIsVolatile();
  const Fillers *fillers = scope.getFillers();
  bool marks = fillers && fillers->mayMark(load.getResult());
  scope
      .emit(op,
            [plan, other, out, isVolatile, marks](State &state) {
              Access access;
              if (plan.check(state, access) == Step::Fault)
                return Step::Fault;
              withSize(access.size, [&](auto zero) {
                using T = decltype(zero);
                loadLanes(
                    *state.memory, access,
                    other ? reinterpret_cast<const T *>(state.frame + *other)
                          : nullptr,
                    reinterpret_cast<T *>(state.frame + out));
              });
              if (marks)
                markLoad(state, access, plan.addresses, out);
              if (isVolatile) // what another thread wrote before comes with it
                std::atomic_thread_fence(std::memory_order_acquire);
              return Step::Next;
            })
      .touchesMemory = true;
  return success();
}

static LogicalResult buildStore(Scope &scope, Operation *op) {
  auto store = cast<tile::StoreOp>(op);
  AccessPlan plan(scope, op, AccessKind::Store, store.getPtr(), store.getMask(),
                  elementKind(store.getValue().getType()));
  uint64_t in = scope.makeDense(op, View(scope.lookup(store.getValue())));
  plan.values = in;
  scope
      .emit(op,
            [plan, in,
             sink = FillerSink(scope, op, store.getValue())](State &state) {
              Access access;
              if (plan.check(state, access) == Step::Fault)
                return Step::Fault;
              ++state.memory->changes;
              sink.check(state, access, in);
              withSize(access.size, [&](auto zero) {
                using T = decltype(zero);
                storeLanes(*state.memory, access,
                           reinterpret_cast<const T *>(state.frame + in));
              });
              return Step::Next;
            })
      .touchesMemory = true;
  return success();
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

static LogicalResult buildPtrCast(Scope &scope, Operation *op) {
  scope.bind(op->getResult(0), View(scope.lookup(op->getOperand(0))));
  return success();
}

ArrayRef<BuilderEntry> tilec::interpreter::memoryBuilders() {
  static const BuilderEntry entries[] = {
      {"tile.load", buildLoad},
      {"tile.store", buildStore},
      {"tile.ptr_cast", buildPtrCast},
  };
  return entries;
}
