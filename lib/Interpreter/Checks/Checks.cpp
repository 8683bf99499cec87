//===- Checks.cpp - faults of accesses ------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Says what is wrong with an access.
//
//===----------------------------------------------------------------------===//

#include "Checks/Checks.h"
#include "Checks/Elements.h"
#include "mlir/IR/BuiltinOps.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace mlir;
using namespace tilec::interpreter;

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

std::string tilec::interpreter::laneName(int64_t lane,
                                         ArrayRef<int64_t> shape) {
  if (shape.size() < 2)
    return std::to_string(lane);
  SmallVector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; lane /= shape[axis])
    index[axis] = lane % shape[axis];
  std::string text = "(";
  for (auto [i, value] : llvm::enumerate(index))
    text += (i ? ", " : "") + std::to_string(value);
  return text + ")";
}

void tilec::interpreter::printElement(llvm::raw_ostream &os, Type type,
                                      const char *at, bool hex) {
  Kind kind = kindOf(type).value_or(Kind::I8);
  bool isPointer = isa<tilec::tile::PtrType>(type);
  unsigned bits = kind == Kind::I1 ? 1 : sizeOf(kind) * 8;
  uint64_t word = 0;
  std::memcpy(&word, at, sizeOf(kind));
  if (isPointer || (hex && !isFloat(kind))) {
    os << llvm::format_hex(word, 2 + (isPointer ? 16 : (bits + 3) / 4));
    return;
  }
  if (!isFloat(kind)) {
    os << (kind == Kind::I1 ? int64_t(word) : llvm::SignExtend64(word, bits));
    return;
  }
  os << llvm::format("%.9g", floatAt(at, kind));
}

/// `1 element`, `2 elements`.
static std::string plural(uint64_t n, StringRef noun) {
  return llvm::formatv("{0} {1}{2}", n, noun, n == 1 ? "" : "s");
}

std::string tilec::interpreter::elementName(const Buffer &buffer,
                                            int64_t offset, unsigned size) {
  std::string text = buffer.name + "[";
  for (auto [i, value] : llvm::enumerate(buffer.indexOf(offset, size)))
    text += (i ? ", " : "") + std::to_string(value);
  return text + "]";
}

StringRef tilec::interpreter::accessName(AccessKind kind) {
  switch (kind) {
  case AccessKind::Load:
    return "load";
  case AccessKind::Store:
    return "store";
  case AccessKind::Atomic:
    return "atomic";
  }
  return "access";
}

namespace {
/// The lanes of an access that do not fit.
struct BadLanes {
  int64_t first = -1, count = 0, active = 0;
  int64_t farthest = 0; // bytes beyond the nearer end of the first one's buffer
};
} // namespace

/// Why an address cannot be accessed.
enum class Trouble { None, Nowhere, Outside, Misaligned };
static Trouble troubleOf(const Memory &memory, uint64_t address,
                         unsigned size) {
  const Buffer *buffer = memory.find(address);
  if (!buffer)
    return Trouble::Nowhere;
  uint64_t offset = address - buffer->base;
  if (buffer->bytes < size || offset > buffer->bytes - size)
    return Trouble::Outside;
  return offset % size ? Trouble::Misaligned : Trouble::None;
}

/// Bytes between an address's element and the nearer end of its buffer.
static int64_t distanceOf(const Buffer &buffer, uint64_t address,
                          unsigned size) {
  int64_t offset = static_cast<int64_t>(address - buffer.base);
  if (offset < 0)
    return -offset;
  return offset + size - static_cast<int64_t>(buffer.bytes);
}

/// Finds the lanes in trouble.
static BadLanes findBadLanes(const Access &access, const Memory &memory) {
  BadLanes bad;
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    if (!access.isActive(lane))
      continue;
    ++bad.active;
    uint64_t address = access.addresses[lane];
    Trouble trouble = troubleOf(memory, address, access.size);
    if (trouble == Trouble::None)
      continue;
    if (bad.first < 0)
      bad.first = lane;
    ++bad.count;
    const Buffer *buffer = memory.find(address);
    if (trouble == Trouble::Outside &&
        buffer == memory.find(access.addresses[bad.first]))
      bad.farthest =
          std::max(bad.farthest, distanceOf(*buffer, address, access.size));
  }
  return bad;
}

/// Notes which lanes are in trouble.
static void noteLanes(State &state, const Access &access, const BadLanes &bad) {
  if (access.lanes == 1)
    return;
  std::string first = laneName(bad.first, access.shape);
  std::string active = plural(bad.active, "active lane");
  if (bad.count == 1)
    state.note(access.op->getLoc(), "lane " + first + " alone, of " + active);
  else
    state.note(access.op->getLoc(), "lane " + first + " is the first of " +
                                        Twine(bad.count) + " such lanes, of " +
                                        active);
}

Step tilec::interpreter::reportAccess(State &state, const Access &access,
                                      const Memory &memory) {
  BadLanes bad = findBadLanes(access, memory);
  uint64_t address = access.addresses[bad.first];
  const Buffer *buffer = memory.find(address);
  StringRef verb = accessName(access.kind);
  switch (troubleOf(memory, address, access.size)) {
  case Trouble::Nowhere:
    state.fail(access.op,
               llvm::formatv("{0} out of bounds: address {1:x} is in no "
                             "buffer",
                             verb, address),
               "out-of-bounds");
    break;
  case Trouble::Outside: {
    int64_t offset = static_cast<int64_t>(address - buffer->base);
    int64_t size = access.size;
    int64_t element = (offset - (offset < 0 ? size - 1 : 0)) / size;
    state.fail(access.op,
               llvm::formatv("{0} out of bounds: element {1} of '{2}' ({3})",
                             verb, element, buffer->name,
                             plural(buffer->bytes / size, "element")),
               "out-of-bounds");
    state.fault.index = {element};
    break;
  }
  case Trouble::Misaligned:
    state.fail(
        access.op,
        llvm::formatv("{0} not aligned: byte {1} of '{2}' is not a multiple of "
                      "the element's {3}",
                      verb, address - buffer->base, buffer->name,
                      plural(access.size, "byte")),
        "misaligned");
    break;
  case Trouble::None:
    break;
  }
  if (buffer)
    state.fault.buffer = buffer->name;
  state.fault.access = verb;
  state.fault.lane = bad.first;
  state.fault.count = bad.count;
  noteLanes(state, access, bad);
  if (bad.farthest > 0)
    state.note(
        access.op->getLoc(),
        llvm::formatv("the farthest reaches {0} {1} '{2}'",
                      plural(bad.farthest, "byte"),
                      address < buffer->base ? "before" : "past the end of",
                      buffer->name));
  return Step::Fault;
}
