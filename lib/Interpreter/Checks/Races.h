//===- Races.h - finds data races -------------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Two accesses of one byte by different programs race if one writes, they are
// not both atomic for each other, and neither happens before the other: by the
// order within a program, and from what a release stored to an acquire that saw
// it. Values do not matter. The shadow of a buffer remembers the accesses that
// a later one may race with.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_RACES_H
#define TILEC_LIB_INTERPRETER_CHECKS_RACES_H

#include "Checks/Clock.h"
#include "Checks/Shadow.h"
#include "Memory.h"
#include "llvm/ADT/DenseMap.h"

namespace tilec::interpreter {

/// Reports races to the run's collector. For runs of one thread.
class RaceChecker : public Observer {
public:
  /// `isTracked` says of each buffer whether the kernel may write to it.
  RaceChecker(const Memory &memory, const std::vector<bool> &isTracked);

  Step access(State &state, const Access &access,
              const Memory &memory) override;
  void finish(const State &state) override;

private:
  /// What a program knows, and the time of its own.
  struct ProgramClock {
    Clock seen;
    uint32_t time = 1;
  };
  /// How an operation takes part in the order.
  struct Manner {
    bool reads = false, writes = false, isAtomic = false;
    bool acquires = false, releases = false;
  };
  /// What is the same for all lanes of an access.
  struct Turn {
    State &state;
    const Access &access;
    ProgramClock &clock;
    Manner manner;
    Epoch self;
    // The program that was asked for last, and its time.
    uint32_t program = 0, time = 0;

    bool isBefore(const Epoch &epoch);
  };

  Manner mannerOf(const Access &access) const;
  uint32_t siteOf(mlir::Operation *op);
  void visit(Turn &turn, const Buffer &buffer, Shadow &shadow, int64_t lane);
  void visitCell(Turn &turn, Shadow &shadow, uint64_t cell,
                 const Buffer &buffer);
  bool doesSwap(const Access &access, const Memory &memory, int64_t lane) const;
  void acquire(Turn &turn);
  void release(Turn &turn, const Memory &memory);
  void report(Turn &turn, const Epoch &other, const Buffer &buffer);

  std::vector<Shadow> shadows;
  std::vector<bool> tracked;
  llvm::DenseMap<uint32_t, ProgramClock> clocks;
  /// What an acquire of an address learns.
  llvm::DenseMap<uint64_t, SharedClock> released;
  llvm::DenseMap<mlir::Operation *, uint32_t> siteNumbers;
  struct Site {
    mlir::Operation *op;
    AccessKind kind;
    std::vector<int64_t> shape;
  };
  std::vector<Site> sites;
};

/// For each argument of a kernel, may anything be written through it?
std::vector<bool> findWrittenArguments(mlir::func::FuncOp kernel);

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_RACES_H
