//===- ModuleConditions.cpp - conditions outside of functions -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What an `if` outside of functions says, as far as -D, the constants of this
// and of imported files, the table of the language's functions and an empty
// environment tell. Python would run the file; here each operand is a constant
// or unknown.
//
//===----------------------------------------------------------------------===//

#include "BuiltinHandlers.h"
#include "Lowering.h"
#include "Signature.h"

using namespace tilec::frontend;
using llvm::cast;
using llvm::dyn_cast;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;

namespace {
/// Evaluates one condition.
class Condition {
public:
  explicit Condition(Session &session) : session(session) {}

  std::optional<Val> evaluate(Module &module, const Expr *e);

private:
  std::optional<bool> truth(Module &module, const Expr *e);
  std::optional<Val> lookUp(Module &module, StringRef name);
  std::optional<Val> evaluateBoolOp(Module &module, const BoolOpExpr *e);
  std::optional<Val> evaluateCompare(Module &module, const CompareExpr *e);
  std::optional<Val> evaluateCall(Module &module, const CallExpr *e);
  std::string dottedPath(Module &module, const Expr *e);

  Session &session;
  unsigned depth = 0, steps = 0;
};
} // namespace

/// Operands may nest this deeply, and constants may lead to this many others.
static constexpr unsigned kMaxDepth = 64, kMaxSteps = 4096;

/// Is this `os.environ`?
static bool isEnvironment(const Expr *e) {
  auto *attribute = dyn_cast<AttributeExpr>(e);
  return attribute && attribute->name == "environ";
}

std::optional<bool> Condition::truth(Module &module, const Expr *e) {
  std::optional<Val> value = evaluate(module, e);
  return value ? foldTruth(*value) : std::nullopt;
}

std::optional<Val> Condition::lookUp(Module &module, StringRef name) {
  if (depth > kMaxDepth || ++steps > kMaxSteps)
    return std::nullopt;
  DepthScope scope(depth);
  for (const auto &[given, text] : session.options.defines)
    if (given == name) {
      Expr *expr = session.parseText(("-D " + name).str(), text);
      std::optional<Val> value = expr ? literalValue(expr) : std::nullopt;
      if (value)
        session.overridden.insert(given);
      return value;
    }
  auto it = module.globals.find(name);
  if (it == module.globals.end()) {
    for (StringRef path : module.starImports)
      if (Module *inner = session.importQuietly(module, path))
        if (std::optional<Val> value = lookUp(*inner, name))
          return value;
    return std::nullopt;
  }
  const Global &global = it->second;
  if (global.kind == Global::Constant)
    return evaluate(module, global.value);
  if (global.kind == Global::ImportName)
    if (Module *inner = session.importQuietly(module, global.path))
      return lookUp(*inner, global.name);
  return std::nullopt;
}

/// The path of the module that an expression names; empty if it names none.
std::string Condition::dottedPath(Module &module, const Expr *e) {
  if (auto *attribute = dyn_cast<AttributeExpr>(e)) {
    std::string object = dottedPath(module, attribute->object);
    return object.empty() ? object : object + "." + attribute->name.str();
  }
  auto *name = dyn_cast<NameExpr>(e);
  auto it = name ? module.globals.find(name->name) : module.globals.end();
  if (it == module.globals.end())
    return "";
  const Global &global = it->second;
  if (global.kind == Global::ImportModule)
    return global.path.str();
  if (global.kind != Global::ImportName)
    return "";
  return (global.path + (global.path.ends_with(".") ? "" : ".") + global.name)
      .str();
}

std::optional<Val> Condition::evaluateBoolOp(Module &module,
                                             const BoolOpExpr *e) {
  bool deciding = e->kind == Expr::BoolOr;
  std::optional<Val> lhs = evaluate(module, e->lhs);
  std::optional<bool> first = lhs ? foldTruth(*lhs) : std::nullopt;
  if (first == deciding)
    return lhs;
  std::optional<Val> rhs = evaluate(module, e->rhs);
  if (first)
    return rhs;
  // Whatever the left side is, the right one may decide.
  if (rhs && foldTruth(*rhs) == deciding)
    return Val::boolean(deciding);
  return std::nullopt;
}

std::optional<Val> Condition::evaluateCompare(Module &module,
                                              const CompareExpr *e) {
  if (e->chained)
    return std::nullopt;
  bool isIn = e->op == CompareOp::In || e->op == CompareOp::NotIn;
  if (isIn && isEnvironment(e->rhs))
    return Val::boolean(e->op == CompareOp::NotIn);
  std::optional<Val> a = evaluate(module, e->lhs), b = evaluate(module, e->rhs);
  std::optional<bool> result =
      a && b ? foldCompare(e->op, *a, *b) : std::nullopt;
  return result ? std::optional(Val::boolean(*result)) : std::nullopt;
}

/// `hasattr` of the language, `os.environ.get` and `os.getenv` of an empty
/// environment, `int` and `bool` of what is known.
std::optional<Val> Condition::evaluateCall(Module &module, const CallExpr *e) {
  ArrayRef<CallArg> args = e->args;
  if (args.empty() || args.size() > 2)
    return std::nullopt;
  if (auto *method = dyn_cast<AttributeExpr>(e->callee)) {
    bool isGet = method->name == "get" && isEnvironment(method->object);
    if (!isGet && method->name != "getenv")
      return std::nullopt;
    return args.size() == 2 ? evaluate(module, args[1].value)
                            : std::optional(Val::none());
  }
  auto *callee = dyn_cast<NameExpr>(e->callee);
  if (!callee || module.globals.count(callee->name))
    return std::nullopt;
  if (callee->name == "hasattr" && args.size() == 2) {
    auto *name = dyn_cast<StringExpr>(args[1].value);
    std::optional<bool> has =
        name ? session.languageHas(dottedPath(module, args[0].value),
                                   name->value)
             : std::nullopt;
    return has ? std::optional(Val::boolean(*has)) : std::nullopt;
  }
  std::optional<Val> value =
      args.size() == 1 ? evaluate(module, args[0].value) : std::nullopt;
  std::optional<bool> holds = value ? foldTruth(*value) : std::nullopt;
  if (callee->name == "bool" && holds)
    return Val::boolean(*holds);
  int64_t number;
  if (callee->name == "int" && value && value->kind == Val::String &&
      !value->text.trim().getAsInteger(10, number))
    return Val::intValue(number);
  return std::nullopt;
}

std::optional<Val> Condition::evaluate(Module &module, const Expr *e) {
  if (depth > kMaxDepth || ++steps > kMaxSteps)
    return std::nullopt;
  DepthScope scope(depth);
  switch (e->kind) {
  case Expr::Name:
    return lookUp(module, cast<NameExpr>(e)->name);
  case Expr::Attribute: {
    auto *attribute = cast<AttributeExpr>(e);
    std::string path = dottedPath(module, attribute->object);
    Module *inner =
        path.empty() ? nullptr : session.importQuietly(module, path);
    return inner ? lookUp(*inner, attribute->name) : std::nullopt;
  }
  case Expr::Unary:
    if (cast<UnaryExpr>(e)->op == UnaryOp::Not) {
      std::optional<bool> operand = truth(module, cast<UnaryExpr>(e)->operand);
      return operand ? std::optional(Val::boolean(!*operand)) : std::nullopt;
    }
    return literalValue(e);
  case Expr::BoolAnd:
  case Expr::BoolOr:
    return evaluateBoolOp(module, cast<BoolOpExpr>(e));
  case Expr::Compare:
    return evaluateCompare(module, cast<CompareExpr>(e));
  case Expr::Call:
    return evaluateCall(module, cast<CallExpr>(e));
  default:
    return literalValue(e);
  }
}

std::optional<bool> Session::decide(Module &module, const Expr *condition) {
  std::optional<Val> value = Condition(*this).evaluate(module, condition);
  return value ? foldTruth(*value) : std::nullopt;
}

FailureOr<Val> builtins::hasAttribute(Lowering &l, CallArgs &args) {
  const Val &object = args[0], &name = args[1];
  if (name.kind == Val::String && object.kind == Val::UserModule)
    return Val::boolean(object.userModule->globals.count(name.text));
  if (name.kind == Val::String && object.kind == Val::Module)
    return Val::boolean(
        l.session.languageHas(object.text, name.text).value_or(false));
  l.error(args.locs[0], "'hasattr' asks a module for a name in quotes, got " +
                            object.describe() + " and " + name.describe());
  return failure();
}
