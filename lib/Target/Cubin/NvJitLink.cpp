//===- NvJitLink.cpp - assembles by the library nvJitLink -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The few functions that are needed are declared here and looked up at run
// time, so that one build of tilec works with and without a toolkit, and with
// any of its versions from 12 on.
//
//===----------------------------------------------------------------------===//

#include "Assemblers.h"

#include <dlfcn.h>

using namespace tilec;

namespace {

/// The functions, with handles and codes as what they are to a linker.
struct Library {
  using Handle = void *;
  static constexpr int inputPtx = 2;

  int (*create)(Handle *, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;
  int (*cubin)(Handle, void *) = nullptr;
  int (*infoSize)(Handle, size_t *) = nullptr;
  int (*info)(Handle, char *) = nullptr;
  int (*errorSize)(Handle, size_t *) = nullptr;
  int (*error)(Handle, char *) = nullptr;
  int (*version)(unsigned *, unsigned *) = nullptr;

  /// Looks all of them up.
  bool bind(void *library);
};

/// One run of the linker.
class Link {
public:
  explicit Link(const Library &library) : library(library) {}
  ~Link() {
    if (handle)
      library.destroy(&handle);
  }
  Link(const Link &) = delete;

  /// Everything up to the finished code; false if a step fails.
  bool run(const std::string &ptx, const std::string &arch) {
    std::string target = "-arch=" + arch;
    const char *options[] = {target.c_str(), "-Xptxas=-v"};
    return library.create(&handle, 2, options) == 0 &&
           // The zero byte after the text belongs to it.
           library.addData(handle, Library::inputPtx, ptx.c_str(),
                           ptx.size() + 1, "kernels") == 0 &&
           library.complete(handle) == 0;
  }

  /// A text or an image by the functions for its size and its bytes.
  template <typename Bytes>
  std::string read(int (*size)(Library::Handle, size_t *),
                   int (*get)(Library::Handle, Bytes *)) {
    size_t count = 0;
    std::string bytes;
    if (!handle || size(handle, &count) != 0 || count == 0)
      return bytes;
    bytes.resize(count);
    if (get(handle, reinterpret_cast<Bytes *>(bytes.data())) != 0)
      bytes.clear();
    return bytes;
  }

private:
  const Library &library;
  Library::Handle handle = nullptr;
};

} // namespace

bool Library::bind(void *library) {
  auto find = [&](auto &function, const char *name) {
    void *symbol = dlsym(library, name);
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    return symbol != nullptr;
  };
  return find(create, "nvJitLinkCreate") && find(destroy, "nvJitLinkDestroy") &&
         find(addData, "nvJitLinkAddData") &&
         find(complete, "nvJitLinkComplete") &&
         find(cubinSize, "nvJitLinkGetLinkedCubinSize") &&
         find(cubin, "nvJitLinkGetLinkedCubin") &&
         find(infoSize, "nvJitLinkGetInfoLogSize") &&
         find(info, "nvJitLinkGetInfoLog") &&
         find(errorSize, "nvJitLinkGetErrorLogSize") &&
         find(error, "nvJitLinkGetErrorLog") &&
         find(version, "nvJitLinkVersion");
}

/// Loads the library. It is never closed: it may have started threads.
static bool load(const ToolkitSearch &search, Library &library) {
  auto open = [&](const std::string &path) {
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return handle && library.bind(handle);
  };
  if (search.asksSystem)
    for (const char *name : {"libnvJitLink.so.13", "libnvJitLink.so.12"})
      if (open(name))
        return true;
  for (const std::string &folder : search.folders)
    for (const char *name :
         {"/lib64/libnvJitLink.so", "/lib/libnvJitLink.so",
          "/lib64/libnvJitLink.so.13", "/lib64/libnvJitLink.so.12"})
      if (open(folder + name))
        return true;
  return false;
}

Result<Assembly> tilec::assembleByNvJitLink(const std::string &ptx,
                                            const std::string &arch,
                                            const ToolkitSearch &search) {
  Library library;
  if (!load(search, library))
    return Error{"nvJitLink is not found", ErrorKind::Unavailable};
  unsigned major = 0, minor = 0;
  (void)library.version(&major, &minor);
  Assembly assembly;
  assembly.assembler =
      "nvJitLink " + std::to_string(major) + "." + std::to_string(minor);
  Link link(library);
  if (!link.run(ptx, arch))
    return refusal(assembly.assembler, arch,
                   link.read(library.errorSize, library.error));
  assembly.image = link.read(library.cubinSize, library.cubin);
  assembly.entries = parseResources(link.read(library.infoSize, library.info));
  return assembly;
}
