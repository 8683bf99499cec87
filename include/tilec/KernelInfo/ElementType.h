//===- ElementType.h - names, sizes and number formats ----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The element types that kernels work on, by the table ElementTypes.def, and
// the exact conversion between their bit patterns and double.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNELINFO_ELEMENTTYPE_H
#define TILEC_KERNELINFO_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilec {

/// The type of one element of a buffer, or of a scalar argument.
enum class ElementType : uint8_t {
#define TILEC_ELEMENT_TYPE(Enum, triton, short, bits, bytes, kind, npy) Enum,
#include "tilec/KernelInfo/ElementTypes.def"
};

/// How the bits of an element are read.
enum class ElementKind : uint8_t { Int, UInt, Float };

/// The type that `name` spells in any notation, or none.
std::optional<ElementType> parseElementType(std::string_view name);

/// The name in the metadata (`fp32`).
std::string_view tritonName(ElementType type);
/// The name in `.tile` files and messages (`f32`).
std::string_view shortName(ElementType type);
/// The type code in `.npy` files (`f4`), that of the bit pattern for bf16, fp8.
std::string_view npyCode(ElementType type);
/// Every short name, for messages: "i1, i8, ...".
std::string allElementTypeNames();

unsigned bitWidth(ElementType type);
unsigned byteSize(ElementType type);
ElementKind elementKind(ElementType type);
inline bool isFloat(ElementType type) {
  return elementKind(type) == ElementKind::Float;
}

/// The type of a kernel parameter: a scalar, or a pointer to elements.
struct ParamType {
  ElementType element = ElementType::I32;
  bool isPointer = false;
  bool isConst = false; ///< `*kfp32`: the kernel only reads through it

  /// Bytes that it takes as a kernel argument.
  unsigned argumentSize() const { return isPointer ? 8 : byteSize(element); }
  /// The metadata's notation: `fp32`, `*fp32`, `*kfp32`.
  std::string str() const;
};

/// Reads `fp32`, `*fp32`, `*kfp32` and the same with any name of the element.
std::optional<ParamType> parseParamType(std::string_view text);

//===-- Number formats -------------------------------------------------------//

/// The bit pattern of `value` in a float type: rounded once to nearest even.
/// fp8 saturates at its largest finite value (infinities too), the others
/// overflow to infinity; NaN stays NaN.
uint64_t encodeFloat(ElementType type, double value);
/// The value of a bit pattern of a float type; exact.
double decodeFloat(ElementType type, uint64_t bits);

uint16_t floatToBF16(float value);
float bf16ToFloat(uint16_t bits);
uint16_t floatToFP16(float value);
float fp16ToFloat(uint16_t bits);
uint8_t floatToFP8E4NV(float value);
float fp8E4NVToFloat(uint8_t bits);
uint8_t floatToFP8E5(float value);
float fp8E5ToFloat(uint8_t bits);

} // namespace tilec

#endif // TILEC_KERNELINFO_ELEMENTTYPE_H
