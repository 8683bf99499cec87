//===- Scope.h - from IR to a flat program ----------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A kernel is built once: every value gets a place in a frame and every
// operation becomes an instruction of a flat list, control flow being jumps. A
// running program is thus a frame and a position, and may stop between any two
// instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_SCOPE_H
#define TILEC_LIB_INTERPRETER_SCOPE_H

#include "Value.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Interpreter/Interpreter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilec::interpreter {

class Memory;
class Collector;
class Fillers;
struct LaneTest;

/// The uses that a value takes part in, one after another.
using LaneWay = llvm::SmallVector<mlir::OpOperand *>;

/// Who else takes part in a fault.
struct FaultPart {
  mlir::Operation *op;
  std::array<int64_t, 3> program;
  int64_t lane = 0;
};

/// Why a run stopped: one sentence at one place, and what explains it.
struct Fault {
  mlir::Operation *op = nullptr;
  std::string message;
  std::vector<std::pair<mlir::Location, std::string>> notes;
  /// A word for its kind, the buffer, the index and the lane, if it has them.
  llvm::StringRef kind = "fault";
  std::string buffer;
  std::vector<int64_t> index;
  llvm::StringRef access;
  std::array<int64_t, 3> program = {0, 0, 0};
  int64_t lane = -1;
  uint64_t count = 1;
  std::vector<FaultPart> others;
};

/// What the grid and the run give to all programs.
struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  bool check = false;
  /// Where faults go after which the run goes on; null if it does not.
  Collector *collector = nullptr;
  llvm::raw_ostream *output = nullptr;
  /// How often a program has ended, or left a loop in which it may have waited.
  mutable std::atomic<uint64_t> departures = 0;
};

/// Does the run go on after an instruction? A program that yields may go on
/// later, where it is; another one should run in between, for it may wait for
/// that.
enum class Step { Next, Fault, Yield };

/// Iterations of a loop that may wait for other programs, before it yields,
/// where programs run one after another.
inline constexpr unsigned kPatience = 1000;

/// A running program.
struct State {
  char *frame = nullptr;
  size_t position = 0;
  std::array<int64_t, 3> program = {0, 0, 0};
  /// The program's number: x first, then y, then z.
  uint64_t number = 0;
  const Launch *launch = nullptr;
  Memory *memory = nullptr;
  Fault fault;
  /// Iterations of waiting loops since the program yielded, and how many of
  /// them, the last ones, changed nothing that the loop carries.
  unsigned turns = 0, idleTurns = 0;
  /// Iterations of waiting loops since the run had so many departures, while
  /// nothing that the loop carries decided whether it goes on.
  uint64_t rounds = 0, roundsAt = 0;
  /// After so many iterations of waiting loops it yields.
  unsigned patience = kPatience;
  /// An operation of 32-bit integers that wrapped around, if a check saw one.
  mlir::Operation *wrapped = nullptr;
  /// The mirror of the frame, bytes behind it: what checks know of the element
  /// at each place. All zeros until something `isMarked`.
  uint64_t mirror = 0;
  bool isMarked = false;
  /// The lanes of an access that fit, when others do not.
  std::vector<uint8_t> mask;
  /// Times that each instruction ran, if anyone counts.
  uint64_t *executed = nullptr;
  /// Where the instructions put their chunks on the way.
  alignas(64) char scratch[4][kChunk * 8];

  /// Stops the program: `return state.fail(op, "...")`. Notes which program it
  /// is.
  Step fail(mlir::Operation *op, const llvm::Twine &message,
            llvm::StringRef kind = "fault");
  /// Ends the report of a fault that the run can go on after: it does if faults
  /// are gathered.
  Step goOn();
  /// The mirror of the frame.
  char *marks() const { return frame + mirror; }
  /// Adds a sentence to the fault.
  void note(mlir::Location loc, const llvm::Twine &message);
};

/// One step of a program.
struct Instruction {
  std::function<Step(State &)> run;
  mlir::Operation *op = nullptr;
  /// Does it touch memory? A scheduler may switch programs before it.
  bool touchesMemory = false;
  /// Does it begin a loop, or the next iteration of one?
  enum class Loop : uint8_t { None, Run, Iteration } loop = Loop::None;
  /// Floating-point operations of one execution: their kinds and numbers.
  llvm::SmallVector<std::pair<std::string, uint64_t>, 1> flops = {};
};

/// A kernel, ready to run.
struct Code {
  std::vector<Instruction> instructions;
  /// Positions of the labels that jumps name.
  std::vector<size_t> labels;
  /// What the frame holds before a program starts: offset and bytes.
  std::vector<std::pair<uint64_t, std::vector<char>>> constants;
  /// Where the kernel's arguments lie.
  std::vector<View> arguments;
  uint64_t frameBytes = 0;
  /// Has the frame a mirror for checks?
  bool hasMirror = false;

  /// Bytes of a program's frame and its mirror.
  uint64_t taskBytes() const { return hasMirror ? 2 * frameBytes : frameBytes; }

  /// Must the programs run one after another?
  bool isOrdered = false;
  /// May a program wait for what others do?
  bool mayWait = false;

  /// Runs a program from its position until it is at `end`, yields, or a fault
  /// stops it.
  Step run(State &state, size_t end) const;
  /// Runs at least one instruction, and stops before the next that touches
  /// memory.
  Step runToAccess(State &state, size_t end) const;
};

/// Which checks are built into the code.
struct Checks {
  /// Those of values: overflow in addresses, shifts, conversions, hints.
  bool values = false;
  /// Where NaN and infinity first appear.
  bool nan = false;
  /// Prints the values of a program.
  std::optional<Trace> trace;
};

/// Values and code of a kernel that is being built.
class Scope {
public:
  Scope(Code &code, const Checks &checks, const Fillers *fillers)
      : code(code), checks(checks), fillers(fillers) {}

  /// What else to look for.
  const Checks &getChecks() const { return checks; }

  /// Builds the operations of a block. Terminators of loops and branches are
  /// the business of the operation around them.
  mlir::LogicalResult build(mlir::Block &block, bool withTerminator = true);

  /// Room for `bytes` in the frame.
  uint64_t allocate(uint64_t bytes);
  /// A dense place for a value of this type.
  View place(mlir::Type type, Kind kind);
  /// Gives `value` a dense place of its own; fails on types that are unknown.
  mlir::FailureOr<View> define(mlir::Value value);
  /// Lets `value` be what `view` shows.
  void bind(mlir::Value value, View view);
  /// Where a value lies; it must have been defined.
  const View &lookup(mlir::Value value) const;
  /// A constant of the given elements' bytes, one element if all are equal.
  View constant(Kind kind, llvm::ArrayRef<int64_t> shape,
                std::vector<char> bytes);

  /// Appends an instruction.
  Instruction &emit(mlir::Operation *op, std::function<Step(State &)> run);

  /// A new label, to be placed later; jumps name it.
  size_t newLabel();
  /// Makes the next instruction the label's.
  void placeLabel(size_t label) {
    code.labels[label] = code.instructions.size();
  }
  /// Emits a jump to a label.
  void emitJump(mlir::Operation *op, size_t label);

  /// Emits copies of `from` into the dense places `to`, as if all at once.
  void emitCopies(mlir::Operation *op, llvm::ArrayRef<View> from,
                  llvm::ArrayRef<View> to);

  /// Emits what makes the elements of `view` lie densely, and gives their
  /// offset; nothing if they do.
  uint64_t makeDense(mlir::Operation *op, const View &view);

  Code &getCode() { return code; }

  /// Where fillers of masked loads may get to; null if nothing looks for them.
  const Fillers *getFillers() const { return fillers; }

  /// Where the exact values of integers are that loops and branches hand on.
  llvm::DenseMap<mlir::Value, uint64_t> exactPlaces;

  /// Where what reductions give without fillers lies, where that differs, and
  /// the bits that mark it.
  llvm::DenseMap<mlir::Value, std::pair<uint64_t, uint8_t>> withoutFillers;

  /// Functions whose calls are being built, to find recursion.
  llvm::SmallPtrSet<mlir::Operation *, 4> callees;

  /// Places for the results of the function being built, innermost last.
  std::vector<llvm::SmallVector<View>> returns;

  /// Tests of lanes that wait for the operation at the end of a way.
  llvm::DenseMap<
      mlir::Operation *,
      std::vector<std::pair<std::shared_ptr<const LaneTest>, LaneWay>>>
      laneTests;

  /// Loops around what is being built, calls included, that may wait.
  unsigned waitingLoops = 0;

private:
  /// Emits the checks of an operation's results.
  void buildChecks(mlir::Operation *op);

  Code &code;
  Checks checks;
  const Fillers *fillers;
  llvm::DenseMap<mlir::Value, View> values;
};

/// Builds one operation.
using BuildFn = mlir::LogicalResult (*)(Scope &, mlir::Operation *);

/// The builder of an operation, or null if the interpreter does not know it.
BuildFn findBuilder(llvm::StringRef name);

/// An operation's name and its builder; each group's file has a table.
struct BuilderEntry {
  llvm::StringLiteral name;
  BuildFn build;
};
llvm::ArrayRef<BuilderEntry> atomicBuilders();
llvm::ArrayRef<BuilderEntry> controlBuilders();
llvm::ArrayRef<BuilderEntry> matmulBuilders();
llvm::ArrayRef<BuilderEntry> memoryBuilders();
llvm::ArrayRef<BuilderEntry> reduceBuilders();
llvm::ArrayRef<BuilderEntry> shapeBuilders();

/// Builds an operation that works element by element.
mlir::LogicalResult buildElementwise(Scope &scope, mlir::Operation *op);

/// Builds the instructions of a whole function into `code`. `fillers` lives
/// as long.
mlir::LogicalResult buildFunction(mlir::func::FuncOp func, Code &code,
                                  const Checks &checks, const Fillers *fillers);

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_SCOPE_H
