//===- Types.cpp - types of the language ----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Names and promotion. The order of the rules in `promote` decides results, so
// it follows the language's definition step by step.
//
//===----------------------------------------------------------------------===//

#include "Types.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/Twine.h"

using namespace tilec::frontend;
using llvm::StringRef;

namespace {
/// A row of Types.def.
struct DTypeInfo {
  StringRef name, signature, shortName, longName;
  unsigned bits, kind;
  bool isSigned;
};
} // namespace

static const DTypeInfo dtypes[] = {
#define TILEC_DTYPE(ID, NAME, SIGNATURE, SHORT, LONG, BITS, KIND, SIGNED)      \
  {NAME, SIGNATURE, SHORT, LONG, BITS, KIND, SIGNED},
#include "Types.def"
};

/// The row of a type.
static const DTypeInfo &info(DType dtype) {
  return dtypes[static_cast<unsigned>(dtype)];
}

bool ElemType::isSigned() const { return !pointers && info(dtype).isSigned; }

unsigned ElemType::bits() const { return pointers ? 64 : info(dtype).bits; }

unsigned ElemType::kind() const { return info(dtype).kind; }

ElemType ElemType::pointee() const {
  ElemType type = *this;
  --type.pointers;
  type.isConst = false;
  return type;
}

ElemType ElemType::pointerTo(bool toConst) const {
  ElemType type = *this;
  ++type.pointers;
  type.isConst = toConst;
  return type;
}

std::string ElemType::name() const {
  return std::string(pointers, '*') + info(dtype).name.str();
}

std::string ElemType::signature() const {
  std::string text(pointers, '*');
  if (isConst)
    text.insert(1, "k");
  return text + info(dtype).signature.str();
}

mlir::Type ElemType::mlirType(mlir::MLIRContext *context) const {
  if (pointers) {
    ElemType element = pointee();
    if (element.isBool())
      element = DType::I8;
    return tile::PtrType::get(context, element.mlirType(context));
  }
  switch (dtype) {
  case DType::F8E4M3:
    return mlir::Float8E4M3FNType::get(context);
  case DType::F8E5M2:
    return mlir::Float8E5M2Type::get(context);
  case DType::F16:
    return mlir::Float16Type::get(context);
  case DType::BF16:
    return mlir::BFloat16Type::get(context);
  case DType::F32:
    return mlir::Float32Type::get(context);
  case DType::F64:
    return mlir::Float64Type::get(context);
  default:
    return mlir::IntegerType::get(context, bits());
  }
}

std::optional<DType> tilec::frontend::dtypeNamed(StringRef name) {
  for (auto [index, row] : llvm::enumerate(dtypes))
    if (name == row.name || name == row.signature || name == row.shortName ||
        name == row.longName)
      return static_cast<DType>(index);
  if (name == "u1" || name == "bool")
    return DType::I1;
  if (name == "float8e4m3fn" || name == "f8e4m3fn")
    return DType::F8E4M3;
  return std::nullopt;
}

StringRef tilec::frontend::dtypeName(DType dtype) { return info(dtype).name; }

std::vector<StringRef> tilec::frontend::dtypeNames() {
  std::vector<StringRef> names;
  for (const DTypeInfo &row : dtypes)
    llvm::append_range(
        names, std::initializer_list<StringRef>{row.name, row.signature,
                                                row.shortName, row.longName});
  return names;
}

std::string tilec::frontend::otherMakersType(StringRef name) {
  name.consume_front("*");
  for (auto [type, use] : {std::pair("8e4b8", "8e4nv"), {"8e5b16", "8e5"}})
    for (StringRef prefix : {"fp", "float"})
      if (name == (prefix + type).str())
        return ("'" + name + "' is a type of AMD's GPUs; use " + prefix + use)
            .str();
  return "";
}

std::optional<ElemType> tilec::frontend::parseElemType(StringRef text) {
  text = text.trim();
  if (text.consume_front("pointer<")) {
    if (!text.consume_back(">"))
      return std::nullopt;
    std::optional<ElemType> element = parseElemType(text);
    return element && element->pointers < 4
               ? std::optional(element->pointerTo())
               : std::nullopt;
  }
  if (text.consume_front("*")) {
    bool isConst = text.starts_with("k") && !dtypeNamed(text);
    if (isConst)
      text = text.drop_front();
    std::optional<ElemType> element = parseElemType(text);
    return element && element->pointers < 4
               ? std::optional(element->pointerTo(isConst))
               : std::nullopt;
  }
  if (std::optional<DType> dtype = dtypeNamed(text))
    return ElemType(*dtype);
  return std::nullopt;
}

DType tilec::frontend::promoteIntegers(DType a, DType b) {
  unsigned aBits = info(a).bits, bBits = info(b).bits;
  if (info(a).isSigned == info(b).isSigned)
    return aBits > bBits ? a : b;
  DType isUnsigned = info(a).isSigned ? b : a;
  DType isSigned = info(a).isSigned ? a : b;
  return info(isUnsigned).bits >= info(isSigned).bits ? isUnsigned : isSigned;
}

std::optional<ElemType> tilec::frontend::promote(ElemType a, bool aIsScalar,
                                                 ElemType b, bool bIsScalar,
                                                 bool isDivision,
                                                 std::string &error) {
  for (ElemType type : {a, b})
    if (type.isStorageOnly()) {
      error = type.name() + " has conversions only; cast it with .to(float16)";
      return std::nullopt;
    }
  auto narrowFloat = [](ElemType t) {
    return t.dtype == DType::F16 || t.dtype == DType::BF16;
  };
  if (aIsScalar != bIsScalar) {
    ElemType scalar = aIsScalar ? a : b, tensor = aIsScalar ? b : a;
    if (scalar.kind() <= tensor.kind())
      return isDivision && narrowFloat(tensor) ? ElemType(DType::F32) : tensor;
  }
  auto either = [&](DType t) { return a.dtype == t || b.dtype == t; };
  if (either(DType::F64))
    return ElemType(DType::F64);
  if (either(DType::F32))
    return ElemType(DType::F32);
  if (either(DType::F16))
    return ElemType(isDivision ? DType::F32 : DType::F16);
  if (a.dtype == DType::BF16 && b.dtype == DType::BF16)
    return ElemType(isDivision ? DType::F32 : DType::BF16);
  if (either(DType::BF16))
    return ElemType(DType::F32);
  if (a.isFP8() && b.isFP8())
    return a == b ? a : ElemType(DType::F16);
  if (!a.isInt() || !b.isInt()) {
    error = ("no common type for " + llvm::Twine(a.name()) + " and " +
             b.name() + "; cast one of them with .to()")
                .str();
    return std::nullopt;
  }
  if (isDivision && a.isSigned() != b.isSigned()) {
    error = ("cannot divide " + llvm::Twine(a.name()) + " and " + b.name() +
             ", one signed and one unsigned; cast one of them with .to()")
                .str();
    return std::nullopt;
  }
  return ElemType(promoteIntegers(a.dtype, b.dtype));
}

std::string tilec::frontend::describeShape(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string tilec::frontend::describeType(ElemType type,
                                          llvm::ArrayRef<int64_t> shape) {
  return shape.empty() ? type.name() : type.name() + describeShape(shape);
}
