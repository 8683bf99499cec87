//===- LayoutText.cpp - Layouts as text -----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The body between `<` and `>` is the text of the attribute as well, so there
// is one grammar:
//   body    ::= list (`,` in-dim `=` `[` (list (`,` list)*)? `]`)*
//   list    ::= `[` (integer (`,` integer)*)? `]`
// The checks of what was read are in LinearLayout::get, for readers that have
// tokens instead of text.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/LinearLayout.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

using llvm::ArrayRef;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using llvm::Twine;

namespace tilec {

static constexpr StringRef inDimNames[numInDims] = {"register", "lane", "warp",
                                                    "block", "offset"};
static constexpr StringRef textPrefix = "#tilegpu.layout<";

StringRef stringifyInDim(InDim dim) { return inDimNames[unsigned(dim)]; }

std::optional<InDim> symbolizeInDim(StringRef name) {
  for (InDim dim : allInDims)
    if (stringifyInDim(dim) == name)
      return dim;
  return std::nullopt;
}

//===-- Checks ------------------------------------------------------------===//

/// `[1, 2]`, for messages.
template <typename T>
static std::string listText(ArrayRef<T> list) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(list, os);
  return text + "]";
}

/// Says why in `error`; always none.
static std::nullopt_t fail(std::string &error, const Twine &why) {
  error = why.str();
  return std::nullopt;
}

/// Log2 of every size.
static std::optional<LinearLayout::AxisBits> checkShape(ArrayRef<int64_t> shape,
                                                        std::string &error) {
  LinearLayout::AxisBits axisBits;
  unsigned total = 0;
  for (int64_t size : shape) {
    if (size <= 0 || !llvm::has_single_bit(uint64_t(size)))
      return fail(error, "expected layout sizes that are powers of two, got " +
                             Twine(size));
    axisBits.push_back(gf2::bitLength(size) - 1);
    total += axisBits.back();
    if (total > LinearLayout::maxOutBits)
      return fail(error, "expected a layout of at most 2^" +
                             Twine(LinearLayout::maxOutBits) +
                             " elements, got shape " + listText(shape));
  }
  return axisBits;
}

std::optional<LinearLayout> LinearLayout::get(ArrayRef<int64_t> shape,
                                              ArrayRef<NamedColumns> dims,
                                              std::string &error) {
  std::optional<AxisBits> axisBits = checkShape(shape, error);
  if (!axisBits)
    return std::nullopt;
  LinearLayout frame(*axisBits);
  Bases bases;
  std::array<bool, numInDims> given = {};
  unsigned total = 0;
  for (const NamedColumns &named : dims) {
    std::optional<InDim> dim = symbolizeInDim(named.name);
    if (!dim)
      return fail(error,
                  "unknown in-dim '" + named.name +
                      "', expected register, lane, warp, block or offset");
    if (given[unsigned(*dim)])
      return fail(error, "in-dim '" + named.name + "' given twice");
    given[unsigned(*dim)] = true;
    total += named.columns.size();
    if (total > maxInBits)
      return fail(error, "expected at most " + Twine(maxInBits) +
                             " basis vectors in all");
    for (const auto &column : named.columns) {
      bool fits = column.size() == shape.size();
      for (unsigned a = 0; fits && a < shape.size(); ++a)
        fits = column[a] >= 0 && column[a] < shape[a];
      if (!fits)
        return fail(error, "basis vector " +
                               listText(ArrayRef<int64_t>(column)) + " of '" +
                               named.name + "' does not fit the shape " +
                               listText(shape));
      Coords coords(column.begin(), column.end());
      bases[*dim].push_back(frame.flatten(coords));
    }
  }
  return LinearLayout(*axisBits, std::move(bases));
}

bool LinearLayout::verify(std::string &error) const {
  bool hardware = inBits() != bits(InDim::Offset);
  if (hardware && bits(InDim::Offset)) {
    error = "expected 'offset' alone: an image of shared memory has no other "
            "in-dim";
    return false;
  }
  if (!isSurjective()) {
    error = "expected a layout that holds every element of " +
            listText(ArrayRef<int64_t>(shape())) + ", got one that holds 2^" +
            std::to_string(matrixRank()) + " of 2^" + std::to_string(outBits());
    return false;
  }
  if (bits(InDim::Offset) && !isInjective()) {
    error = "expected an image of shared memory to hold every element once";
    return false;
  }
  return true;
}

//===-- Printing ----------------------------------------------------------===//

void LinearLayout::printBody(llvm::raw_ostream &os) const {
  auto printList = [&](const auto &list) {
    os << '[';
    llvm::interleaveComma(list, os);
    os << ']';
  };
  printList(shape());
  for (InDim dim : allInDims) {
    if (bases[dim].empty())
      continue;
    os << ", " << stringifyInDim(dim) << " = [";
    llvm::interleaveComma(
        bases[dim], os, [&](uint32_t column) { printList(unflatten(column)); });
    os << ']';
  }
}

void LinearLayout::print(llvm::raw_ostream &os) const {
  os << textPrefix;
  printBody(os);
  os << '>';
}

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const LinearLayout &l) {
  l.print(os);
  return os;
}

//===-- Parsing -----------------------------------------------------------===//

namespace {
/// Reads the grammar above from the front of a string. Functions return true
/// on success; the first failure fills `error`.
struct BodyParser {
  StringRef rest;
  std::string &error;

  /// Takes `token` if it comes next.
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  bool expect(StringRef token) {
    if (consume(token))
      return true;
    StringRef got = rest.take_front(8);
    error = ("expected '" + token + "' in layout, got " +
             (got.empty() ? "the end" : "'" + got.str() + "'"))
                .str();
    return false;
  }

  bool parseInteger(int64_t &value) {
    rest = rest.ltrim();
    StringRef start = rest;
    if (!rest.consumeInteger(10, value))
      return true;
    StringRef got = start.take_front(8);
    error = got.empty()
                ? "expected an integer in layout, got the end"
                : ("expected an integer in layout, got '" + got + "'").str();
    return false;
  }

  /// `[` (element (`,` element)*)? `]`
  template <typename Fn>
  bool parseList(Fn element) {
    if (!expect("["))
      return false;
    if (consume("]"))
      return true;
    do {
      if (!element())
        return false;
    } while (consume(","));
    return expect("]");
  }

  bool parseIntegers(SmallVectorImpl<int64_t> &values) {
    return parseList([&] { return parseInteger(values.emplace_back()); });
  }

  bool parseNamed(LinearLayout::NamedColumns &named) {
    rest = rest.ltrim();
    StringRef name = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; });
    rest = rest.drop_front(name.size());
    named.name = name.str();
    if (name.empty()) {
      error = "expected an in-dim of the layout: register, lane, warp, block "
              "or offset";
      return false;
    }
    return expect("=") && parseList([&] {
             return parseIntegers(named.columns.emplace_back());
           });
  }
};
} // namespace

std::optional<LinearLayout> LinearLayout::parseBody(StringRef body,
                                                    std::string &error) {
  BodyParser parser{body, error};
  llvm::SmallVector<int64_t, 4> shape;
  if (!parser.parseIntegers(shape))
    return std::nullopt;
  llvm::SmallVector<NamedColumns, 4> dims;
  while (parser.consume(","))
    if (!parser.parseNamed(dims.emplace_back()))
      return std::nullopt;
  if (!parser.rest.trim().empty())
    return fail(error, "expected ',' or the end of the layout, got '" +
                           parser.rest.trim().take_front(8) + "'");
  return get(shape, dims, error);
}

std::optional<LinearLayout> LinearLayout::parse(StringRef text,
                                                std::string &error) {
  text = text.trim();
  if (!text.consume_front(textPrefix) || !text.consume_back(">"))
    return fail(error, "expected #tilegpu.layout<...>");
  return parseBody(text, error);
}

} // namespace tilec
