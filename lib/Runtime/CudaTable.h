//===- CudaTable.h - the functions of libcuda -------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Own declarations of the driver interface, so that building needs no CUDA
// toolkit and running needs no driver until a device is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_CUDATABLE_H
#define TILEC_LIB_RUNTIME_CUDATABLE_H

#include <cstddef>

namespace tilec {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = void *;
using CUmodule = void *;
using CUfunction = void *;
using CUstream = void *;
using CUevent = void *;

/// The function pointers, by the rows of CudaSymbols.def.
struct CudaTable {
#define TILEC_CUDA_SYMBOL(name, symbol, parameters) CUresult(*name) parameters;
#include "CudaSymbols.def"
};

/// Result codes that have sentences of their own.
enum CudaResult : CUresult {
  CudaSuccess = 0,
  CudaInvalidValue = 1,
  CudaOutOfMemory = 2,
  CudaNoDevice = 100,
  CudaNoBinaryForGpu = 209,
  CudaInvalidPtx = 218,
  CudaUnsupportedPtxVersion = 222,
  CudaNotFound = 500,
  CudaDriverMismatch = 803,
};

/// Attributes of devices, functions and pointers, options of the JIT.
enum CudaAttribute : int {
  DeviceMultiprocessors = 16,
  DeviceL2Bytes = 38,
  DeviceMajor = 75,
  DeviceMinor = 76,
  DeviceSharedOptin = 97,

  FunctionMaxThreads = 0,
  FunctionSharedBytes = 1,
  FunctionLocalBytes = 3,
  FunctionRegisters = 4,
  FunctionMaxDynamicShared = 8,
  FunctionNonPortableCluster = 14,

  PointerMemoryType = 2,
  MemoryTypeHost = 1,

  JitErrorLog = 5,
  JitErrorLogSize = 6,
};

} // namespace tilec

#endif // TILEC_LIB_RUNTIME_CUDATABLE_H
