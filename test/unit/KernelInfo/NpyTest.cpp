//===- NpyTest.cpp - arrays in .npy files ---------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Round trips through files, the headers that NumPy writes, and files that are
// not what they say.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/Npy.h"
#include "tilec/KernelInfo/Generators.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace tilec;

/// A version 1 file of a header text and `size` zero bytes.
static std::string fileOf(std::string header, size_t size) {
  std::string text = "\x93NUMPY\x01";
  text += '\0';
  text += static_cast<char>(header.size());
  text += static_cast<char>(header.size() >> 8);
  return text + header + std::string(size, '\0');
}

/// Parses the bytes of a string.
static Result<HostArray> parse(const std::string &text) {
  return parseNpy(reinterpret_cast<const uint8_t *>(text.data()), text.size());
}

TEST(Npy, RoundTrip) {
  std::string path = testing::TempDir() + "tilec-npy-test.npy";
  std::vector<std::vector<int64_t>> shapes = {{}, {0}, {7}, {3, 1, 2}};
  for (const char *name : {"i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32",
                           "u64", "f16", "f32", "f64"})
    for (const std::vector<int64_t> &shape : shapes) {
      auto array = makeRand(*parseElementType(name), shape, 5);
      ASSERT_TRUE(array);
      ASSERT_TRUE(writeNpy(path, *array));
      auto back = readNpy(path);
      ASSERT_TRUE(back) << back.error();
      EXPECT_EQ(back->type, array->type) << name;
      EXPECT_EQ(back->shape, shape);
      ASSERT_EQ(back->bytes.size(), array->bytes.size());
      EXPECT_EQ(std::memcmp(back->bytes.data(), array->bytes.data(),
                            array->bytes.size()),
                0);
    }
  std::remove(path.c_str());
}

TEST(Npy, HeaderIsAligned) {
  std::string header = npyHeader(ElementType::BF16, {300, 781});
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_NE(header.find("{'descr': '<u2', 'fortran_order': False, 'shape': "
                        "(300, 781), }"),
            std::string::npos);
  EXPECT_NE(npyHeader(ElementType::FP8E5, {5}).find("'|u1'"),
            std::string::npos);
  EXPECT_NE(npyHeader(ElementType::FP8E5, {5}).find("(5,)"), std::string::npos);
  std::string wide = npyHeader(ElementType::I8, std::vector<int64_t>(30000, 1));
  EXPECT_EQ(wide[6], 2);
  EXPECT_EQ(wide.size() % 64, 0u);
  auto array = parse(wide + "x");
  ASSERT_TRUE(array) << array.error();
  EXPECT_EQ(array->shape.size(), 30000u);
}

TEST(Npy, AcceptsOtherSpellings) {
  EXPECT_TRUE(parse(fileOf(
      "{ \"shape\": (2,), 'fortran_order': False, 'descr': '<f4' }\n", 8)));
  EXPECT_TRUE(parse(
      fileOf("{'descr': '|u1', 'fortran_order': True, 'shape': (3,), }", 3)));
  EXPECT_TRUE(parse(
      fileOf("{'descr': '=i2', 'fortran_order': False, 'shape': ()}", 2)));
}

TEST(Npy, RefusesWhatItCannotRead) {
  auto errorOf = [](const char *header, size_t size) {
    auto array = parse(fileOf(header, size));
    EXPECT_FALSE(array) << header;
    return array.error();
  };
  EXPECT_NE(
      errorOf("{'descr': '<f4', 'fortran_order': True, 'shape': (2,2)}", 16)
          .find("Fortran order"),
      std::string::npos);
  EXPECT_NE(
      errorOf("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", 8)
          .find("big-endian"),
      std::string::npos);
  EXPECT_NE(
      errorOf("{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}", 16)
          .find("dtype '<c8'"),
      std::string::npos);
  EXPECT_EQ(
      errorOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2,3)}", 23),
      "a 2x3 array of f32 takes 24 bytes after the header, got 23");
  for (const char *header :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4", "{'shape': (1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, "
        "4294967296, 4294967296)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x"})
    errorOf(header, 4);
}

TEST(Npy, SurvivesEveryDamage) {
  std::string text =
      fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 8);
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parse(text.substr(0, size))) << size;
  for (size_t at = 0; at < text.size(); ++at)
    for (char byte : {'\0', '\xff', '\'', '9'}) {
      std::string copy = text;
      copy[at] = byte;
      (void)parse(copy);
    }
}

TEST(Npy, NamesTheFile) {
  EXPECT_EQ(readNpy("/nonexistent/x.npy").error(),
            "cannot read '/nonexistent/x.npy': No such file or directory");
  EXPECT_EQ(readNpy("/").error(), "cannot read '/': Is a directory");
  EXPECT_EQ(readNpy("/dev/zero").error(),
            "cannot read '/dev/zero': this is not a .npy file");
  auto array = makeArange(ElementType::I8, {3});
  EXPECT_EQ(writeNpy("/nonexistent/x.npy", *array).error(),
            "cannot write '/nonexistent/x.npy': No such file or directory");
}
