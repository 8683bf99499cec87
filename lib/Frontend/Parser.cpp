//===- Parser.cpp - kernel source to tile IR ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The front end from outside: which kernels of a file to compile, and the
// function around each one's body.
//
//===----------------------------------------------------------------------===//

#include "tilec/Frontend/Parser.h"
#include "Lowering.h"
#include "Signature.h"
#include "mlir/IR/Verifier.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec;
using namespace tilec::frontend;
using llvm::dyn_cast;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;

/// A constant as an attribute, for the metadata.
static mlir::Attribute toAttribute(mlir::Builder &builder, const Val &value) {
  switch (value.kind) {
  case Val::Bool:
    return builder.getBoolAttr(value.integer != 0);
  case Val::Int:
    return builder.getI64IntegerAttr(int64_t(value.integer));
  case Val::Float:
    return builder.getF64FloatAttr(value.number);
  case Val::String:
    return builder.getStringAttr(value.text);
  case Val::Type:
    return builder.getStringAttr(value.type.signature());
  case Val::Function:
    return builder.getStringAttr(value.function->name);
  case Val::Tuple: {
    llvm::SmallVector<mlir::Attribute> elements;
    for (const Val &v : *value.elements)
      elements.push_back(toAttribute(builder, v));
    return builder.getArrayAttr(elements);
  }
  default:
    return builder.getUnitAttr();
  }
}

namespace {
/// One argument of the IR; a descriptor is several.
struct IRArgument {
  std::string name;
  ElemType type;
  int64_t divisibility = 0;
};
} // namespace

/// The arguments that a parameter becomes. A tuple is those of its elements; a
/// descriptor is its base, the sizes of its tensor and the strides of all axes
/// but the last, which is 1.
static std::vector<IRArgument> irArguments(StringRef name,
                                           const ParamSpec &spec) {
  std::vector<IRArgument> list;
  for (auto [i, element] : llvm::enumerate(spec.elements))
    if (element.kind == ParamSpec::Argument)
      llvm::append_range(list,
                         irArguments((name + "." + Twine(i)).str(), element));
  if (!spec.elements.empty())
    return list;
  list.push_back({name.str(), spec.type, spec.divisibility});
  for (size_t axis = 0; axis < spec.blockShape.size(); ++axis)
    list.push_back(
        {(name + ".shape." + Twine(axis)).str(), ElemType(DType::I32)});
  // Rows begin at multiples of 16 bytes, as bulk copies want them.
  int64_t row =
      std::max<int64_t>(1, 128 / std::max(8u, spec.type.pointee().bits()));
  for (size_t axis = 0; axis + 1 < spec.blockShape.size(); ++axis)
    list.push_back(
        {(name + ".stride." + Twine(axis)).str(), ElemType(DType::I64), row});
  return list;
}

/// What a parameter is in the kernel, from the first of `arguments`, which are
/// taken off.
static FailureOr<Val> paramValue(Lowering &lowering, const ParamSpec &spec,
                                 ArrayRef<Val> &arguments, Location loc) {
  if (spec.kind == ParamSpec::Constant)
    return spec.value;
  if (!spec.elements.empty()) {
    std::vector<Val> elements;
    for (const ParamSpec &element : spec.elements) {
      FailureOr<Val> value = paramValue(lowering, element, arguments, loc);
      if (failed(value))
        return failure();
      elements.push_back(*value);
    }
    return Val::tuple(std::move(elements));
  }
  size_t count = irArguments("", spec).size();
  ArrayRef<Val> own = arguments.take_front(count);
  arguments = arguments.drop_front(count);
  if (spec.blockShape.empty())
    return own.front();
  return lowering.descriptor(own, spec.blockShape, loc);
}

/// Removes operations that have no use: constants that were broadcast, hints
/// taken apart. What reads memory, waits or may fail stays for checks to see.
static void eraseDead(mlir::Region &region) {
  for (mlir::Block &block : region)
    for (mlir::Operation &op :
         llvm::make_early_inc_range(llvm::reverse(block))) {
      for (mlir::Region &inner : op.getRegions())
        eraseDead(inner);
      if (op.use_empty() && !op.hasTrait<mlir::OpTrait::IsTerminator>() &&
          mlir::isPure(&op))
        op.erase();
    }
}

namespace {
/// Compiles the kernels of one file.
class Compiler {
public:
  Compiler(Session &session, mlir::ModuleOp moduleOp, Module &module)
      : session(session), moduleOp(moduleOp), module(module) {}

  LogicalResult run();

private:
  LogicalResult compileRequest(const KernelRequest &request);
  LogicalResult compileAll();
  LogicalResult compile(const FunctionDef *function, ArrayRef<ParamSpec> specs);
  LogicalResult setOptions(Lowering &lowering, const FunctionDef *function,
                           mlir::func::FuncOp func);
  const FunctionDef *findKernel(StringRef name);
  LogicalResult reportNoKernel();
  LogicalResult checkDefines();

  Session &session;
  mlir::ModuleOp moduleOp;
  Module &module;
  std::vector<const FunctionDef *> compiled;
};
} // namespace

/// Where a block gives a value back; null if it does nowhere.
static const ReturnStmt *findReturnedValue(Block block) {
  for (const Stmt *stmt : block) {
    if (auto *ret = dyn_cast<ReturnStmt>(stmt))
      if (ret->value && !llvm::isa<NoneExpr>(ret->value))
        return ret;
    if (auto *branch = dyn_cast<IfStmt>(stmt))
      for (Block inner : {branch->thenBlock, branch->elseBlock})
        if (const ReturnStmt *ret = findReturnedValue(inner))
          return ret;
  }
  return nullptr;
}

/// May this be compiled without being named? A jitted function that gives a
/// value back is a helper.
static bool isCandidate(const FunctionDef *function) {
  return function->isKernel &&
         (function->module->isTile || !findReturnedValue(function->body));
}

/// The kernels of a module, as a list for messages.
static std::string listKernels(const Module &module) {
  std::string text;
  for (const FunctionDef *function : module.functions)
    if (function->isKernel)
      text += (text.empty() ? "'" : ", '") + function->name.str() + "'";
  return text;
}

const FunctionDef *Compiler::findKernel(StringRef name) {
  for (const FunctionDef *function : module.functions)
    if (function->name == name && function->isKernel)
      return function;
  Location top = session.loc(module, 0);
  auto it = module.globals.find(name);
  if (it != module.globals.end() && it->second.isAmbiguous) {
    session.error(session.loc(module, it->second.offset),
                  "several functions or classes of this file have a kernel '" +
                      name + "' inside, this one first; give each a name");
    return nullptr;
  }
  if (it != module.globals.end() && it->second.isNested &&
      (it->second.kind == Global::Deferred ||
       it->second.kind == Global::Function))
    return it->second.kind == Global::Deferred
               ? session.parseDeferred(module, it->second)
               : it->second.function;
  if (it != module.globals.end() && (it->second.kind == Global::Function ||
                                     it->second.kind == Global::Deferred)) {
    session.error(session.loc(module, it->second.offset),
                  "'" + name + "' is not a kernel; put " +
                      (module.isTile ? "'@kernel'" : "'@triton.jit'") +
                      " above it");
    return nullptr;
  }
  std::string known = listKernels(module);
  session.error(top, "there is no kernel '" + name + "' in this file; it has " +
                         (known.empty() ? "none" : known));
  return nullptr;
}

LogicalResult Compiler::checkDefines() {
  bool ok = true;
  for (const auto &define : session.options.defines) {
    const std::string &name = define.first;
    bool used = llvm::any_of(compiled, [&](const FunctionDef *function) {
      return llvm::any_of(function->params,
                          [&](const Param &p) { return p.name == name; });
    });
    if (used || compiled.empty() || session.overridden.count(name))
      continue;
    session.error(session.loc(*compiled[0]->module, compiled[0]->offset),
                  "'" + compiled[0]->name + "' has no parameter '" +
                      Twine(name) + "', which -D sets");
    ok = false;
  }
  return mlir::success(ok);
}

LogicalResult Compiler::run() {
  bool ok = true;
  if (session.options.kernels.empty())
    ok = succeeded(compileAll());
  for (const KernelRequest &request : session.options.kernels)
    ok &= succeeded(compileRequest(request));
  return mlir::success(ok && succeeded(checkDefines()));
}

LogicalResult Compiler::reportNoKernel() {
  for (const FunctionDef *function : module.functions)
    if (function->isKernel) {
      const ReturnStmt *ret = findReturnedValue(function->body);
      session.error(session.loc(module, function->offset),
                    "there is no kernel in this file: '" + function->name +
                        "' is taken for a helper, since it returns a value; "
                        "store the value through a pointer")
              .attachNote(session.loc(module, ret->offset))
          << "returned here";
      return failure();
    }
  const llvm::StringMapEntry<Global> *nested = nullptr;
  for (const auto &entry : module.globals)
    if (entry.second.isNested && entry.second.kind == Global::Deferred &&
        (!nested || entry.second.offset < nested->second.offset))
      nested = &entry;
  if (nested) {
    session.error(session.loc(module, nested->second.offset),
                  "there is no kernel at the top level of this file; name the "
                  "one that stands here with --kernel " +
                      nested->first());
    return failure();
  }
  session.error(session.loc(module, 0),
                Twine("there is no kernel in this file; put '") +
                    (module.isTile ? "@kernel" : "@triton.jit") +
                    "' above one");
  return failure();
}

LogicalResult Compiler::compileRequest(const KernelRequest &request) {
  if (!request.kernel.empty()) {
    const FunctionDef *function = findKernel(request.kernel);
    if (!function)
      return failure();
    Lowering lowering(session, moduleOp);
    auto specs = resolveParams(lowering, function, request, /*report=*/true);
    return specs ? compile(function, *specs) : failure();
  }
  if (request.signature.empty())
    return compileAll();
  std::vector<const FunctionDef *> candidates;
  for (const FunctionDef *function : module.functions)
    if (isCandidate(function))
      candidates.push_back(function);
  if (candidates.empty())
    return reportNoKernel();
  if (candidates.size() != 1) {
    session.error(session.loc(module, 0),
                  "this file has several kernels, " +
                      Twine(listKernels(module)) +
                      "; say with --kernel which one the signature is for");
    return failure();
  }
  Lowering lowering(session, moduleOp);
  auto specs = resolveParams(lowering, candidates[0], request, /*report=*/true);
  return specs ? compile(candidates[0], *specs) : failure();
}

LogicalResult Compiler::compileAll() {
  KernelRequest request;
  std::vector<const FunctionDef *> open, candidates;
  bool ok = true;
  for (const FunctionDef *function : module.functions) {
    if (!isCandidate(function))
      continue;
    candidates.push_back(function);
    Lowering lowering(session, moduleOp);
    auto specs = resolveParams(lowering, function, request, /*report=*/false);
    if (!specs) {
      ok = false;
      continue;
    }
    if (llvm::any_of(*specs, [](const ParamSpec &spec) {
          return spec.kind == ParamSpec::Missing;
        })) {
      open.push_back(function);
      continue;
    }
    ok &= succeeded(compile(function, *specs));
  }
  if (candidates.empty())
    return reportNoKernel();
  if (compiled.empty() && !open.empty() && ok) {
    // Nothing can be compiled: say what the first kernel lacks.
    Lowering lowering(session, moduleOp);
    resolveParams(lowering, open.front(), request, /*report=*/true);
    return failure();
  }
  for (const FunctionDef *function : open)
    mlir::emitRemark(session.loc(module, function->offset))
        << "'" << function->name
        << "' is not compiled, since the types of its arguments are not known; "
           "name "
           "it with --kernel and --sig";
  return mlir::success(ok);
}

LogicalResult Compiler::setOptions(Lowering &lowering,
                                   const FunctionDef *function,
                                   mlir::func::FuncOp func) {
  if (!module.isTile)
    return success();
  mlir::Builder builder(moduleOp.getContext());
  for (const CallArg &option : function->options) {
    Location at = session.loc(module, option.offset);
    bool warps = option.name == "num_warps";
    if (!warps && option.name != "num_stages") {
      session.error(at, "'@kernel' has no option '" + option.name +
                            "'; num_warps and num_stages are known");
      return failure();
    }
    FailureOr<Val> value = lowering.eval(option.value);
    if (failed(value))
      return failure();
    FailureOr<int64_t> number = lowering.constantInt(*value, option.name, at);
    if (failed(number))
      return failure();
    if (*number < 1 || *number > 64 || (warps && (*number & (*number - 1)))) {
      session.error(at, warps ? "num_warps is a power of two from 1 to 32"
                              : "num_stages is a number from 1 to 64");
      return failure();
    }
    func->setAttr(warps ? tile::kNumWarpsAttr : tile::kNumStagesAttr,
                  builder.getI32IntegerAttr(*number));
  }
  return success();
}

LogicalResult Compiler::compile(const FunctionDef *function,
                                ArrayRef<ParamSpec> specs) {
  Location at = session.loc(module, function->offset);
  mlir::MLIRContext *context = moduleOp.getContext();
  mlir::OpBuilder builder(context);
  llvm::SmallVector<mlir::Type> types;
  for (const ParamSpec &spec : specs)
    if (spec.kind == ParamSpec::Argument)
      for (const IRArgument &argument : irArguments("", spec))
        types.push_back(argument.type.mlirType(context));
  unsigned copies = llvm::count(compiled, function);
  std::string name = function->name.str();
  if (copies)
    name += "__" + std::to_string(copies);
  compiled.push_back(function);
  builder.setInsertionPointToEnd(moduleOp.getBody());
  auto func = mlir::func::FuncOp::create(builder, at, name,
                                         builder.getFunctionType(types, {}));
  func->setAttr(tile::kKernelAttr, builder.getUnitAttr());

  Lowering lowering(session, moduleOp);
  Frame frame;
  frame.function = function;
  frame.module = function->module;
  lowering.frame = &frame;
  if (failed(setOptions(lowering, function, func)))
    return failure();
  mlir::Block *entry = func.addEntryBlock();
  lowering.builder.setInsertionPointToEnd(entry);
  llvm::SmallVector<mlir::NamedAttribute> constants, folded;
  unsigned index = 0;
  for (auto [param, spec] : llvm::zip(function->params, specs)) {
    Location where = session.loc(*function->module, param.offset);
    if (spec.kind == ParamSpec::Constant) {
      Val value = spec.value;
      (spec.isFolded ? folded : constants)
          .push_back(
              builder.getNamedAttr(param.name, toAttribute(builder, value)));
      frame.env.insert_or_assign(param.name, Binding{value, where});
      continue;
    }
    std::vector<Val> values;
    for (const IRArgument &argument : irArguments(param.name, spec)) {
      func.setArgAttr(index, tile::kNameAttr,
                      builder.getStringAttr(argument.name));
      func.setArgAttr(index, tile::kTypeAttr,
                      builder.getStringAttr(argument.type.signature()));
      if (argument.divisibility)
        func.setArgAttr(index, tile::kDivisibilityAttr,
                        builder.getI32IntegerAttr(argument.divisibility));
      Value value = entry->getArgument(index++);
      value.setLoc(where);
      values.push_back(Val::runtime(value, argument.type));
    }
    ArrayRef<Val> rest = values;
    FailureOr<Val> value = paramValue(lowering, spec, rest, where);
    if (failed(value))
      return failure();
    frame.env.insert_or_assign(param.name, Binding{*value, where});
  }
  if (!constants.empty())
    func->setAttr(tile::kConstantsAttr, builder.getDictionaryAttr(constants));
  if (!folded.empty())
    func->setAttr(tile::kFoldedAttr, builder.getDictionaryAttr(folded));

  if (lowering.lowerBlock(function->body, nullptr) == Flow::Fail)
    return failure();
  if (frame.result && frame.result->value.kind != Val::None) {
    session.error(
        frame.result->loc,
        "a kernel returns nothing; store the value through a pointer");
    return failure();
  }
  mlir::func::ReturnOp::create(lowering.builder, at);
  eraseDead(func.getBody());
  return success();
}

mlir::OwningOpRef<mlir::ModuleOp>
tilec::parseKernels(llvm::SourceMgr &sources, const FrontendOptions &options,
                    mlir::MLIRContext &context) {
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect,
                      mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect>();
  Session session(sources, options, context);
  Module *module = session.loadMain();
  if (!module)
    return {};
  mlir::OwningOpRef<mlir::ModuleOp> moduleOp =
      mlir::ModuleOp::create(session.loc(*module, 0));
  Compiler compiler(session, *moduleOp, *module);
  if (failed(compiler.run()) || session.warnings.hasErrors() ||
      failed(mlir::verify(*moduleOp)))
    return {};
  return moduleOp;
}
