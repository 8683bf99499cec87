//===- KernelInfo.cpp - what a PTX file says about its kernels ------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Writing and reading of the metadata lines. A PTX file may come from anyone,
// so each member is checked for its kind and its range.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/KernelInfo.h"

#include <charconv>

using namespace tilec;
using json::Value;

/// The version of the metadata that this library writes.
static constexpr int64_t schemaVersion = 1;

const ParamInfo *KernelInfo::findParam(std::string_view name) const {
  for (const ParamInfo &param : params)
    if (param.name == name)
      return &param;
  return nullptr;
}

const NamedConstant *KernelInfo::findConstant(std::string_view name) const {
  for (const auto *list : {&folded, &constants})
    for (const NamedConstant &constant : *list)
      if (constant.name == name)
        return &constant;
  return nullptr;
}

//===-- Requirements ---------------------------------------------------------//

std::string Requirement::str() const {
  std::string text = name;
  if (divisor)
    text += " % " + std::to_string(divisor);
  return text + " == " + std::to_string(value);
}

bool tilec::holds(const Requirement &requirement, ParamType type,
                  uint64_t bits) {
  int64_t value = static_cast<int64_t>(bits);
  unsigned width = type.isPointer ? 64 : bitWidth(type.element);
  if (!type.isPointer && isFloat(type.element))
    return false;
  if (!type.isPointer && elementKind(type.element) == ElementKind::Int &&
      width > 1)
    value = static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
  if (!requirement.divisor)
    return value == requirement.value;
  return value % requirement.divisor == requirement.value;
}

/// Takes an integer from the head of `text`.
static bool takeInt(std::string_view &text, int64_t &out) {
  auto [rest, status] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  if (status != std::errc())
    return false;
  text.remove_prefix(rest - text.data());
  return true;
}

/// Takes the fixed text `word` from the head of `text`.
static bool takeWord(std::string_view &text, std::string_view word) {
  if (text.substr(0, word.size()) != word)
    return false;
  text.remove_prefix(word.size());
  return true;
}

std::optional<Requirement> tilec::parseRequirement(std::string_view text) {
  Requirement result;
  size_t end = text.find(' ');
  if (end == text.npos || end == 0)
    return std::nullopt;
  result.name = text.substr(0, end);
  text.remove_prefix(end);
  if (takeWord(text, " % ") &&
      (!takeInt(text, result.divisor) || result.divisor < 1))
    return std::nullopt;
  if (!takeWord(text, " == ") || !takeInt(text, result.value) || !text.empty())
    return std::nullopt;
  return result;
}

//===-- Writing --------------------------------------------------------------//

/// Named constants as an object.
static Value toObject(const std::vector<NamedConstant> &constants) {
  Value object = Value::object();
  for (const NamedConstant &constant : constants)
    object.set(constant.name, constant.value);
  return object;
}

Value tilec::toJson(const KernelInfo &info) {
  Value params = Value::array(), hidden = Value::array(),
        cluster = Value::array(), requirements = Value::array();
  for (const ParamInfo &param : info.params) {
    Value object = Value::object();
    object.set("name", param.name);
    object.set("type", param.type.str());
    if (param.align)
      object.set("align", param.align);
    params.push(std::move(object));
  }
  for (const HiddenParamInfo &param : info.hidden) {
    Value object = Value::object();
    object.set("kind", param.kind);
    for (const json::Member &member : param.fields.members())
      object.set(member.name, member.value);
    hidden.push(std::move(object));
  }
  for (unsigned size : info.cluster)
    cluster.push(size);
  for (const Requirement &requirement : info.requirements)
    requirements.push(requirement.str());

  Value object = Value::object();
  object.set("kernel", info.kernel);
  object.set("entry", info.entry);
  object.set("params", std::move(params));
  object.set("constants", toObject(info.constants));
  object.set("folded", toObject(info.folded));
  object.set("hidden", std::move(hidden));
  object.set("num_warps", info.numWarps);
  object.set("num_stages", info.numStages);
  object.set("threads", info.threads);
  object.set("cluster", std::move(cluster));
  object.set("dynamic_shared", info.dynamicShared);
  object.set("requires", std::move(requirements));
  object.set("source", info.source);
  return object;
}

std::string tilec::headerLine(std::string_view compiler,
                              std::string_view arch) {
  Value object = Value::object();
  object.set("schema", schemaVersion);
  object.set("compiler", compiler);
  object.set("arch", arch);
  return std::string(metadataPrefix) + object.write() + "\n";
}

std::string tilec::toCommentLine(const KernelInfo &info) {
  return std::string(metadataPrefix) + toJson(info).write() + "\n";
}

//===-- Reading --------------------------------------------------------------//

namespace {

/// Takes the members of one object; remembers the first that is missing or
/// wrong.
class MemberReader {
public:
  explicit MemberReader(const Value &object) : object(object) {}

  std::string string(std::string_view name) {
    const Value *value = find(name);
    if (value && !value->isString())
      wrong(name, "a string");
    return value && value->isString() ? value->str() : std::string();
  }
  int64_t integer(std::string_view name, int64_t low, int64_t high) {
    const Value *value = find(name);
    std::optional<int64_t> number = value ? value->asInt() : std::nullopt;
    if (number && *number >= low && *number <= high)
      return *number;
    if (value)
      wrong(name, "an integer from " + std::to_string(low) + " to " +
                      std::to_string(high));
    return low;
  }
  const std::vector<Value> &array(std::string_view name) {
    const Value *value = find(name);
    if (value && !value->isArray())
      wrong(name, "an array");
    return value ? value->elements() : empty.elements();
  }
  std::vector<NamedConstant> constants(std::string_view name) {
    std::vector<NamedConstant> result;
    const Value *value = find(name);
    if (value && !value->isObject())
      wrong(name, "an object");
    if (value)
      for (const json::Member &member : value->members())
        result.push_back({member.name, member.value});
    return result;
  }
  void wrong(std::string_view name, std::string_view expected) {
    if (error.empty())
      error =
          "member '" + std::string(name) + "' is not " + std::string(expected);
  }

  std::string error;

private:
  const Value *find(std::string_view name) {
    const Value *value = object.find(name);
    if (!value && error.empty())
      error = "member '" + std::string(name) + "' is missing";
    return value;
  }

  const Value &object;
  const Value empty;
};

} // namespace

/// Reads the visible parameters of an entry.
static void readParams(MemberReader &reader, KernelInfo &info) {
  for (const Value &value : reader.array("params")) {
    MemberReader members(value);
    ParamInfo param;
    param.name = members.string("name");
    std::optional<ParamType> type = parseParamType(members.string("type"));
    if (type)
      param.type = *type;
    else
      members.wrong("type", "a type such as \"*fp32\" or \"i32\"");
    if (value.find("align"))
      param.align = members.integer("align", 0, int64_t(1) << 31);
    if (!members.error.empty() && reader.error.empty())
      reader.error = "in parameter '" + param.name + "' " + members.error;
    info.params.push_back(std::move(param));
  }
}

/// Reads the parameters that the launcher makes.
static void readHidden(MemberReader &reader, KernelInfo &info) {
  for (const Value &value : reader.array("hidden")) {
    MemberReader members(value);
    HiddenParamInfo param;
    param.kind = members.string("kind");
    for (const json::Member &member : value.members())
      if (member.name != "kind")
        param.fields.set(member.name, member.value);
    if (!members.error.empty() && reader.error.empty())
      reader.error = "in a hidden parameter " + members.error;
    info.hidden.push_back(std::move(param));
  }
}

Result<KernelInfo> tilec::kernelInfoFromJson(const Value &value) {
  MemberReader reader(value);
  KernelInfo info;
  info.kernel = reader.string("kernel");
  info.entry = reader.string("entry");
  readParams(reader, info);
  info.constants = reader.constants("constants");
  info.folded = reader.constants("folded");
  readHidden(reader, info);
  info.numWarps = reader.integer("num_warps", 1, 64);
  info.numStages = reader.integer("num_stages", 0, 1 << 16);
  info.threads = reader.integer("threads", 1, 1024);
  const std::vector<Value> &cluster = reader.array("cluster");
  for (unsigned i = 0; i < 3; ++i) {
    std::optional<int64_t> size;
    if (cluster.size() == 3)
      size = cluster[i].asInt();
    if (!size || *size < 1 || *size > 65535)
      reader.wrong("cluster", "an array of three sizes");
    else
      info.cluster[i] = *size;
  }
  info.dynamicShared = reader.integer("dynamic_shared", 0, int64_t(1) << 31);
  for (const Value &text : reader.array("requires")) {
    std::optional<Requirement> requirement = parseRequirement(text.str());
    if (requirement)
      info.requirements.push_back(*requirement);
    else
      reader.wrong("requires", "a list of \"NAME % N == M\"");
  }
  info.source = reader.string("source");
  if (!reader.error.empty())
    return Error{reader.error};
  return info;
}

Result<PtxMetadata> tilec::parsePtxMetadata(std::string_view text) {
  PtxMetadata metadata;
  bool sawHeader = false;
  for (unsigned line = 1; !text.empty(); ++line) {
    size_t end = text.find('\n');
    std::string_view content = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    content = content.substr(0, content.find_last_not_of(" \t\r") + 1);
    if (content.empty())
      continue;
    if (content.substr(0, 2) != "//")
      break; // the first directive
    if (content.substr(0, metadataPrefix.size()) != metadataPrefix)
      continue;
    content.remove_prefix(metadataPrefix.size());
    std::string where =
        "the kernel metadata in line " + std::to_string(line) + " is damaged: ";
    Result<Value> value = json::parse(content);
    if (!value)
      return Error{where + value.error()};
    if (sawHeader) {
      Result<KernelInfo> info = kernelInfoFromJson(*value);
      if (!info)
        return Error{where + info.error()};
      metadata.kernels.push_back(std::move(*info));
      continue;
    }
    MemberReader reader(*value);
    metadata.schema = reader.integer("schema", 1, INT64_MAX);
    if (reader.error.empty() && metadata.schema > schemaVersion)
      return Error{"the kernel metadata has schema " +
                   std::to_string(metadata.schema) + ", newer than " +
                   std::to_string(schemaVersion) +
                   " which this version of tilec reads; update tilec"};
    metadata.compiler = reader.string("compiler");
    metadata.arch = reader.string("arch");
    if (!reader.error.empty())
      return Error{where + reader.error};
    sawHeader = true;
  }
  if (!sawHeader)
    return Error{"the text has no '// tilec:' metadata lines before its first "
                 "directive; compile the kernel with tilec"};
  return metadata;
}

//===-- Assembled code -------------------------------------------------------//

std::string tilec::metadataVariable(std::string_view ptx) {
  std::string lines;
  while (ptx.substr(0, 2) == "//") {
    size_t end = std::min(ptx.find('\n'), ptx.size());
    if (ptx.substr(0, metadataPrefix.size()) == metadataPrefix)
      lines += std::string(ptx.substr(0, end)) + "\n";
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
  }
  if (lines.empty())
    return "";
  lines += '\0'; // the reader's end
  std::string text = ".visible .global .align 1 .b8 tilec_metadata[" +
                     std::to_string(lines.size()) + "] = {";
  for (size_t i = 0; i < lines.size(); ++i)
    text += (i ? ", " : "") + std::to_string((unsigned char)(lines[i]));
  return text + "};\n";
}

bool tilec::isCubin(std::string_view image) {
  return image.substr(0, 4) == "\177ELF";
}

Result<PtxMetadata> tilec::parseCubinMetadata(std::string_view image) {
  // The bytes of a variable lie together in the image, whatever is around them.
  std::string start = std::string(metadataPrefix) + "{\"schema\"";
  size_t at = image.find(start);
  if (at == image.npos)
    return Error{"the cubin says nothing about its kernels: compile them with "
                 "tilec --emit=cubin"};
  image.remove_prefix(at);
  return parsePtxMetadata(image.substr(0, image.find('\0')));
}
