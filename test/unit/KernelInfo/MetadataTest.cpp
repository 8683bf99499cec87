//===- MetadataTest.cpp - the comment lines of a PTX file -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Round trip of every field, and each way in which the lines can be damaged.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/KernelInfo.h"

#include "gtest/gtest.h"

using namespace tilec;

/// An entry that uses every field.
static KernelInfo fullKernel() {
  KernelInfo info;
  info.kernel = "add";
  info.entry = "add__1";
  info.params = {{"x_ptr", *parseParamType("*fp32"), 16},
                 {"n", *parseParamType("i32"), 0}};
  info.constants = {{"BLOCK", 1024}, {"SCALE", 0.5}, {"NAME", "a \"b\""}};
  info.folded = {{"stride", 1}};
  json::Value fields = json::Value::object();
  fields.set("bytes", 4096);
  info.hidden = {{"scratch", fields}};
  info.numWarps = 8;
  info.numStages = 2;
  info.threads = 256;
  info.cluster = {2, 1, 1};
  info.dynamicShared = 65536;
  info.requirements = {{"x_ptr", 16, 0}, {"stride", 0, 1}};
  info.source = "kernel.tile:4";
  return info;
}

static const char fullLine[] =
    "// tilec: {\"kernel\": \"add\", \"entry\": \"add__1\", \"params\": "
    "[{\"name\": \"x_ptr\", \"type\": \"*fp32\", \"align\": 16}, {\"name\": "
    "\"n\", \"type\": \"i32\"}], \"constants\": {\"BLOCK\": 1024, \"SCALE\": "
    "0.5, \"NAME\": \"a \\\"b\\\"\"}, \"folded\": {\"stride\": 1}, "
    "\"hidden\": [{\"kind\": \"scratch\", \"bytes\": 4096}], \"num_warps\": 8, "
    "\"num_stages\": 2, \"threads\": 256, \"cluster\": [2, 1, 1], "
    "\"dynamic_shared\": 65536, \"requires\": [\"x_ptr % 16 == 0\", "
    "\"stride == 1\"], \"source\": \"kernel.tile:4\"}\n";

TEST(Metadata, WritesOneLine) {
  EXPECT_EQ(toCommentLine(fullKernel()), fullLine);
  EXPECT_EQ(headerLine("tilec 0.1", "sm_90a"),
            "// tilec: {\"schema\": 1, \"compiler\": \"tilec 0.1\", \"arch\": "
            "\"sm_90a\"}\n");
}

TEST(Metadata, ReadsBack) {
  KernelInfo second;
  second.kernel = second.entry = "k";
  std::string text = "// made by hand\r\n\n" + headerLine("c", "sm_80") +
                     fullLine + toCommentLine(second) +
                     ".version 8.0\n// tilec: not read any more\n";
  auto metadata = parsePtxMetadata(text);
  ASSERT_TRUE(metadata) << metadata.error();
  EXPECT_EQ(metadata->arch, "sm_80");
  ASSERT_EQ(metadata->kernels.size(), 2u);
  EXPECT_EQ(toCommentLine(metadata->kernels[0]), fullLine);
  EXPECT_EQ(metadata->kernels[0].findParam("n")->type.str(), "i32");
  EXPECT_EQ(metadata->kernels[0].findParam("m"), nullptr);
}

TEST(Metadata, Requirements) {
  EXPECT_EQ(parseRequirement("x % 8 == 3")->str(), "x % 8 == 3");
  EXPECT_EQ(parseRequirement("x == -1")->str(), "x == -1");
  for (const char *text : {"", "x", " == 1", "x % 0 == 0", "x % == 1",
                           "x == ", "x == 1 ", "x % 8 = 1", "x == 1a"})
    EXPECT_FALSE(parseRequirement(text)) << text;
}

/// The message for a file of the header and one entry line.
static std::string errorOf(std::string entry) {
  return parsePtxMetadata(headerLine("c", "sm_80") + entry).error();
}

TEST(Metadata, NamesTheDamage) {
  auto damaged = [](std::string_view from, std::string_view to) {
    std::string line = fullLine;
    size_t at = line.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return errorOf(line.replace(at, from.size(), to));
  };
  std::string prefix = "the kernel metadata in line 2 is damaged: ";
  EXPECT_EQ(damaged("\"entry\"", "\"exit\""),
            prefix + "member 'entry' is missing");
  EXPECT_EQ(damaged("256", "2048"),
            prefix + "member 'threads' is not an integer from 1 to 1024");
  EXPECT_EQ(damaged("[2, 1, 1]", "[2, 1]"),
            prefix + "member 'cluster' is not an array of three sizes");
  EXPECT_EQ(damaged("\"*fp32\"", "\"fp33\""),
            prefix + "in parameter 'x_ptr' member 'type' is not a type such as "
                     "\"*fp32\" or \"i32\"");
  EXPECT_EQ(damaged("{\"stride\": 1}", "7"),
            prefix + "member 'folded' is not an object");
  EXPECT_EQ(damaged("x_ptr % 16", "x_ptr %% 16"),
            prefix + "member 'requires' is not a list of \"NAME % N == M\"");
  EXPECT_NE(damaged("}]", "}"), "");
}

TEST(Metadata, SurvivesEveryTruncation) {
  std::string text = headerLine("c", "sm_80") + fullLine;
  for (size_t size = 0; size < text.size(); ++size)
    (void)parsePtxMetadata(std::string_view(text).substr(0, size));
  for (size_t at = 0; at < text.size(); ++at) {
    std::string copy = text;
    copy[at] = '\xff';
    (void)parsePtxMetadata(copy);
  }
}

TEST(Metadata, RefusesOtherFiles) {
  EXPECT_NE(parsePtxMetadata("").error().find("no '// tilec:'"),
            std::string::npos);
  EXPECT_NE(parsePtxMetadata(".version 8.0\n").error(), "");
  EXPECT_NE(parsePtxMetadata("// tilec: {\"schema\": 2}\n")
                .error()
                .find("update tilec"),
            std::string::npos);
}

TEST(Metadata, InAssembledCode) {
  KernelInfo info;
  info.kernel = info.entry = "add";
  std::string ptx = "//\n// Generated\n" + headerLine("tilec 1", "sm_80") +
                    toCommentLine(info) + "\n.version 7.0\n";
  std::string variable = metadataVariable(ptx);
  // As an assembler lays it out: the numbers of the list, among other bytes.
  std::string image = "\177ELF// tilec: no\n";
  size_t open = variable.find('{');
  for (size_t at = open + 1; at < variable.find('}');
       at = variable.find_first_of(",}", at) + 1)
    image += char(std::stoi(variable.substr(at)));
  EXPECT_EQ(variable.substr(0, open),
            ".visible .global .align 1 .b8 tilec_metadata[" +
                std::to_string(image.size() - 17) + "] = ");
  image += "// tilec: {\"schema\": 99}\n";
  Result<PtxMetadata> read = parseCubinMetadata(image);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->arch, "sm_80");
  ASSERT_EQ(read->kernels.size(), 1u);
  EXPECT_EQ(read->kernels[0].entry, "add");
  EXPECT_EQ(metadataVariable(".version 7.0\n"), "");
  EXPECT_EQ(metadataVariable(""), "");
  EXPECT_EQ(metadataVariable("// nothing of ours"), "");
  EXPECT_EQ(parseCubinMetadata("\177ELF").error(),
            "the cubin says nothing about its kernels: compile them with tilec "
            "--emit=cubin");
}
