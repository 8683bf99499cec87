//===- Access.h - Global accesses of a register layout --------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// How wide a vector a thread can move, which registers form it, and how many
// sectors of memory a warp touches: exact, from the columns alone.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_ACCESS_H
#define TILEC_LAYOUT_ACCESS_H

#include "tilec/Layout/LinearLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

/// Log2 of the largest vector, at most 2^limit: the low address bits that are
/// driven by registers alone. No other column may touch them, or the order of
/// the elements in the vector would depend on the lane.
unsigned vectorBits(llvm::ArrayRef<uint32_t> registerColumns,
                    llvm::ArrayRef<uint32_t> otherColumns, unsigned limit);

/// Elements that are together in one thread in both layouts: what can stay
/// packed through a conversion, at most `limitBits` wide.
unsigned commonVector(const LinearLayout &a, const LinearLayout &b,
                      unsigned bits, unsigned limitBits = 128);

/// The layout with the tensor flattened so that order[0] is fastest: addresses
/// of a packed tensor, in elements.
LinearLayout memoryMap(const LinearLayout &layout,
                       llvm::ArrayRef<unsigned> order);

/// What is proven about the addresses of a global access.
struct AddressFacts {
  /// Run of consecutive addresses along order[0] in elements, aligned to
  /// itself; none if unlimited.
  std::optional<int64_t> contiguity;
  /// Bytes that divide the address where the run starts.
  int64_t divisibilityBytes = 16;
  /// The next axis follows without a gap (pitch = size).
  bool packed = false;
};

/// The widest access: `elements` per instruction and thread; bit i of the
/// element number inside the vector is the xor of the register bits in
/// registers[i].
struct GlobalAccess {
  unsigned elements;
  Vectors registers;
};

/// Plans the global access of a layout with the axes in `order`, fastest first.
GlobalAccess globalAccess(const LinearLayout &layout,
                          llvm::ArrayRef<unsigned> order, unsigned bits,
                          const AddressFacts &facts = {});

/// Calls `visit` with the registers that each access moves together, the lowest
/// first: `masks[i]` is the register that bit i of the position in the vector
/// adds.
void forEachVector(unsigned numRegisters, llvm::ArrayRef<uint32_t> masks,
                   llvm::function_ref<void(llvm::ArrayRef<unsigned>)> visit);

/// Sectors that one warp-wide access of the widest vector touches when the
/// tensor is packed; ideal is the number of bytes / 32.
unsigned sectors(const LinearLayout &layout, llvm::ArrayRef<unsigned> order,
                 unsigned bits, unsigned sectorBytes = 32);

} // namespace tilec

#endif // TILEC_LAYOUT_ACCESS_H
