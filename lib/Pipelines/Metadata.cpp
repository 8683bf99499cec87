//===- Metadata.cpp - what the IR says about its kernels ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads the attributes of the tile, tilegpu and nvvm dialects on a kernel into
// the record that the PTX file carries.
//
//===----------------------------------------------------------------------===//

#include "Metadata.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilec/Dialect/Tile/Transforms/Specialize.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "tilec/Pipelines/Constants.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

//===-- Types -------------------------------------------------------------===//

/// A type in Triton's notation, as far as the IR tells it: integers have no
/// sign there, so they count as signed. Empty for a type that no parameter has.
static std::string typeName(Type type) {
  if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    std::string element = typeName(pointer.getPointee());
    return element.empty() ? "" : "*" + element;
  }
  if (isa<LLVM::LLVMPointerType>(type))
    return "*i8"; // what it points to is gone
  if (type.isInteger())
    return "i" + std::to_string(type.getIntOrFloatBitWidth());
  return TypeSwitch<Type, std::string>(type)
      .Case([](Float16Type) { return "fp16"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float32Type) { return "fp32"; })
      .Case([](Float64Type) { return "fp64"; })
      .Case([](Float8E4M3FNType) { return "fp8e4nv"; })
      .Case([](Float8E5M2Type) { return "fp8e5"; })
      .Default([](Type) { return ""; });
}

void tilec::nameParameters(ModuleOp module) {
  Builder builder(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(tile::kKernelAttr))
      continue;
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
      if (!function.getArgAttr(index, tile::kNameAttr))
        function.setArgAttr(index, tile::kNameAttr,
                            builder.getStringAttr("arg" + Twine(index)));
      std::string name = typeName(type);
      if (!name.empty() && !function.getArgAttr(index, tile::kTypeAttr))
        function.setArgAttr(index, tile::kTypeAttr,
                            builder.getStringAttr(name));
    }
  }
}

//===-- Values ------------------------------------------------------------===//

/// A compile-time value as JSON; what JSON lacks is written as text.
static json::Value toJson(Attribute value) {
  return TypeSwitch<Attribute, json::Value>(value)
      .Case([](BoolAttr b) { return json::Value(b.getValue()); })
      .Case([](IntegerAttr i) {
        SmallString<24> digits;
        i.getValue().toString(digits, 10, !i.getType().isUnsignedInteger());
        return json::Value::number(digits.str().str());
      })
      .Case([](FloatAttr f) { return json::Value(f.getValueAsDouble()); })
      .Case([](StringAttr s) { return json::Value(s.getValue().str()); })
      .Case([](UnitAttr) { return json::Value(); })
      .Case([](ArrayAttr a) {
        json::Value array = json::Value::array();
        for (Attribute element : a)
          array.push(toJson(element));
        return array;
      })
      .Default([](Attribute other) {
        std::string text;
        llvm::raw_string_ostream(text) << other;
        return json::Value(text);
      });
}

std::vector<NamedConstant> tilec::readConstants(Operation *kernel,
                                                StringRef attribute) {
  std::vector<NamedConstant> constants;
  if (auto values = kernel->getAttrOfType<DictionaryAttr>(attribute))
    for (NamedAttribute value : values)
      constants.push_back({value.getName().str(), ::toJson(value.getValue())});
  return constants;
}

/// The numbers of an integer array of the function, such as `nvvm.reqntid`.
static std::array<unsigned, 3> readTriple(Operation *function, StringRef name) {
  std::array<unsigned, 3> triple = {1, 1, 1};
  if (auto values = function->getAttrOfType<DenseI32ArrayAttr>(name))
    for (auto [i, value] : llvm::enumerate(values.asArrayRef().take_front(3)))
      triple[i] = value;
  return triple;
}

/// An integer attribute of the function, or `otherwise`.
static int64_t readInt(Operation *function, StringRef name, int64_t otherwise) {
  auto value = function->getAttrOfType<IntegerAttr>(name);
  return value ? value.getInt() : otherwise;
}

/// `kernel.tile:4`.
static std::string readSource(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "";
  return place.getFilename().str() + ":" + std::to_string(place.getLine());
}

//===-- Kernels -----------------------------------------------------------===//

/// One parameter; adds what its value must fulfil to the kernel's requirements.
static ParamInfo readParameter(LLVM::LLVMFuncOp function, unsigned index,
                               KernelInfo &info) {
  ParamInfo param;
  auto name = function.getArgAttrOfType<StringAttr>(index, tile::kNameAttr);
  auto type = function.getArgAttrOfType<StringAttr>(index, tile::kTypeAttr);
  param.name = name ? name.str() : "arg" + std::to_string(index);
  std::optional<ParamType> read = parseParamType(
      type ? type.str() : typeName(function.getArgumentTypes()[index]));
  if (read)
    param.type = *read;
  auto divisor =
      function.getArgAttrOfType<IntegerAttr>(index, tile::kDivisibilityAttr);
  if (divisor && divisor.getInt() > 1) {
    param.align = divisor.getInt();
    info.requirements.push_back({param.name, divisor.getInt(), 0});
  }
  return param;
}

std::vector<KernelInfo> tilec::collectKernelInfo(ModuleOp module,
                                                 unsigned numStages) {
  std::vector<KernelInfo> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr("nvvm.kernel"))
      continue;
    KernelInfo info;
    info.kernel = info.entry = function.getName().str();
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      info.params.push_back(readParameter(function, i, info));
    if (auto base =
            function->getAttrOfType<StringAttr>(tile::kSpecializationOfAttr))
      info.kernel = base.str();
    info.constants = readConstants(function, tile::kConstantsAttr);
    info.folded = readConstants(function, tile::kFoldedAttr);
    // What is left out of a version must have its value when that is chosen.
    if (info.kernel != info.entry)
      for (const NamedConstant &constant : info.folded)
        if (std::optional<int64_t> value = constant.value.asInt())
          info.requirements.push_back({constant.name, 0, *value});
    std::array<unsigned, 3> block = readTriple(function, "nvvm.reqntid");
    info.threads = block[0] * block[1] * block[2];
    info.numWarps =
        readInt(function, tilegpu::kNumWarpsAttr, (info.threads + 31) / 32);
    info.numStages =
        numStages ? numStages : readInt(function, tile::kNumStagesAttr, 3);
    info.cluster = readTriple(function, "nvvm.cluster_dim");
    info.dynamicShared = readInt(function, tilegpu::kSharedAttr, 0);
    info.source = readSource(function.getLoc());
    kernels.push_back(std::move(info));
  }
  return kernels;
}

void tilec::dropParameterAttributes(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      for (StringRef name :
           {tile::kNameAttr, tile::kTypeAttr, tile::kDivisibilityAttr})
        function.removeArgAttr(i, name);
}
