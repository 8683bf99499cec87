//===- FormatText.h - what follows ':' in an f-string -----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_FORMATTEXT_H
#define TILEC_LIB_FRONTEND_FORMATTEXT_H

#include "Value.h"

namespace tilec::frontend {

/// The text of a constant by Python's format specification,
/// `[[fill]align][sign][#][0][width][.precision][type]`; null with the reason
/// where there is none.
std::optional<std::string> formatValue(const Val &value, StringRef format,
                                       std::string &error);

/// The text of a constant as `str()` gives it.
std::string plainText(const Val &value);

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_FORMATTEXT_H
