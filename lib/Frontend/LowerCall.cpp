//===- LowerCall.cpp - calls ----------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Matching arguments with parameters, for functions of the source (whose tree
// is evaluated in a new frame) and of the language (rows of a table).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Syntax.h"

using namespace tilec::frontend;
using llvm::cast;
using llvm::dyn_cast;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;

/// Calls may nest this deep.
static constexpr unsigned kMaxCalls = 64;

bool Lowering::isConstexprAnnotation(const Expr *annotation) {
  if (!annotation)
    return false;
  if (auto *name = dyn_cast<NameExpr>(annotation))
    return name->name == "constexpr";
  if (auto *attribute = dyn_cast<AttributeExpr>(annotation))
    return attribute->name == "constexpr";
  if (auto *text = dyn_cast<StringExpr>(annotation))
    return text->value == "constexpr" || text->value.ends_with(".constexpr");
  return false;
}

FailureOr<Val> Lowering::evalCall(const CallExpr *expr) {
  FailureOr<Val> callee = eval(expr->callee);
  if (failed(callee))
    return failure();
  CallInput input;
  for (const CallArg &arg : expr->args) {
    if (arg.doubleStar) {
      error(loc(arg.offset), "'**' arguments are not supported; name each one");
      return failure();
    }
    auto *star = dyn_cast<StarredExpr>(arg.value);
    FailureOr<Val> value = eval(star ? star->value : arg.value);
    if (failed(value))
      return failure();
    if (!star) {
      input.push_back({arg.name, *value, loc(arg.value)});
      continue;
    }
    if (value->kind != Val::Tuple) {
      error(loc(arg.offset),
            "expected a tuple after '*', got " + value->describe());
      return failure();
    }
    for (const Val &element : *value->elements)
      input.push_back({"", element, loc(arg.value)});
  }
  // A call is where its function's name ends: the caret shows the argument
  // list's owner even in a chain.
  return callValue(*callee, std::move(input), loc(expr));
}

/// The answer to `dtype.is_fp16()` and its like; null for an unknown test.
static std::optional<bool> testType(ElemType type, StringRef test) {
  if (test == "is_ptr")
    return type.isPointer();
  if (test == "is_block")
    return false;
  if (test == "is_floating")
    return type.isFloat();
  if (test == "is_standard_floating")
    return type.isFloat() && type.bits() >= 16;
  if (test == "is_int" || test == "is_integer")
    return type.isInt();
  if (test == "is_int_signed")
    return type.isInt() && type.isSigned();
  if (test == "is_int_unsigned")
    return type.isInt() && !type.isSigned();
  if (test == "is_bool")
    return type.isBool();
  if (test == "is_fp8")
    return type.isFP8();
  if (std::optional<DType> dtype = dtypeNamed(test.drop_front(3)))
    return type == ElemType(*dtype);
  return std::nullopt;
}

FailureOr<Val> Lowering::callValue(const Val &callee, CallInput input,
                                   Location loc) {
  switch (callee.kind) {
  case Val::Function:
    return callFunction(callee.function, std::move(input), loc);
  case Val::Builtin:
    return callBuiltin(*callee.builtin, std::move(input), loc);
  case Val::Method:
    input.insert(input.begin(), {"", callee.elements->front(), loc});
    return callBuiltin(*callee.builtin, std::move(input), loc);
  case Val::TypeTest:
    if (std::optional<bool> answer = testType(callee.type, callee.text))
      return Val::boolean(*answer);
    error(loc, "types have no test '" + Twine(callee.text) + "'");
    return failure();
  case Val::Type: {
    // `float32(x)` is a cast.
    const BuiltinRow *row = findBuiltin("cast", kLanguage);
    input.insert(input.begin() + std::min<size_t>(1, input.size()),
                 {"", callee, loc});
    return callBuiltin(*row, std::move(input), loc);
  }
  default:
    error(loc, callee.describe() + " cannot be called");
    return failure();
  }
}

FailureOr<Val> Lowering::callPrelude(StringRef name, std::vector<Val> args,
                                     Location loc) {
  Module *library = session.library(name);
  if (!library) {
    error(loc, "'" + name + "' is not available");
    return failure();
  }
  CallInput input;
  for (Val &arg : args)
    input.push_back({"", std::move(arg), loc});
  return callFunction(library->globals.find(name)->second.function,
                      std::move(input), loc);
}

//===----------------------------------------------------------------------===//
// Functions of the source
//===----------------------------------------------------------------------===//

/// Gives the arguments of a call to the callee's names.
static mlir::LogicalResult bindParameters(Lowering &lowering, Frame &callee,
                                          const FunctionDef *function,
                                          CallInput &input, Location loc) {
  auto noteDefinition = [&](mlir::InFlightDiagnostic diag) {
    diag.attachNote(lowering.session.loc(*function->module, function->offset))
        << "'" << function->name << "' is defined here";
    return failure();
  };
  std::vector<std::optional<Argument>> slots(function->params.size());
  std::vector<Val> rest;
  size_t position = 0;
  bool sawName = false;
  for (Argument &arg : input) {
    if (arg.name.empty()) {
      if (sawName)
        return noteDefinition(lowering.error(
            arg.loc, "an argument without name follows one with a name"));
      bool toStar =
          position < slots.size() && function->params[position].isStar;
      if (toStar) {
        rest.push_back(arg.value);
        continue;
      }
      if (position >= slots.size() || function->params[position].isKeywordOnly)
        return noteDefinition(
            lowering.error(arg.loc, "'" + function->name + "' takes " +
                                        Twine(function->params.size()) +
                                        " arguments, got more"));
      slots[position++] = arg;
      continue;
    }
    sawName = true;
    auto it = llvm::find_if(function->params,
                            [&](const Param &p) { return p.name == arg.name; });
    if (it == function->params.end() || it->isStar)
      return noteDefinition(lowering.error(arg.loc, "'" + function->name +
                                                        "' has no parameter '" +
                                                        arg.name + "'"));
    auto &slot = slots[it - function->params.begin()];
    if (slot)
      return noteDefinition(lowering.error(
          arg.loc, "the argument '" + arg.name + "' is given twice"));
    slot = arg;
  }
  for (auto [param, slot] : llvm::zip(function->params, slots)) {
    Location at = lowering.session.loc(*function->module, param.offset);
    if (param.isStar) {
      callee.env.insert_or_assign(param.name, Binding{Val::tuple(rest), at});
      continue;
    }
    if (!slot && param.defaultValue) {
      // Defaults are evaluated in the module of the callee.
      Frame scope;
      scope.module = function->module;
      Frame *outer = lowering.frame;
      lowering.frame = &scope;
      FailureOr<Val> value = lowering.eval(param.defaultValue);
      lowering.frame = outer;
      if (failed(value))
        return failure();
      slot = Argument{param.name, *value, at};
    }
    if (!slot)
      return noteDefinition(lowering.error(loc, "the argument '" + param.name +
                                                    "' of '" + function->name +
                                                    "' is missing"));
    Val value = slot->value;
    // Public kernels hand run-time values to such parameters: who needs a
    // constant says so.
    if (lowering.isConstexprAnnotation(param.annotation))
      if (Val constant = value.constant(); constant.kind != Val::Poisoned)
        value = constant;
    callee.env.insert_or_assign(param.name, Binding{value, slot->loc});
  }
  return mlir::success();
}

FailureOr<Val> Lowering::callFunction(const FunctionDef *function,
                                      CallInput input, Location loc) {
  unsigned depth = 0;
  for (Frame *f = frame; f; f = f->caller, ++depth) {
    if (f->function != function)
      continue;
    std::string cycle = function->name.str();
    std::vector<StringRef> names;
    for (Frame *g = frame; g != f; g = g->caller)
      if (g->function)
        names.push_back(g->function->name);
    for (StringRef name : llvm::reverse(names))
      cycle += " -> " + name.str();
    cycle += " -> " + function->name.str();
    error(loc, "'" + function->name + "' calls itself (" + cycle +
                   "); kernels cannot recurse, write a loop");
    return failure();
  }
  if (depth > kMaxCalls) {
    error(loc, "calls are nested too deeply");
    return failure();
  }
  Frame callee;
  callee.function = function;
  callee.module = function->module;
  callee.caller = frame;
  callee.callLoc = loc;
  if (failed(bindParameters(*this, callee, function, input, loc)))
    return failure();
  Frame *outer = frame;
  frame = &callee;
  Flow flow = lowerBlock(function->body, nullptr);
  frame = outer;
  if (flow == Flow::Fail)
    return failure();
  return callee.result ? callee.result->value : Val::none();
}

//===----------------------------------------------------------------------===//
// Functions of the language
//===----------------------------------------------------------------------===//

/// A default value in a signature.
static Val signatureDefault(StringRef text) {
  if (text == "None")
    return Val::none();
  if (text == "True" || text == "False")
    return Val::boolean(text == "True");
  if (text == "()")
    return Val::tuple({});
  if (text.consume_front("'")) {
    text.consume_back("'");
    return Val::string(text);
  }
  long long value = 0;
  text.getAsInteger(10, value);
  return Val::intValue(value);
}

std::vector<BuiltinParam> tilec::frontend::parseSignature(StringRef signature) {
  std::vector<BuiltinParam> params;
  llvm::SmallVector<StringRef> parts;
  signature.split(parts, ',', -1, /*KeepEmpty=*/false);
  bool keywordOnly = false;
  for (StringRef part : parts) {
    part = part.trim();
    BuiltinParam param;
    if (part.consume_front("**")) {
      param.ignoresKeywords = true;
    } else if (part.consume_front("*")) {
      keywordOnly = true;
      if (part.empty())
        continue;
      param.isStar = true;
    } else {
      param.isKeywordOnly = keywordOnly;
    }
    auto [name, defaultText] = part.split('=');
    param.name = name.trim();
    param.hasDefault = part.contains('=');
    if (param.hasDefault)
      param.defaultValue = signatureDefault(defaultText.trim());
    params.push_back(param);
  }
  return params;
}

/// Puts the input of a call in the order of the row's parameters.
static mlir::LogicalResult matchArguments(Lowering &lowering, CallArgs &args,
                                          ArrayRef<BuiltinParam> params,
                                          CallInput &input) {
  StringRef name = args.row.name;
  auto fail = [&](Location loc, const Twine &message) {
    lowering.error(loc, message + "; it is " + name + "(" + args.row.signature +
                            ")");
    return failure();
  };
  args.values.resize(params.size());
  args.given.resize(params.size());
  args.locs.assign(params.size(), args.loc);
  size_t position = 0;
  for (Argument &arg : input) {
    size_t index = params.size();
    if (arg.name.empty()) {
      if (position < params.size() && params[position].isStar) {
        args.rest.push_back(arg.value);
        args.restLocs.push_back(arg.loc);
        continue;
      }
      index = position++;
      if (index >= params.size() || params[index].isKeywordOnly ||
          params[index].ignoresKeywords)
        return fail(arg.loc, "too many arguments for '" + name + "'");
    } else {
      for (auto [i, param] : llvm::enumerate(params))
        if ((param.name == arg.name && !param.isStar) ||
            param.ignoresKeywords) {
          index = i;
          break;
        }
      if (index == params.size())
        return fail(arg.loc,
                    "'" + name + "' has no parameter '" + arg.name + "'");
      if (params[index].ignoresKeywords)
        continue;
      if (args.given[index])
        return fail(arg.loc, "the argument '" + arg.name + "' is given twice");
    }
    args.values[index] = arg.value;
    args.locs[index] = arg.loc;
    args.given[index] = true;
  }
  for (auto [i, param] : llvm::enumerate(params)) {
    if (args.given[i] || param.isStar || param.ignoresKeywords)
      continue;
    if (!param.hasDefault)
      return fail(args.loc, "the argument '" + param.name + "' of '" + name +
                                "' is missing");
    args.values[i] = param.defaultValue;
  }
  return mlir::success();
}

FailureOr<Val> Lowering::callBuiltin(const BuiltinRow &row, CallInput input,
                                     Location loc) {
  std::vector<BuiltinParam> params = parseSignature(row.signature);
  CallArgs args{row, loc, {}, {}, {}, {}, {}};
  if (failed(matchArguments(*this, args, params, input)))
    return failure();
  return row.handler(*this, args);
}
