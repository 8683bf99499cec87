//===- KernelFamily.cpp - the versions of one kernel ----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Plans made once, and the launch that follows them. The ordinary launch takes
// no memory and no lock.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/KernelFamily.h"

#include "CudaTable.h"
#include "tilec/KernelInfo/Constants.h"

using namespace tilec;

/// Parameters that a kernel may have: the driver's 4 KiB of eight bytes each.
static constexpr size_t maxParams = 512;

/// The sentence for arguments that the kernel does not take.
static Error mismatch(std::string text) {
  return {std::move(text), ErrorKind::Mismatch};
}

//===-- Plans ----------------------------------------------------------------//

const std::vector<ParamInfo> &KernelFamily::params() const {
  return entries.back().kernel.info().params;
}

const std::shared_ptr<Device> &KernelFamily::device() const {
  return entries.back().kernel.device();
}

std::optional<unsigned> KernelFamily::find(std::string_view name) const {
  const std::vector<ParamInfo> &all = params();
  for (unsigned i = 0; i < all.size(); ++i)
    if (all[i].name == name)
      return i;
  return std::nullopt;
}

/// One member of a tensor map's description.
static Error badMap(const std::string &member) {
  return {"the description of a tensor map is damaged at '" + member +
              "'; compile the kernel again with this version of tilec",
          ErrorKind::Unsupported};
}

Result<KernelFamily::MapPlan>
KernelFamily::planMap(const json::Value &fields) const {
  MapPlan plan;
  auto text = [&](const char *name) {
    const json::Value *value = fields.find(name);
    return value && value->isString() ? value->str() : std::string();
  };
  std::optional<unsigned> pointer = find(text("pointer"));
  std::optional<ElementType> element = parseElementType(text("type"));
  if (!pointer || !params()[*pointer].type.isPointer)
    return badMap("pointer");
  if (!element)
    return badMap("type");
  plan.pointer = *pointer;
  plan.spec.element = *element;
  auto extents = [&](const char *name, std::vector<Extent> &out) {
    const json::Value *list = fields.find(name);
    if (!list || !list->isArray())
      return false;
    for (const json::Value &value : list->elements()) {
      Extent extent;
      std::optional<int64_t> number = value.asInt();
      if (value.isString())
        extent.param = find(value.str());
      else if (number && *number > 0)
        extent.value = static_cast<uint64_t>(*number);
      if (!extent.param && !extent.value)
        return false;
      out.push_back(extent);
    }
    return true;
  };
  std::vector<Extent> box;
  for (auto [name, list] : {std::pair{"shape", &plan.shape},
                            {"strides", &plan.strides},
                            {"box", &box}})
    if (!extents(name, *list) || list->empty() ||
        list->size() != plan.shape.size() ||
        list->size() > TensorMapSpec::maxRank)
      return badMap(name);
  plan.spec.rank = static_cast<unsigned>(box.size());
  for (size_t i = 0; i < box.size(); ++i)
    plan.spec.box[i] = static_cast<uint32_t>(box[i].value);
  if (const json::Value *swizzle = fields.find("swizzle"))
    plan.spec.swizzle = static_cast<unsigned>(swizzle->asInt().value_or(0));
  plan.spec.fillsNaN = text("fill") == "nan";
  return plan;
}

Status KernelFamily::addHidden(Entry &entry) {
  for (const HiddenParamInfo &param : entry.kernel.info().hidden) {
    HiddenPlan plan;
    const json::Value *bytes = param.fields.find("bytes");
    std::optional<int64_t> size = bytes ? bytes->asInt() : std::nullopt;
    if (param.kind == "tensor_map") {
      Result<MapPlan> map = planMap(param.fields);
      if (!map)
        return map.takeError();
      plan.map = std::move(*map);
    } else if (param.kind == "scratch" && size && *size >= 0) {
      plan.scratchBytes = static_cast<uint64_t>(*size);
    } else {
      return Error{"kernel '" + entry.kernel.info().entry +
                       "' has a hidden parameter of kind '" + param.kind +
                       "', which this version cannot make; compile it with "
                       "--plain-abi",
                   ErrorKind::Unsupported};
    }
    entry.hidden.push_back(std::move(plan));
  }
  return {};
}

/// Plans an entry by the parameters of the last one, which is there already.
Status KernelFamily::add(Kernel kernel) {
  Entry entry;
  entry.kernel = std::move(kernel);
  const KernelInfo &info = entry.kernel.info();
  for (const ParamInfo &param : info.params) {
    std::optional<unsigned> position = find(param.name);
    if (!position)
      return Error{"entry '" + info.entry + "' has a parameter '" + param.name +
                   "' that the kernel's last entry lacks"};
    entry.params.push_back(*position);
  }
  for (const Requirement &requirement : info.requirements)
    if (std::optional<unsigned> position = find(requirement.name))
      entry.checks.push_back({*position, requirement});
  for (const NamedConstant &constant : info.folded) {
    std::optional<unsigned> position = find(constant.name);
    if (std::optional<int64_t> value = constant.value.asInt();
        position && value)
      entry.checks.push_back({*position, {constant.name, 0, *value}});
  }
  if (Status status = addHidden(entry); !status)
    return status;
  entries.insert(entries.end() - 1, std::move(entry));
  return {};
}

/// The names of a module's kernels, each once.
static std::string kernelNames(const PtxMetadata &metadata) {
  std::string names;
  for (size_t i = 0; i < metadata.kernels.size(); ++i) {
    const std::string &name = metadata.kernels[i].kernel;
    if (i && metadata.kernels[i - 1].kernel == name)
      continue;
    names += (names.empty() ? "'" : ", '") + name + "'";
  }
  return names.empty() ? "none" : names;
}

Result<std::shared_ptr<KernelFamily>>
KernelFamily::create(std::shared_ptr<Module> module, const std::string &name) {
  const PtxMetadata &metadata = module->info();
  std::vector<const KernelInfo *> infos, sameEntry;
  for (const KernelInfo &info : metadata.kernels) {
    if (name.empty() && !infos.empty() && infos.back()->kernel != info.kernel)
      return mismatch("the PTX has several kernels, name one: " +
                      kernelNames(metadata));
    if (name.empty() || info.kernel == name)
      infos.push_back(&info);
    if (info.entry == name)
      sameEntry.push_back(&info);
  }
  if (infos.empty())
    infos = sameEntry;
  if (infos.empty())
    return mismatch("the PTX has no kernel '" + name + "', only " +
                    kernelNames(metadata));
  if (infos.back()->params.size() + infos.back()->hidden.size() > maxParams)
    return Error{"kernel '" + name + "' has more than " +
                     std::to_string(maxParams) + " parameters",
                 ErrorKind::Unsupported};
  std::shared_ptr<KernelFamily> family(new KernelFamily);
  // The last entry first, and once more in its place: the others are read by
  // its parameters.
  for (size_t i = 0; i <= infos.size(); ++i) {
    const KernelInfo *info = i ? infos[i - 1] : infos.back();
    Result<Kernel> kernel = module->entry(info->entry);
    if (!kernel)
      return kernel.takeError();
    if (!i) {
      family->entries.emplace_back();
      family->entries.back().kernel = std::move(*kernel);
    } else if (Status status = family->add(std::move(*kernel)); !status) {
      return status.takeError();
    }
  }
  family->entries.pop_back();
  return family;
}

//===-- Checks ---------------------------------------------------------------//

/// Whether a value of one type may be passed as the other: signedness is the
/// kernel's view of the same bits.
static bool fits(ParamType wanted, ParamType given) {
  if (wanted.isPointer != given.isPointer)
    return false;
  if (wanted.element == given.element)
    return true;
  return !isFloat(wanted.element) && !isFloat(given.element) &&
         bitWidth(wanted.element) == bitWidth(given.element);
}

Status KernelFamily::checkFolded(const Argument &argument) const {
  bool isConstant = false;
  for (const Entry &entry : entries) {
    const KernelInfo &info = entry.kernel.info();
    const NamedConstant *constant = info.findConstant(argument.name);
    if (!constant)
      continue;
    isConstant = true;
    if (Status status =
            checkConstant(*constant, info.entry, argument.type, argument.bits);
        !status)
      return status;
  }
  if (isConstant)
    return {};
  return mismatch("kernel '" + entries.back().kernel.info().kernel +
                  "' has no argument '" + argument.name + "'");
}

Status KernelFamily::checkArguments(const PlainArgument *arguments,
                                    size_t count) const {
  const std::vector<ParamInfo> &all = params();
  const std::string &name = entries.back().kernel.info().kernel;
  if (count != all.size())
    return mismatch("kernel '" + name + "' takes " +
                    std::to_string(all.size()) + " arguments, got " +
                    std::to_string(count));
  for (size_t i = 0; i < count; ++i) {
    const PlainArgument &argument = arguments[i];
    const ParamInfo &param = all[i];
    if (!fits(param.type, argument.type))
      return mismatch("argument '" + param.name + "' has type " +
                      argument.type.str() + ", kernel '" + name + "' expects " +
                      param.type.str());
    if (!param.type.isPointer)
      continue;
    unsigned size = byteSize(param.type.element);
    if (argument.bits & (size - 1))
      return mismatch("argument '" + param.name + "' is misaligned: " +
                      valueText(argument.type, argument.bits) +
                      " is not a multiple of " + std::to_string(size) +
                      ", the size of its elements");
    unsigned kind = 0;
    if (argument.foreign && argument.bits &&
        device()->cuda()().pointerGetAttribute(&kind, PointerMemoryType,
                                               argument.bits))
      return mismatch("argument '" + param.name +
                      "' is not a pointer to memory of this GPU");
  }
  return {};
}

const KernelFamily::Check *
KernelFamily::findBroken(const Entry &entry,
                         const PlainArgument *arguments) const {
  for (const Check &check : entry.checks) {
    const PlainArgument &argument = arguments[check.param];
    if (!holds(check.requirement, argument.type, argument.bits))
      return &check;
  }
  return nullptr;
}

Result<size_t> KernelFamily::choose(const PlainArgument *arguments,
                                    size_t count, std::string *why) const {
  if (Status status = checkArguments(arguments, count); !status)
    return status.takeError();
  std::string passed;
  for (size_t i = 0; i < entries.size(); ++i) {
    const KernelInfo &info = entries[i].kernel.info();
    const Check *broken = findBroken(entries[i], arguments);
    if (!broken) {
      if (why)
        *why = "entry '" + info.entry + "' runs" +
               (passed.empty() ? "" : ", not " + passed);
      return i;
    }
    if (i + 1 == entries.size())
      return mismatch("argument '" + broken->requirement.name +
                      "' breaks what kernel '" + info.entry +
                      "' was compiled for: " + broken->requirement.str() +
                      "; compile it without that hint");
    if (why) {
      const PlainArgument &argument = arguments[broken->param];
      passed += (passed.empty() ? "'" : ", '") + info.entry +
                "', which needs " + broken->requirement.str() + " and got " +
                valueText(argument.type, argument.bits);
    }
  }
  return mismatch("the kernel has no entry");
}

//===-- Launch ---------------------------------------------------------------//

Result<TensorMap> KernelFamily::makeMap(const MapPlan &plan,
                                        const PlainArgument *arguments) const {
  TensorMapSpec spec = plan.spec;
  spec.address = arguments[plan.pointer].bits;
  auto read = [&](const Extent &extent) {
    if (!extent.param)
      return extent.value;
    const PlainArgument &argument = arguments[*extent.param];
    unsigned width = bitWidth(argument.type.element);
    return width == 64 ? argument.bits
                       : argument.bits & ((uint64_t(1) << width) - 1);
  };
  for (unsigned i = 0; i < spec.rank; ++i) {
    spec.shape[i] = read(plan.shape[i]);
    spec.strides[i] = read(plan.strides[i]);
  }
  return device()->tensorMaps().get(spec);
}

Result<uint64_t> KernelFamily::makeScratch(const HiddenPlan &plan,
                                           const Stream &stream) const {
  auto key = std::make_pair(&plan, stream.handle());
  auto found = scratch->buffers.find(key);
  if (found == scratch->buffers.end()) {
    Result<Buffer> buffer = Buffer::allocate(device(), plan.scratchBytes);
    if (!buffer)
      return buffer.takeError();
    found = scratch->buffers.emplace(key, std::move(*buffer)).first;
  }
  if (Status status = found->second.fillAsync(0, stream); !status)
    return status.takeError();
  return found->second.address();
}

Status KernelFamily::launchHidden(const Entry &entry,
                                  const PlainArgument *arguments,
                                  void **pointers, const Grid &grid,
                                  const Stream &stream) const {
  // Clearing the memory and the run that uses it must stay together.
  std::lock_guard<std::mutex> lock(scratch->mutex);
  std::vector<TensorMap> maps(entry.hidden.size());
  std::vector<uint64_t> addresses(entry.hidden.size());
  for (size_t i = 0; i < entry.hidden.size(); ++i) {
    const HiddenPlan &plan = entry.hidden[i];
    void *&pointer = pointers[entry.params.size() + i];
    if (plan.map) {
      Result<TensorMap> map = makeMap(*plan.map, arguments);
      if (!map)
        return map.takeError();
      maps[i] = *map;
      pointer = &maps[i];
      continue;
    }
    Result<uint64_t> address = makeScratch(plan, stream);
    if (!address)
      return address.takeError();
    addresses[i] = *address;
    pointer = &addresses[i];
  }
  return entry.kernel.launch(pointers, grid, stream);
}

Status KernelFamily::launch(const PlainArgument *arguments, size_t count,
                            const Grid &grid, const Stream &stream,
                            std::string *why) const {
  Result<size_t> chosen = choose(arguments, count, why);
  if (!chosen)
    return chosen.takeError();
  const Entry &entry = entries[*chosen];
  void *pointers[maxParams];
  for (size_t i = 0; i < entry.params.size(); ++i)
    pointers[i] = const_cast<uint64_t *>(&arguments[entry.params[i]].bits);
  if (entry.hidden.empty())
    return entry.kernel.launch(pointers, grid, stream);
  return launchHidden(entry, arguments, pointers, grid, stream);
}
