//===- Table.cpp - rows of text in columns --------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include "llvm/Support/FormatVariadic.h"

std::string tilec::alignRows(const TableRows &rows, unsigned indent) {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto &row : rows) {
    text.append(indent, ' ');
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      text += i ? "  " + padding + row[i] : row[i] + padding;
    }
    text += "\n";
  }
  return text;
}

std::string tilec::percent(double part, double whole) {
  return llvm::formatv("{0:F1}%", whole > 0 ? 100 * part / whole : 0.0);
}
