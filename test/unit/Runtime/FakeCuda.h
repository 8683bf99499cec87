//===- FakeCuda.h - control of the fake driver ------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What the fake libcuda exports beside the driver's functions: a test sets
// what its device is and which call fails, and reads what was called.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_RUNTIME_FAKECUDA_H
#define TILEC_TEST_UNIT_RUNTIME_FAKECUDA_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// The state of the fake driver, shared with the test by pointer.
struct FakeCuda {
  // Set by the test.
  int driverVersion = 12040;
  int deviceCount = 1;
  int major = 9, minor = 0;
  int l2Bytes = 1 << 20;
  int sharedOptin = 232448;
  int staticShared = 0;
  int maxThreads = 1024;
  unsigned paramCount = 0; ///< parameters that a launch copies
  unsigned mapCount = 0;   ///< tensor maps after them
  bool records = true;     ///< keep calls and launches, not only their number
  std::string jitLog;      ///< what the compiler says
  /// Function name to the code that it returns.
  std::map<std::string, int> failures;

  // Read by the test.
  struct Launch {
    unsigned grid[3], block[3], shared;
    std::vector<uint64_t> params;
    std::vector<std::vector<uint64_t>> maps;
    std::string entry;
  };
  std::vector<Launch> launches;
  std::vector<std::string> calls;
  std::map<uint64_t, uint64_t> allocations; ///< address to bytes
  std::map<int, int> functionAttributes;
  std::string loadedText;
  uint64_t launchCount = 0;
  int openHandles = 0; ///< contexts, modules, streams, events not released
  double clock = 0;    ///< milliseconds; a launch takes 0.01
};

#endif // TILEC_TEST_UNIT_RUNTIME_FAKECUDA_H
