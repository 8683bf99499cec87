//===- KernelArguments.cpp - kernels and arguments in tile IR -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/KernelArguments.h"

#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/KernelInfo/Constants.h"
#include "tilec/Pipelines/Constants.h"

using namespace tilec;
using namespace mlir;

Result<func::FuncOp> tilec::findKernel(ModuleOp module, const std::string &name,
                                       const std::string &file) {
  std::string names;
  unsigned count = 0;
  func::FuncOp only;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(tile::kKernelAttr))
      continue;
    if (function.getName() == name)
      return function;
    only = function;
    names += (count++ ? ", '" : "'") + function.getName().str() + "'";
  }
  if (name.empty() && count == 1)
    return only;
  if (!count)
    return Error{"'" + file +
                 "' holds the IR of a later phase than the interpreter runs"};
  if (name.empty())
    return Error{"'" + file +
                 "' has several kernels, choose one with --kernel: " + names};
  return Error{"'" + file + "' has no kernel '" + name + "', only " + names};
}

std::optional<ParamType> tilec::argumentType(func::FuncOp kernel,
                                             unsigned index) {
  if (auto text = kernel.getArgAttrOfType<StringAttr>(index, tile::kTypeAttr))
    return parseParamType(text.getValue().split(':').first);
  ParamType result;
  Type type = kernel.getArgumentTypes()[index];
  if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    result.isPointer = true;
    type = pointer.getPointee();
  }
  std::string name;
  llvm::raw_string_ostream(name) << type;
  std::optional<ElementType> element = parseElementType(name);
  if (!element)
    return std::nullopt;
  result.element = *element;
  return result;
}

std::string tilec::argumentName(func::FuncOp kernel, unsigned index) {
  if (auto name = kernel.getArgAttrOfType<StringAttr>(index, tile::kNameAttr))
    return name.str();
  return "arg" + std::to_string(index);
}

std::optional<NamedConstant> tilec::findConstant(func::FuncOp kernel,
                                                 llvm::StringRef name) {
  for (llvm::StringRef list : {tile::kConstantsAttr, tile::kFoldedAttr})
    for (NamedConstant &constant : readConstants(kernel, list))
      if (constant.name == name)
        return std::move(constant);
  return std::nullopt;
}

ArgumentValue *tilec::findValue(std::vector<ArgumentValue> &values,
                                llvm::StringRef name) {
  for (ArgumentValue &value : values)
    if (value.name == name)
      return &value;
  return nullptr;
}

void tilec::addDescriptorValues(func::FuncOp kernel,
                                std::vector<ArgumentValue> &values) {
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    std::string name = argumentName(kernel, i);
    for (bool isShape : {true, false}) {
      auto [base, axisText] =
          llvm::StringRef(name).split(isShape ? ".shape." : ".stride.");
      size_t axis = 0;
      ArgumentValue *value = findValue(values, base);
      if (axisText.getAsInteger(10, axis) || findValue(values, name) ||
          !value || !value->array() || axis >= value->array()->shape.size())
        continue;
      llvm::ArrayRef<int64_t> shape = value->array()->shape;
      uint64_t number = 1;
      for (int64_t size :
           isShape ? shape.slice(axis, 1) : shape.drop_front(axis + 1))
        number *= size;
      Number known;
      known.kind = Number::Kind::Int;
      known.magnitude = number;
      ArgumentValue added;
      added.name = name;
      added.value = known;
      values.push_back(std::move(added));
    }
  }
}

Status tilec::checkConstant(const NamedConstant &constant,
                            const std::string &kernel,
                            const ArgumentValue &value) {
  const Number *number = value.number();
  if (!number)
    return Error{"argument '" + constant.name + "' is an array, kernel '" +
                 kernel + "' has it as a constant"};
  ParamType type = {number->naturalType(), false, false};
  Result<uint64_t> bits = encodeNumber(*number, type.element);
  if (!bits)
    return bits.takeError();
  return checkConstant(constant, kernel, type, *bits);
}
