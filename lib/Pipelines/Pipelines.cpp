//===- Pipelines.cpp - the phases of the compiler -------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Orders the passes of each phase and runs them up to the text of a phase.
//
//===----------------------------------------------------------------------===//

#include "tilec/Pipelines/Pipelines.h"
#include "Metadata.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tilec/Analysis/Architecture.h"
#include "tilec/Conversion/Passes.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"
#include "tilec/Dialect/TileGPU/Transforms/Passes.h"
#include "tilec/Target/PTX/PTX.h"

using namespace mlir;
using namespace tilec;

//===-- Tables
//---------------------------------------------------------------===//

std::optional<Phase> tilec::parsePhase(StringRef name) {
  return llvm::StringSwitch<std::optional<Phase>>(name)
      .Case("tile", Phase::Tile)
      .Case("tilegpu", Phase::TileGPU)
      .Case("llvm", Phase::LLVM)
      .Case("llvmir", Phase::LLVMIR)
      .Case("ptx", Phase::PTX)
      .Default(std::nullopt);
}

StringRef tilec::compilerVersion() { return "tilec " TILEC_VERSION; }

bool tilec::isKnownArch(StringRef arch) {
  return findArchitecture(arch) != nullptr;
}

std::string tilec::listKnownArchs() { return listArchitectures(); }

void tilec::registerDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, tilegpu::TileGPUDialect,
                  arith::ArithDialect, func::FuncDialect, math::MathDialect,
                  scf::SCFDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
}

//===-- Order
//----------------------------------------------------------------===//

void tilec::buildTilePipeline(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(tile::createTileSinkBroadcastsPass());
  passes.addPass(tile::createTileFuseDotAccumulatePass());
  passes.addPass(tile::createTileFuseMultiplyAddPass());
  passes.addPass(tile::createTileHoistInvariantsPass());
  passes.addPass(createCSEPass());
}

/// From simplified tile IR to tilegpu IR with barriers.
static void buildTileGPUPipeline(OpPassManager &passes,
                                 const CodegenOptions &options) {
  tilegpu::TileGPUSetTargetPassOptions target;
  target.arch = options.arch;
  target.numWarps = options.numWarps;
  target.numStages = options.numStages;
  passes.addPass(tilegpu::createTileGPUSetTargetPass(target));
  OpPassManager &kernel = passes.nest<func::FuncOp>();
  kernel.addPass(tilegpu::createTileGPUStripMinePass());
  kernel.addPass(tilegpu::createTileGPUCoalescePass());
  kernel.addPass(tilegpu::createTileGPUTileDotPass());
  kernel.addPass(createConvertTileToTileGPUPass());
  kernel.addPass(createCSEPass());
  kernel.addPass(tile::createTileHoistInvariantsPass());
  kernel.addPass(tilegpu::createTileGPUPipelinePass());
  kernel.addPass(tilegpu::createTileGPUAllocateSharedPass());
  kernel.addPass(tilegpu::createTileGPUInsertBarriersPass());
}

/// From tilegpu IR to the llvm and nvvm dialects.
static void buildLLVMPipeline(OpPassManager &passes) {
  passes.addPass(createConvertTileGPUToNVVMPass());
}

/// What LLVM IR needs besides: operations that are inline PTX written out, and
/// a scope for each kernel so that line numbers reach the PTX.
static void buildTranslationPipeline(OpPassManager &passes) {
  passes.addPass(createConvertNVVMToLLVMPass());
  LLVM::DIScopeForLLVMFuncOpPassOptions lines;
  lines.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(lines));
}

/// Adds the passes from IR of phase `from` to phase `to`.
static void buildPhases(OpPassManager &passes, const CodegenOptions &options,
                        Phase from, Phase to) {
  if (from == Phase::Tile)
    buildTilePipeline(passes);
  if (from < Phase::TileGPU && to >= Phase::TileGPU)
    buildTileGPUPipeline(passes, options);
  if (from < Phase::LLVM && to >= Phase::LLVM)
    buildLLVMPipeline(passes);
  if (to > Phase::LLVM)
    buildTranslationPipeline(passes);
}

void tilec::buildPipeline(OpPassManager &passes, const CodegenOptions &options,
                          Phase phase) {
  buildPhases(passes, options, Phase::Tile, std::min(phase, Phase::LLVM));
}

namespace {
/// Options of the pipelines that tools run by name.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> arch{*this, "arch", llvm::cl::desc("architecture"),
                           llvm::cl::init("sm_80")};
  Option<unsigned> numWarps{*this, "num-warps",
                            llvm::cl::desc("warps in a block"),
                            llvm::cl::init(0)};

  CodegenOptions codegen() const {
    CodegenOptions options;
    options.arch = arch;
    options.numWarps = numWarps;
    return options;
  }
};
} // namespace

void tilec::registerPasses() {
  registerTransformsPasses();
  tile::registerTilePasses();
  tilegpu::registerTileGPUPasses();
  registerConversionPasses();
  registerPass([] { return createConvertNVVMToLLVMPass(); });
  LLVM::registerLLVMPasses();
  PassPipelineRegistration<>("tilec-tile-pipeline", "simplify tile IR",
                             buildTilePipeline);
  PassPipelineRegistration<PipelineOptions>(
      "tilec-tilegpu-pipeline", "from tile IR to tilegpu IR",
      [](OpPassManager &passes, const PipelineOptions &options) {
        buildPipeline(passes, options.codegen(), Phase::TileGPU);
      });
  PassPipelineRegistration<PipelineOptions>(
      "tilec-llvm-pipeline", "from tile IR to the llvm and nvvm dialects",
      [](OpPassManager &passes, const PipelineOptions &options) {
        buildPipeline(passes, options.codegen(), Phase::LLVM);
      });
}

//===-- Running
//--------------------------------------------------------------===//

Phase tilec::findPhase(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr("nvvm.kernel"))
      return Phase::LLVM;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tilegpu::kSharedAttr))
      return Phase::TileGPU;
  return Phase::Tile;
}

/// The architecture to compile for; tilegpu IR is made for one already.
static FailureOr<const Architecture *>
findTarget(ModuleOp module, const CodegenOptions &options) {
  std::string name = options.arch;
  if (auto own = module->getAttrOfType<StringAttr>(tilegpu::kArchAttr))
    if (findPhase(module) != Phase::Tile)
      name = own.str();
  if (const Architecture *architecture = findArchitecture(name))
    return architecture;
  return module.emitError() << "unknown architecture '" << name
                            << "': use one of " << listArchitectures();
}

LogicalResult tilec::compile(ModuleOp module, const CodegenOptions &options,
                             Phase phase, std::string &text,
                             TimingScope *timing) {
  TimingScope untimed;
  TimingScope &scope = timing ? *timing : untimed;
  FailureOr<const Architecture *> target = findTarget(module, options);
  if (failed(target))
    return failure();
  Phase from = findPhase(module);
  if (from > phase)
    return module.emitError(
        "the file holds a later phase than the one asked for");
  nameParameters(module);
  if (from == Phase::Tile &&
      failed(tile::specializeKernels(module, options.specializations)))
    return failure();
  auto passes = PassManager::on<ModuleOp>(module.getContext());
  passes.enableVerifier(options.verifyEach);
  passes.enableTiming(scope);
  buildPhases(passes, options, from, std::min(phase, Phase::LLVM));
  if (failed(passes.run(module)))
    return failure();
  if (phase <= Phase::LLVM) {
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    return success();
  }
  PTXOptions ptx;
  ptx.arch = (*target)->name;
  ptx.ptxVersion = (*target)->ptxVersion;
  ptx.compiler = compilerVersion();
  // Before the kernels' locations become scopes of debug information.
  ptx.kernels = collectKernelInfo(module, options.numStages);
  dropParameterAttributes(module);
  auto translation = PassManager::on<ModuleOp>(module.getContext());
  translation.enableVerifier(options.verifyEach);
  translation.enableTiming(scope);
  buildPhases(translation, options, Phase::LLVM, phase);
  if (failed(translation.run(module)))
    return failure();
  return phase == Phase::PTX ? translateToPTX(module, ptx, text, scope)
                             : translateToLLVMIR(module, ptx, text, scope);
}
