//===- Lowering.h - trees to tile IR ----------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Evaluates a kernel's tree once: what is known while compiling is computed,
// the rest becomes IR. A call evaluates the tree of the callee in a new frame,
// so every helper is inlined and typed by its call.
//
// One class in several files: LowerStmt (statements), LowerControl (branches
// and loops), LowerUnrolled (loops that run while compiling), LowerExpr
// (expressions), LowerName (names), LowerCall (calls), Operators (promotion,
// arithmetic), Casts, and Builtins*.cpp (the functions of the language).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_LOWERING_H
#define TILEC_LIB_FRONTEND_LOWERING_H

#include "Builtins.h"
#include "Session.h"
#include "Value.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>

namespace tilec::frontend {

/// A name's value and where it was set.
struct Binding {
  Val value;
  mlir::Location loc;
};

/// The names of a function, ordered so that the IR is the same every time.
using Env = std::map<StringRef, Binding>;

/// One call that is being evaluated.
struct Frame {
  const FunctionDef *function = nullptr;
  Module *module = nullptr;
  Frame *caller = nullptr;
  /// Where it was called; null for the kernel.
  std::optional<mlir::Location> callLoc;
  Env env;
  /// What `return` gave.
  std::optional<Binding> result;
  enum LoopKind { NoLoop, RuntimeLoop, StaticLoop };
  /// The innermost loop around the statement being lowered.
  LoopKind loop = NoLoop;
  /// Of a runtime loop: the names that it carries, and the name that says that
  /// `break` was met (empty if the loop has none).
  std::vector<StringRef> carried;
  StringRef breakName;
  /// Of a static loop: was `break` met?
  bool staticBreak = false;

  /// Is everything here computed while compiling?
  bool isConstexpr() const { return function && function->isConstexpr; }
};

/// Marks the body of a runtime loop in the frame while it lives.
class InLoop {
public:
  InLoop(Frame &frame, Frame::LoopKind kind,
         std::vector<StringRef> carried = {}, StringRef breakName = "")
      : frame(frame), kind(frame.loop), carried(frame.carried),
        breakName(frame.breakName) {
    frame.loop = kind;
    frame.carried = std::move(carried);
    frame.breakName = breakName;
  }
  ~InLoop() {
    frame.loop = kind;
    frame.carried = std::move(carried);
    frame.breakName = breakName;
  }

private:
  Frame &frame;
  Frame::LoopKind kind;
  std::vector<StringRef> carried;
  StringRef breakName;
};

/// How a block ends.
enum class Flow { Next, Exit, Fail };

/// The statements that follow a block: those of the blocks around it, up to the
/// loop or function.
struct Rest {
  Block stmts;
  const Rest *outer;
};

/// Counts a level of nesting while it lives.
struct DepthScope {
  explicit DepthScope(unsigned &depth) : depth(depth) { ++depth; }
  ~DepthScope() { --depth; }
  unsigned &depth;
};

/// The path of a module of the language that an import names: aliases of one
/// module get one path. Empty for other modules.
StringRef languagePath(StringRef path);

/// Lowers kernels.
class Lowering {
public:
  Lowering(Session &session, mlir::ModuleOp module)
      : session(session), context(&session.context), moduleOp(module),
        builder(&session.context) {}

  // LowerStmt.cpp
  Flow lowerBlock(Block block, const Rest *rest);
  Flow lowerStmt(const Stmt *stmt);
  mlir::LogicalResult assign(const Expr *target, const Val &value,
                             mlir::Location loc);
  void bind(StringRef name, const Val &value, mlir::Location loc);
  Val decay(const Val &value, mlir::Location loc);

  // LowerControl.cpp
  Flow lowerIf(const IfStmt *stmt, const Rest *rest);
  Flow lowerRuntimeIf(const IfStmt *stmt, const Val &cond, const Rest *rest);
  Flow lowerFor(const ForStmt *stmt);
  Flow lowerStaticFor(const ForStmt *stmt, const Val &range);
  Flow lowerStaticWhile(const WhileStmt *stmt);
  Flow lowerRuntimeFor(const ForStmt *stmt, const Val &range);
  Flow lowerBreakingFor(const ForStmt *stmt, Val lower, Val upper, Val step,
                        bool isDown);
  Flow lowerWhile(const WhileStmt *stmt);

  // LowerExpr.cpp
  mlir::FailureOr<Val> eval(const Expr *expr);
  mlir::FailureOr<Val> evalName(StringRef name, mlir::Location loc);
  mlir::FailureOr<Val> evalGlobal(Module &module, StringRef name,
                                  mlir::Location loc, bool &found);
  mlir::FailureOr<Val> evalStarImports(Module &module, StringRef name,
                                       mlir::Location loc, bool &found);
  mlir::FailureOr<Val> evalConstant(Module &module, StringRef name,
                                    const Global &global, mlir::Location loc);
  /// Fails if `global` is an import of a library of the host, of which a kernel
  /// wants `name`.
  mlir::LogicalResult rejectHostName(Module &module, const Global &global,
                                     StringRef name, mlir::Location loc);
  mlir::FailureOr<Val> evalImport(Module &module, const Global &global,
                                  mlir::Location loc);
  mlir::FailureOr<Val> evalAttribute(const AttributeExpr *expr);
  mlir::FailureOr<Val> attributeOf(const Val &object, StringRef name,
                                   mlir::Location loc);
  mlir::FailureOr<Val> moduleAttribute(StringRef path, StringRef name,
                                       mlir::Location loc);
  mlir::FailureOr<Val> evalSubscript(const SubscriptExpr *expr);
  mlir::FailureOr<Val> evalIfExp(const IfExpExpr *expr);
  mlir::FailureOr<Val> evalBoolOp(const BoolOpExpr *expr);
  /// `isCompared`: as a side of a comparison.
  mlir::FailureOr<Val> evalBinary(const BinaryExpr *expr, bool isCompared);
  mlir::FailureOr<Val> evalCompared(const Expr *expr);
  mlir::FailureOr<Val> evalCompare(const CompareExpr *expr);
  mlir::FailureOr<Val> evalFString(const FStringExpr *expr);
  mlir::FailureOr<Val> evalComprehension(const ComprehensionExpr *expr);
  mlir::FailureOr<Val> evalDict(const DictExpr *expr);
  /// The type that an annotation or type value names; null if it names none.
  std::optional<ElemType> typeOf(const Val &value);

  // LowerCall.cpp
  mlir::FailureOr<Val> evalCall(const CallExpr *expr);
  mlir::FailureOr<Val> callValue(const Val &callee, CallInput input,
                                 mlir::Location loc);
  mlir::FailureOr<Val> callFunction(const FunctionDef *function,
                                    CallInput input, mlir::Location loc);
  mlir::FailureOr<Val> callBuiltin(const BuiltinRow &row, CallInput input,
                                   mlir::Location loc);
  mlir::FailureOr<Val> callPrelude(StringRef name, std::vector<Val> args,
                                   mlir::Location loc);
  bool isConstexprAnnotation(const Expr *annotation);

  // Operators.cpp
  mlir::FailureOr<Val> binary(BinaryOp op, Val a, Val b, mlir::Location loc);
  mlir::FailureOr<Val> unary(UnaryOp op, Val a, mlir::Location loc);
  mlir::FailureOr<Val> compare(CompareOp op, Val a, Val b, mlir::Location loc);
  mlir::FailureOr<Val> minMax(bool isMax, Val a, Val b, bool propagateNaN,
                              mlir::Location loc);
  /// Gives two numbers the type of their promotion and one shape.
  mlir::LogicalResult unify(Val &a, Val &b, bool isDivision, StringRef what,
                            mlir::Location loc);
  mlir::LogicalResult promotePair(Val &a, Val &b, bool isDivision,
                                  StringRef what, mlir::Location loc);
  mlir::LogicalResult broadcastAll(llvm::MutableArrayRef<Val *> values,
                                   mlir::Location loc);
  mlir::LogicalResult broadcastAll(std::vector<Val> &values,
                                   mlir::Location loc);
  mlir::FailureOr<Val> broadcastTo(const Val &value, ArrayRef<int64_t> shape,
                                   mlir::Location loc);
  mlir::FailureOr<Val> offsetPointer(Val pointer, Val offset, bool negate,
                                     mlir::Location loc);
  mlir::FailureOr<Val> divide(Val a, Val b, mlir::Location loc);
  mlir::FailureOr<Val> condition(const Val &value, mlir::Location loc);
  mlir::FailureOr<Val> select(const Val &cond, const Val &a, const Val &b,
                              mlir::Location loc);

  // BuiltinsBlock.cpp
  /// The descriptor that a kernel's arguments make: base, sizes, and strides of
  /// all axes but the last.
  mlir::FailureOr<Val> descriptor(ArrayRef<Val> arguments,
                                  ArrayRef<int64_t> blockShape,
                                  mlir::Location loc);
  /// The addresses that a block pointer stands for, and the mask of the
  /// `checked` axes (null value if there is none).
  mlir::LogicalResult blockAddresses(const Val &block, ArrayRef<bool> checked,
                                     Val &pointers, std::optional<Val> &mask,
                                     mlir::Location loc);

  // Traps.cpp: warnings. Operands are as they were before their promotion.
  void warnOfDivision(const Val &a, const Val &b, mlir::Location loc);
  void warnOfShift(const Val &count, ElemType type, mlir::Location loc);
  void warnOfZeroDivisor(StringRef what, const Val &divisor,
                         mlir::Location loc);
  /// Of a known result that wraps.
  void warnOfOverflow(BigInt exact, ElemType type, mlir::Location loc);
  /// Of a negative number that counts as a large one.
  void warnOfSigns(StringRef what, const Val &a, const Val &b,
                   mlir::Location loc);
  void warnOfComparison(CompareOp op, const Val &a, const Val &b,
                        mlir::Location loc);
  void warnOfPromotion(const Val &v, ElemType to, mlir::Location loc);
  /// Of a number that memory of a type cannot hold.
  void warnOfLiteral(const Val &value, ElemType to, mlir::Location loc);
  /// Of a statement that is an expression.
  void warnOfUnused(const Expr *expr, const Val &result);
  /// Of a side of a comparison that combines `a` and `b`.
  void warnOfMixedMask(const BinaryExpr *expr, const Val &a, const Val &b);

  // Casts.cpp
  mlir::FailureOr<Val> castTo(const Val &value, ElemType to,
                              mlir::Location loc);
  mlir::FailureOr<Val> bitcast(const Val &value, ElemType to,
                               mlir::Location loc);
  /// An IR value for a number, in the type that its literal gets.
  mlir::FailureOr<Val> toRuntime(const Val &value, mlir::Location loc);
  /// A constant of a type and shape; an error if it does not fit.
  mlir::FailureOr<Val> constant(const Val &number, ElemType type,
                                ArrayRef<int64_t> shape, mlir::Location loc);
  mlir::Value zero(mlir::Type type, mlir::Location loc);

  // Flattening of values to what IR operations carry.
  /// May this value travel through branches and loops (after decay)?
  static bool isCarriable(const Val &value);
  static void flatten(const Val &value, std::vector<mlir::Value> &out);
  static Val unflatten(const Val &like, mlir::ValueRange values, size_t &next);
  static bool sameType(const Val &a, const Val &b);

  // Regions that combine scalars (Builtins).
  mlir::LogicalResult buildCombine(mlir::Region &region, const Val &function,
                                   ArrayRef<ElemType> types,
                                   mlir::Location loc);

  mlir::Location loc(uint32_t offset);
  mlir::Location loc(const Expr *expr) { return loc(expr->offset); }
  mlir::InFlightDiagnostic error(mlir::Location loc,
                                 const llvm::Twine &message) {
    return session.error(loc, message);
  }
  /// May a warning be due here? Not in the language's own functions.
  bool warns(Warning warning) const {
    return session.warnings.isEnabled(warning) &&
           !session.isLibrary(*frame->module);
  }
  void warn(Warning warning, mlir::Location loc, const llvm::Twine &text) {
    if (warns(warning))
      session.warnings.report(warning, loc, text);
  }
  /// The integer that must be known here; an error that names `what` otherwise.
  mlir::FailureOr<int64_t>
  constantInt(const Val &value, const llvm::Twine &what, mlir::Location loc);
  mlir::FailureOr<std::vector<int64_t>> shapeOf(const Val &value,
                                                mlir::Location loc);
  /// A name of the language as the user's file writes it: with the alias that a
  /// `.py` file gave the module `path`.
  std::string spell(StringRef name, StringRef path = "tl");
  /// Nearest name of the language or of the scope, as " ; did you mean ...".
  /// What to write instead of a function of Python, as the end of a message.
  std::string insteadOfPython(StringRef name);
  /// `isMember`: of what stands behind the module's dot.
  std::string suggest(StringRef name, bool isMember = false);
  /// The same for an attribute of a tile or a number of run time.
  std::string suggestMember(StringRef name);

  /// Lowers into a region of its own: puts the builder there while it lives.
  mlir::Block *enterRegion(mlir::Region &region) {
    mlir::Block *block = &region.emplaceBlock();
    builder.setInsertionPointToEnd(block);
    return block;
  }

  Session &session;
  mlir::MLIRContext *context;
  mlir::ModuleOp moduleOp;
  mlir::OpBuilder builder;
  Frame *frame = nullptr;
  /// Is there room for one more level of recursion? An error at `loc` if not:
  /// input must not exhaust the stack, here or in a pass over nested regions.
  bool hasRoom(uint32_t offset);

  /// Statements lowered so far; inlining and unrolling can multiply them.
  uint64_t work = 0;
  /// Regions around the builder.
  unsigned regionDepth = 0;
  /// Modules that the name being looked up was imported through.
  unsigned importDepth = 0;
  /// Modules whose star imports are being searched, against cycles.
  std::vector<Module *> starSearch;
  /// Where the stack was at the beginning.
  uintptr_t stackBase = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  /// Constants of modules whose value is being computed, against cycles, and
  /// their names.
  std::vector<std::pair<const Expr *, StringRef>> evaluating;
};

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_LOWERING_H
