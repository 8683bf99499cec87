//===- GoldenTest.cpp - Plans against recorded answers --------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// golden.jsonl holds one case per line: layouts as text, and the plan that an
// independent implementation of the algebra found. Images and matrices must
// agree column by column, not only in cost: the order of choices is part of
// what is specified.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Access.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Reduction.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace tilec;
namespace json = llvm::json;

/// A layout under a key of a case.
static LinearLayout layoutAt(const json::Object &object, llvm::StringRef key) {
  std::string error;
  auto text = object.getString(key);
  std::optional<LinearLayout> layout =
      LinearLayout::parse(text ? *text : "", error);
  EXPECT_TRUE(layout) << key.str() << ": " << error;
  return layout ? *layout : LinearLayout();
}

/// A list of integers under a key of a case.
static Vectors vectorsAt(const json::Object &object, llvm::StringRef key) {
  Vectors result;
  const json::Array *array = object.getArray(key);
  EXPECT_TRUE(array) << key.str();
  if (array)
    for (const json::Value &value : *array)
      result.push_back(*value.getAsInteger());
  return result;
}

/// A number under a key of a case.
static int64_t numberAt(const json::Object &object, llvm::StringRef key) {
  auto value = object.getInteger(key);
  EXPECT_TRUE(value) << key.str();
  return value ? *value : 0;
}

/// Checks one side of a plan against [kind, instructions, wavefronts].
static void checkAccess(const Access &access, const json::Array &want) {
  EXPECT_EQ(stringifyAccessKind(access.kind), *want[0].getAsString());
  EXPECT_EQ(int64_t(access.instructions), *want[1].getAsInteger());
  EXPECT_EQ(int64_t(access.wavefronts()), *want[2].getAsInteger());
}

/// Checks a conversion, the copies and the inverse of its source.
static void checkConversion(const json::Object &want) {
  LinearLayout a = layoutAt(want, "a"), b = layoutAt(want, "b");
  Conversion got = conversion(a, b, numberAt(want, "bits"));
  EXPECT_EQ(stringifyConversionKind(got.kind), *want.getString("kind"));
  HardwareIndex freeBits = a.freeMasks();
  for (const auto &[name, mask] : *want.getObject("free_a"))
    EXPECT_EQ(freeBits[*symbolizeInDim(name)], *mask.getAsInteger());
  EXPECT_EQ(a.inverse(), vectorsAt(want, "inverse_a"));
  if (want.get("image")) {
    ASSERT_TRUE(got.shared);
    EXPECT_EQ(got.shared->image.str(), *want.getString("image"));
    checkAccess(got.shared->store, *want.getArray("store"));
    checkAccess(got.shared->load, *want.getArray("load"));
    EXPECT_EQ(int64_t(got.bytes), numberAt(want, "bytes"));
  }
  if (want.get("shuffles")) {
    ASSERT_TRUE(got.exchange);
    const Exchange &plan = *got.exchange;
    EXPECT_EQ(int64_t(plan.shuffles), numberAt(want, "shuffles"));
    EXPECT_EQ(int64_t(plan.selects), numberAt(want, "selects"));
    EXPECT_EQ(plan.N, vectorsAt(want, "N"));
    EXPECT_EQ(plan.T, vectorsAt(want, "T"));
    EXPECT_EQ(plan.Lam, vectorsAt(want, "Lam"));
    EXPECT_EQ(plan.P, vectorsAt(want, "P"));
    EXPECT_EQ(plan.D, vectorsAt(want, "D"));
    EXPECT_EQ(int64_t(plan.sub.size()), numberAt(want, "sub"));
  }
}

/// Checks a reduction with and without splitting.
static void checkReduction(const json::Object &want) {
  auto got = reduction(layoutAt(want, "a"), numberAt(want, "axis"));
  ASSERT_TRUE(got);
  EXPECT_EQ(int64_t(got->shuffles), numberAt(want, "shuffles"));
  EXPECT_EQ(int64_t(got->split.shuffles), numberAt(want, "split"));
  EXPECT_EQ(got->result, layoutAt(want, "result"));
  EXPECT_EQ(got->split.result, layoutAt(want, "split_result"));
  EXPECT_EQ(int64_t(got->sharedBytes), numberAt(want, "shared_bytes"));
}

/// Checks the vector and the sectors of a global access.
static void checkGlobalAccess(const json::Object &want) {
  LinearLayout a = layoutAt(want, "a");
  unsigned bits = numberAt(want, "bits");
  llvm::SmallVector<unsigned> order;
  for (uint32_t axis : vectorsAt(want, "order"))
    order.push_back(axis);
  EXPECT_EQ(globalAccess(a, order, bits).elements, numberAt(want, "elements"));
  EXPECT_EQ(sectors(a, order, bits), numberAt(want, "sectors"));
}

TEST(Golden, EveryCase) {
  auto buffer = llvm::MemoryBuffer::getFile(TILEC_LAYOUT_GOLDEN);
  ASSERT_TRUE(bool(buffer));
  llvm::SmallVector<llvm::StringRef, 256> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  EXPECT_GE(lines.size(), 200u);
  for (auto [number, line] : llvm::enumerate(lines)) {
    SCOPED_TRACE("line " + std::to_string(number + 1));
    llvm::Expected<json::Value> value = json::parse(line);
    ASSERT_TRUE(bool(value));
    const json::Object &object = *value->getAsObject();
    llvm::StringRef op = *object.getString("op");
    if (op == "conversion")
      checkConversion(object);
    else if (op == "reduction")
      checkReduction(object);
    else if (op == "global_access")
      checkGlobalAccess(object);
    else
      ADD_FAILURE() << "unknown case '" << op.str() << "'";
  }
}
