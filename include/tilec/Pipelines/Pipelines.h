//===- Pipelines.h - the phases of the compiler -----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The one place that orders passes. Phases have the names that `--emit` takes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_PIPELINES_PIPELINES_H
#define TILEC_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tilec/Analysis/Architecture.h"
#include "tilec/Dialect/Tile/Transforms/Specialize.h"
#include "tilec/Target/Cubin/Cubin.h"
#include <functional>
#include <optional>
#include <string>

namespace tilec {

/// What the compiler can stop at and print, in order.
enum class Phase { Tile, TileGPU, LLVM, LLVMIR, PTX, Cubin };

/// The phase that `--emit=<name>` means, if any: tile, tilegpu, llvm, llvmir,
/// ptx, cubin.
std::optional<Phase> parsePhase(llvm::StringRef name);

/// What code generation needs to know.
struct CodegenOptions {
  /// Architecture: `sm_80`, `sm_90a`, ...
  std::string arch = "sm_80";
  /// Warps in a block; 0 for what the kernel asks for, or 4.
  unsigned numWarps = 0;
  /// Stages of a software pipeline; 0 for what the kernel asks for, or 3.
  unsigned numStages = 0;
  /// Verify the IR after each pass: for tests, it takes time.
  bool verifyEach = false;
  /// Versions of each kernel besides the general one, best first.
  std::vector<tile::Specialization> specializations;
  /// Called with the IR at the end of each phase up to LLVM that the
  /// compilation passes through, the first being that which it starts from.
  std::function<void(Phase, mlir::ModuleOp)> observe;
  /// Called with what the assembler made, in phase Cubin.
  std::function<void(const Assembly &)> observeAssembly;
  /// What makes cubins.
  AssemblerOptions assembler;
};

/// Name and version of the compiler, as PTX files carry it.
llvm::StringRef compilerVersion();

/// Adds the dialects of all phases to the registry.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers the passes of all phases and the pipelines
/// `tilec-<phase>-pipeline`, for tools that run passes by name.
void registerPasses();

/// Adds the passes that simplify tile IR and know no target: what the
/// interpreter runs after too.
void buildTilePipeline(mlir::OpPassManager &passes);

/// Adds the passes from tile IR up to and including `phase` (at most LLVM).
void buildPipeline(mlir::OpPassManager &passes, const CodegenOptions &options,
                   Phase phase);

/// Is this an architecture that the compiler knows?
bool isKnownArch(llvm::StringRef arch);

/// The names of all architectures, for messages.
std::string listKnownArchs();

/// The phase whose IR the module is: that of a kernel source is Tile, but the
/// output of a later phase may be compiled further.
Phase findPhase(mlir::ModuleOp module);

/// The file that a module was read from, for messages about no place in it.
mlir::Location getFile(mlir::ModuleOp module);

/// The architecture to compile for: that of the options, unless the IR is made
/// for one already. Errors are diagnostics.
mlir::FailureOr<const Architecture *> findTarget(mlir::ModuleOp module,
                                                 const CodegenOptions &options);

/// Runs the way from the module's phase to the text of `phase` (for Cubin the
/// bytes of an ELF file), which is appended to `text`. Errors are MLIR
/// diagnostics. `timing` may hold a timing manager's root.
mlir::LogicalResult compile(mlir::ModuleOp module,
                            const CodegenOptions &options, Phase phase,
                            std::string &text,
                            mlir::TimingScope *timing = nullptr);

} // namespace tilec

#endif // TILEC_PIPELINES_PIPELINES_H
