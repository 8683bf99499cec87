//===- ArgumentValuesTest.cpp - NAME=VALUE on the command line ------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What values are read, into which bits, and the table of messages.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/ArgumentValues.h"
#include "tilec/KernelInfo/Generators.h"
#include "tilec/KernelInfo/Npy.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tilec;

/// The number that a text is.
static Number numberOf(const char *text) {
  auto number = parseNumber(text);
  EXPECT_TRUE(number) << number.error();
  return number ? *number : Number();
}

TEST(ArgumentValues, NaturalTypes) {
  EXPECT_EQ(numberOf("3").naturalType(), ElementType::I32);
  EXPECT_EQ(numberOf("-2147483648").naturalType(), ElementType::I32);
  EXPECT_EQ(numberOf("2147483648").naturalType(), ElementType::I64);
  EXPECT_EQ(numberOf("0xffffffffffffffff").naturalType(), ElementType::U64);
  EXPECT_EQ(numberOf("1.0").naturalType(), ElementType::FP32);
  EXPECT_EQ(numberOf("-inf").naturalType(), ElementType::FP32);
  EXPECT_EQ(numberOf("True").naturalType(), ElementType::I1);
}

TEST(ArgumentValues, NumbersInTypes) {
  struct {
    const char *text;
    ElementType type;
    uint64_t bits;
  } rows[] = {
      {"3", ElementType::FP32, 0x40400000},
      {"-1", ElementType::I8, 0xff},
      {"0x10", ElementType::I32, 16},
      {"0b101", ElementType::I32, 5},
      {"+7", ElementType::U8, 7},
      {"1e3", ElementType::I32, 1000},
      {"-2.0", ElementType::I64, ~uint64_t(1)},
      {"True", ElementType::FP16, 0x3c00},
      {"1", ElementType::I1, 1},
      {"-inf", ElementType::BF16, 0xff80},
      {"inf", ElementType::FP8E4NV, 0x7e},
      {".5", ElementType::FP32, 0x3f000000},
      {"1e-400", ElementType::FP32, 0},
      {"-0.0", ElementType::FP32, 0x80000000},
      {"18446744073709551615", ElementType::U64, UINT64_MAX},
      {"-9223372036854775808", ElementType::I64, uint64_t(1) << 63},
  };
  for (auto &row : rows) {
    auto bits = encodeNumber(numberOf(row.text), row.type);
    ASSERT_TRUE(bits) << bits.error();
    EXPECT_EQ(*bits, row.bits) << row.text;
  }
  EXPECT_TRUE(std::isnan(numberOf("nan").real));
}

TEST(ArgumentValues, RefusedNumbers) {
  struct {
    const char *text;
    ElementType type;
    const char *error;
  } rows[] = {
      {"3.5", ElementType::I32, "3.5 is not an integer, as i32 needs"},
      {"nan", ElementType::I32, "nan is not an integer, as i32 needs"},
      {"inf", ElementType::U64, "inf is not an integer, as u64 needs"},
      {"200", ElementType::I8, "200 is out of the range of i8, -128 to 127"},
      {"-1", ElementType::U32,
       "-1 is out of the range of u32, 0 to 4294967295"},
      {"2", ElementType::I1, "2 is out of the range of i1, 0 to 1"},
      {"1e20", ElementType::I64, "1e20 is not an integer, as i64 needs"},
      {"1e6", ElementType::FP16, "1e6 is out of the range of f16"},
      {"500", ElementType::FP8E4NV, "500 is out of the range of f8e4m3"},
      {"1e39", ElementType::FP32, "1e39 is out of the range of f32"},
  };
  for (auto &row : rows)
    EXPECT_EQ(encodeNumber(numberOf(row.text), row.type).error(), row.error);
  for (const char *text : {"", "-", "+-1", "1_0", "0x", "0xg", "1e", "e5",
                           "--1", "infinity", "1 2", "\xff", "0x1p3", "."})
    EXPECT_FALSE(parseNumber(text)) << text;
}

TEST(ArgumentValues, Arrays) {
  struct {
    const char *text;
    ElementType type;
    std::vector<int64_t> shape;
    uint64_t index;
    double value;
  } rows[] = {
      {"x=zeros(f32,4,5)", ElementType::FP32, {4, 5}, 19, 0},
      {"x=full(bf16, -inf, 3)", ElementType::BF16, {3}, 2, -HUGE_VAL},
      {"x=arange(i32,10)", ElementType::I32, {10}, 7, 7},
      {"x=arange(i32,10):f16", ElementType::FP16, {10}, 7, 7},
      {"x=full(u16,0x3f80,2):bf16", ElementType::BF16, {2}, 1, 1},
      {"x=full(u8,0x38,2):fp8e4nv", ElementType::FP8E4NV, {2}, 1, 1},
      {"x=full(f32,3.0,2):i64", ElementType::I64, {2}, 1, 3},
      {"x=zeros(fp64)", ElementType::FP64, {}, 0, 0},
      {"x=empty(i8,0x10)", ElementType::I8, {0}, 0, 0},
  };
  for (auto &row : rows) {
    auto value = parseArgument(row.text);
    if (std::string(row.text).find("empty") != std::string::npos) {
      EXPECT_FALSE(value);
      continue;
    }
    ASSERT_TRUE(value) << value.error();
    const HostArray *array = value->array();
    ASSERT_NE(array, nullptr);
    EXPECT_EQ(array->type, row.type);
    EXPECT_EQ(array->shape, row.shape);
    EXPECT_EQ(array->getDouble(row.index), row.value) << row.text;
  }
  auto random = parseArgument("x=randn(bf16, 3, 7, seed=1)");
  ASSERT_TRUE(random);
  auto same = makeRandn(ElementType::BF16, {3, 7}, 1);
  EXPECT_EQ(random->array()->getBits(20), same->getBits(20));
  EXPECT_TRUE(parseArgument("x=empty(f32,4)")->isUnwritten);
  EXPECT_FALSE(parseArgument("x=zeros(f32,4)")->isUnwritten);
  EXPECT_TRUE(parseArgument("x=randint(i32,-5,5,10,seed=3)"));
  EXPECT_TRUE(parseArgument("x=None")->isNone());
  EXPECT_EQ(parseArgument("x=3:i64")->number()->naturalType(),
            ElementType::I64);
}

TEST(ArgumentValues, Files) {
  std::string path = testing::TempDir() + "tilec-argument.npy";
  auto floats = makeFull(ElementType::FP32, {2, 2},
                         encodeFloat(ElementType::FP32, 1.00390625)); // 257/256
  ASSERT_TRUE(writeNpy(path, *floats));
  EXPECT_EQ(parseArgument("x=@" + path)->array()->type, ElementType::FP32);
  EXPECT_EQ(parseArgument("x=@" + path + ":bf16")->array()->getBits(3),
            0x3f80u);
  EXPECT_EQ(
      parseArgument("x=@" + path + ":f33")
          .error()
          .find("argument 'x': unknown element type 'f33', expected one of i1"),
      0u);
  EXPECT_EQ(parseArgument("x=@" + path + ":i32").error(),
            "argument 'x': element 0 is 1.00390625, which is not an integer in "
            "i32's range -2147483648 to 2147483647");
  // What bf16 is saved as reads back as the same bits.
  auto bf16 = makeRandn(ElementType::BF16, {5}, 1);
  ASSERT_TRUE(writeNpy(path, *bf16));
  auto back = parseArgument("x=@" + path + ":bf16");
  EXPECT_EQ(parseArgument("x=@" + path)->array()->type, ElementType::U16);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(back->array()->getBits(i), bf16->getBits(i));
  std::remove(path.c_str());
}

TEST(ArgumentValues, Messages) {
  std::string makerNames = "zeros, empty, full, arange, randn, rand or randint";
  std::string what = "expected a number, None, @FILE.npy or an array such as "
                     "zeros(f32,4), got ";
  struct {
    const char *text;
    std::string error;
  } rows[] = {
      {"", "expected NAME=VALUE, got ''"},
      {"x", "expected NAME=VALUE, got 'x'"},
      {"=3", "expected NAME=VALUE, got '=3'"},
      {"1x=3", "expected NAME=VALUE, got '1x=3'"},
      {"x=", "argument 'x': " + what + "''"},
      {"x=abc", "argument 'x': " + what + "'abc'"},
      {"x=3.5:i32", "argument 'x': 3.5 is not an integer, as i32 needs"},
      {"x=300:u8", "argument 'x': 300 is out of the range of u8, 0 to 255"},
      {"x=99999999999999999999",
       "argument 'x': the integer '99999999999999999999' needs more than 64 "
       "bits"},
      {"x=ones(f32,3)",
       "argument 'x': unknown array 'ones', expected " + makerNames},
      {"x=zeros(f32,3",
       "argument 'x': expected ')' at the end of 'zeros(f32,3'"},
      {"x=zeros(f32,3)4",
       "argument 'x': expected ')' at the end of 'zeros(f32,3)4'"},
      {"x=zeros()", "argument 'x': expected zeros(TYPE, SIZE...)"},
      {"x=zeros(f32,,3)", "argument 'x': expected zeros(TYPE, SIZE...)"},
      {"x=zeros(f32,-3)",
       "argument 'x': expected a size of at least 0, got '-3' in zeros(TYPE, "
       "SIZE...)"},
      {"x=zeros(f32,3,seed=1)", "argument 'x': zeros takes no seed"},
      {"x=randn(f32,3,seed=a)",
       "argument 'x': expected a seed of at least 0, got 'a' in randn(TYPE, "
       "SIZE..., seed=N)"},
      {"x=randn(i32,3)",
       "argument 'x': randn makes floats, got i32; use randint for integers"},
      {"x=full(f32)", "argument 'x': expected full(TYPE, NUMBER, SIZE...)"},
      {"x=full(i8,300,2)",
       "argument 'x': 300 is out of the range of i8, -128 to 127"},
      {"x=randint(i32,5)",
       "argument 'x': expected randint(TYPE, LOW, HIGH, SIZE..., seed=N)"},
      {"x=zeros(f32,9223372036854775807,9223372036854775807)",
       "argument 'x': an array of shape "
       "9223372036854775807x9223372036854775807 is too large"},
      {"x=@/nonexistent.npy",
       "argument 'x': cannot read '/nonexistent.npy': No such file or "
       "directory"},
      {"x=@", "argument 'x': cannot read '': No such file or directory"},
  };
  for (auto &row : rows)
    EXPECT_EQ(parseArgument(row.text).error(), row.error) << row.text;
  for (const char *text : {"x=zeros(f33,3)", "x=3:f33", "x=zeros(f32,3):f33"})
    EXPECT_EQ(parseArgument(text).error().find(
                  "argument 'x': unknown element type 'f33', expected one of "),
              0u)
        << text;
}

TEST(ArgumentValues, MatchesParameters) {
  struct {
    const char *text, *type;
    std::string error;
  } rows[] = {
      {"x=3", "fp32", ""},
      {"x=3", "i64", ""},
      {"x=3:i64", "i64", ""},
      {"x=3:u32", "i32", ""},
      {"x=zeros(u16,3)", "*i16", ""},
      {"x=zeros(bf16,3)", "*kbf16", ""},
      {"x=3.5", "i32",
       "argument 'x' does not fit: 3.5 is not an integer, as i32 needs"},
      {"x=3:i64", "i32",
       "argument 'x' is given as i64, the kernel expects i32"},
      {"x=3", "*fp32",
       "argument 'x' is the number 3, the kernel expects an array (*fp32)"},
      {"x=zeros(f32,3)", "i32",
       "argument 'x' is an array of f32, the kernel expects a number (i32)"},
      {"x=zeros(u16,3)", "*bf16",
       "argument 'x' is an array of u16, the kernel expects *bf16; append "
       "':bf16' to its value to convert it"},
      {"x=None", "i32", "argument 'x' is None, the kernel expects i32"},
  };
  for (auto &row : rows)
    EXPECT_EQ(matchArgument(*parseArgument(row.text), *parseParamType(row.type))
                  .error(),
              row.error)
        << row.text;
}

TEST(ArgumentValues, Save) {
  auto save = parseSave("y=out/y=1.npy");
  ASSERT_TRUE(save);
  EXPECT_EQ(save->name, "y");
  EXPECT_EQ(save->path, "out/y=1.npy");
  for (const char *text : {"", "y", "y=", "=y.npy", "a b=c"})
    EXPECT_FALSE(parseSave(text)) << text;
}
