//===- Launch.cpp - arguments and the launch ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// All checks happen when arguments are bound, so that a launch of bound
// arguments is little more than the driver's own call.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Module.h"

#include "CudaTable.h"
#include "tilec/KernelInfo/Constants.h"

using namespace tilec;

/// The sentence for arguments that the kernel does not take.
static Error mismatch(std::string text) {
  return {std::move(text), ErrorKind::Mismatch};
}

/// Dynamic shared memory that a kernel has without asking for it.
static constexpr uint64_t freeSharedBytes = 48 * 1024;

Argument Argument::buffer(std::string name, ElementType element,
                          const Buffer &buffer) {
  return {std::move(name), {element, true, false}, buffer.address(), false};
}

Argument Argument::address(std::string name, ElementType element,
                           uint64_t address) {
  return {std::move(name), {element, true, false}, address, true};
}

Argument Argument::scalar(std::string name, ElementType type, uint64_t bits) {
  return {std::move(name), {type, false, false}, bits, false};
}

const std::shared_ptr<Device> &Kernel::device() const { return owner->device; }

//===-- Preparation ----------------------------------------------------------//

Status Kernel::prepare() {
  const Device &device = *owner->device;
  const CudaTable &cuda = device.cuda()();
  const std::string &name = metadata->entry;
  if (Status status = device.makeCurrent(); !status)
    return status;
  if (int code = cuda.moduleGetFunction(&function, owner->module, name.c_str()))
    return device.cuda().error("find the entry '" + name + "' in the PTX",
                               code);
  int staticShared = 0, maxThreads = 0;
  const std::pair<int, int *> attributes[] = {
      {FunctionSharedBytes, &staticShared},
      {FunctionMaxThreads, &maxThreads},
      {FunctionRegisters, &numRegisters},
      {FunctionLocalBytes, &numLocalBytes}};
  for (auto [attribute, value] : attributes)
    if (int code = cuda.funcGetAttribute(value, attribute, function))
      return device.cuda().error("query the kernel '" + name + "'", code);

  uint64_t shared = metadata->dynamicShared + staticShared;
  if (shared > device.info().sharedPerBlock)
    return Error{"kernel '" + name + "' needs " + std::to_string(shared) +
                 " bytes of shared memory, this GPU has " +
                 std::to_string(device.info().sharedPerBlock) +
                 " for a block; lower its block sizes or --num-stages"};
  if (metadata->threads > static_cast<unsigned>(maxThreads))
    return Error{"kernel '" + name + "' wants " +
                 std::to_string(metadata->threads) + " threads of " +
                 std::to_string(numRegisters) +
                 " registers a block, more than this GPU's " +
                 std::to_string(maxThreads) + "; lower --num-warps"};
  if (metadata->dynamicShared > freeSharedBytes)
    if (int code =
            cuda.funcSetAttribute(function, FunctionMaxDynamicShared,
                                  static_cast<int>(metadata->dynamicShared)))
      return device.cuda().error(
          "give the kernel '" + name + "' its shared memory", code);
  const auto &cluster = metadata->cluster;
  if (uint64_t(cluster[0]) * cluster[1] * cluster[2] > 8)
    if (int code =
            cuda.funcSetAttribute(function, FunctionNonPortableCluster, 1))
      return device.cuda().error(
          "allow the kernel '" + name + "' its cluster size", code);
  return {};
}

//===-- Arguments ------------------------------------------------------------//

/// Whether a value of one type may be passed as the other: signedness is the
/// kernel's view of the same bits.
static bool sameRepresentation(ElementType a, ElementType b) {
  return a == b || (!isFloat(a) && !isFloat(b) && bitWidth(a) == bitWidth(b));
}

Status Kernel::checkValue(const ParamInfo &param,
                          const Argument &argument) const {
  if (param.type.isPointer != argument.type.isPointer ||
      !sameRepresentation(param.type.element, argument.type.element))
    return mismatch("argument '" + param.name + "' has type " +
                    argument.type.str() + ", kernel '" + metadata->entry +
                    "' expects " + param.type.str());
  if (!argument.foreign || !argument.bits)
    return {};
  unsigned kind = 0;
  const CudaTable &cuda = device()->cuda()();
  if (cuda.pointerGetAttribute(&kind, PointerMemoryType, argument.bits))
    return mismatch("argument '" + param.name +
                    "' is not a pointer to memory of this GPU");
  return {};
}

Status Kernel::checkRequirements(const std::vector<Argument> &arguments) const {
  for (const Requirement &requirement : metadata->requirements)
    for (const Argument &argument : arguments)
      if (argument.name == requirement.name &&
          !holds(requirement, argument.type, argument.bits))
        return mismatch("argument '" + argument.name +
                        "' breaks what kernel '" + metadata->entry +
                        "' was compiled for: " + requirement.str() +
                        "; compile it without that hint");
  return {};
}

/// The name in a list that comes twice, or null.
static const std::string *
findDuplicate(const std::vector<Argument> &arguments) {
  for (size_t i = 0; i < arguments.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (arguments[i].name == arguments[j].name)
        return &arguments[i].name;
  return nullptr;
}

/// Checks an argument that is no parameter: it must be part of the compiled
/// code, with this value.
static Status checkFolded(const KernelInfo &info, const Argument &argument) {
  if (const NamedConstant *constant = info.findConstant(argument.name))
    return checkConstant(*constant, info.entry, argument.type, argument.bits);
  return mismatch("kernel '" + info.entry + "' has no argument '" +
                  argument.name + "'");
}

Result<BoundArguments>
Kernel::bind(const std::vector<Argument> &arguments) const {
  if (const std::string *name = findDuplicate(arguments))
    return mismatch("argument '" + *name + "' is given twice");
  BoundArguments bound;
  if (Status status = device()->makeCurrent(); !status)
    return status.takeError();
  for (const ParamInfo &param : metadata->params) {
    const Argument *found = nullptr;
    for (const Argument &argument : arguments)
      if (argument.name == param.name)
        found = &argument;
    if (!found)
      return mismatch("argument '" + param.name + "' of kernel '" +
                      metadata->entry + "' is missing");
    if (Status status = checkValue(param, *found); !status)
      return status.takeError();
    bound.values.push_back(found->bits);
  }
  for (const Argument &argument : arguments) {
    if (metadata->findParam(argument.name))
      continue;
    if (Status status = checkFolded(*metadata, argument); !status)
      return status.takeError();
  }
  if (Status status = checkRequirements(arguments); !status)
    return status.takeError();
  if (Status status = makeHidden(bound); !status)
    return status.takeError();
  for (uint64_t &value : bound.values)
    bound.pointers.push_back(&value);
  return bound;
}

Status Kernel::makeHidden(BoundArguments &bound) const {
  for (const HiddenParamInfo &param : metadata->hidden) {
    const json::Value *bytes = param.fields.find("bytes");
    std::optional<int64_t> size = bytes ? bytes->asInt() : std::nullopt;
    if (param.kind != "scratch" || !size || *size < 0)
      return Error{"kernel '" + metadata->entry +
                   "' has a hidden parameter of kind '" + param.kind +
                   "', which this version cannot make; compile it with "
                   "--plain-abi"};
    Result<Buffer> buffer = Buffer::allocate(device(), *size);
    if (!buffer)
      return buffer.takeError();
    if (Status status = buffer->fill(0); !status)
      return status;
    bound.values.push_back(buffer->address());
    bound.scratch.push_back(std::make_shared<Buffer>(std::move(*buffer)));
  }
  return {};
}

//===-- Launch ---------------------------------------------------------------//

Status Kernel::checkGrid(const Grid &grid) const {
  static constexpr uint64_t limits[] = {0x7fffffff, 65535, 65535};
  for (unsigned i = 0; i < 3; ++i) {
    if (grid[i] > limits[i])
      return mismatch("grid size " + std::to_string(grid[i]) +
                      " in dimension " + std::to_string(i) +
                      " exceeds the GPU's limit " + std::to_string(limits[i]));
    if (grid[i] % metadata->cluster[i])
      return mismatch("grid size " + std::to_string(grid[i]) +
                      " in dimension " + std::to_string(i) +
                      " is not a multiple of the cluster's " +
                      std::to_string(metadata->cluster[i]));
  }
  return {};
}

Status Kernel::launch(const BoundArguments &arguments, const Grid &grid,
                      const Stream &stream) const {
  return launch(const_cast<void **>(arguments.pointers.data()), grid, stream);
}

Status Kernel::launch(void **parameters, const Grid &grid,
                      const Stream &stream) const {
  if (Status status = checkGrid(grid); !status)
    return status;
  if (!grid[0] || !grid[1] || !grid[2])
    return {};
  const Device &device = *owner->device;
  if (Status status = device.makeCurrent(); !status)
    return status;
  if (int code = device.cuda()().launchKernel(
          function, static_cast<unsigned>(grid[0]),
          static_cast<unsigned>(grid[1]), static_cast<unsigned>(grid[2]),
          metadata->threads, 1, 1,
          static_cast<unsigned>(metadata->dynamicShared), stream.handle(),
          parameters, nullptr))
    return device.cuda().error("launch the kernel '" + metadata->entry + "'",
                               code);
  return {};
}
