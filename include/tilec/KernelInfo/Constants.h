//===- Constants.h - values that are part of compiled code ------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// An argument may be given for what the code has compiled in: then its value
// must be that one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNELINFO_CONSTANTS_H
#define TILEC_KERNELINFO_CONSTANTS_H

#include "tilec/KernelInfo/KernelInfo.h"

namespace tilec {

/// The value of an argument for messages: a decimal number, or an address in
/// hexadecimal.
std::string valueText(ParamType type, uint64_t bits);

/// Whether an argument has the value of a constant: numbers by their value, a
/// float as the constant in its precision, and None as a null pointer.
bool isEqual(const json::Value &constant, ParamType type, uint64_t bits);

/// Checks an argument for a constant that is compiled into a kernel. The error,
/// a mismatch, names both values.
Status checkConstant(const NamedConstant &constant, const std::string &kernel,
                     ParamType type, uint64_t bits);

} // namespace tilec

#endif // TILEC_KERNELINFO_CONSTANTS_H
