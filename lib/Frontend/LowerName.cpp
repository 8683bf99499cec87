//===- LowerName.cpp - names and attributes -------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What a name means: in the function, the module, the imported modules, the
// language. And what follows a dot.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/ScopeExit.h"
#include <cmath>

using namespace tilec::frontend;
using llvm::dyn_cast;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::success;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Is this a library of the host, or a module of one? Its functions run in
/// Python only.
static bool isHostLibrary(StringRef path) {
  static constexpr StringRef libraries[] = {"numpy", "torch", "cupy",
                                            "jax",   "scipy", "tensorflow"};
  return llvm::is_contained(libraries, path.split('.').first);
}

FailureOr<Val> Lowering::evalStarImports(Module &module, StringRef name,
                                         Location loc, bool &found) {
  if (llvm::is_contained(starSearch, &module))
    return failure();
  starSearch.push_back(&module);
  llvm::scope_exit leave([&] { starSearch.pop_back(); });
  for (StringRef path : module.starImports) {
    StringRef language = languagePath(path);
    bool broken = false;
    Module *imported =
        language.empty() ? session.import(module, path, broken) : nullptr;
    if (imported) {
      FailureOr<Val> value = evalGlobal(*imported, name, loc, found);
      if (found)
        return value;
    } else if (!language.empty() && findBuiltin(name, kLanguage)) {
      found = true;
      return moduleAttribute(language, name, loc);
    }
  }
  return failure();
}

FailureOr<Val> Lowering::evalConstant(Module &module, StringRef name,
                                      const Global &global, Location loc) {
  if (llvm::is_contained(llvm::make_first_range(evaluating), global.value)) {
    error(loc, "the constant '" + name + "' is defined by itself");
    return failure();
  }
  if (const std::string *text = session.findDefine(name))
    return session.readDefine(name, *text, loc);
  evaluating.push_back({global.value, name});
  Frame scope;
  scope.module = &module;
  Frame *outer = frame;
  frame = &scope;
  FailureOr<Val> value = eval(global.value);
  frame = outer;
  evaluating.pop_back();
  if (failed(value))
    return failure();
  Val constant = value->constant();
  if (constant.kind != Val::Poisoned)
    return constant;
  error(loc,
        "'" + name + "' is not known while compiling; pass it as an argument")
          .attachNote(session.loc(module, global.offset))
      << "defined here";
  return failure();
}

/// A module of the user as a value.
static Val moduleValue(Module *module) {
  Val v;
  v.kind = Val::UserModule;
  v.userModule = module;
  return v;
}

LogicalResult Lowering::rejectHostName(Module &module, const Global &global,
                                       StringRef name, Location loc) {
  if (!isHostLibrary(global.path) || !evaluating.empty())
    return success();
  bool broken = false;
  if (session.import(module, global.path, broken) || broken)
    return success();
  Module *library = session.library(name);
  bool isOurs = findBuiltin(name, kLanguage) || dtypeNamed(name) ||
                (library && session.isPrelude(*library));
  bool isDevice = findBuiltin(name, kLibdevice) || library;
  error(loc,
        "'" + name + "' is of '" + global.path +
            "', a library of the host, which a kernel cannot use; " +
            (isOurs     ? "write " + spell(name)
             : isDevice ? "write " + spell(name, "libdevice")
                        : std::string("compute it with functions of the "
                                      "language or pass it as an argument")))
          .attachNote(session.loc(module, global.offset))
      << "imported here";
  return failure();
}

FailureOr<Val> Lowering::evalImport(Module &module, const Global &global,
                                    Location loc) {
  StringRef language = languagePath(global.path);
  bool isModule = global.kind == Global::ImportModule;
  if (!language.empty())
    return isModule ? FailureOr<Val>(Val::module(language))
                    : moduleAttribute(language, global.name, loc);
  if (!isModule && failed(rejectHostName(module, global, global.name, loc)))
    return failure();
  bool broken = false;
  Module *imported = session.import(module, global.path, broken);
  if (broken)
    return failure();
  bool isInside = imported && imported->globals.count(global.name);
  if (!isInside && !isModule) {
    // `from . import helpers`: the name is that of a module.
    StringRef dot = global.path.ends_with(".") ? "" : ".";
    Module *inner =
        session.import(module, (global.path + dot + global.name).str(), broken);
    if (broken)
      return failure();
    if (inner)
      return moduleValue(inner);
  }
  Location at = session.loc(module, global.offset);
  if (!imported) {
    std::string instead;
    if (!evaluating.empty() &&
        !session.parameterDefines.count(evaluating.front().second))
      instead = (", or pass the constant that needs it by -D " +
                 evaluating.front().second + "=VALUE")
                    .str();
    error(loc, "cannot find the module '" + global.path +
                   "'; name its folder with -I" + instead)
            .attachNote(at)
        << "imported here";
    return failure();
  }
  if (isModule)
    return moduleValue(imported);
  bool defined = false;
  FailureOr<Val> value = evalGlobal(*imported, global.name, loc, defined);
  if (!defined)
    error(loc, "the module '" + global.path + "' does not define '" +
                   global.name + "'")
            .attachNote(at)
        << "imported here";
  return value;
}

/// Imports may lead through this many modules.
static constexpr unsigned kMaxImports = 32;

FailureOr<Val> Lowering::evalGlobal(Module &module, StringRef name,
                                    Location loc, bool &found) {
  if (importDepth > kMaxImports) {
    found = true;
    error(loc, "'" + name + "' is imported in a circle");
    return failure();
  }
  DepthScope scope(importDepth);
  auto it = module.globals.find(name);
  found = it != module.globals.end();
  if (!found)
    return evalStarImports(module, name, loc, found);
  Global &global = it->second;
  switch (global.kind) {
  case Global::Deferred:
    if (!session.parseDeferred(module, global))
      return failure();
    [[fallthrough]];
  case Global::Function: {
    Val v;
    v.kind = Val::Function;
    v.function = global.function;
    return v;
  }
  case Global::Constant:
    return evalConstant(module, name, global, loc);
  case Global::ImportModule:
  case Global::ImportName:
    if (const std::string *text = session.findDefine(name))
      return session.readDefine(name, *text, loc);
    return evalImport(module, global, loc);
  case Global::Opaque:
    break;
  }
  error(loc, "'" + name +
                 "' is not a constant that a kernel can use; give it a "
                 "literal value or pass it as a constexpr argument")
          .attachNote(session.loc(module, global.offset))
      << "defined here";
  return failure();
}

FailureOr<Val> Lowering::evalName(StringRef name, Location loc) {
  auto it = frame->env.find(name);
  if (it != frame->env.end()) {
    const Val &value = it->second.value;
    if (value.kind != Val::Poisoned)
      return value;
    auto diag = error(loc, value.poison->message);
    for (auto &[at, text] : value.poison->notes)
      diag.attachNote(at) << text;
    return failure();
  }
  bool found = false;
  FailureOr<Val> global = evalGlobal(*frame->module, name, loc, found);
  if (found)
    return global;
  if (name == "tl" && frame->module->isTile)
    return Val::module("tl");
  if (const BuiltinRow *row = findBuiltin(name, kPython)) {
    Val v;
    v.kind = Val::Builtin;
    v.builtin = row;
    return v;
  }
  if (frame->module->isTile) {
    if (name == "libdevice")
      return Val::module("libdevice");
    if (findBuiltin(name, kLanguage) || dtypeNamed(name) || name == "inf" ||
        name == "nan" || name == "pi" || name == "math" ||
        name == "PropagateNan" || name == "target_info")
      return moduleAttribute("tl", name, loc);
    if (Module *library = session.library(name, /*inPrelude=*/true))
      return evalGlobal(*library, name, loc, found);
  }
  if (std::string other = otherMakersType(name); !other.empty()) {
    error(loc, other);
    return failure();
  }
  std::string hint = suggest(name);
  if (hint.empty() && !frame->module->isTile && findBuiltin(name, kLanguage))
    hint = "; did you mean '" + spell(name) + "'?";
  error(loc, "'" + name + "' is not defined" + hint);
  return failure();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Constants of Python's `math`.
static std::optional<double> mathConstant(StringRef name) {
  if (name == "pi")
    return M_PI;
  if (name == "e")
    return M_E;
  if (name == "inf")
    return INFINITY;
  if (name == "nan")
    return NAN;
  return std::nullopt;
}

/// Is this a module inside the language's? All of them are one here.
static bool isInnerModule(StringRef name) {
  static constexpr StringRef inner[] = {
      "math",     "extra",      "cuda", "core",  "standard", "random",
      "language", "intrinsics", "hip",  "intel", "cpu"};
  return llvm::is_contained(inner, name);
}

/// Is this a name of the language that has names of its own?
static bool isNamespace(StringRef name) {
  return name == "libdevice" || name == "PropagateNan" || name == "target_info";
}

/// The row of a function in a module of the language; null for none.
static const BuiltinRow *findFunction(StringRef path, StringRef name) {
  unsigned scope = path == "libdevice"     ? unsigned(kLibdevice)
                   : path == "triton"      ? unsigned(kTriton)
                   : path == "target_info" ? unsigned(kTarget)
                                           : unsigned(kLanguage);
  const BuiltinRow *row = findBuiltin(name, scope);
  // `tl.math` once held what is now in libdevice.
  if (!row && path == "tl")
    row = findBuiltin(name, kLibdevice);
  if (!row && path == "libdevice")
    row = findBuiltin(name, kLanguage);
  return row;
}

/// The library written in the language in which a module of the language finds
/// this name; null for none.
static tilec::frontend::Module *libraryOf(Session &session, StringRef path,
                                          StringRef name) {
  return path == "tl" || path == "libdevice" ? session.library(name) : nullptr;
}

std::optional<bool> Session::languageHas(StringRef path, StringRef name) {
  path = languagePath(path);
  if (path.empty())
    return std::nullopt;
  bool isLanguage = path == "tl";
  if (findFunction(path, name) || libraryOf(*this, path, name) ||
      (path == "triton" && (name == "language" || name == "tl")) ||
      (isLanguage && (isInnerModule(name) || isNamespace(name) ||
                      dtypeNamed(name) || mathConstant(name))))
    return true;
  // The others have names that only Python uses.
  return isLanguage || path == "libdevice" ? std::optional(false)
                                           : std::nullopt;
}

FailureOr<Val> Lowering::moduleAttribute(StringRef path, StringRef name,
                                         Location loc) {
  if (path == "PropagateNan" && (name == "ALL" || name == "NONE"))
    return Val::string(name);
  if (path == "triton" && (name == "language" || name == "tl"))
    return Val::module("tl");
  if (path == "tl" || path == "math") {
    if (isNamespace(name))
      return Val::module(name);
    if (isInnerModule(name))
      return Val::module("tl");
    if (std::optional<double> value = mathConstant(name))
      return Val::floatValue(*value);
  }
  if (path == "tl")
    if (std::optional<DType> dtype = dtypeNamed(name))
      return Val::elemType(*dtype);
  if (const BuiltinRow *row = findFunction(path, name)) {
    Val v;
    v.kind = Val::Builtin;
    v.builtin = row;
    return v;
  }
  if (Module *library = libraryOf(session, path, name)) {
    bool found = false;
    return evalGlobal(*library, name, loc, found);
  }
  if (std::string other = otherMakersType(name); !other.empty()) {
    error(loc, other);
    return failure();
  }
  StringRef shown = path == "tl" ? StringRef("the language") : path;
  error(loc, "'" + name + "' is not a function of " + shown +
                 suggest(name, /*isMember=*/true));
  return failure();
}

std::optional<ElemType> Lowering::typeOf(const Val &value) {
  if (value.kind == Val::Type)
    return value.type;
  if (value.kind == Val::String)
    return parseElemType(value.text);
  return std::nullopt;
}

/// Attributes of types: `primitive_bitwidth`, `element_ty`, `is_fp16`.
static std::optional<Val> typeAttribute(ElemType type, StringRef name) {
  if (name == "element_ty" && type.isPointer())
    return Val::elemType(type.pointee());
  if (name == "element_ty" || name == "scalar" || name == "dtype")
    return Val::elemType(type);
  if (name == "primitive_bitwidth")
    return Val::intValue(type.bits());
  if (name == "value")
    return Val::elemType(type);
  if (name == "itemsize")
    return Val::intValue(std::max(1u, type.bits() / 8));
  if (name == "name" && !type.isPointer())
    return Val::string(dtypeName(type.dtype));
  if (name.starts_with("is_")) {
    Val v;
    v.kind = Val::TypeTest;
    v.type = type;
    v.text = name;
    return v;
  }
  return std::nullopt;
}

FailureOr<Val> Lowering::attributeOf(const Val &object, StringRef name,
                                     Location loc) {
  switch (object.kind) {
  case Val::Module:
    return moduleAttribute(object.text, name, loc);
  case Val::UserModule: {
    bool found = false;
    FailureOr<Val> value = evalGlobal(*object.userModule, name, loc, found);
    if (!found)
      error(loc, "the module '" + Twine(object.userModule->file) +
                     "' does not define '" + name + "'");
    return value;
  }
  case Val::Type:
    if (std::optional<Val> value = typeAttribute(object.type, name))
      return *value;
    break;
  case Val::Runtime:
    if (name == "dtype" || name == "type")
      return Val::elemType(object.type);
    if (name == "shape") {
      std::vector<Val> dims;
      for (int64_t dim : object.shape())
        dims.push_back(Val::intValue(dim));
      return Val::tuple(std::move(dims));
    }
    if (name == "numel") {
      int64_t count = 1;
      for (int64_t dim : object.shape())
        count *= dim;
      return Val::intValue(count);
    }
    if (name == "T")
      return callBuiltin(*findBuiltin("trans", kLanguage), {{"", object, loc}},
                         loc);
    break;
  case Val::Bool:
  case Val::Int:
  case Val::Float:
    if (name == "dtype" || name == "type")
      if (std::optional<ElemType> type = literalType(object))
        return Val::elemType(*type);
    [[fallthrough]];
  case Val::String:
  case Val::Tuple:
  case Val::None:
    if (name == "value")
      return object;
    break;
  default:
    break;
  }
  if (object.kind == Val::BlockPointer) {
    if (name == "dtype")
      return Val::elemType(object.type.pointee());
    if (name == "type")
      return Val::elemType(object.type);
    std::string method = !object.isStatic ? (name == "advance" ? "advance" : "")
                         : name == "load" ? "load_tensor_descriptor"
                         : name == "store" ? "store_tensor_descriptor"
                                           : ("descriptor_" + name).str();
    if (const BuiltinRow *row = findBuiltin(method, kLanguage)) {
      Val v;
      v.kind = Val::Method;
      v.builtin = row;
      v.elements = std::make_shared<std::vector<Val>>(1, object);
      return v;
    }
  }
  const BuiltinRow *row = object.kind == Val::Runtime || object.isNumber()
                              ? findBuiltin(name, kMember)
                              : nullptr;
  if (row) {
    Val v;
    v.kind = Val::Method;
    v.builtin = row;
    v.elements = std::make_shared<std::vector<Val>>(1, object);
    return v;
  }
  error(loc, object.describe() + " has no attribute '" + name + "'" +
                 (object.isRuntime() ? suggestMember(name) : ""));
  return failure();
}

FailureOr<Val> Lowering::evalAttribute(const AttributeExpr *expr) {
  // The last name of `torch.nn.functional.silu` is the one to speak of.
  const Expr *root = expr->object;
  while (auto *inner = dyn_cast<AttributeExpr>(root))
    root = inner->object;
  if (auto *name = dyn_cast<NameExpr>(root);
      name && !frame->env.count(name->name)) {
    auto it = frame->module->globals.find(name->name);
    if (it != frame->module->globals.end() &&
        it->second.kind == Global::ImportModule &&
        failed(rejectHostName(*frame->module, it->second, expr->name,
                              loc(expr->offset))))
      return failure();
  }
  FailureOr<Val> object = eval(expr->object);
  if (failed(object))
    return failure();
  return attributeOf(*object, expr->name, loc(expr->nameOffset));
}
