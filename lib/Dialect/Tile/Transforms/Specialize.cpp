//===- Specialize.cpp - more versions of a kernel -------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Works on the kernel as the front end leaves it: the passes after it find an
// aligned argument or a constant as if the source had said so.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/Transforms/Specialize.h"
#include "mlir/IR/SymbolTable.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {
/// What a version says of each argument by its index: a divisor, or 0 for the
/// value 1.
using Facts = std::map<unsigned, uint32_t>;
} // namespace

/// The name of an argument; empty if the IR has none.
static StringRef nameOf(func::FuncOp kernel, unsigned index) {
  auto name = kernel.getArgAttrOfType<StringAttr>(index, kNameAttr);
  return name ? name.getValue() : StringRef();
}

/// An integer of more than a truth value's one bit.
static bool isNumber(Type type) {
  return type.isInteger() && !type.isInteger(1);
}

/// What is known of an argument already.
static uint32_t knownDivisor(func::FuncOp kernel, unsigned index) {
  auto known = kernel.getArgAttrOfType<IntegerAttr>(index, kDivisibilityAttr);
  return known ? known.getInt() : 1;
}

/// Whether a hint means this argument.
static bool means(const Specialization::Hint &hint, func::FuncOp kernel,
                  unsigned index) {
  Type type = kernel.getArgumentTypes()[index];
  if (hint.name == "*")
    return isa<PtrType>(type);
  if (hint.name == "#")
    return isNumber(type);
  return nameOf(kernel, index) == hint.name;
}

/// What the hints say of the kernel's arguments beyond what is known. `used`
/// gets a bit for each hint that means any.
static FailureOr<Facts> collectFacts(func::FuncOp kernel,
                                     const Specialization &specialization,
                                     SmallVectorImpl<bool> &used) {
  Facts facts;
  for (auto [number, hint] : llvm::enumerate(specialization.hints)) {
    for (unsigned i = 0, e = kernel.getNumArguments(); i != e; ++i) {
      if (!means(hint, kernel, i))
        continue;
      used[number] = true;
      Type type = kernel.getArgumentTypes()[i];
      if (hint.divisor ? !isNumber(type) && !isa<PtrType>(type)
                       : !isNumber(type)) {
        InFlightDiagnostic error =
            kernel.emitError("cannot specialise argument '")
            << hint.name << "' of kernel '" << kernel.getName() << "': ";
        error << (hint.divisor ? "it is neither a pointer nor an integer"
                               : "it is no integer");
        return failure();
      }
      if (!hint.divisor || knownDivisor(kernel, i) % hint.divisor)
        facts[i] = hint.divisor;
    }
  }
  return facts;
}

/// Makes an argument the constant 1, and notes that among the folded ones.
static void foldArgument(func::FuncOp kernel, unsigned index) {
  auto builder = OpBuilder::atBlockBegin(&kernel.front());
  BlockArgument argument = kernel.getArgument(index);
  auto one = builder.getIntegerAttr(argument.getType(), 1);
  argument.replaceAllUsesWith(
      arith::ConstantOp::create(builder, argument.getLoc(), one));
  NamedAttrList folded;
  if (auto before = kernel->getAttrOfType<DictionaryAttr>(kFoldedAttr))
    folded.append(before.begin(), before.end());
  folded.set(nameOf(kernel, index), one);
  kernel->setAttr(kFoldedAttr, folded.getDictionary(kernel.getContext()));
}

/// Applies the facts to a copy of the kernel.
static LogicalResult applyFacts(func::FuncOp kernel, const Facts &facts) {
  Builder builder(kernel.getContext());
  llvm::BitVector gone(kernel.getNumArguments());
  for (auto [index, divisor] : facts) {
    if (divisor) {
      kernel.setArgAttr(index, kDivisibilityAttr,
                        builder.getI32IntegerAttr(divisor));
      continue;
    }
    foldArgument(kernel, index);
    gone.set(index);
  }
  return kernel.eraseArguments(gone);
}

/// Puts the versions of one kernel before it.
static LogicalResult specializeKernel(func::FuncOp kernel, SymbolTable &symbols,
                                      ArrayRef<Specialization> specializations,
                                      MutableArrayRef<SmallVector<bool>> used) {
  SmallVector<Facts> done = {Facts()}; // what the kernel itself has
  auto name = kernel.getNameAttr();
  unsigned number = 0;
  for (auto [specialization, isUsed] : llvm::zip(specializations, used)) {
    FailureOr<Facts> facts = collectFacts(kernel, specialization, isUsed);
    if (failed(facts))
      return failure();
    if (llvm::is_contained(done, *facts))
      continue;
    done.push_back(*facts);
    func::FuncOp version = kernel.clone();
    std::string versionName = (name.getValue() + "__" + Twine(++number)).str();
    while (symbols.lookup(versionName))
      versionName = (name.getValue() + "__" + Twine(++number)).str();
    version.setName(versionName);
    version->setAttr(kSpecializationOfAttr, name);
    symbols.insert(version, Block::iterator(kernel));
    if (failed(applyFacts(version, *facts)))
      return failure();
  }
  return success();
}

LogicalResult
tilec::tile::specializeKernels(ModuleOp module,
                               ArrayRef<Specialization> specializations) {
  SymbolTable symbols(module);
  SmallVector<SmallVector<bool>> used;
  for (const Specialization &specialization : specializations)
    used.emplace_back(specialization.hints.size(), false);
  for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (kernel->hasAttr(kKernelAttr) &&
        !kernel->hasAttr(kSpecializationOfAttr) &&
        failed(specializeKernel(kernel, symbols, specializations, used)))
      return failure();
  for (auto [specialization, isUsed] : llvm::zip(specializations, used))
    for (auto [hint, wasUsed] : llvm::zip(specialization.hints, isUsed))
      if (!wasUsed && hint.name != "*" && hint.name != "#")
        return module.emitError("cannot specialise for '")
               << hint.name << "': no kernel has an argument of that name";
  return success();
}
