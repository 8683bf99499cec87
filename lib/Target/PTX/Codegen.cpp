//===- Codegen.cpp - LLVM IR to PTX text ----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Sets up LLVM's NVPTX back end and runs it.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <mutex>

using namespace llvm;

// Declared here: the header that declares them initialises every target of
// LLVM.
extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

/// Sets an option that LLVM has on its command line and nowhere else.
template <typename T>
static void setOption(StringRef name, T value) {
  auto &options = cl::getRegisteredOptions();
  if (auto it = options.find(name); it != options.end())
    static_cast<cl::opt<T> *>(it->second)->setValue(value);
}

/// Registers the back end, once in a process.
static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Addresses of shared memory in 32 bits: half the registers.
    setOption<bool>("nvptx-short-ptr", true);
    // CodeGenPrepare looks at all blocks again after each change to one, unless
    // the function is huge: quadratic in the blocks of an unrolled kernel.
    setOption<unsigned>("cgpp-huge-func", 0);
    // The SLP vectorizer orders up to so many instructions anew for each pair
    // that it looks at. Pairs are near each other: a tenth of the usual number
    // finds as many.
    setOption<int>("slp-schedule-budget", 10000);
  });
}

namespace {
/// The target machines that nobody uses. Never destroyed: LLVM's targets may
/// end before it.
struct SpareMachines {
  static SpareMachines &get() {
    static auto &spare = *new SpareMachines;
    return spare;
  }

  std::mutex mutex;
  StringMap<std::unique_ptr<TargetMachine>> machines; // by arch and features
};
} // namespace

std::unique_ptr<TargetMachine> tilec::takeTargetMachine(StringRef arch,
                                                        unsigned ptxVersion,
                                                        std::string &error) {
  initializeTarget();
  std::string features = "+ptx" + std::to_string(ptxVersion);
  SpareMachines &spare = SpareMachines::get();
  {
    std::lock_guard<std::mutex> lock(spare.mutex);
    if (auto it = spare.machines.find((arch + features).str());
        it != spare.machines.end() && it->second)
      return std::move(it->second);
  }
  Triple triple("nvptx64-nvidia-cuda");
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  // Only what is marked may be contracted: with Fast, `x*s - x*s` becomes an
  // fma with the rounded product, which is not 0.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  options.NoTrappingFPMath = true;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, arch, features, options, Reloc::PIC_,
                                  std::nullopt, CodeGenOptLevel::Aggressive));
}

void tilec::giveBack(std::unique_ptr<TargetMachine> machine) {
  SpareMachines &spare = SpareMachines::get();
  std::string key =
      (machine->getTargetCPU() + machine->getTargetFeatureString()).str();
  std::lock_guard<std::mutex> lock(spare.mutex);
  spare.machines[key] = std::move(machine);
}

namespace {
/// Leaves out passes of the back end that cost up to a third of the whole
/// compile time and do nothing for code that is optimised and unrolled already:
/// the products of straight-line code that `slsr` compares each with each are
/// addresses that share their parts, there are no two memory accesses to join
/// and no registers in memory, and there is no C library to call.
struct PassFilter : OptPassGate {
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef name, StringRef) const override {
    return !is_contained({"slsr", "gvn", "expand-memcmp", "mergeicmps",
                          "partially-inline-libcalls", "consthoist",
                          "load-store-vectorizer", "sroa",
                          "Canonicalize Freeze Instructions in Loops"},
                         name);
  }
};
} // namespace

bool tilec::printPTX(Module &module, TargetMachine &machine,
                     std::string &text) {
  SmallString<0> buffer;
  raw_svector_ostream stream(buffer);
  static PassFilter filter; // the context keeps a reference
  module.getContext().setOptPassGate(filter);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::AssemblyFile))
    return false;
  passes.run(module);
  text.append(buffer.begin(), buffer.end());
  return true;
}
