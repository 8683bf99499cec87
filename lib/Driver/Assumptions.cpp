//===- Assumptions.cpp - what a user says of sizes ------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Assumptions.h"

#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Driver/ArgumentValues.h"
#include "tilec/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"

using namespace tilec;
using namespace mlir;

/// No bound is beyond, so that sums of two fit 64 bits.
static constexpr int64_t kMostBound = int64_t(1) << 61;

/// Takes a number off the front of a text.
static std::optional<int64_t> takeNumber(StringRef &text) {
  text = text.ltrim();
  int64_t number = 0;
  unsigned radix = text.starts_with_insensitive("0x") ? 16 : 10;
  if (radix == 16)
    text = text.drop_front(2);
  if (text.empty() || text.consumeInteger(radix, number) || number < 0)
    return std::nullopt;
  text = text.ltrim();
  return number;
}

/// Takes a number or a power, up to 2^61.
static std::optional<int64_t> takePower(StringRef &text) {
  std::optional<int64_t> base = takeNumber(text);
  if (!base || *base > kMostBound)
    return std::nullopt;
  if (!text.consume_front("**") && !text.consume_front("^"))
    return base;
  std::optional<int64_t> exponent = takeNumber(text);
  if (!exponent || (*exponent > 62 && *base > 1))
    return std::nullopt;
  int64_t power = 1;
  for (int64_t i = 0, n = std::min<int64_t>(*exponent, 62); i < n; ++i)
    if (__builtin_mul_overflow(power, *base, &power) || power > kMostBound)
      return std::nullopt;
  return power;
}

/// A sum or difference of numbers and powers; all of the text.
static std::optional<int64_t> readBound(StringRef text) {
  bool isNegative = text.ltrim().consume_front("-");
  if (isNegative)
    text = text.ltrim().drop_front();
  std::optional<int64_t> sum = takePower(text);
  if (sum && isNegative)
    sum = -*sum;
  while (sum && !text.empty()) {
    bool subtracts = text.consume_front("-");
    if (!subtracts && !text.consume_front("+"))
      return std::nullopt;
    std::optional<int64_t> next = takePower(text);
    if (!next)
      return std::nullopt;
    *sum += subtracts ? -*next : *next;
    if (*sum > kMostBound || *sum < -kMostBound)
      return std::nullopt;
  }
  return sum;
}

/// Reads one assumption.
static Result<Assumption> parseAssumption(std::string_view view) {
  StringRef text = view;
  Error error{"expected NAME<NUMBER, NAME<=NUMBER or NAME==NUMBER, as in "
              "n<2^31, got '" +
              text.str() + "'"};
  size_t at = text.find_first_of("<=>");
  if (at == StringRef::npos)
    return error;
  StringRef name = text.take_front(at).trim(), rest = text.drop_front(at);
  bool isEqual = rest.consume_front("=="), isWithin = rest.consume_front("<=");
  if (!isArgumentName(name) ||
      (!isEqual && !isWithin && !rest.consume_front("<")))
    return error;
  std::optional<int64_t> bound = readBound(rest);
  if (!bound)
    return error;
  Assumption assumption;
  assumption.name = name.str();
  assumption.high = isEqual || isWithin ? *bound : *bound - 1;
  assumption.low = isEqual ? *bound : std::min<int64_t>(0, assumption.high);
  return assumption;
}

Status tilec::addAssumption(std::string_view text,
                            std::vector<Assumption> &assumptions) {
  Result<Assumption> assumption = parseAssumption(text);
  if (!assumption)
    return assumption.takeError();
  assumptions.push_back(std::move(*assumption));
  return {};
}

Status tilec::checkAssumptions(ModuleOp module,
                               ArrayRef<Assumption> assumptions,
                               Warnings &warnings) {
  if (assumptions.empty() || findPhase(module) != Phase::Tile)
    return {};
  // Helpers are inlined in a copy.
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext());
  buildTilePipeline(passes);
  if (failed(passes.run(*copy)))
    return {}; // who compiles the module says so
  SmallVector<func::FuncOp> kernels;
  for (func::FuncOp function : copy->getOps<func::FuncOp>())
    if (function->hasAttr(tile::kKernelAttr))
      kernels.push_back(function);
  for (const Assumption &assumption : assumptions)
    if (llvm::none_of(kernels, [&](func::FuncOp kernel) {
          return isAbout(assumption, kernel);
        }))
      return Error{"option '--assume': no kernel has an integer argument '" +
                   assumption.name +
                   "'; pid0, pid1 and pid2 are the numbers of a program"};
  for (func::FuncOp kernel : kernels)
    warnOfOverflow(kernel, assumptions, warnings);
  return {};
}
