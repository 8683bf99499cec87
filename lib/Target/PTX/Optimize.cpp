//===- Optimize.cpp - LLVM IR optimisation --------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A short list of passes instead of LLVM's default pipeline: the code comes
// unrolled into registers and inlined, so a quarter of the time gives the same
// registers. Analyses are registered one by one for the same reason.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/Analysis/LastRunTrackingAnalysis.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

using namespace llvm;

namespace {
/// The managers of the new pass manager with the analyses that our passes ask
/// for.
struct Analyses {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  ModuleAnalysisManager modules;

  explicit Analyses(TargetMachine &machine);
};
} // namespace

Analyses::Analyses(TargetMachine &machine) {
  functions.registerPass([] {
    AAManager aliases;
    aliases.registerFunctionAnalysis<BasicAA>();
    aliases.registerFunctionAnalysis<ScopedNoAliasAA>();
    aliases.registerFunctionAnalysis<TypeBasedAA>();
    return aliases;
  });
  functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
  functions.registerPass([] { return AssumptionAnalysis(); });
  functions.registerPass([] { return BasicAA(); });
  functions.registerPass([] { return BlockFrequencyAnalysis(); });
  functions.registerPass([] { return BranchProbabilityAnalysis(); });
  functions.registerPass([] { return DemandedBitsAnalysis(); });
  functions.registerPass([] { return DominatorTreeAnalysis(); });
  functions.registerPass([] { return LastRunTrackingAnalysis(); });
  functions.registerPass([] { return LoopAnalysis(); });
  functions.registerPass([] { return MemorySSAAnalysis(); });
  functions.registerPass([] { return OptimizationRemarkEmitterAnalysis(); });
  functions.registerPass([] { return PassInstrumentationAnalysis(); });
  functions.registerPass([] { return PostDominatorTreeAnalysis(); });
  functions.registerPass([] { return ScalarEvolutionAnalysis(); });
  functions.registerPass([] { return ScopedNoAliasAA(); });
  functions.registerPass([] { return TargetLibraryAnalysis(); });
  functions.registerPass([] { return TypeBasedAA(); });
  loops.registerPass([] { return PassInstrumentationAnalysis(); });
  modules.registerPass([] { return PassInstrumentationAnalysis(); });
  modules.registerPass([] { return ProfileSummaryAnalysis(); });
  functions.registerPass(
      [&] { return LoopAnalysisManagerFunctionProxy(loops); });
  loops.registerPass(
      [&] { return FunctionAnalysisManagerLoopProxy(functions); });
  functions.registerPass(
      [&] { return ModuleAnalysisManagerFunctionProxy(modules); });
  modules.registerPass(
      [&] { return FunctionAnalysisManagerModuleProxy(functions); });
}

void tilec::markInlineAsm(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (!call || !call->isInlineAsm())
        continue;
      call->setDoesNotThrow();
      if (cast<InlineAsm>(call->getCalledOperand())->hasSideEffects()) {
        call->setConvergent();
      } else {
        call->setDoesNotAccessMemory();
        call->addFnAttr(Attribute::WillReturn);
      }
    }
}

/// Moves additions of a constant to a pointer into the blocks of their users,
/// where they become the immediate of the access. LICM has hoisted them, and
/// each would occupy a register throughout the loop.
static void sinkConstantOffsets(Function &function) {
  SmallVector<GetElementPtrInst *> offsets;
  for (Instruction &instruction : instructions(function))
    if (auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
      if (gep->hasAllConstantIndices() && gep->getNumIndices() == 1)
        offsets.push_back(gep);
  for (GetElementPtrInst *gep : offsets) {
    DenseMap<BasicBlock *, Instruction *> copies;
    for (Use &use : make_early_inc_range(gep->uses())) {
      auto *user = cast<Instruction>(use.getUser());
      if (user->getParent() == gep->getParent() || isa<PHINode>(user))
        continue;
      Instruction *&copy = copies[user->getParent()];
      if (!copy) {
        copy = gep->clone();
        copy->insertInto(user->getParent(),
                         user->getParent()->getFirstInsertionPt());
      }
      use.set(copy);
    }
    if (gep->use_empty())
      gep->eraseFromParent();
  }
}

/// Has the function arithmetic on numbers of fewer than 32 bits, of which an
/// instruction may take two? Only these become vectors.
static bool hasNarrowArithmetic(Function &function) {
  return any_of(instructions(function), [](Instruction &instruction) {
    if (!isa<BinaryOperator, UnaryOperator, IntrinsicInst>(instruction))
      return false;
    unsigned bits = instruction.getType()->getScalarSizeInBits();
    return bits > 1 && bits < 32;
  });
}

/// The passes over one function.
static FunctionPassManager buildPasses(bool pairs) {
  FunctionPassManager passes;
  passes.addPass(SimplifyCFGPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  // Short loops of known length only: tiles are unrolled already.
  passes.addPass(LoopUnrollPass(
      LoopUnrollOptions().setPartial(false).setRuntime(false).setUpperBound(
          false)));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  if (pairs)
    passes.addPass(SLPVectorizerPass()); // of f16 and bf16
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(DCEPass());
  return passes;
}

void tilec::optimize(Module &module, TargetMachine &machine) {
  Analyses analyses(machine);
  for (Function &function : module)
    if (!function.isDeclaration()) {
      buildPasses(hasNarrowArithmetic(function))
          .run(function, analyses.functions);
      sinkConstantOffsets(function);
    }
  // The declaration of shared memory that no kernel uses.
  for (GlobalVariable &global : make_early_inc_range(module.globals()))
    if (global.isDeclaration() && global.use_empty())
      global.eraseFromParent();
}
