//===- Races.cpp - finds data races ---------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The order that counts is the one that the memory model of PTX gives: atomics
// of GPU or system scope are atomic between programs, a release and an acquire
// that sees it (maybe through other atomics) order what is before and after
// them, and a volatile load is a relaxed atomic one.
//
//===----------------------------------------------------------------------===//

#include "Checks/Races.h"
#include "Checks/Checks.h"
#include "Checks/Collector.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

/// The operation of an access and its lanes, as a reader of the source knows
/// them.
static std::string placeOf(std::array<int64_t, 3> program, int64_t lane,
                           ArrayRef<int64_t> shape) {
  std::string text = llvm::formatv("program ({0}, {1}, {2})", program[0],
                                   program[1], program[2]);
  if (countOf(shape) > 1)
    text += ", lane " + laneName(lane, shape);
  return text;
}

//===----------------------------------------------------------------------===//
// Which buffers need shadows
//===----------------------------------------------------------------------===//

/// Follows a pointer back to the arguments that it may come from.
static void followBack(Value pointer, func::FuncOp kernel,
                       llvm::SmallPtrSetImpl<void *> &seen,
                       std::vector<bool> &written) {
  SmallVector<Value> work = {pointer};
  auto addTerminators = [&](Operation *op) {
    work.append(op->operand_begin(), op->operand_end());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (block.mightHaveTerminator())
          work.append(block.getTerminator()->operand_begin(),
                      block.getTerminator()->operand_end());
  };
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value.getAsOpaquePointer()).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (parent == kernel.getOperation())
        written[argument.getArgNumber()] = true;
      else
        addTerminators(parent);
    } else if (!isa<tile::LoadOp>(value.getDefiningOp())) {
      addTerminators(value.getDefiningOp());
    }
  }
}

std::vector<bool>
tilec::interpreter::findWrittenArguments(func::FuncOp kernel) {
  std::vector<bool> written(kernel.getNumArguments(), false);
  llvm::SmallPtrSet<void *, 32> seen;
  WalkResult result = kernel.walk([&](Operation *op) {
    if (isa<func::CallOp>(op))
      return WalkResult::interrupt(); // the callee may write anything
    if (auto store = dyn_cast<tile::StoreOp>(op))
      followBack(store.getPtr(), kernel, seen, written);
    else if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
      followBack(atomic.getPtr(), kernel, seen, written);
    else if (auto atomic = dyn_cast<tile::AtomicCASOp>(op))
      followBack(atomic.getPtr(), kernel, seen, written);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    written.assign(written.size(), true);
  return written;
}

RaceChecker::RaceChecker(const Memory &memory,
                         const std::vector<bool> &isTracked)
    : tracked(isTracked) {
  for (const Buffer &buffer : memory.getBuffers())
    shadows.emplace_back(buffer.bytes);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Does a memory order acquire, or release?
static bool acquiresIn(tile::MemOrder order) {
  return order == tile::MemOrder::Acquire || order == tile::MemOrder::AcqRel;
}
static bool releasesIn(tile::MemOrder order) {
  return order == tile::MemOrder::Release || order == tile::MemOrder::AcqRel;
}

/// The order and the scope of an atomic operation; none for other accesses.
static std::optional<std::pair<tile::MemOrder, tile::MemScope>>
atomicityOf(Operation *op) {
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
    return std::make_pair(atomic.getOrder(), atomic.getScope());
  if (auto atomic = dyn_cast<tile::AtomicCASOp>(op))
    return std::make_pair(atomic.getOrder(), atomic.getScope());
  return std::nullopt;
}

RaceChecker::Manner RaceChecker::mannerOf(const Access &access) const {
  Manner manner;
  manner.reads = access.kind != AccessKind::Store;
  manner.writes = access.kind != AccessKind::Load;
  if (auto load = dyn_cast<tile::LoadOp>(access.op))
    manner.isAtomic = load.getIsVolatile();
  if (auto atomicity = atomicityOf(access.op)) {
    auto [order, scope] = *atomicity;
    // Between programs an atomic of one block's scope is two plain accesses.
    manner.isAtomic = scope != tile::MemScope::Block;
    manner.acquires = manner.isAtomic && acquiresIn(order);
    manner.releases = manner.isAtomic && releasesIn(order);
  }
  return manner;
}

bool RaceChecker::Turn::isBefore(const Epoch &epoch) {
  if (epoch.program == self.program)
    return true;
  if (epoch.program != program) {
    program = epoch.program;
    time = clock.seen.get(program);
  }
  return epoch.time <= time;
}

/// Learns what was released at the addresses of an access.
void RaceChecker::acquire(Turn &turn) {
  const Clock *last = nullptr; // lanes mostly share one
  for (int64_t lane = 0; lane < turn.access.lanes; ++lane) {
    if (!turn.access.isActive(lane))
      continue;
    auto it = released.find(turn.access.addresses[lane]);
    if (it == released.end() || it->second.get() == last)
      continue;
    last = it->second.get();
    turn.clock.seen.join(*last);
  }
}

/// Would a lane of a compare-and-swap find what it expects?
bool RaceChecker::doesSwap(const Access &access, const Memory &memory,
                           int64_t lane) const {
  return !access.compare ||
         std::memcmp(memory.at(access.addresses[lane]),
                     access.compare + lane * access.size, access.size) == 0;
}

/// Leaves what the program knows at the addresses of an access. What other
/// programs released there stays: a read-modify-write continues theirs.
void RaceChecker::release(Turn &turn, const Memory &memory) {
  turn.clock.seen.set(turn.self.program, turn.clock.time++);
  auto known = std::make_shared<const Clock>(turn.clock.seen);
  SharedClock before, joined;
  for (int64_t lane = 0; lane < turn.access.lanes; ++lane) {
    if (!turn.access.isActive(lane) || !doesSwap(turn.access, memory, lane))
      continue;
    SharedClock &there = released[turn.access.addresses[lane]];
    if (!there || turn.manner.acquires) {
      there = known;
      continue;
    }
    if (there != before) {
      before = there;
      auto both = std::make_shared<Clock>(*there);
      both->join(*known);
      joined = both;
    }
    there = joined;
  }
}

void RaceChecker::finish(const State &state) {
  clocks.erase(static_cast<uint32_t>(state.number) + 1);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

uint32_t RaceChecker::siteOf(Operation *op) {
  return siteNumbers.try_emplace(op, siteNumbers.size()).first->second;
}

Step RaceChecker::access(State &state, const Access &access,
                         const Memory &memory) {
  auto program = static_cast<uint32_t>(state.number) + 1;
  Turn turn{state, access, clocks[program], mannerOf(access), Epoch()};
  turn.self.program = program;
  turn.self.time = turn.clock.time;
  turn.self.site = siteOf(access.op);
  turn.self.isAtomic = turn.manner.isAtomic;
  if (turn.self.site == sites.size())
    sites.push_back(
        {access.op, access.kind, {access.shape.begin(), access.shape.end()}});
  if (turn.manner.acquires)
    acquire(turn);
  bool isPlainWrite = turn.manner.writes && !turn.manner.isAtomic;
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    if (!access.isActive(lane))
      continue;
    const Buffer *buffer = memory.find(access.addresses[lane]);
    size_t number = buffer - memory.getBuffers().data();
    if (!tracked[number])
      continue;
    Shadow &shadow = shadows[number];
    if (!shadow.prepare(access.size))
      return state.fail(access.op, "no memory to look for races in '" +
                                       Twine(buffer->name) + "'");
    turn.manner.writes =
        access.kind != AccessKind::Load && doesSwap(access, memory, lane);
    visit(turn, *buffer, shadow, lane);
    if (isPlainWrite && !released.empty())
      released.erase(access.addresses[lane]);
  }
  if (turn.manner.releases)
    release(turn, memory);
  return Step::Next;
}

/// Compares one lane with what the shadow remembers, and remembers it.
void RaceChecker::visit(Turn &turn, const Buffer &buffer, Shadow &shadow,
                        int64_t lane) {
  turn.self.lane = static_cast<uint32_t>(lane);
  uint64_t offset = turn.access.addresses[lane] - buffer.base;
  uint64_t size = shadow.getCellSize(), cell = offset / size;
  for (uint64_t end = (offset + turn.access.size) / size; cell < end; ++cell)
    visitCell(turn, shadow, cell, buffer);
}

void RaceChecker::visitCell(Turn &turn, Shadow &shadow, uint64_t cell,
                            const Buffer &buffer) {
  const Manner &manner = turn.manner;
  auto compare = [&](const Epoch &other) {
    if (other.program && !turn.isBefore(other) &&
        !(manner.isAtomic && other.isAtomic))
      report(turn, other, buffer);
  };
  auto isCovered = [&](const Epoch &other) {
    return turn.isBefore(other) && turn.self.isAtomic <= other.isAtomic;
  };
  compare(shadow.writes[cell]);
  if (!manner.isAtomic)
    shadow.atomics.forEach(cell, compare);
  if (!manner.writes) {
    shadow.reads.add(cell, turn.self, isCovered);
    return;
  }
  shadow.reads.forEach(cell, compare);
  if (manner.isAtomic) {
    shadow.atomics.add(cell, turn.self, isCovered);
    return;
  }
  shadow.writes[cell] = turn.self;
  shadow.reads.clear(cell);
  shadow.atomics.clear(cell);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

/// Does the kernel have an atomic that orders nothing?
static bool hasRelaxed(Operation *op) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  WalkResult result = kernel.walk([](Operation *op) {
    auto atomicity = atomicityOf(op);
    bool isRelaxed =
        (atomicity && atomicity->first == tile::MemOrder::Relaxed) ||
        (isa<tile::LoadOp>(op) && cast<tile::LoadOp>(op).getIsVolatile());
    return isRelaxed ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Is what a store puts computed from what a load got?
static bool putsBack(Operation *store, Operation *load) {
  auto stores = dyn_cast<tile::StoreOp>(store);
  if (!stores || !isa<tile::LoadOp>(load))
    return false;
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> work = {stores.getValue()};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (op == load)
      return true;
    work.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// What would order two accesses, or make them harmless.
static std::string adviceFor(Operation *a, AccessKind aKind, Operation *b,
                             AccessKind bKind) {
  for (Operation *op : {a, b})
    if (auto atomicity = atomicityOf(op))
      if (atomicity->second == tile::MemScope::Block)
        return "an atomic with scope 'cta' is atomic inside its own program "
               "only, use scope 'gpu'";
  if (aKind == AccessKind::Atomic || bKind == AccessKind::Atomic)
    return "make both of them atomic (tl.atomic_xchg stores, tl.atomic_add of "
           "0 loads), or order them by a release after the first and an "
           "acquire before the second";
  std::string relaxed =
      hasRelaxed(a) ? "; atomics with sem='relaxed' and volatile loads order "
                      "nothing"
                    : "";
  if (aKind == AccessKind::Store && bKind == AccessKind::Store)
    return "to add up what programs find use tl.atomic_add, or let each "
           "program store to elements of its own and sum them in a second "
           "kernel; to take turns use a lock by tl.atomic_cas and "
           "tl.atomic_xchg" +
           relaxed;
  if (putsBack(a, b) || putsBack(b, a))
    return "the store puts back what this load read: use tl.atomic_add (or "
           "another atomic that computes it), take turns by a lock of "
           "tl.atomic_cas and tl.atomic_xchg, or let each program store a part "
           "of its own and combine the parts in a second kernel" +
           relaxed;
  return "to order them let the program that stores signal it afterwards by "
         "an atomic with sem='release', and the one that loads wait for that "
         "by an atomic with sem='acquire', or load in a second kernel" +
         relaxed;
}

/// The grid's coordinates of a program that an epoch names.
static std::array<int64_t, 3> coordinates(const Launch &launch,
                                          uint32_t program) {
  auto [x, y, z] = launch.grid;
  int64_t n = int64_t(program) - 1;
  return {n % x, n / x % y, n / x / y};
}

namespace {
/// One of the two accesses of a race.
struct Side {
  Operation *op;
  AccessKind kind;
  std::array<int64_t, 3> program;
  int64_t lane;
  ArrayRef<int64_t> shape;

  StringRef verb() const { return accessName(kind); }
};
} // namespace

/// Says what races, who did it, and what would help. `b` came later, but the
/// report goes by the order in the source, whatever the schedule.
static void describeRace(Finding &finding, const std::string &element,
                         const Side &a, const Side &b) {
  for (const Side &side : {b, a})
    finding.accesses.push_back(
        {side.verb().str(), side.op->getLoc(), side.program, side.lane});
  bool swaps = lineOf(b.op->getLoc()) < lineOf(a.op->getLoc());
  const Side &first = swaps ? b : a, &second = swaps ? a : b;
  finding.loc = first.op->getLoc();
  bool isSame = a.op == b.op;
  if (isSame)
    finding.message = llvm::formatv(
        "race: two programs {0} '{1}' here, with nothing that orders them",
        a.kind == AccessKind::Atomic ? "update" : a.verb(), element);
  else
    finding.message = llvm::formatv(
        "race: this {0} and another program's {1} touch '{2}', with nothing "
        "that orders them",
        first.verb(), second.verb(), element);
  auto note = [&](const Side &side, StringRef article) {
    finding.notes.emplace_back(
        side.op->getLoc(),
        llvm::formatv("{0} {1} is of {2}", article, side.verb(),
                      placeOf(side.program, side.lane, side.shape)));
  };
  note(first, "the");
  note(second, isSame ? "the other" : "the");
  finding.advice = adviceFor(first.op, first.kind, second.op, second.kind);
}

void RaceChecker::report(Turn &turn, const Epoch &other, const Buffer &buffer) {
  const Site &site = sites[other.site];
  Operation *op = turn.access.op;
  // The pair has one report, whichever came first.
  bool isFirst = turn.self.site <= other.site;
  Finding *finding = turn.state.launch->collector->add(
      "race", isFirst ? op : site.op, isFirst ? site.op : op);
  if (!finding)
    return;
  int64_t offset = turn.access.addresses[turn.self.lane] - buffer.base;
  finding->buffer = buffer.name;
  finding->index = buffer.indexOf(offset, turn.access.size);
  std::string element = elementName(buffer, offset, turn.access.size);
  Side mine{op, turn.access.kind, turn.state.program, turn.self.lane,
            turn.access.shape};
  Side theirs{site.op, site.kind,
              coordinates(*turn.state.launch, other.program), other.lane,
              site.shape};
  describeRace(*finding, element, mine, theirs);
}
