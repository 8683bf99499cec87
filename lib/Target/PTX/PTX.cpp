//===- PTX.cpp - LLVM dialect to PTX text ---------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Translates to LLVM IR and drives LLVM, whose complaints become diagnostics
// with a place in the source.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/PTX/PTX.h"
#include "Codegen.h"
#include "FatalErrors.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace tilec;

namespace {

/// Hands LLVM's diagnostics on to MLIR.
struct DiagnosticBridge : llvm::DiagnosticHandler {
  ModuleOp module;
  bool failed = false;

  explicit DiagnosticBridge(ModuleOp module) : module(module) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true; // remarks and warnings about LLVM's own work help nobody
    failed = true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    Location location = module.getLoc();
    if (auto *placed = dyn_cast<llvm::DiagnosticInfoUnsupported>(&info);
        placed && placed->isLocationAvailable())
      location = FileLineColLoc::get(
          module.getContext(), placed->getAbsolutePath(),
          placed->getLocation().getLine(), placed->getLocation().getColumn());
    mlir::emitError(location) << "the PTX back end reports: " << text;
    return true;
  }
};

/// The way of one module through LLVM.
class Translation {
public:
  Translation(ModuleOp module, const PTXOptions &options, TimingScope &timing)
      : module(module), options(options), timing(timing),
        context(std::make_unique<llvm::LLVMContext>()) {
    auto handler = std::make_unique<DiagnosticBridge>(module);
    bridge = handler.get();
    context->setDiagnosticHandler(std::move(handler));
  }
  ~Translation() {
    if (machine)
      giveBack(std::move(machine));
  }

  /// Makes `llvmModule` and the target machine.
  LogicalResult translate();
  /// Improves `llvmModule`.
  LogicalResult optimize();
  /// Appends LLVM IR.
  void printIR(std::string &text);
  /// Appends PTX.
  LogicalResult print(std::string &text);

private:
  LogicalResult guarded(llvm::function_ref<void()> work);

  ModuleOp module;
  const PTXOptions &options;
  TimingScope &timing;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> llvmModule;
  std::unique_ptr<llvm::TargetMachine> machine;
  DiagnosticBridge *bridge = nullptr;
};

} // namespace

/// The place of a fatal message: LLVM names the function with "In function:
/// NAME", and at the end of the first line often FILE:LINE:COL, the file
/// without its folder.
static Location findLocation(ModuleOp module, StringRef message) {
  StringRef mark = "In function: ";
  size_t at = message.find(mark);
  if (at == StringRef::npos)
    return module.getLoc();
  StringRef name = message.substr(at + mark.size()).split('\n').first.trim();
  Operation *function = module.lookupSymbol(name);
  if (!function)
    return module.getLoc();
  auto place = function->getLoc()->findInstanceOf<FileLineColLoc>();
  StringRef head = message.split('\n').first;
  auto [rest, column] = head.rsplit(':');
  auto [file, line] = rest.rsplit(':');
  unsigned lineNumber, columnNumber;
  if (!place || line.getAsInteger(10, lineNumber) ||
      column.getAsInteger(10, columnNumber) ||
      !file.ends_with(llvm::sys::path::filename(place.getFilename())))
    return function->getLoc();
  return FileLineColLoc::get(place.getFilename(), lineNumber, columnNumber);
}

/// Runs a step of LLVM; a fatal error becomes one of the kernel.
LogicalResult Translation::guarded(llvm::function_ref<void()> work) {
  std::optional<std::string> reason = runGuarded(work);
  if (reason) {
    // LLVM was left in the middle: destroying what it worked on may crash.
    (void)llvmModule.release();
    (void)machine.release();
    (void)context.release();
    mlir::emitError(findLocation(module, *reason))
        << "the PTX back end failed: " << StringRef(*reason).split('\n').first;
    return failure();
  }
  return success(!bridge->failed);
}

LogicalResult Translation::translate() {
  TimingScope scope = timing.nest("Translate to LLVM IR");
  MLIRContext &mlirContext = *module.getContext();
  registerBuiltinDialectTranslation(mlirContext);
  registerLLVMDialectTranslation(mlirContext);
  registerNVVMDialectTranslation(mlirContext);
  std::string error;
  machine = takeTargetMachine(options.arch, options.ptxVersion, error);
  if (!machine)
    return module.emitError() << "LLVM has no PTX back end: " << error;
  if (failed(guarded([&] {
        llvmModule = translateModuleToLLVMIR(module, *context, "kernels",
                                             /*disableVerification=*/true);
      })))
    return failure();
  if (!llvmModule)
    return failure();
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  markInlineAsm(*llvmModule);
  std::string faults;
  llvm::raw_string_ostream stream(faults);
  if (llvm::verifyModule(*llvmModule, &stream))
    return module.emitError() << "the LLVM IR of the module is not valid: "
                              << StringRef(faults).split('\n').first;
  return success();
}

LogicalResult Translation::optimize() {
  TimingScope scope = timing.nest("Optimise LLVM IR");
  return guarded([&] { tilec::optimize(*llvmModule, *machine); });
}

void Translation::printIR(std::string &text) {
  TimingScope scope = timing.nest("Print LLVM IR");
  llvm::raw_string_ostream stream(text);
  llvmModule->print(stream, nullptr);
}

LogicalResult Translation::print(std::string &text) {
  TimingScope scope = timing.nest("Generate PTX");
  text += headerLine(options.compiler, options.arch);
  for (const KernelInfo &kernel : options.kernels)
    text += toCommentLine(kernel);
  bool printed = false;
  if (failed(guarded([&] { printed = printPTX(*llvmModule, *machine, text); })))
    return failure();
  if (!printed)
    return module.emitError("LLVM's PTX back end prints no text");
  return success();
}

LogicalResult tilec::translateToLLVMIR(ModuleOp module,
                                       const PTXOptions &options,
                                       std::string &text, TimingScope &timing) {
  Translation translation(module, options, timing);
  if (failed(translation.translate()) || failed(translation.optimize()))
    return failure();
  translation.printIR(text);
  return success();
}

LogicalResult tilec::translateToPTX(ModuleOp module, const PTXOptions &options,
                                    std::string &text, TimingScope &timing) {
  Translation translation(module, options, timing);
  if (failed(translation.translate()) || failed(translation.optimize()))
    return failure();
  return translation.print(text);
}
