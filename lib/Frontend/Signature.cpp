//===- Signature.cpp - the types of a kernel's arguments ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads `--sig`, `-D` and annotations.
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tilec::frontend;
using llvm::cast;
using llvm::dyn_cast;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::succeeded;
using mlir::success;

std::optional<Val> tilec::frontend::literalValue(const Expr *expr) {
  switch (expr->kind) {
  case Expr::Int:
    return Val::intValue(cast<IntExpr>(expr)->value);
  case Expr::Float:
    return Val::floatValue(cast<FloatExpr>(expr)->value);
  case Expr::Bool:
    return Val::boolean(cast<BoolExpr>(expr)->value);
  case Expr::None:
    return Val::none();
  case Expr::String:
    return Val::string(cast<StringExpr>(expr)->value);
  case Expr::Name:
  case Expr::Attribute: {
    auto *name = dyn_cast<NameExpr>(expr);
    StringRef text = name ? name->name : cast<AttributeExpr>(expr)->name;
    if (std::optional<DType> dtype = dtypeNamed(text))
      return Val::elemType(*dtype);
    if (text == "inf")
      return Val::floatValue(INFINITY);
    if (text == "nan")
      return Val::floatValue(NAN);
    return std::nullopt;
  }
  case Expr::Unary: {
    auto *e = cast<UnaryExpr>(expr);
    std::optional<Val> v = literalValue(e->operand);
    if (!v || !v->isNumber() || e->op != UnaryOp::Neg)
      return std::nullopt;
    return v->kind == Val::Float ? Val::floatValue(-v->number)
                                 : Val::intValue(-v->integer);
  }
  case Expr::Tuple: {
    std::vector<Val> elements;
    for (const Expr *element : cast<TupleExpr>(expr)->elements) {
      std::optional<Val> v = literalValue(element);
      if (!v)
        return std::nullopt;
      elements.push_back(*v);
    }
    return Val::tuple(std::move(elements));
  }
  default:
    return std::nullopt;
  }
}

namespace {
/// Resolves the parameters of one kernel.
class Resolver {
public:
  Resolver(Lowering &lowering, const FunctionDef *function,
           const tilec::KernelRequest &request, bool report)
      : lowering(lowering), session(lowering.session), function(function),
        request(request), report(report), specs(function->params.size()),
        at(session.loc(*function->module, function->offset)) {}

  std::optional<std::vector<ParamSpec>> run() {
    if (failed(readDefines()) || failed(readSignature()))
      return std::nullopt;
    for (size_t i = 0; i < specs.size(); ++i)
      if (specs[i].kind == ParamSpec::Missing && failed(readSource(i)))
        return std::nullopt;
    for (size_t i = 0; i < specs.size(); ++i)
      if (report && specs[i].kind == ParamSpec::Missing) {
        reportMissing(i);
        return std::nullopt;
      }
    return specs;
  }

private:
  const Param &param(size_t i) const { return function->params[i]; }
  bool isConstexpr(size_t i) const {
    return lowering.isConstexprAnnotation(param(i).annotation);
  }
  Location loc(size_t i) const {
    return session.loc(*function->module, param(i).offset);
  }

  LogicalResult readDefines();
  LogicalResult readSignature();
  LogicalResult readSignatureItem(size_t i, StringRef item);
  LogicalResult readTyped(ParamSpec &spec, StringRef text, Location where,
                          bool &ok);
  LogicalResult readSource(size_t i);
  LogicalResult readAnnotation(ParamSpec &spec, const Expr *annotation,
                               Location where);
  LogicalResult setDivisibility(ParamSpec &spec, BigInt value, Location where);
  void reportMissing(size_t i);
  std::string suggest(ArrayRef<StringRef> given = {});

  Lowering &lowering;
  Session &session;
  const FunctionDef *function;
  const tilec::KernelRequest &request;
  bool report;
  std::vector<ParamSpec> specs;
  Location at;
};
} // namespace

LogicalResult Resolver::readDefines() {
  session.parameterDefines.clear();
  for (auto &[name, text] : session.options.defines)
    for (size_t i = 0; i < specs.size(); ++i) {
      if (param(i).name != name)
        continue;
      FailureOr<Val> value = session.readDefine(name, text, loc(i));
      if (failed(value))
        return failure();
      session.parameterDefines.insert(name);
      specs[i].kind = ParamSpec::Constant;
      specs[i].value = *value;
    }
  return success();
}

/// Cuts a signature at the commas that no bracket or text encloses.
static std::vector<StringRef> splitSignature(StringRef text) {
  std::vector<StringRef> items;
  int depth = 0;
  char quote = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    if (i < text.size() && quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && (depth <= 0 || i == text.size())) {
      items.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (!items.empty() && items.back().empty())
    items.pop_back();
  return items;
}

LogicalResult Resolver::readSignature() {
  if (StringRef(request.signature).trim().empty())
    return success();
  std::vector<StringRef> items = splitSignature(request.signature);
  std::vector<size_t> all, arguments, undefined, required;
  for (size_t i = 0; i < specs.size(); ++i) {
    all.push_back(i);
    if (!isConstexpr(i)) {
      arguments.push_back(i);
      if (specs[i].kind == ParamSpec::Missing) {
        undefined.push_back(i);
        if (!param(i).defaultValue)
          required.push_back(i);
      }
    }
  }
  const std::vector<size_t> *targets = nullptr;
  for (auto *candidate : {&all, &arguments, &undefined, &required})
    if (!targets && candidate->size() == items.size())
      targets = candidate;
  // The last parameters may be left to their defaults.
  std::vector<size_t> first(all.begin(),
                            all.begin() + std::min(all.size(), items.size()));
  if (!targets && items.size() < all.size() &&
      llvm::all_of(llvm::drop_begin(all, items.size()), [&](size_t i) {
        return param(i).defaultValue || specs[i].kind != ParamSpec::Missing;
      }))
    targets = &first;
  if (!targets) {
    session.error(
        at, "the signature has " + Twine(items.size()) +
                (items.size() == 1 ? " type" : " types") + ", but '" +
                function->name + "' has " + Twine(all.size()) +
                " parameters, " + Twine(arguments.size()) +
                " of them at run time; a signature that fits is --sig \"" +
                suggest(items) + "\"");
    return failure();
  }
  for (auto [i, item] : llvm::zip(*targets, items))
    if (failed(readSignatureItem(i, item)))
      return failure();
  return success();
}

LogicalResult Resolver::setDivisibility(ParamSpec &spec, BigInt value,
                                        Location where) {
  if (value < 1 || value > (BigInt(1) << 30) ||
      !llvm::isPowerOf2_64(uint64_t(value))) {
    session.error(where,
                  "an alignment is a power of two, got " + toText(value));
    return failure();
  }
  if (spec.type.isFloat()) {
    session.error(where, "only pointers and integers have an alignment, got " +
                             spec.type.name());
    return failure();
  }
  spec.divisibility = value > 1 ? int64_t(value) : 0;
  return success();
}

/// Reads `tensordesc<fp16[128, 64]>` as Triton writes it; false if it is none.
static bool readDescriptor(ParamSpec &spec, StringRef text) {
  if (!text.consume_front("tensordesc<") || !text.consume_back("]>"))
    return false;
  auto [typeText, sizes] = text.split('[');
  std::optional<ElemType> type = parseElemType(typeText);
  if (!type || type->isPointer())
    return false;
  llvm::SmallVector<StringRef> parts;
  sizes.split(parts, ',');
  for (StringRef part : parts) {
    int64_t size = 0;
    if (part.trim().getAsInteger(10, size) || size < 1)
      return false;
    spec.blockShape.push_back(size);
  }
  spec.kind = ParamSpec::Argument;
  spec.type = type->pointerTo();
  spec.divisibility = 16;
  return spec.blockShape.size() <= 5;
}

/// Reads `*fp32:16`. `ok` tells whether it is a type at all.
LogicalResult Resolver::readTyped(ParamSpec &spec, StringRef text,
                                  Location where, bool &ok) {
  if (text.trim().starts_with("tensordesc")) {
    ok = readDescriptor(spec, text.trim());
    uint64_t elements = 1;
    for (int64_t size : spec.blockShape)
      elements = llvm::SaturatingMultiply<uint64_t>(elements, size);
    if (ok && elements > kMaxElements) {
      session.error(where, "the block of \"" + text.trim() +
                               "\" has more than " + Twine(kMaxElements) +
                               " elements; use a smaller one");
      return failure();
    }
    if (ok)
      return success();
    session.error(where, "cannot read the descriptor \"" + text.trim() +
                             "\"; write an element type and the shape of a "
                             "block with one to five axes, such as "
                             "tensordesc<fp16[128, 64]>");
    return failure();
  }
  auto [typeText, hint] = text.split(':');
  std::optional<ElemType> type = parseElemType(typeText);
  ok = type.has_value();
  if (!ok)
    return success();
  spec.kind = ParamSpec::Argument;
  spec.type = *type;
  if (!text.contains(':'))
    return success();
  long long value = 0;
  if (hint.trim().getAsInteger(10, value)) {
    session.error(where, "expected a number after ':' in \"" + text + "\"");
    return failure();
  }
  if (value == 1 && type->isInt()) {
    spec.kind = ParamSpec::Constant;
    spec.isFolded = true;
    spec.value = Val::intValue(1);
    return success();
  }
  return setDivisibility(spec, value, where);
}

LogicalResult Resolver::readSignatureItem(size_t i, StringRef item) {
  ParamSpec &spec = specs[i];
  bool defined = spec.kind == ParamSpec::Constant;
  if (defined || item == "constexpr" || item == "_")
    return success(); // -D goes first
  auto fail = [&] {
    std::string other =
        otherMakersType(item.take_until([](char c) { return c == ':'; }));
    if (!other.empty())
      session.error(loc(i), other);
    else
      session.error(loc(i),
                    "cannot read \"" + item +
                        "\" in the signature, which is for '" + param(i).name +
                        "'; write a type such as *fp32, i32:16, or a value");
    return failure();
  };
  bool isType = false;
  ParamSpec typed;
  if (failed(readTyped(typed, item, loc(i), isType)))
    return failure();
  if (isType && isConstexpr(i)) {
    if (typed.kind == ParamSpec::Argument && !typed.type.isPointer()) {
      spec.kind = ParamSpec::Constant;
      spec.value = Val::elemType(typed.type);
      return success();
    }
    session.error(loc(i),
                  "'" + param(i).name +
                      "' is a constexpr; the signature must hold its value, "
                      "not the type " +
                      item);
    return failure();
  }
  if (isType) {
    spec = typed;
    return success();
  }
  if (!isConstexpr(i) && item.starts_with("(") && item.ends_with(")")) {
    // A tuple of types is a tuple of arguments; one of values is a constant.
    ParamSpec tuple;
    tuple.kind = ParamSpec::Argument;
    bool areTypes = true, hasType = false;
    for (StringRef part : splitSignature(item.drop_front().drop_back())) {
      ParamSpec element;
      bool isElement = false;
      if (failed(readTyped(element, part, loc(i), isElement)))
        return failure();
      areTypes &= isElement;
      hasType |= isElement;
      tuple.elements.push_back(element);
    }
    if (areTypes && !tuple.elements.empty()) {
      spec = tuple;
      return success();
    }
    if (hasType) {
      session.error(loc(i), "the tuple " + item +
                                " in the signature, which is for '" +
                                param(i).name +
                                "', mixes types with something else; write "
                                "only types, or only values");
      return failure();
    }
  }
  Expr *expr = session.parseText("--sig", item);
  std::optional<Val> value = expr ? literalValue(expr) : std::nullopt;
  if (!value)
    return fail();
  spec.kind = ParamSpec::Constant;
  spec.value = *value;
  return success();
}

LogicalResult Resolver::readAnnotation(ParamSpec &spec, const Expr *annotation,
                                       Location where) {
  bool strict = function->module->isTile;
  bool ok = false;
  if (auto *text = dyn_cast<StringExpr>(annotation)) {
    if (failed(readTyped(spec, text->value, where, ok)))
      return failure();
  } else if (auto *modulo = dyn_cast<BinaryExpr>(annotation);
             modulo && modulo->op == BinaryOp::Mod) {
    if (failed(readAnnotation(spec, modulo->lhs, where)))
      return failure();
    ok = spec.kind == ParamSpec::Argument;
    auto *divisor = dyn_cast<IntExpr>(modulo->rhs);
    if (ok && divisor)
      return setDivisibility(spec, divisor->value, where);
    ok &= divisor != nullptr;
  } else if (strict) {
    // Types of a `.tile` file are expressions of the language.
    Frame scope;
    scope.module = function->module;
    lowering.frame = &scope;
    FailureOr<Val> value = lowering.eval(annotation);
    lowering.frame = nullptr;
    if (failed(value))
      return failure();
    if (value->kind == Val::Type) {
      ok = true;
      spec.kind = ParamSpec::Argument;
      spec.type = value->type;
      if (value->integer &&
          failed(setDivisibility(spec, value->integer, where)))
        return failure();
    }
  } else {
    std::optional<Val> value = literalValue(annotation);
    if (value && value->kind == Val::Type) {
      spec.kind = ParamSpec::Argument;
      spec.type = value->type;
    }
    ok = true; // other annotations of Python mean nothing here
  }
  if (ok || !strict)
    return success();
  session.error(where,
                "this is no type; write ptr[f32], i32, f32 or constexpr");
  return failure();
}

LogicalResult Resolver::readSource(size_t i) {
  ParamSpec &spec = specs[i];
  const Param &p = param(i);
  if (p.isStar) {
    session.error(loc(i),
                  "a kernel cannot have a '*' parameter; name each one");
    return failure();
  }
  if (p.annotation && !isConstexpr(i)) {
    Location where = session.loc(*function->module, p.annotation->offset);
    if (failed(readAnnotation(spec, p.annotation, where)))
      return failure();
    if (spec.kind != ParamSpec::Missing)
      return success();
  }
  if (!isConstexpr(i))
    for (auto &[name, text] : session.options.argumentTypes)
      if (p.name == name) {
        bool ok = false;
        if (failed(readTyped(spec, text, loc(i), ok)))
          return failure();
        if (ok)
          return success();
      }
  if (!p.defaultValue)
    return success();
  Frame scope;
  scope.module = function->module;
  lowering.frame = &scope;
  FailureOr<Val> value = lowering.eval(p.defaultValue);
  lowering.frame = nullptr;
  if (failed(value))
    return failure();
  Val constant = value->constant();
  if (constant.kind == Val::Poisoned) {
    session.error(loc(i), "the default of '" + p.name + "' is not a constant");
    return failure();
  }
  if (isConstexpr(i) || !constant.isNumber()) {
    spec.kind = ParamSpec::Constant;
    spec.value = constant;
    return success();
  }
  // A number as default is an argument of the type that a launch would give it.
  spec.kind = ParamSpec::Argument;
  spec.type = *literalType(constant);
  if (constant.kind == Val::Float)
    spec.type = DType::F32;
  return success();
}

/// A signature for this kernel that keeps the items of one that does not fit.
std::string Resolver::suggest(ArrayRef<StringRef> given) {
  llvm::SmallVector<bool> constexprs;
  for (size_t i = 0; i < specs.size(); ++i) {
    constexprs.push_back(isConstexpr(i));
    if (specs[i].kind == ParamSpec::Missing && param(i).annotation &&
        !constexprs.back())
      (void)readSource(i);
  }
  return suggestSignature(*function, specs, constexprs, given);
}

void Resolver::reportMissing(size_t i) {
  StringRef name = param(i).name;
  if (isConstexpr(i)) {
    session.error(loc(i), "the constexpr parameter '" + name + "' of '" +
                              function->name + "' has no value; pass -D " +
                              name + "=VALUE or give it a default");
    return;
  }
  session.error(loc(i), "the argument '" + name + "' of '" + function->name +
                            "' has no type; pass for example --sig \"" +
                            suggest() + "\"");
}

std::optional<std::vector<ParamSpec>>
tilec::frontend::resolveParams(Lowering &lowering, const FunctionDef *function,
                               const tilec::KernelRequest &request,
                               bool report) {
  return Resolver(lowering, function, request, report).run();
}
