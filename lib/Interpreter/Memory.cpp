//===- Memory.cpp - loads, stores and atomics -----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// An access gathers its addresses and its mask into dense arrays, is checked as
// a whole, and then moves its elements.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Checks.h"
#include "Collector.h"
#include "Kernels.h"
#include "ValueChecks.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t Memory::addBuffer(const Argument &argument) {
  Buffer buffer;
  buffer.name = argument.name;
  buffer.data = static_cast<char *>(argument.data);
  buffer.bytes = argument.bytes;
  buffer.shape = argument.shape;
  buffer.isInitialized = argument.isInitialized;
  buffer.isConst = argument.isConst;
  buffer.base =
      ((buffers.size() + 1) << kRangeBits) + (uint64_t(1) << (kRangeBits - 1));
  buffers.push_back(buffer);
  return buffer.base;
}

std::vector<int64_t> Buffer::indexOf(int64_t offset, unsigned size) const {
  int64_t element = (offset - (offset < 0 ? size - 1 : 0)) / size;
  if (shape.size() < 2 || element < 0 || countOf(shape) <= element ||
      countOf(shape) * size != int64_t(bytes))
    return {element};
  std::vector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; element /= shape[axis])
    index[axis] = element % shape[axis];
  return index;
}

Step Memory::checkAgain(State &state, Access &access) const {
  Step step = reportAccess(state, access, *this);
  Collector *collector = state.launch->collector;
  if (!collector)
    return step;
  collector->addFault(state.fault);
  // The lanes that fit go on.
  std::vector<uint8_t> &mask = state.mask;
  mask.assign(access.lanes, 0);
  for (int64_t i = 0; i < access.lanes; ++i)
    mask[i] = access.isActive(i) && fits(access.addresses[i], access.size);
  access.mask = mask.data();
  return check(state, access);
}

bool Memory::fits(uint64_t address, unsigned size) const {
  const Buffer *own = find(address);
  uint64_t offset = own ? address - own->base : 0;
  return own && own->bytes >= size && offset <= own->bytes - size &&
         offset % size == 0;
}

Step Memory::check(State &state, Access &access) const {
  int64_t first = 0;
  while (first < access.lanes && !access.isActive(first))
    ++first;
  access.buffer = -1;
  if (first == access.lanes)
    return observe(state, access);
  // Nearly always all lanes are in the buffer of the first one.
  const Buffer *buffer = find(access.addresses[first]);
  bool fits = buffer && buffer->bytes >= access.size;
  if (fits) {
    uint64_t base = buffer->base, last = buffer->bytes - access.size;
    uint64_t low = access.size - 1, bad = 0;
    if (access.mask) {
      for (int64_t i = first; i < access.lanes; ++i) {
        uint64_t offset = access.addresses[i] - base;
        bad |=
            ((offset > last) | (offset & low)) & (0 - uint64_t(access.mask[i]));
      }
    } else {
      for (int64_t i = first; i < access.lanes; ++i) {
        uint64_t offset = access.addresses[i] - base;
        bad |= (offset > last) | (offset & low);
      }
    }
    fits = bad == 0;
  }
  if (fits) {
    access.buffer = buffer - buffers.data();
  } else {
    for (int64_t i = first; i < access.lanes; ++i) {
      if (access.isActive(i) && !this->fits(access.addresses[i], access.size))
        return checkAgain(state, access);
    }
  }
  return observe(state, access);
}

Step Memory::observe(State &state, const Access &access) const {
  for (Observer *observer : observers)
    if (observer->access(state, access, *this) == Step::Fault)
      return Step::Fault;
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Access instructions
//===----------------------------------------------------------------------===//

namespace {
/// What loads, stores and atomics have in common: where their operands lie.
struct AccessPlan {
  Operation *op;
  AccessKind kind;
  Kind element;
  SmallVector<int64_t, 4> shape;
  int64_t lanes = 1;
  uint64_t addresses = 0;
  std::optional<uint64_t> mask;
  std::optional<uint64_t> values, compare; // dense, to show to observers

  /// Densifies the pointers and the mask.
  AccessPlan(Scope &scope, Operation *op, AccessKind kind, Value ptr,
             Value mask, Kind element)
      : op(op), kind(kind), element(element) {
    const View &view = scope.lookup(ptr);
    if (scope.getChecks().values)
      emitAddressCheck(scope, op, ptr, mask);
    shape = view.shape;
    lanes = view.count();
    addresses = scope.makeDense(op, view);
    if (mask)
      this->mask = scope.makeDense(op, View(scope.lookup(mask)));
  }

  /// Fills in the access and checks it.
  Step check(State &state, Access &access) const {
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
};
} // namespace

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

/// Calls `fn` with a zero of the unsigned type of an element's size.
template <typename Fn>
static auto withSize(unsigned size, Fn fn) {
  switch (size) {
  case 1:
    return fn(uint8_t(0));
  case 2:
    return fn(uint16_t(0));
  case 4:
    return fn(uint32_t(0));
  default:
    return fn(uint64_t(0));
  }
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
  scope
      .emit(op,
            [plan, other, out](State &state) {
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
            [plan, in](State &state) {
              Access access;
              if (plan.check(state, access) == Step::Fault)
                return Step::Fault;
              ++state.memory->changes;
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
// Atomics
//===----------------------------------------------------------------------===//

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

/// Applies `kernel` to one element: `*at = kernel(*at, value)`.
static void combine(const Kernel &kernel, Kind kind, char *at,
                    const char *value) {
  alignas(8) char current[8], changed[8], operand[8], scratch[8];
  const void *in[] = {current, operand};
  unsigned size = sizeOf(kind);
  if (computeKind(kind) != kind) {
    widen(kind, at, reinterpret_cast<float *>(current), 1);
    widen(kind, value, reinterpret_cast<float *>(operand), 1);
  } else {
    std::memcpy(current, at, size);
    std::memcpy(operand, value, size);
  }
  kernel.run(1, in, changed, scratch);
  std::memcpy(at, changed, size);
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
  scope.getCode().isOrdered = true;
  scope
      .emit(op,
            [plan, kernel, in, out](State &state) {
              Access access;
              if (plan.check(state, access) == Step::Fault)
                return Step::Fault;
              unsigned size = access.size;
              for (int64_t i = 0; i < access.lanes; ++i) {
                char *old = state.frame + out + i * size;
                const char *value = state.frame + in + i * size;
                if (!access.isActive(i)) {
                  std::memset(old, 0, size);
                  continue;
                }
                char *at = state.memory->at(access.addresses[i]);
                std::memcpy(old, at, size);
                if (kernel)
                  combine(*kernel, plan.element, at, value);
                else
                  std::memcpy(at, value, size);
                state.memory->changes += std::memcmp(at, old, size) != 0;
              }
              return Step::Next;
            })
      .touchesMemory = true;
  return success();
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
  scope.getCode().isOrdered = true;
  scope
      .emit(op,
            [plan, compare, in, out](State &state) {
              Access access;
              if (plan.check(state, access) == Step::Fault)
                return Step::Fault;
              unsigned size = access.size;
              for (int64_t i = 0; i < access.lanes; ++i) {
                char *old = state.frame + out + i * size;
                if (!access.isActive(i)) {
                  std::memset(old, 0, size);
                  continue;
                }
                char *at = state.memory->at(access.addresses[i]);
                std::memcpy(old, at, size);
                if (std::memcmp(at, state.frame + compare + i * size, size) ==
                    0)
                  std::memcpy(at, state.frame + in + i * size, size);
                state.memory->changes += std::memcmp(at, old, size) != 0;
              }
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
      {"tile.atomic_rmw", buildAtomicRMW},
      {"tile.atomic_cas", buildAtomicCAS},
      {"tile.ptr_cast", buildPtrCast},
  };
  return entries;
}
