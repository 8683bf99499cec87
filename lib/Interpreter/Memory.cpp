//===- Memory.cpp - global memory of a run --------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Buffers and the check of accesses.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Checks/Checks.h"
#include "Checks/Collector.h"

using namespace mlir;
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
