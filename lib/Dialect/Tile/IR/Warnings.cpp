//===- Warnings.cpp - what a kernel's author is warned of -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Warnings.h"
#include "mlir/IR/Diagnostics.h"
#include "tilec/Dialect/Tile/IR/Source.h"

using namespace mlir;
using namespace tilec;

namespace {
/// What the table says of a warning.
struct Row {
  llvm::StringLiteral name;
  bool isOn;
  llvm::StringLiteral help;
};
} // namespace

static constexpr Row rows[] = {
#define TILEC_WARNING(ID, NAME, IS_ON, HELP) {NAME, IS_ON, HELP},
#include "tilec/Dialect/Tile/IR/Warnings.def"
};

WarningOptions::WarningOptions() {
  for (auto [index, row] : llvm::enumerate(rows))
    enabled[index] = row.isOn;
}

/// The sentence for a name that is in no row, with the nearest one.
static std::string unknownWarning(StringRef name) {
  name = name.take_front(40);
  std::string text = ("unknown warning '" + name + "'").str();
  const Row *nearest = nullptr;
  unsigned distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const Row &row : rows)
    if (unsigned d = name.edit_distance(row.name); d < distance) {
      distance = d;
      nearest = &row;
    }
  return nearest ? text + ", did you mean '" + nearest->name.str() + "'?"
                 : text + ", see --help";
}

std::string WarningOptions::set(StringRef text) {
  bool isOn = !text.consume_front("no-");
  if (text == "error") {
    errors = isOn ? ~std::bitset<kNumWarnings>() : std::bitset<kNumWarnings>();
    return "";
  }
  if (text == "all") {
    enabled = isOn ? ~std::bitset<kNumWarnings>() : std::bitset<kNumWarnings>();
    return "";
  }
  bool isError = text.consume_front("error=");
  const Row *row = llvm::find_if(
      rows, [&](const Row &candidate) { return candidate.name == text; });
  if (row == std::end(rows))
    return unknownWarning(text);
  unsigned index = row - rows;
  if (isError)
    errors[index] = isOn;
  if (!isError || isOn)
    enabled[index] = isOn;
  return "";
}

std::string tilec::describeWarnings() {
  std::string text;
  for (const Row &row : rows) {
    std::string left = ("  " + row.name + (row.isOn ? " (on)" : "")).str();
    left.resize(std::max<size_t>(left.size() + 1, 29), ' ');
    text += left + row.help.str() + "\n";
  }
  return text;
}

void Warnings::report(Warning warning, Location loc, const Twine &text,
                      ArrayRef<Note> notes) {
  if (!isEnabled(warning))
    return;
  FileLineColLoc place = tile::findPlace(loc);
  Attribute key = place ? Attribute(place) : Attribute(loc);
  if (!reported.insert({key, unsigned(warning)}).second)
    return;
  bool isError = options.isError(warning);
  anyError |= isError;
  InFlightDiagnostic diagnostic = tile::emitAtPlace(
      loc, isError ? DiagnosticSeverity::Error : DiagnosticSeverity::Warning);
  diagnostic << text << (isError ? " [-Werror=" : " [-W")
             << rows[unsigned(warning)].name << "]";
  for (auto [where, what] : notes)
    tile::attachNote(diagnostic, where) << what;
  tile::attachCalls(diagnostic, loc);
}
