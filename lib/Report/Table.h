//===- Table.h - rows of text in columns ------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REPORT_TABLE_H
#define TILEC_LIB_REPORT_TABLE_H

#include <string>
#include <vector>

namespace tilec {

using TableRows = std::vector<std::vector<std::string>>;

/// Rows as text: the first column to the left, the others to the right. Each
/// line starts with `indent` spaces.
std::string alignRows(const TableRows &rows, unsigned indent = 0);

/// A share of a whole in percent.
std::string percent(double part, double whole);

} // namespace tilec

#endif // TILEC_LIB_REPORT_TABLE_H
