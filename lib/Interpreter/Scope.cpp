//===- Scope.cpp - from IR to a flat program ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Places of values in the frame, labels, and the walk over a block.
//
//===----------------------------------------------------------------------===//

#include "Scope.h"
#include "Checks/Collector.h"
#include "Checks/Fillers.h"
#include "Checks/LaneFaults.h"
#include "Checks/ValueChecks.h"
#include "Observers/Trace.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace tilec::interpreter;

/// Frames above this are refused: no GPU program holds so much.
static constexpr uint64_t kMaxFrameBytes = uint64_t(1) << 33;

/// Calls that call twice double the code; this is where it ends.
static constexpr size_t kMaxInstructions = 1 << 20;

Step State::fail(Operation *op, const Twine &message, StringRef kind) {
  fault = Fault();
  fault.op = op;
  fault.kind = kind;
  fault.program = program;
  fault.message = message.str();
  note(op->getLoc(),
       llvm::formatv("in program ({0}, {1}, {2}) of grid ({3}, {4}, {5})",
                     program[0], program[1], program[2], launch->grid[0],
                     launch->grid[1], launch->grid[2])
           .str());
  return Step::Fault;
}

Step State::goOn() {
  if (!launch->collector)
    return Step::Fault;
  launch->collector->addFault(fault);
  return Step::Next;
}

void State::note(Location loc, const Twine &message) {
  fault.notes.emplace_back(loc, message.str());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

uint64_t Scope::allocate(uint64_t bytes) {
  // Whole cache lines, so that chunks start aligned.
  uint64_t offset = code.frameBytes;
  if (bytes > kMaxFrameBytes || offset > kMaxFrameBytes) {
    code.frameBytes = kMaxFrameBytes + 1; // reported once, at the end
    return 0;
  }
  code.frameBytes += llvm::alignTo(std::max<uint64_t>(bytes, 1), 64);
  return offset;
}

View Scope::place(Type type, Kind kind) {
  ArrayRef<int64_t> shape = tile::getShape(type);
  uint64_t bytes = bytesOf(countOf(shape), sizeOf(kind));
  View view;
  view.kind = kind;
  view.shape.assign(shape.begin(), shape.end());
  view.strides = denseStrides(shape);
  view.offset = allocate(bytes);
  return view;
}

FailureOr<View> Scope::define(Value value) {
  std::optional<Kind> kind = kindOf(value.getType());
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  bool isShaped = isa<ShapedType>(value.getType());
  if (!kind || (isShaped && (!tensor || !tensor.hasStaticShape())))
    return emitError(value.getLoc())
           << "the interpreter does not know values of type "
           << value.getType();
  View view = place(value.getType(), *kind);
  values[value] = view;
  return view;
}

void Scope::bind(Value value, View view) { values[value] = std::move(view); }

const View &Scope::lookup(Value value) const {
  auto it = values.find(value);
  assert(it != values.end() && "values are defined before they are used");
  return it->second;
}

View Scope::constant(Kind kind, ArrayRef<int64_t> shape,
                     std::vector<char> bytes) {
  View view;
  view.kind = kind;
  view.shape.assign(shape.begin(), shape.end());
  if (bytes.size() == sizeOf(kind))
    view.strides.assign(shape.size(), 0);
  else
    view.strides = denseStrides(shape);
  view.offset = allocate(bytes.size());
  code.constants.emplace_back(view.offset, std::move(bytes));
  return view;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Step Code::run(State &state, size_t end) const {
  while (state.position != end) {
    size_t position = state.position++;
    if (state.executed)
      ++state.executed[position];
    Step step = instructions[position].run(state);
    if (step != Step::Next)
      return step;
  }
  return Step::Next;
}

Step Code::runToAccess(State &state, size_t end) const {
  do {
    if (state.position == end)
      return Step::Next;
    size_t position = state.position++;
    if (state.executed)
      ++state.executed[position];
    Step step = instructions[position].run(state);
    if (step != Step::Next)
      return step;
  } while (state.position == end ||
           !instructions[state.position].touchesMemory);
  return Step::Next;
}

Instruction &Scope::emit(Operation *op, std::function<Step(State &)> run) {
  Instruction instruction;
  instruction.run = std::move(run);
  instruction.op = op;
  code.instructions.push_back(std::move(instruction));
  return code.instructions.back();
}

size_t Scope::newLabel() {
  code.labels.push_back(0);
  return code.labels.size() - 1;
}

void Scope::emitJump(Operation *op, size_t label) {
  emit(op, [&code = code, label](State &state) {
    state.position = code.labels[label];
    return Step::Next;
  });
}

void Scope::emitCopies(Operation *op, ArrayRef<View> from, ArrayRef<View> to) {
  // A source that another copy overwrites goes through a place of its own.
  SmallVector<std::pair<Reader, uint64_t>, 4> first, then;
  for (size_t i = 0; i < from.size(); ++i) {
    const View &source = from[i];
    bool isInPlace = source.offset == to[i].offset && source.isDense();
    if (isInPlace)
      continue;
    bool isOverwritten = llvm::any_of(
        to, [&](const View &target) { return target.offset == source.offset; });
    if (!isOverwritten) {
      then.emplace_back(Reader(source, to[i].shape, /*raw=*/true),
                        to[i].offset);
      continue;
    }
    View saved = to[i];
    saved.offset = allocate(saved.denseBytes());
    first.emplace_back(Reader(source, to[i].shape, /*raw=*/true), saved.offset);
    then.emplace_back(Reader(saved, to[i].shape, /*raw=*/true), to[i].offset);
  }
  first.append(then);
  if (first.empty())
    return;
  emit(op, [copies = std::move(first)](State &state) {
    for (const auto &[source, offset] : copies)
      source.readAll(state.frame, state.frame + offset);
    if (state.isMarked)
      for (const auto &[source, offset] : copies)
        source.readAll(state.marks(), state.marks() + offset);
    return Step::Next;
  });
}

uint64_t Scope::makeDense(Operation *op, const View &view) {
  Reader reader(view, view.shape, /*raw=*/true);
  if (reader.isInPlace())
    return view.offset;
  uint64_t offset = allocate(view.denseBytes());
  emit(op, [reader, offset](State &state) {
    reader.readAll(state.frame, state.frame + offset);
    if (state.isMarked)
      reader.readAll(state.marks(), state.marks() + offset);
    return Step::Next;
  });
  return offset;
}

/// Does a type have more elements than any kernel holds? Repeated ones count.
static bool isTooLarge(Type type) {
  uint64_t count = 1;
  for (int64_t size : tilec::tile::getShape(type))
    count = bytesOf(count, std::max<int64_t>(size, 1));
  return count > kMaxFrameBytes;
}

LogicalResult Scope::build(Block &block, bool withTerminator) {
  for (Operation &op : block) {
    emitLaneTests(*this, &op);
    if (!withTerminator && &op == block.getTerminator())
      break;
    if (llvm::any_of(op.getResultTypes(), isTooLarge))
      return emitError(op.getLoc(), "a tile of ")
             << op.getResult(0).getType()
             << " is too large for the interpreter, use smaller tiles";
    BuildFn builder = findBuilder(op.getName().getStringRef());
    if (!builder)
      return emitError(op.getLoc(), "the interpreter does not know '")
             << op.getName() << "'";
    if (failed(builder(*this, &op)))
      return failure();
    if (checks.values)
      buildChecks(&op);
    if (checks.trace)
      emitTrace(*this, &op, *checks.trace);
    if (code.frameBytes > kMaxFrameBytes)
      return emitError(op.getLoc(), "the values of the kernel need more than ")
             << (kMaxFrameBytes >> 30)
             << " GiB in the interpreter, use smaller tiles";
    if (code.instructions.size() > kMaxInstructions)
      return emitError(op.getLoc(), "the kernel has more than ")
             << kMaxInstructions
             << " operations in the interpreter, which builds each call in "
                "place";
  }
  return success();
}

void Scope::buildChecks(Operation *op) {
  emitHintChecks(*this, op);
  if (checks.nan)
    emitNanCheck(*this, op);
}

LogicalResult tilec::interpreter::buildFunction(func::FuncOp func, Code &code,
                                                const Checks &checks,
                                                const Fillers *fillers) {
  Scope scope(code, checks, fillers);
  code.hasMirror = fillers && !fillers->isEmpty();
  if (func.isExternal())
    return emitError(func.getLoc(), "a function without a body cannot be run");
  if (!func.getBody().hasOneBlock())
    return emitError(func.getLoc(),
                     "the interpreter runs functions of one block, got ")
           << func.getBody().getBlocks().size();
  for (BlockArgument argument : func.getArguments()) {
    FailureOr<View> view = scope.define(argument);
    if (failed(view))
      return failure();
    if (!view->shape.empty())
      return emitError(argument.getLoc())
             << "a kernel's arguments are scalars and pointers, got "
             << argument.getType();
    code.arguments.push_back(*view);
  }
  scope.callees.insert(func);
  scope.returns.emplace_back();
  for (Type type : func.getResultTypes()) {
    std::optional<Kind> kind = kindOf(type);
    if (!kind)
      return emitError(func.getLoc(),
                       "the interpreter does not know values of type ")
             << type;
    scope.returns.back().push_back(scope.place(type, *kind));
  }
  return scope.build(func.getBody().front());
}
