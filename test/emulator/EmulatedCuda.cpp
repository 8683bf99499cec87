//===- EmulatedCuda.cpp - a CUDA driver that emulates PTX -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A libcuda whose device is launch.py: so every program that runs kernels on a
// GPU runs them without one, through the same runtime. Device memory is a file
// that both processes map. A launch is finished when it returns; what went
// wrong in it is told when the stream is waited for, as by a GPU.
//
// TILEC_EMULATOR_ARCH is the architecture to pose as, sm_80 unless set.
//
//===----------------------------------------------------------------------===//

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

enum Result {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotFound = 500,
  LaunchFailed = 719,
};

/// Between two buffers, so that an access beyond one hits none.
constexpr uint64_t gap = 4096;
constexpr uint64_t arenaBytes = uint64_t(1) << 36;

/// Memory that is shared with the emulator; pages that nothing touches take no
/// room.
struct Arena {
  int file = memfd_create("tilec-arena", 0);
  char *base = nullptr;
  uint64_t used = gap;
  std::map<uint64_t, uint64_t> buffers; ///< address to bytes

  Arena() {
    if (file < 0 || ftruncate(file, arenaBytes) != 0)
      return;
    void *memory = mmap(nullptr, arenaBytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, file, 0);
    base = memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
  }

  /// The address of a new buffer, 0 if there is no room.
  uint64_t allocate(uint64_t bytes) {
    if (!base || bytes > arenaBytes - used - 2 * gap)
      return 0;
    uint64_t address = reinterpret_cast<uintptr_t>(base) + used;
    buffers[address] = bytes;
    used = (used + bytes + 2 * gap - 1) / gap * gap;
    return address;
  }
};

struct Module {
  std::string ptx;
};

struct Function {
  Module *module;
  std::string name;
  std::vector<unsigned> parameterBytes;
};

std::mutex mutex;
std::string fault; ///< of the last launch that failed

Arena &arena() {
  static Arena theArena;
  return theArena;
}

/// "sm_90a" as 90.
int architecture() {
  const char *name = std::getenv("TILEC_EMULATOR_ARCH");
  return name && std::strlen(name) > 3 ? std::atoi(name + 3) : 80;
}

/// Sizes of the parameters of an entry by its declaration; false if the text
/// has no such entry.
bool readParameters(const std::string &ptx, Function &function) {
  size_t at = ptx.find(".entry " + function.name + "(");
  if (at == ptx.npos)
    return false;
  std::istringstream words(ptx.substr(at, ptx.find(')', at) - at));
  for (std::string word; words >> word;)
    if (word.find(".param") != word.npos && words >> word)
      function.parameterBytes.push_back(
          word == ".pred" ? 1 : std::atoi(word.c_str() + 2) / 8);
  return true;
}

/// Text in quotes for JSON; paths and names need no more.
std::string quoted(const std::string &text) { return '"' + text + '"'; }

std::string hex(const void *data, unsigned bytes) {
  std::string result;
  char digits[3];
  for (unsigned i = 0; i < bytes; ++i) {
    std::snprintf(digits, sizeof digits, "%02x",
                  static_cast<const unsigned char *>(data)[i]);
    result += digits;
  }
  return result;
}

/// Joins pieces of JSON with commas.
struct List {
  std::string text;
  void add(const std::string &piece) {
    text += (text.empty() ? "" : ",") + piece;
  }
};

/// A folder that goes with its files.
struct Folder {
  char path[32] = "/tmp/tilec-emulator-XXXXXX";
  bool exists = mkdtemp(path) != nullptr;
  ~Folder() {
    for (const char *name : {"module.ptx", "request.json", "fault.txt"})
      unlink(file(name).c_str());
    rmdir(path);
  }
  std::string file(const char *name) const {
    return std::string(path) + "/" + name;
  }
};

/// Runs the emulator; its words on standard error become the fault.
int runEmulator(const Folder &folder) {
  pid_t child = fork();
  if (child == 0) {
    int errors = open(folder.file("fault.txt").c_str(),
                      O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(errors, STDERR_FILENO);
    setenv("PYTHONPYCACHEPREFIX", TILEC_EMULATOR_CACHE, 1);
    for (const char *name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"})
      setenv(name, "1", 1);
    execl(TILEC_PYTHON, TILEC_PYTHON, TILEC_EMULATOR_SCRIPT,
          folder.file("request.json").c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status == 0)
    return child < 0 ? LaunchFailed : Success;
  std::ifstream file(folder.file("fault.txt"));
  std::ostringstream text;
  text << file.rdbuf();
  fault = text.str();
  fault.erase(fault.find_last_not_of('\n') + 1);
  if (fault.empty())
    fault = "the emulator ended with status " + std::to_string(status);
  return LaunchFailed;
}

} // namespace

extern "C" {

//===-- Start, errors, devices -----------------------------------------------//

int cuInit(unsigned) { return arena().base ? Success : OutOfMemory; }
int cuDriverGetVersion(int *version) {
  *version = 13000;
  return Success;
}
int cuGetErrorName(int code, const char **name) {
  *name = code == LaunchFailed  ? "CUDA_ERROR_LAUNCH_FAILED"
          : code == OutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY"
                                : "CUDA_ERROR_INVALID_VALUE";
  return Success;
}
int cuGetErrorString(int code, const char **text) {
  *text =
      code == LaunchFailed ? fault.c_str() : "the emulator does not do this";
  return Success;
}
int cuDeviceGetCount(int *count) {
  *count = 1;
  return Success;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? Success : InvalidValue;
}
int cuDeviceGetName(char *name, int size, int) {
  std::snprintf(name, size, "PTX emulator");
  return Success;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (attribute) {
  case 16: // multiprocessors
    *value = 1;
    return Success;
  case 38: // bytes of L2
    *value = 1 << 20;
    return Success;
  case 75: // major
    *value = architecture() / 10;
    return Success;
  case 76: // minor
    *value = architecture() % 10;
    return Success;
  case 97: // shared memory that a block may have
    *value = architecture() >= 90   ? 232448
             : architecture() == 80 ? 166912
                                    : 101376;
    return Success;
  default:
    *value = 0;
    return Success;
  }
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = arenaBytes;
  return Success;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &arena();
  return Success;
}
int cuDevicePrimaryCtxRelease_v2(int) { return Success; }
int cuCtxSetCurrent(void *) { return Success; }

//===-- Memory ---------------------------------------------------------------//

int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  *address = arena().allocate(bytes);
  return *address ? Success : OutOfMemory;
}
int cuMemFree_v2(unsigned long long address) {
  std::lock_guard<std::mutex> lock(mutex);
  return arena().buffers.erase(address) ? Success : InvalidValue;
}
int cuMemGetInfo_v2(size_t *freeBytes, size_t *totalBytes) {
  *freeBytes = arenaBytes - arena().used;
  *totalBytes = arenaBytes;
  return Success;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return Success;
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return Success;
}
int cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from,
                    size_t bytes) {
  std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
               bytes);
  return Success;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                         void *) {
  return cuMemcpyHtoD_v2(to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes,
                         void *) {
  return cuMemcpyDtoH_v2(to, from, bytes);
}
int cuMemsetD8_v2(unsigned long long to, unsigned char value, size_t bytes) {
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return Success;
}
int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes,
                    void *) {
  return cuMemsetD8_v2(to, value, bytes);
}
int cuPointerGetAttribute(void *data, int, unsigned long long address) {
  std::lock_guard<std::mutex> lock(mutex);
  *static_cast<unsigned *>(data) = 2; // device memory
  auto next = arena().buffers.upper_bound(address);
  if (next == arena().buffers.begin())
    return InvalidValue;
  --next;
  return address < next->first + next->second ? Success : InvalidValue;
}

//===-- Code -----------------------------------------------------------------//

int cuModuleLoadDataEx(void **module, const void *image, unsigned, int *,
                       void **) {
  *module = new Module{static_cast<const char *>(image)};
  return Success;
}
int cuModuleUnload(void *module) {
  delete static_cast<Module *>(module);
  return Success;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  // Handles of functions live as long as the process, as modules may.
  auto *result = new Function{static_cast<Module *>(module), name, {}};
  *function = result;
  return readParameters(result->module->ptx, *result) ? Success : NotFound;
}
int cuFuncGetAttribute(int *value, int attribute, void *) {
  *value = attribute == 0 ? 1024 : 0;
  return Success;
}
int cuFuncSetAttribute(void *, int, int) { return Success; }

int cuLaunchKernel(void *handle, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned blockX, unsigned, unsigned, unsigned shared, void *,
                   void **parameters, void **) {
  std::lock_guard<std::mutex> lock(mutex);
  auto &function = *static_cast<Function *>(handle);
  Folder folder;
  List values, buffers;
  for (size_t i = 0; i < function.parameterBytes.size(); ++i)
    values.add(quoted(hex(parameters[i], function.parameterBytes[i])));
  for (auto [address, bytes] : arena().buffers)
    buffers.add("[" + std::to_string(address) + "," + std::to_string(bytes) +
                "]");
  auto number = [](uint64_t value) { return std::to_string(value); };
  std::ofstream(folder.file("module.ptx")) << function.module->ptx;
  std::ofstream(folder.file("request.json"))
      << "{\"ptx\": " << quoted(folder.file("module.ptx"))
      << ", \"entry\": " << quoted(function.name) << ", \"grid\": ["
      << number(gridX) << "," << number(gridY) << "," << number(gridZ)
      << "], \"threads\": " << number(blockX)
      << ", \"shared\": " << number(shared) << ", \"parameters\": ["
      << values.text << "], \"arena\": {\"fd\": " << number(arena().file)
      << ", \"base\": " << number(reinterpret_cast<uintptr_t>(arena().base))
      << ", \"bytes\": " << number(arena().used) << "}, \"buffers\": ["
      << buffers.text << "]}";
  fault.clear();
  runEmulator(folder);
  return Success;
}

//===-- Streams and events: everything is finished when it is asked for ------//

static int waitForAll() { return fault.empty() ? Success : LaunchFailed; }
int cuCtxSynchronize() { return waitForAll(); }
int cuStreamCreate(void **stream, unsigned) {
  *stream = &arena();
  return Success;
}
int cuStreamDestroy_v2(void *) { return Success; }
int cuStreamWaitEvent(void *, void *, unsigned) { return Success; }
int cuStreamSynchronize(void *) { return waitForAll(); }
int cuEventCreate(void **event, unsigned) {
  *event = &arena();
  return Success;
}
int cuEventDestroy_v2(void *) { return Success; }
int cuEventRecord(void *, void *) { return Success; }
int cuEventSynchronize(void *) { return waitForAll(); }
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  *milliseconds = 0;
  return Success;
}
}
