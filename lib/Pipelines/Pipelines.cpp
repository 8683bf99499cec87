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

//===-- Tables ------------------------------------------------------------===//

std::optional<Phase> tilec::parsePhase(StringRef name) {
  return llvm::StringSwitch<std::optional<Phase>>(name)
      .Case("tile", Phase::Tile)
      .Case("tilegpu", Phase::TileGPU)
      .Case("llvm", Phase::LLVM)
      .Case("llvmir", Phase::LLVMIR)
      .Case("ptx", Phase::PTX)
      .Case("cubin", Phase::Cubin)
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

//===-- Order -------------------------------------------------------------===//

void tilec::buildTilePipeline(OpPassManager &passes) {
  passes.nest<func::FuncOp>().addPass(tile::createTileLoadOncePass());
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
  passes.nest<func::FuncOp>().addPass(tile::createTilePadTilesPass());
  passes.addPass(tile::createTileSplitBatchesPass());
  passes.addPass(createCSEPass());
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

/// Has the module an operation that is inline PTX for LLVM?
static bool hasInlinePTX(ModuleOp module) {
  return module
      .walk([](NVVM::BasicPtxBuilderInterface op) {
        return op.hasIntrinsic() ? WalkResult::advance()
                                 : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// What LLVM IR needs besides: operations that are inline PTX written out, and
/// a scope for each kernel so that line numbers reach the PTX.
static void buildTranslationPipeline(OpPassManager &passes, ModuleOp module) {
  if (hasInlinePTX(module))
    passes.addPass(createConvertNVVMToLLVMPass());
  LLVM::DIScopeForLLVMFuncOpPassOptions lines;
  lines.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(lines));
}

/// Adds the passes that end in a phase, LLVM at most.
static void buildPhase(OpPassManager &passes, const CodegenOptions &options,
                       Phase phase) {
  if (phase == Phase::Tile)
    buildTilePipeline(passes);
  else if (phase == Phase::TileGPU)
    buildTileGPUPipeline(passes, options);
  else if (phase == Phase::LLVM)
    buildLLVMPipeline(passes);
}

/// The phases on the way from IR of phase `from` to phase `to`. A kernel source
/// has the passes of its own phase to go, what a pipeline made has not.
static SmallVector<Phase, 4> listPhases(Phase from, Phase to) {
  SmallVector<Phase, 4> phases;
  for (Phase phase : {Phase::Tile, Phase::TileGPU, Phase::LLVM})
    if (phase <= to &&
        (phase > from || (phase == Phase::Tile && from == Phase::Tile)))
      phases.push_back(phase);
  return phases;
}

/// Adds the passes from IR of phase `from` to phase `to`.
static void buildPhases(OpPassManager &passes, const CodegenOptions &options,
                        Phase from, Phase to) {
  for (Phase phase : listPhases(from, to))
    buildPhase(passes, options, phase);
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

//===-- Running -----------------------------------------------------------===//

Phase tilec::findPhase(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr("nvvm.kernel"))
      return Phase::LLVM;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tilegpu::kSharedAttr))
      return Phase::TileGPU;
  return Phase::Tile;
}

Location tilec::getFile(ModuleOp module) {
  auto place = module.getLoc()->findInstanceOf<FileLineColLoc>();
  return place ? Location(FileLineColLoc::get(place.getFilename(), 0, 0))
               : module.getLoc();
}

FailureOr<const Architecture *>
tilec::findTarget(ModuleOp module, const CodegenOptions &options) {
  std::string name = options.arch;
  if (auto own = module->getAttrOfType<StringAttr>(tilegpu::kArchAttr))
    if (findPhase(module) != Phase::Tile)
      name = own.str();
  if (const Architecture *architecture = findArchitecture(name))
    return architecture;
  return module.emitError() << "unknown architecture '" << name
                            << "': use one of " << listArchitectures();
}

/// Runs passes on the module.
static LogicalResult
runPasses(ModuleOp module, const CodegenOptions &options, TimingScope &scope,
          llvm::function_ref<void(OpPassManager &)> build) {
  auto passes = PassManager::on<ModuleOp>(module.getContext());
  passes.enableVerifier(options.verifyEach);
  passes.enableTiming(scope);
  build(passes);
  return passes.run(module);
}

/// Runs the passes from phase `from` to phase `to`, at most LLVM. One pass
/// manager serves all unless somebody wants to look in between.
static LogicalResult runPhases(ModuleOp module, const CodegenOptions &options,
                               Phase from, Phase to, TimingScope &scope) {
  if (!options.observe)
    return runPasses(module, options, scope, [&](OpPassManager &passes) {
      buildPhases(passes, options, from, to);
    });
  if (from != Phase::Tile)
    options.observe(from, module);
  for (Phase phase : listPhases(from, to)) {
    if (failed(runPasses(module, options, scope, [&](OpPassManager &passes) {
          buildPhase(passes, options, phase);
        })))
      return failure();
    options.observe(phase, module);
  }
  return success();
}

/// Assembles PTX, with its metadata as a variable, and appends the image.
static LogicalResult assembleInto(ModuleOp module, const std::string &arch,
                                  const std::string &ptx,
                                  const CodegenOptions &options,
                                  std::string &image, TimingScope &timing) {
  TimingScope scope = timing.nest("Assemble");
  Result<Assembly> assembly =
      assemble(ptx + metadataVariable(ptx), arch, options.assembler);
  if (!assembly)
    return mlir::emitError(getFile(module)) << assembly.error();
  if (options.observeAssembly)
    options.observeAssembly(*assembly);
  image += assembly->image;
  return success();
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
  if (failed(runPhases(module, options, from, std::min(phase, Phase::LLVM),
                       scope)))
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
  if (failed(runPasses(module, options, scope, [&](OpPassManager &passes) {
        buildTranslationPipeline(passes, module);
      })))
    return failure();
  if (phase == Phase::LLVMIR)
    return translateToLLVMIR(module, ptx, text, scope);
  if (phase == Phase::PTX)
    return translateToPTX(module, ptx, text, scope);
  std::string code;
  if (failed(translateToPTX(module, ptx, code, scope)))
    return failure();
  return assembleInto(module, ptx.arch, code, options, text, scope);
}
