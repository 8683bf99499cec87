//===- JsonArray.h - lists as JSON ------------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REPORT_JSONARRAY_H
#define TILEC_LIB_REPORT_JSONARRAY_H

#include "tilec/KernelInfo/Json.h"

namespace tilec {

/// An array of what `convert` makes of each element.
template <typename List, typename Convert>
json::Value arrayOf(const List &list, Convert convert) {
  json::Value array = json::Value::array();
  for (const auto &element : list)
    array.push(convert(element));
  return array;
}

/// An array of numbers.
template <typename Numbers>
json::Value arrayOf(const Numbers &numbers) {
  return arrayOf(numbers, [](int64_t number) { return json::Value(number); });
}

} // namespace tilec

#endif // TILEC_LIB_REPORT_JSONARRAY_H
