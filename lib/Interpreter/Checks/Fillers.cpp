//===- Fillers.cpp - lanes that a mask switched off -----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Where fillers may get to, what is said of those that leak, and the marks of
// products.
//
//===----------------------------------------------------------------------===//

#include "Checks/Fillers.h"
#include "Checks/Checks.h"
#include "Checks/Collector.h"
#include "Checks/Elements.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

//===----------------------------------------------------------------------===//
// Where fillers may get to
//===----------------------------------------------------------------------===//

/// Does an operation combine elements, so that a filler may leak?
static bool combines(Operation *op) {
  return isa<tile::ReduceOp, tile::ScanOp, tile::DotOp>(op);
}

/// The function that a call names, if it has a body.
static func::FuncOp calleeOf(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && !callee.isExternal() ? callee : func::FuncOp();
}

/// A kernel and all that it calls.
static SmallVector<func::FuncOp> functionsOf(func::FuncOp kernel) {
  SmallVector<func::FuncOp> functions;
  if (!kernel.isExternal())
    functions.push_back(kernel);
  for (size_t i = 0; i < functions.size(); ++i)
    functions[i].walk([&](func::CallOp call) {
      if (func::FuncOp callee = calleeOf(call))
        if (!llvm::is_contained(functions, callee))
          functions.push_back(callee);
    });
  return functions;
}

/// The value that an operation puts into memory as it is. Null if there is
/// none, or if it changes what is there: there a filler of 0 is often harmless.
static Value putBy(Operation *op) {
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return store.getValue();
  if (auto atomic = dyn_cast<tile::AtomicCASOp>(op))
    return atomic.getValue();
  auto atomic = dyn_cast<tile::AtomicRMWOp>(op);
  bool exchanges = atomic && atomic.getKind() == tile::AtomicKind::Xchg;
  return exchanges ? atomic.getValue() : Value();
}

Fillers::Fillers(func::FuncOp kernel) {
  SmallVector<func::FuncOp> functions = functionsOf(kernel);
  for (bool changes = true; changes;) {
    changes = false;
    for (func::FuncOp function : functions)
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        changes |= follow(op);
        return combines(op) ? WalkResult::skip() : WalkResult::advance();
      });
  }
  bool putsUnset = false;
  for (func::FuncOp function : functions)
    function.walk([&](Operation *op) {
      if (combines(op) && mayMarkOperand(op))
        reductions.push_back(op);
      if (Value value = putBy(op))
        putsUnset |= unsetOriginOf(value) != nullptr;
    });
  if (reductions.empty() && !putsUnset)
    origins.clear();
}

bool Fillers::mark(Value value, Operation *origin) {
  return origins.try_emplace(value, origin).second;
}

bool Fillers::markFrom(Value from, Value to) {
  auto it = origins.find(from);
  return it != origins.end() && mark(to, it->second);
}

/// Marks what an operation makes of marked values. True if that is news.
bool Fillers::follow(Operation *op) {
  bool changes = followControl(op);
  if (op->getNumRegions() > 0 && !combines(op))
    return changes;
  if (isa<func::CallOp, func::ReturnOp>(op))
    return changes;
  if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getMask())
    changes |= mark(load.getResult(), load);
  // What an atomic finds was in memory.
  if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op))
    return changes;
  for (Value operand : op->getOperands())
    for (Value result : op->getResults())
      changes |= markFrom(operand, result);
  return changes;
}

/// Loops, branches and calls hand values on.
bool Fillers::followControl(Operation *op) {
  bool changes = false;
  auto handOn = [&](ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      changes |= markFrom(source, target);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    handOn(loop.getInitArgs(), loop.getRegionIterArgs());
    handOn(loop.getBody()->getTerminator()->getOperands(),
           loop.getRegionIterArgs());
    handOn(loop.getRegionIterArgs(), loop.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    ValueRange passed = loop.getConditionOp().getArgs();
    handOn(loop.getInits(), loop.getBeforeArguments());
    handOn(passed, loop.getAfterArguments());
    handOn(passed, loop.getResults());
    handOn(loop.getAfterBody()->getTerminator()->getOperands(),
           loop.getBeforeArguments());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      if (!region.empty())
        handOn(region.front().getTerminator()->getOperands(),
               branch.getResults());
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    if (func::FuncOp callee = calleeOf(call)) {
      handOn(call.getOperands(), callee.getArguments());
      handOn(callee.getBody().back().getTerminator()->getOperands(),
             call.getResults());
    }
  }
  return changes;
}

uint8_t Fillers::bitOf(Operation *reduction) const {
  size_t number = llvm::find(reductions, reduction) - reductions.begin();
  return uint8_t(1) << std::min<size_t>(number, 5);
}

SmallVector<Operation *> Fillers::reductionsOf(uint8_t bit) const {
  SmallVector<Operation *> result;
  for (Operation *reduction : reductions)
    if (bitOf(reduction) == bit)
      result.push_back(reduction);
  return result;
}

Operation *Fillers::originOf(Operation *reduction) const {
  for (Value operand : reduction->getOperands())
    if (Operation *origin = origins.lookup(operand))
      return origin;
  return nullptr;
}

Operation *Fillers::unsetOriginOf(Value value) const {
  SmallVector<Value> values = {value};
  DenseSet<Value> seen;
  Operation *origin = nullptr;
  while (!values.empty()) {
    Value next = values.pop_back_val();
    if (!mayMark(next) || !seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (auto load = dyn_cast_or_null<tile::LoadOp>(op)) {
      // The front end marks loads whose zeros are promised.
      if (load.getOther() || load->hasAttr(tile::kPaddedAttr))
        return nullptr;
      origin = load;
    } else if (!op || op->getNumRegions() > 0 || combines(op) ||
               isa<arith::SelectOp, func::CallOp>(op)) {
      return nullptr;
    } else {
      llvm::append_range(values, op->getOperands());
    }
  }
  return origin;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void tilec::interpreter::markLoad(State &state, const Access &access,
                                  uint64_t addresses, uint64_t out) {
  bool hasOff =
      access.mask && std::memchr(access.mask, 0, access.lanes) != nullptr;
  if (!hasOff && !state.isMarked)
    return;
  state.isMarked = true;
  const char *from = state.marks() + addresses;
  char *to = state.marks() + out;
  for (int64_t lane = 0; lane < access.lanes; ++lane)
    to[lane * access.size] =
        access.isActive(lane) ? from[lane * 8] : char(kFiller);
}

/// Notes in a finding where a lane of an access puts what came of a load.
static void notePlace(Finding &finding, const State &state,
                      const Access &access, const Buffer &buffer,
                      int64_t offset, int64_t lane, Operation *load) {
  finding.buffer = buffer.name;
  finding.index = buffer.indexOf(offset, access.size);
  finding.accesses.push_back(
      {"load", load->getLoc(), state.program, /*lane=*/0});
  finding.accesses.push_back({accessName(access.kind).str(),
                              access.op->getLoc(), state.program, lane});
}

/// Adds the finding of a reduction whose result a store puts into memory.
static void reportLeak(State &state, const Access &access, const Buffer &buffer,
                       int64_t lane, bool isAddress, Operation *reduction,
                       Operation *origin) {
  Collector *collector = state.launch->collector;
  const std::string *what = collector->recall(reduction);
  if (!what)
    return;
  Finding *finding = collector->add("filler", reduction, origin);
  if (!finding)
    return;
  finding->message = "filler: lanes that a mask switches off take part in "
                     "this result: " +
                     *what;
  int64_t offset = access.addresses[lane] - buffer.base;
  notePlace(*finding, state, access, buffer, offset, lane, origin);
  bool hasOther = cast<tile::LoadOp>(origin).getOther() != nullptr;
  finding->notes.emplace_back(
      origin->getLoc(),
      hasOther ? "its 'other' fills the lanes that the mask of this load "
                 "switches off"
               : "0 fills the lanes that the mask of this load switches off, "
                 "it has no 'other'");
  auto [x, y, z] = state.program;
  finding->notes.emplace_back(
      access.op->getLoc(),
      ((isAddress ? "the result leads to '" : "the result reaches '") +
       elementName(buffer, offset, access.size) + "' here, in program (" +
       Twine(x) + ", " + Twine(y) + ", " + Twine(z) + ")")
          .str());
  finding->advice =
      "fill with what changes nothing (0 for a sum, float('-inf') for a "
      "maximum), or put tl.where(mask, value, that) before the reduction";
}

FillerSink::FillerSink(Scope &scope, Operation *op, Value value)
    : fillers(scope.getFillers()),
      unset(fillers && putBy(op) ? fillers->unsetOriginOf(value) : nullptr),
      isAbsorbed(makeAbsorbed(scope, value)) {}

void FillerSink::check(State &state, const Access &access,
                       uint64_t values) const {
  if (!state.isMarked)
    return;
  checkLeaks(state, access, values);
  if (unset)
    checkUnset(state, access, values);
}

void FillerSink::checkLeaks(State &state, const Access &access,
                            uint64_t values) const {
  const char *marks = state.marks() + values;
  // An address, too, may be made of what a reduction gives.
  const char *addresses =
      state.marks() +
      (reinterpret_cast<const char *>(access.addresses) - state.frame);
  uint8_t seen = 0;
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    uint8_t mark = marks[lane * access.size], address = addresses[lane * 8];
    uint8_t inValue = mark & kCarried ? 0 : mark & kLeaks,
            inAddress = address & kFiller ? 0 : address & kLeaks,
            fresh = (inValue | inAddress) & ~seen;
    if (!fresh || !access.isActive(lane) ||
        (!inAddress && isAbsorbed && isAbsorbed(state, lane)))
      continue;
    seen |= fresh;
    for (; fresh; fresh &= fresh - 1) {
      uint8_t bit = fresh & -fresh;
      for (Operation *reduction : fillers->reductionsOf(bit))
        reportLeak(state, access, *state.memory->find(access.addresses[lane]),
                   lane, !(inValue & bit), reduction,
                   fillers->originOf(reduction));
    }
  }
}

void FillerSink::checkUnset(State &state, const Access &access,
                            uint64_t values) const {
  const char *marks = state.marks() + values;
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    uint8_t mark = marks[lane * access.size];
    if (!(mark & kFiller) || (mark & kCarried) || !access.isActive(lane))
      continue;
    Finding *finding = state.launch->collector->add("filler", access.op, unset);
    if (!finding)
      return;
    const Buffer &buffer = *state.memory->find(access.addresses[lane]);
    int64_t offset = access.addresses[lane] - buffer.base;
    finding->message =
        "filler: '" + elementName(buffer, offset, access.size) +
        "' gets a lane that the mask of a load switches off, and that load "
        "has no 'other'";
    notePlace(*finding, state, access, buffer, offset, lane, unset);
    finding->notes.emplace_back(
        unset->getLoc(),
        "what this load gives to such lanes is undefined, here it is 0");
    finding->advice = "give the load an 'other', or the " +
                      accessName(access.kind).str() + " the same mask";
    return;
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// An operand of a product: the places of its elements and of their marks, and
/// how far apart elements are that are neighbours along k.
struct DotOperand {
  Reader reader;
  Kind kind = Kind::F32;
  uint64_t elements = 0, marks = 0;
  int64_t step = 0;

  void read(State &state) const {
    reader.readAll(state.frame, state.frame + elements);
    reader.readAll(state.marks(), state.frame + marks);
  }
  uint8_t markAt(const State &state, int64_t i) const {
    return state.frame[marks + i * sizeOf(kind)];
  }
  bool isZero(const State &state, int64_t i) const {
    return isZeroAt(state.frame + elements + i * sizeOf(kind), kind);
  }
};

/// Marks of a line of an operand: a row of the left, a column of the right.
struct LineMarks {
  bool isFiller = true; // all of it
  bool hasFiller = false;
  uint8_t leaks = 0;
};

/// A product c + a * b.
struct DotFlow {
  Operation *op;
  uint8_t bit;
  int64_t batch, m, n, k;
  DotOperand a, b, c;
  uint64_t out;

  Step run(State &state) const;

private:
  LineMarks lineMarks(const State &state, const DotOperand &operand,
                      int64_t start) const;
  bool leaks(const State &state, int64_t row, int64_t column) const;
};
} // namespace

LineMarks DotFlow::lineMarks(const State &state, const DotOperand &operand,
                             int64_t start) const {
  LineMarks line;
  for (int64_t i = 0; i < k; ++i) {
    uint8_t mark = operand.markAt(state, start + i * operand.step);
    line.isFiller &= (mark & kFiller) != 0;
    line.hasFiller |= (mark & kFiller) != 0;
    line.leaks |= mark & kLeaks;
  }
  return line;
}

/// Does a product of a filler count in the sum of a row and a column that are
/// not all fillers?
bool DotFlow::leaks(const State &state, int64_t row, int64_t column) const {
  for (int64_t i = 0; i < k; ++i) {
    int64_t x = row + i * a.step, y = column + i * b.step;
    bool hasFiller = (a.markAt(state, x) | b.markAt(state, y)) & kFiller;
    if (hasFiller && !a.isZero(state, x) && !b.isZero(state, y))
      return true;
  }
  return false;
}

Step DotFlow::run(State &state) const {
  if (!state.isMarked)
    return Step::Next;
  a.read(state);
  b.read(state);
  c.read(state);
  SmallVector<LineMarks> columns(n);
  bool anyLeak = false;
  for (int64_t z = 0; z < batch; ++z) {
    for (int64_t j = 0; j < n; ++j)
      columns[j] = lineMarks(state, b, z * k * n + j);
    for (int64_t i = 0; i < m; ++i) {
      int64_t row = (z * m + i) * k;
      LineMarks line = lineMarks(state, a, row);
      for (int64_t j = 0; j < n; ++j) {
        int64_t at = (z * m + i) * n + j;
        const LineMarks &column = columns[j];
        uint8_t added = c.markAt(state, at),
                mark = line.leaks | column.leaks | (added & kLeaks);
        if (line.isFiller || column.isFiller) {
          bool isAlone = (added & kFiller) || c.isZero(state, at);
          mark |= isAlone ? kFiller : 0;
        } else if ((line.hasFiller || column.hasFiller) &&
                   leaks(state, row, z * k * n + j)) {
          mark |= bit;
          anyLeak = true;
        }
        state.marks()[out + at * sizeOf(c.kind)] = static_cast<char>(mark);
      }
    }
  }
  if (anyLeak)
    state.launch->collector->remember(
        op, "products of a filler that is not 0 are added");
  return Step::Next;
}

/// Finds room for an operand of a product.
static DotOperand makeOperand(Scope &scope, Value value, int64_t step) {
  const View &view = scope.lookup(value);
  DotOperand operand;
  operand.reader = Reader(view, view.shape, /*raw=*/true);
  operand.kind = view.kind;
  operand.elements = scope.allocate(view.denseBytes());
  operand.marks = scope.allocate(view.denseBytes());
  operand.step = step;
  return operand;
}

void tilec::interpreter::emitFillerDot(Scope &scope, Operation *op) {
  const Fillers *fillers = scope.getFillers();
  if (!fillers || !fillers->mayMarkOperand(op))
    return;
  ArrayRef<int64_t> left = tile::getShape(op->getOperand(0).getType()),
                    right = tile::getShape(op->getOperand(1).getType());
  DotFlow flow;
  flow.op = op;
  flow.bit = fillers->bitOf(op);
  flow.batch = left.size() == 3 ? left[0] : 1;
  flow.m = left[left.size() - 2];
  flow.k = left.back();
  flow.n = right.back();
  flow.a = makeOperand(scope, op->getOperand(0), 1);
  flow.b = makeOperand(scope, op->getOperand(1), flow.n);
  flow.c = makeOperand(scope, op->getOperand(2), 0);
  flow.out = scope.lookup(op->getResult(0)).offset;
  scope.emit(op, [flow](State &state) { return flow.run(state); });
}
