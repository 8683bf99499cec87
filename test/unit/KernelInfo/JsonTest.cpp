//===- JsonTest.cpp - JSON values -----------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Writing what was read, and refusal of everything that is not JSON.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/Json.h"

#include "gtest/gtest.h"

using namespace tilec;

TEST(Json, WritesWhatItRead) {
  for (const char *text :
       {"null", "true", "[]", "{}", "-12", "1.50", "18446744073709551615",
        "\"a\\\"b\\\\c\\n\"", "[1, [2, {\"x\": []}], \"y\"]",
        "{\"b\": 1, \"a\": 2.5e-3}"}) {
    auto value = json::parse(text);
    ASSERT_TRUE(value) << value.error();
    EXPECT_EQ(value->write(), text);
  }
  EXPECT_EQ(json::parse("\"\\u00e9\\ud83d\\ude00\"")->str(),
            "\xc3\xa9\xf0\x9f\x98\x80");
}

TEST(Json, Numbers) {
  EXPECT_EQ(json::Value(1.0).write(), "1.0");
  EXPECT_EQ(json::Value(0.1).write(), "0.1");
  EXPECT_EQ(json::Value(-1.0 / 0.0).write(), "\"-inf\"");
  EXPECT_EQ(json::Value(INT64_MIN).write(), "-9223372036854775808");
  EXPECT_EQ(json::parse("7")->asInt(), 7);
  EXPECT_FALSE(json::parse("7.0")->asInt());
  EXPECT_FALSE(json::parse("99999999999999999999")->asInt());
  EXPECT_EQ(json::parse("7.25")->asDouble(), 7.25);
  EXPECT_FALSE(json::parse("\"7\"")->asInt());
}

TEST(Json, RefusesGarbage) {
  for (const char *text :
       {"",          "nul",         "{",           "[1,",    "[1 2]",
        "{\"a\"}",   "{\"a\":}",    "{a: 1}",      "\"",     "\"\\x\"",
        "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "1.",     "1e",
        "--1",       "[1]]",        "\x80\xff",    "\"\n\"", "+1",
        "NaN"}) {
    auto value = json::parse(text);
    EXPECT_FALSE(value) << text;
    EXPECT_NE(value.error().find("at character"), std::string::npos);
  }
  EXPECT_FALSE(json::parse(std::string(1000000, '[')));
  EXPECT_FALSE(json::parse(std::string("1\0", 2)));
}
