//===- BlockOccupancy.cpp - the occupancy of a block at hand --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "BlockOccupancy.h"

#include "tilec/Driver/OptionTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;

/// Bytes, or units of 1024 as `48K`.
static Result<int64_t> readBytes(std::string_view text) {
  bool isKilo = !text.empty() && (text.back() == 'K' || text.back() == 'k');
  text.remove_suffix(isKilo);
  Result<int64_t> number = readCount(text, 0, 1 << 20);
  return number && isKilo ? *number * 1024 : std::move(number);
}

Result<BlockResources> tilec::parseBlockResources(std::string_view text) {
  BlockResources block;
  for (std::string_view word : splitAtCommas(text)) {
    size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    std::string_view value =
        equals == word.npos ? std::string_view() : word.substr(equals + 1);
    Result<int64_t> number = name == "threads"     ? readCount(value, 1, 1024)
                             : name == "registers" ? readCount(value, 1, 255)
                             : name == "shared"
                                 ? readBytes(value)
                                 : Error{"expected threads=N, registers=N or "
                                         "shared=N[K], got '" +
                                         std::string(word) + "'"};
    if (!number)
      return number.takeError();
    if (name == "threads")
      block.threads = *number;
    else if (name == "registers")
      block.registers = *number;
    else
      block.shared = *number;
  }
  if (block.threads == 0)
    return Error{"expected threads=N, the threads of a block"};
  return block;
}

std::string tilec::describeOccupancy(const Gpu &gpu,
                                     const BlockResources &block) {
  // The table has one for each of its GPUs.
  Multiprocessor row = *findMultiprocessor(gpu.capability);
  Occupancy occupancy = computeOccupancy(row, block);
  std::string text = llvm::formatv(
      "{0}: {1} {2} of {3} threads on a multiprocessor, {4} of {5} warps, "
      "{6:F0} %, limited by {7}\n",
      gpu.name, occupancy.blocks, occupancy.blocks == 1 ? "block" : "blocks",
      block.threads, occupancy.warps, row.warps, 100 * occupancy.share,
      occupancy.limiter);
  text += llvm::formatv("each alone would allow: warps {0}", occupancy.byWarps);
  if (occupancy.byRegisters)
    text += llvm::formatv(", registers {0}", *occupancy.byRegisters);
  return text + llvm::formatv(", shared memory {0}, blocks {1}\n",
                              occupancy.byShared, occupancy.byBlocks)
                    .str();
}
