//===- Npy.cpp - arrays in .npy files -------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The header is a Python dictionary literal of three known keys, read by a
// small scanner of exactly that.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/Npy.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

using namespace tilec;

/// What every file starts with.
static constexpr std::string_view magic = "\x93NUMPY";

//===-- Header ---------------------------------------------------------------//

namespace {

/// What a header says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the dictionary `{'descr': '<f4', 'fortran_order': False, 'shape': (3,
/// 4), }`.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : text(text) {}

  bool read(Header &header) {
    unsigned seen = 0;
    if (!accept('{'))
      return false;
    while (!accept('}')) {
      std::string key;
      if (!readString(key) || !accept(':'))
        return false;
      if (key == "descr" && readString(header.descr))
        seen |= 1;
      else if (key == "fortran_order" && readBool(header.fortranOrder))
        seen |= 2;
      else if (key == "shape" && readShape(header.shape))
        seen |= 4;
      else
        return false;
      if (!accept(',') && peek() != '}')
        return false;
    }
    return seen == 7 && peek() == '\0';
  }

private:
  char peek() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n'))
      text.remove_prefix(1);
    return text.empty() ? '\0' : text[0];
  }
  bool accept(char c) {
    if (text.empty() || peek() != c)
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool readString(std::string &out) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = text.find(quote, 1);
    if (end == text.npos)
      return false;
    out = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
  }
  bool readBool(bool &out) {
    peek();
    out = text.substr(0, 4) == "True";
    if (!out && text.substr(0, 5) != "False")
      return false;
    text.remove_prefix(out ? 4 : 5);
    return true;
  }
  bool readShape(std::vector<int64_t> &out) {
    if (!accept('('))
      return false;
    while (!accept(')')) {
      int64_t size = 0;
      peek();
      auto [rest, status] =
          std::from_chars(text.data(), text.data() + text.size(), size);
      if (status != std::errc() || size < 0)
        return false;
      text.remove_prefix(rest - text.data());
      out.push_back(size);
      if (!accept(',') && peek() != ')')
        return false;
    }
    return true;
  }

  std::string_view text;
};

} // namespace

/// The element type of a dtype string, or what is wrong with it.
static Result<ElementType> typeOfDescr(const std::string &descr) {
  std::string code = descr;
  char order = code.empty() ? '\0' : code[0];
  if (order == '<' || order == '>' || order == '|' || order == '=')
    code.erase(0, 1);
  // The first row that is stored so: u1 and u2 are integers unless the user
  // says otherwise.
  static constexpr ElementType types[] = {
      ElementType::I1,   ElementType::I8,   ElementType::I16,
      ElementType::I32,  ElementType::I64,  ElementType::U8,
      ElementType::U16,  ElementType::U32,  ElementType::U64,
      ElementType::FP16, ElementType::FP32, ElementType::FP64};
  for (ElementType type : types) {
    if (npyCode(type) != code)
      continue;
    if (order == '>' && byteSize(type) > 1)
      return Error{"the array is big-endian (" + descr +
                   "); save it with x.astype(x.dtype.newbyteorder('<'))"};
    return type;
  }
  return Error{"the array has dtype '" + descr.substr(0, 40) +
               "', expected one of b1, i1 to i8, u1 to u8, f2, f4, f8"};
}

Result<HostArray> tilec::parseNpy(const uint8_t *data, uint64_t size) {
  if (size < 10 || std::memcmp(data, magic.data(), magic.size()) != 0)
    return Error{"this is not a .npy file"};
  unsigned version = data[6];
  if (version < 1 || version > 3)
    return Error{"the .npy format version " + std::to_string(version) +
                 " is unknown, expected 1 to 3"};
  uint64_t start = version == 1 ? 10 : 12;
  if (size < start)
    return Error{"the .npy header is truncated"};
  uint64_t length = data[8] | uint64_t(data[9]) << 8;
  if (version > 1)
    length |= uint64_t(data[10]) << 16 | uint64_t(data[11]) << 24;
  if (length > size - start)
    return Error{"the .npy header is truncated"};

  Header header;
  std::string_view text(reinterpret_cast<const char *>(data + start), length);
  if (!HeaderReader(text).read(header))
    return Error{"the .npy header is damaged, or describes records"};
  Result<ElementType> type = typeOfDescr(header.descr);
  if (!type)
    return type.takeError();
  if (header.fortranOrder && header.shape.size() > 1)
    return Error{"the array is in Fortran order; save it with "
                 "np.ascontiguousarray(x)"};
  Result<uint64_t> count = countElements(header.shape);
  if (!count)
    return count.takeError();
  uint64_t expected = *count * byteSize(*type), rest = size - start - length;
  if (rest != expected)
    return Error{"a " + shapeText(header.shape) + " array of " +
                 std::string(shortName(*type)) + " takes " +
                 std::to_string(expected) + " bytes after the header, got " +
                 std::to_string(rest)};
  Result<HostArray> array = HostArray::zeros(*type, std::move(header.shape));
  if (array && expected)
    std::memcpy(array->bytes.data(), data + start + length, expected);
  return array;
}

std::string tilec::npyHeader(ElementType type,
                             const std::vector<int64_t> &shape) {
  std::string text = "{'descr': '";
  text += byteSize(type) == 1 ? '|' : '<';
  text += npyCode(type);
  text += "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  text += shape.size() == 1 ? ",), }" : "), }";
  // Version 2 where the text needs it; the elements start at a multiple of 64.
  unsigned version = text.size() > 65000 ? 2 : 1;
  size_t prefix = version == 1 ? 10 : 12;
  text.append(63 - (prefix + text.size()) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += static_cast<char>(version);
  header += '\0';
  for (size_t i = 8; i < prefix; ++i)
    header += static_cast<char>(text.size() >> (8 * (i - 8)));
  return header + text;
}

//===-- Files ----------------------------------------------------------------//

namespace {

/// Closes a file at the end of a scope.
struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

} // namespace

/// The operating system's sentence for the last failure.
static Error systemError(const std::string &what, const std::string &path) {
  return {"cannot " + what + " '" + path + "': " + std::strerror(errno)};
}

/// Reads a file; stops at the first bytes when these are not `prefix`, so that
/// an endless device is no trap.
static Result<std::string> readFile(const std::string &path, uint64_t limit,
                                    std::string_view prefix) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return systemError("read", path);
  std::string text;
  char buffer[1 << 16];
  while (size_t got = std::fread(buffer, 1, sizeof buffer, file.get())) {
    if (text.size() + got > limit)
      return Error{"cannot read '" + path + "': it is larger than " +
                   std::to_string(limit) + " bytes"};
    text.append(buffer, got);
    if (text.compare(0, prefix.size(), prefix) != 0)
      break;
  }
  if (std::ferror(file.get()))
    return systemError("read", path);
  return text;
}

Result<std::string> tilec::readTextFile(const std::string &path,
                                        uint64_t limit) {
  return readFile(path, limit, "");
}

Result<HostArray> tilec::readNpy(const std::string &path) {
  Result<std::string> text = readFile(path, UINT64_MAX, magic);
  if (!text)
    return text.takeError();
  Result<HostArray> array =
      parseNpy(reinterpret_cast<const uint8_t *>(text->data()), text->size());
  if (!array)
    return Error{"cannot read '" + path + "': " + array.error()};
  return array;
}

Status tilec::writeNpy(const std::string &path, const HostArray &array) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file)
    return systemError("write", path);
  std::string header = npyHeader(array.type, array.shape);
  bool ok = std::fwrite(header.data(), 1, header.size(), file.get()) ==
                header.size() &&
            std::fwrite(array.bytes.data(), 1, array.bytes.size(),
                        file.get()) == array.bytes.size();
  // Closing writes what is buffered, so it can fail as well.
  if (std::fclose(file.release()) != 0 || !ok) {
    Error error = systemError("write", path);
    std::error_code ignored; // a device is not ours to remove
    if (std::filesystem::is_regular_file(path, ignored))
      std::remove(path.c_str());
    return error;
  }
  return {};
}
