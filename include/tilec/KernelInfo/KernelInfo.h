//===- KernelInfo.h - what a PTX file says about its kernels ----*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The metadata that the compiler writes as comment lines at the head of a PTX
// file, and that the runtime, the tools and Python read back. This library is
// the only writer and the only reader of it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNELINFO_KERNELINFO_H
#define TILEC_KERNELINFO_KERNELINFO_H

#include "tilec/KernelInfo/ElementType.h"
#include "tilec/KernelInfo/Json.h"

#include <array>
#include <string>
#include <vector>

namespace tilec {

/// A parameter that the user passes.
struct ParamInfo {
  std::string name;
  ParamType type;
  /// What the value is known to be divisible by (bytes for a pointer); 0 when
  /// nothing was assumed.
  uint32_t align = 0;
};

/// A parameter that the launcher makes, after the visible ones.
struct HiddenParamInfo {
  std::string kind; ///< "tensor_map" or "scratch"
  /// Everything else that the metadata says about it, as a JSON object.
  json::Value fields = json::Value::object();
};

/// A name with a value that is part of the compiled code.
struct NamedConstant {
  std::string name;
  json::Value value;
};

/// One requirement `NAME % DIVISOR == REST` or `NAME == VALUE` of the values
/// that an entry was compiled for.
struct Requirement {
  std::string name;
  int64_t divisor = 0; ///< 0 for `NAME == VALUE`
  int64_t value = 0;

  std::string str() const;
};

/// Whether a value fulfils a requirement: an address by its number, an integer
/// by its type's reading of the bits. Floats fulfil none.
bool holds(const Requirement &requirement, ParamType type, uint64_t bits);
/// Reads the two forms of `Requirement`.
std::optional<Requirement> parseRequirement(std::string_view text);

/// One entry of a PTX file.
struct KernelInfo {
  std::string kernel; ///< the function's name in the source
  std::string entry;  ///< the name in the PTX: differs in a specialisation
  std::vector<ParamInfo> params;
  std::vector<NamedConstant> constants;
  std::vector<NamedConstant> folded;
  std::vector<HiddenParamInfo> hidden;
  unsigned numWarps = 4;
  unsigned numStages = 3;
  unsigned threads = 128;
  std::array<unsigned, 3> cluster = {1, 1, 1};
  uint64_t dynamicShared = 0;
  std::vector<Requirement> requirements;
  std::string source; ///< "kernel.tile:4"

  /// The parameter of that name, or null.
  const ParamInfo *findParam(std::string_view name) const;
  /// The value of that name that is part of the code, folded ones first; or
  /// null.
  const NamedConstant *findConstant(std::string_view name) const;
};

/// All that a PTX file says.
struct PtxMetadata {
  int64_t schema = 1;
  std::string compiler;
  std::string arch; ///< "sm_90a"
  std::vector<KernelInfo> kernels;
};

/// What every metadata line starts with.
inline constexpr std::string_view metadataPrefix = "// tilec: ";

json::Value toJson(const KernelInfo &info);
/// Reads one entry. Unknown members are passed over, so that fields can be
/// added; a missing or wrong one is an error that names it.
Result<KernelInfo> kernelInfoFromJson(const json::Value &value);

/// The first metadata line of a file, with its newline.
std::string headerLine(std::string_view compiler, std::string_view arch);
/// The metadata line of an entry, with its newline.
std::string toCommentLine(const KernelInfo &info);
/// Reads the metadata lines before the first directive of a PTX file.
Result<PtxMetadata> parsePtxMetadata(std::string_view text);

/// The metadata lines of a PTX file as a variable of it, one more directive:
/// what is assembled of the file then carries them too. Empty if it has none.
std::string metadataVariable(std::string_view ptx);
/// Is this the image of a `.cubin` file, as its first bytes tell?
bool isCubin(std::string_view image);
/// Reads the metadata in what was assembled, such as a `.cubin` file.
Result<PtxMetadata> parseCubinMetadata(std::string_view image);

} // namespace tilec

#endif // TILEC_KERNELINFO_KERNELINFO_H
