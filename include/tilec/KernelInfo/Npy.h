//===- Npy.h - arrays in .npy files -----------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// NumPy's array files: versions 1, 2 and 3, little endian, C order, dtypes
// f2 f4 f8 i1..i8 u1..u8 b1.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNELINFO_NPY_H
#define TILEC_KERNELINFO_NPY_H

#include "tilec/KernelInfo/HostArray.h"

#include <string_view>

namespace tilec {

/// Reads the contents of a `.npy` file.
Result<HostArray> parseNpy(const uint8_t *data, uint64_t size);
/// Reads a file. The message starts with the path.
Result<HostArray> readNpy(const std::string &path);

/// The header before the elements of an array; bf16 and fp8 are written as
/// unsigned integers, being unknown to NumPy.
std::string npyHeader(ElementType type, const std::vector<int64_t> &shape);
/// Writes a file. Nothing is left at `path` when writing fails.
Status writeNpy(const std::string &path, const HostArray &array);

/// Reads a whole file, of which at most `limit` bytes are accepted.
Result<std::string> readTextFile(const std::string &path,
                                 uint64_t limit = uint64_t(1) << 30);

} // namespace tilec

#endif // TILEC_KERNELINFO_NPY_H
