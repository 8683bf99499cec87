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

  std::optional<bool> truth(Module &module, const Expr *e);

private:
  std::optional<Val> evaluate(Module &module, const Expr *e);
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

/// Of `and` and `or` the right side may decide, whatever the left one is.
std::optional<bool> Condition::truth(Module &module, const Expr *e) {
  if (depth > kMaxDepth || ++steps > kMaxSteps)
    return std::nullopt;
  DepthScope scope(depth);
  if (auto *both = dyn_cast<BoolOpExpr>(e)) {
    bool deciding = e->kind == Expr::BoolOr;
    std::optional<bool> lhs = truth(module, both->lhs);
    if (lhs == deciding)
      return lhs;
    std::optional<bool> rhs = truth(module, both->rhs);
    return lhs || rhs == deciding ? rhs : std::nullopt;
  }
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
    // The last one that has the name wins.
    for (StringRef path : llvm::reverse(module.starImports)) {
      std::optional<bool> has = session.languageHas(path, name);
      Module *inner = has ? nullptr : session.importQuietly(module, path);
      if (inner)
        has = session.moduleHas(*inner, name);
      if (!has || (*has && !inner))
        return std::nullopt;
      if (*has)
        return lookUp(*inner, name);
    }
    return std::nullopt;
  }
  if (module.uncertain.count(name))
    return std::nullopt;
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
  std::optional<bool> first = truth(module, e->lhs);
  if (!first)
    return std::nullopt;
  return evaluate(module,
                  *first == (e->kind == Expr::BoolOr) ? e->lhs : e->rhs);
}

std::optional<Val> Condition::evaluateCompare(Module &module,
                                              const CompareExpr *e) {
  if (e->chained)
    return std::nullopt;
  bool isIn = e->op == CompareOp::In || e->op == CompareOp::NotIn;
  if (isIn && isEnvironment(e->rhs))
    return Val::boolean(e->op == CompareOp::NotIn);
  std::optional<Val> a = evaluate(module, e->lhs), b = evaluate(module, e->rhs);
  if (!a || !b)
    return std::nullopt;
  // Identity of other values, and what equal tuples are, Python alone knows.
  auto both = [&](Val::Kind kind) {
    return a->kind == kind && b->kind == kind;
  };
  bool isIs = e->op == CompareOp::Is || e->op == CompareOp::IsNot;
  bool hasNone = a->kind == Val::None || b->kind == Val::None;
  if (isIs ? !hasNone && !both(Val::Bool)
           : a->kind == Val::Tuple || (!isIn && b->kind == Val::Tuple))
    return std::nullopt;
  std::optional<bool> result = foldCompare(e->op, *a, *b);
  return result ? std::optional(Val::boolean(*result)) : std::nullopt;
}

/// `hasattr` of the language, `os.environ.get` and `os.getenv` of an empty
/// environment, `int` and `bool` of what is known.
std::optional<Val> Condition::evaluateCall(Module &module, const CallExpr *e) {
  ArrayRef<CallArg> args = e->args;
  bool isPlain = llvm::all_of(args, [](const CallArg &arg) {
    return arg.name.empty() && !arg.doubleStar &&
           arg.value->kind != Expr::Starred;
  });
  if (args.empty() || args.size() > 2 || !isPlain)
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
  if (args.size() != 1)
    return std::nullopt;
  if (callee->name == "bool") {
    std::optional<bool> holds = truth(module, args[0].value);
    return holds ? std::optional(Val::boolean(*holds)) : std::nullopt;
  }
  std::optional<Val> value = evaluate(module, args[0].value);
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
  case Expr::Tuple: {
    std::vector<Val> elements;
    for (const Expr *element : cast<TupleExpr>(e)->elements) {
      std::optional<Val> value = evaluate(module, element);
      if (!value)
        return std::nullopt;
      elements.push_back(*value);
    }
    return Val::tuple(std::move(elements));
  }
  case Expr::Compare:
    return evaluateCompare(module, cast<CompareExpr>(e));
  case Expr::Call:
    return evaluateCall(module, cast<CallExpr>(e));
  default:
    return literalValue(e);
  }
}

std::optional<bool> Session::decide(Module &module, const Expr *condition) {
  return Condition(*this).truth(module, condition);
}

std::optional<bool> Session::moduleHas(Module &module, StringRef name,
                                       unsigned depth) {
  if (module.globals.count(name))
    return true;
  if (depth > kMaxDepth)
    return std::nullopt;
  bool isKnown = true;
  for (StringRef path : module.starImports) {
    std::optional<bool> has = languageHas(path, name);
    if (!has)
      if (Module *inner = importQuietly(module, path); inner != &module)
        has = inner ? moduleHas(*inner, name, depth + 1) : std::nullopt;
    if (has == true)
      return true;
    isKnown &= has.has_value();
  }
  return isKnown ? std::optional(false) : std::nullopt;
}

FailureOr<Val> builtins::hasAttribute(Lowering &l, CallArgs &args) {
  const Val &object = args[0], &name = args[1];
  bool isModule = object.kind == Val::UserModule || object.kind == Val::Module;
  if (name.kind == Val::String && isModule) {
    std::optional<bool> has =
        object.kind == Val::UserModule
            ? l.session.moduleHas(*object.userModule, name.text)
            : l.session.languageHas(object.text, name.text);
    if (has)
      return Val::boolean(*has);
    l.error(args.locs[0], "only Python knows whether this module has " +
                              name.describe() +
                              "; pass the answer as a constexpr argument");
    return failure();
  }
  l.error(args.locs[0], "'hasattr' asks a module for a name in quotes, got " +
                            object.describe() + " and " + name.describe());
  return failure();
}
