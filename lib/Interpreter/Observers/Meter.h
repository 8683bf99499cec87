//===- Meter.h - counts accesses --------------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_OBSERVERS_METER_H
#define TILEC_LIB_INTERPRETER_OBSERVERS_METER_H

#include "Memory.h"
#include "llvm/ADT/MapVector.h"

namespace tilec::interpreter {

/// Counts accesses by buffer and by operation. One for each thread; they are
/// added up.
class Meter : public Observer {
public:
  /// `layouts` lives as long.
  Meter(const Memory &memory, llvm::ArrayRef<AccessLayout> layouts);
  Step access(State &state, const Access &access,
              const Memory &memory) override;

  /// Adds another meter of the same buffers.
  void add(const Meter &other);
  /// The counts of each buffer.
  std::vector<ArgumentTraffic> result() const;
  /// The counts of each operation and buffer, by their lines.
  std::vector<LineTraffic> lines() const;

private:
  /// The bytes of a buffer that were touched; the sets have a bit for each.
  struct Touched {
    std::string name;
    std::vector<uint64_t> read, written;
  };

  const AccessLayout *findLayout(const Access &access);
  AccessTraffic &trafficAt(const Access &access, const Memory &memory,
                           uint64_t address);
  void countInstruction(const Access &access, const Memory &memory);
  void countTransactions(const Access &access, const Memory &memory);

  std::vector<Touched> buffers;
  // By operation and number of the buffer, -1 where no lane is in one.
  using Place = std::pair<mlir::Operation *, int64_t>;
  llvm::MapVector<Place, AccessTraffic> places;
  // The place that was counted for last, and its counts.
  Place last;
  AccessTraffic *lastTraffic = nullptr;
  llvm::ArrayRef<AccessLayout> layouts;
  llvm::DenseMap<mlir::Operation *, const AccessLayout *> layoutOf;
  std::vector<uint64_t> addresses;  // of an instruction
  std::vector<uint64_t> neighbours; // of an access without a layout
};

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_OBSERVERS_METER_H
