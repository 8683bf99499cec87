//===- Module.cpp - kernels from PTX --------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Loading of PTX through the driver's compiler, and the choice of the entry
// that fits the arguments.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Module.h"

#include "CudaTable.h"
#include "tilec/KernelInfo/Constants.h"

using namespace tilec;

/// The log of a failed compilation by the driver, without what says nothing.
static std::string trimmedLog(std::string log) {
  log.resize(log.find('\0') == log.npos ? log.size() : log.find('\0'));
  log.erase(log.find_last_not_of(" \t\r\n") + 1);
  return log;
}

/// The sentence for PTX that the driver did not take.
static Error loadError(const Device &device, int code, std::string log) {
  if (code == CudaUnsupportedPtxVersion) {
    int version = device.cuda().driverVersion();
    return {"the CUDA driver (for CUDA " + std::to_string(version / 1000) +
                "." + std::to_string(version % 1000 / 10) +
                ") is too old for this PTX version; update the driver",
            ErrorKind::Unsupported};
  }
  if (code == CudaNoBinaryForGpu)
    return {"the code is not for this GPU (" + device.info().name + ", " +
                device.info().arch() + "); " + device.info().archAdvice(),
            ErrorKind::Unsupported};
  Error error = device.cuda().error("load the PTX", code);
  log = trimmedLog(std::move(log));
  if (!log.empty())
    error.message += "\nlog of the driver's compiler:\n" + log;
  return error;
}

Result<std::shared_ptr<Module>> Module::fromPtx(std::shared_ptr<Device> device,
                                                const std::string &text) {
  Result<PtxMetadata> metadata = parsePtxMetadata(text);
  if (!metadata)
    return metadata.takeError();
  if (text.find('\0') != text.npos)
    return Error{"the PTX text contains a zero byte"};
  return load(std::move(device), text, std::move(*metadata));
}

Result<std::shared_ptr<Module>>
Module::fromCubin(std::shared_ptr<Device> device, const std::string &image,
                  const std::string &text) {
  if (!isCubin(image))
    return Error{"the image is no cubin: it does not start as an ELF file"};
  Result<PtxMetadata> metadata =
      text.empty() ? parseCubinMetadata(image) : parsePtxMetadata(text);
  if (!metadata)
    return metadata.takeError();
  return load(std::move(device), image, std::move(*metadata));
}

Result<std::shared_ptr<Module>> Module::load(std::shared_ptr<Device> device,
                                             const std::string &image,
                                             PtxMetadata metadata) {
  const DeviceInfo &info = device->info();
  if (!info.runs(metadata.arch))
    return Error{"the code is for " + metadata.arch +
                     ", which does not run on this GPU (" + info.name + ", " +
                     info.arch() + "); " + info.archAdvice(),
                 ErrorKind::Unsupported};
  if (Status status = device->makeCurrent(); !status)
    return status.takeError();

  std::string log(1 << 14, '\0');
  int options[] = {JitErrorLog, JitErrorLogSize};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  std::shared_ptr<Module> result(new Module);
  if (int code = device->cuda()().moduleLoadDataEx(
          &result->module, image.c_str(), 2, options, values))
    return loadError(*device, code, std::move(log));
  result->device = std::move(device);
  result->metadata = std::move(metadata);
  return result;
}

Module::~Module() {
  if (device && device->makeCurrent())
    device->cuda()().moduleUnload(module);
}

Result<Kernel> Module::makeKernel(const KernelInfo &info) {
  Kernel kernel;
  kernel.owner = shared_from_this();
  kernel.metadata = &info;
  if (Status status = kernel.prepare(); !status)
    return status.takeError();
  return kernel;
}

/// A list of names for a message.
static std::string quotedNames(const std::vector<KernelInfo> &kernels) {
  std::string names;
  for (const KernelInfo &info : kernels)
    names += (names.empty() ? "'" : ", '") + info.entry + "'";
  return names.empty() ? "none" : names;
}

Result<Kernel> Module::entry(const std::string &name) {
  for (const KernelInfo &info : metadata.kernels)
    if (info.entry == name)
      return makeKernel(info);
  return Error{"the PTX has no entry '" + name + "', only " +
               quotedNames(metadata.kernels)};
}

/// What an entry needs that the arguments break first, and what it got; or
/// empty.
static std::string describeBroken(const KernelInfo &info,
                                  const std::vector<Argument> &arguments) {
  for (const Requirement &requirement : info.requirements)
    for (const Argument &argument : arguments)
      if (argument.name == requirement.name &&
          !holds(requirement, argument.type, argument.bits))
        return requirement.str() + " and got " +
               valueText(argument.type, argument.bits);
  return "";
}

Result<Kernel> Module::select(const std::string &name,
                              const std::vector<Argument> &arguments,
                              std::string *why) {
  const KernelInfo *last = nullptr;
  std::string passed;
  for (const KernelInfo &info : metadata.kernels) {
    if (!name.empty() && info.kernel != name && info.entry != name)
      continue;
    if (name.empty() && last && last->kernel != info.kernel)
      return Error{"the PTX has several kernels, name one with --kernel: " +
                   quotedNames(metadata.kernels)};
    last = &info;
    std::string broken = describeBroken(info, arguments);
    if (broken.empty()) {
      if (why)
        *why = "entry '" + info.entry + "' runs" +
               (passed.empty() ? "" : ", not " + passed);
      return makeKernel(info);
    }
    passed += (passed.empty() ? "'" : ", '") + info.entry + "', which needs " +
              broken;
  }
  // None fits: binding to the most general one says why.
  if (last)
    return makeKernel(*last);
  return Error{"the PTX has no kernel '" + name + "', only " +
               quotedNames(metadata.kernels)};
}
