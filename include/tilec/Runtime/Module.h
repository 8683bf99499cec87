//===- Module.h - kernels from PTX and their launch -------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A PTX file with its metadata becomes kernels whose arguments are checked by
// name, number, type and requirement before anything reaches the device.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_MODULE_H
#define TILEC_RUNTIME_MODULE_H

#include "tilec/KernelInfo/KernelInfo.h"
#include "tilec/Runtime/Buffer.h"

#include <array>

namespace tilec {

/// A value for one parameter.
struct Argument {
  std::string name;
  ParamType type;
  uint64_t bits = 0; ///< address or bit pattern
  /// Whether the address comes from the user and is to be looked up.
  bool foreign = false;

  /// A buffer of this library.
  static Argument buffer(std::string name, ElementType element,
                         const Buffer &buffer);
  /// An address that another library allocated.
  static Argument address(std::string name, ElementType element,
                          uint64_t address);
  static Argument scalar(std::string name, ElementType type, uint64_t bits);
};

/// Blocks in each dimension.
using Grid = std::array<uint64_t, 3>;

/// Arguments in the order and form of one entry's parameters.
class BoundArguments {
public:
  BoundArguments(BoundArguments &&) = default;
  BoundArguments &operator=(BoundArguments &&) = default;

private:
  friend class Kernel;
  BoundArguments() = default;
  std::vector<uint64_t> values;
  std::vector<void *> pointers; // to the values: moving keeps them valid
  std::vector<std::shared_ptr<Buffer>> scratch;
};

class Module;

/// An entry of a module, ready to launch.
class Kernel {
public:
  const KernelInfo &info() const { return *metadata; }
  /// Per thread, as the driver's compiler decided.
  int registers() const { return numRegisters; }
  int localBytes() const { return numLocalBytes; }

  /// Checks the arguments, in any order, against the metadata. An argument
  /// that is no parameter must be one that was folded, with its value.
  Result<BoundArguments> bind(const std::vector<Argument> &arguments) const;
  /// Queues a run. An empty grid does nothing.
  Status launch(const BoundArguments &arguments, const Grid &grid,
                const Stream &stream) const;
  /// The same with a pointer to the value of each parameter, hidden ones too;
  /// only the grid is checked.
  Status launch(void **parameters, const Grid &grid,
                const Stream &stream) const;
  const std::shared_ptr<Device> &device() const;

  /// No kernel; only to be assigned to.
  Kernel() = default;

private:
  friend class Module;
  Status prepare();
  Status checkValue(const ParamInfo &param, const Argument &argument) const;
  Status checkRequirements(const std::vector<Argument> &arguments) const;
  Status checkGrid(const Grid &grid) const;
  Status makeHidden(BoundArguments &bound) const;

  std::shared_ptr<Module> owner;
  const KernelInfo *metadata = nullptr;
  void *function = nullptr;
  int numRegisters = 0, numLocalBytes = 0;
};

/// Loaded PTX.
class Module : public std::enable_shared_from_this<Module> {
public:
  /// Compiles PTX text with its metadata on the device. The error holds the
  /// log of the driver's compiler.
  static Result<std::shared_ptr<Module>> fromPtx(std::shared_ptr<Device> device,
                                                 const std::string &text);
  ~Module();

  const PtxMetadata &info() const { return metadata; }
  /// The entry of that name.
  Result<Kernel> entry(const std::string &name);
  /// The same for the image of a `.cubin` file. One of another assembler than
  /// tilec has no metadata: then `metadata` is the text of the PTX that it was
  /// made of, or its comment lines; it is empty for one of tilec.
  static Result<std::shared_ptr<Module>>
  fromCubin(std::shared_ptr<Device> device, const std::string &image,
            const std::string &metadata = "");
  /// The first entry of the kernel `name` (may be empty when there is but one)
  /// whose requirements the arguments fulfil. `why` receives the reason in a
  /// sentence, if it is not null.
  Result<Kernel> select(const std::string &name,
                        const std::vector<Argument> &arguments,
                        std::string *why = nullptr);

private:
  friend class Kernel;
  Module() = default;
  Result<Kernel> makeKernel(const KernelInfo &info);
  static Result<std::shared_ptr<Module>> load(std::shared_ptr<Device> device,
                                              const std::string &image,
                                              PtxMetadata metadata);

  std::shared_ptr<Device> device;
  PtxMetadata metadata;
  void *module = nullptr;
};

} // namespace tilec

#endif // TILEC_RUNTIME_MODULE_H
