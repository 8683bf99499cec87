//===- KernelFamily.h - the versions of one kernel --------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A PTX file may hold a kernel several times, compiled for more or less that is
// known of its arguments. A family launches the first version that the
// arguments at hand allow. Everything that can be decided before is decided
// when it is made: a launch checks each argument, and costs little more than
// the driver's own.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_KERNELFAMILY_H
#define TILEC_RUNTIME_KERNELFAMILY_H

#include "tilec/Runtime/Module.h"
#include "tilec/Runtime/TensorMap.h"

#include <map>
#include <mutex>

namespace tilec {

/// The value of the parameter at its position.
struct PlainArgument {
  ParamType type;
  uint64_t bits = 0; ///< address or bit pattern
  /// Whether the address comes from the user and is to be looked up.
  bool foreign = false;
};

/// All entries of one kernel. Any thread may launch it.
class KernelFamily {
public:
  /// The kernel of that name, or the one entry of that name; the name may be
  /// empty where the module has one kernel only.
  static Result<std::shared_ptr<KernelFamily>>
  create(std::shared_ptr<Module> module, const std::string &name);

  /// The parameters in the order of the source: those of the last entry, which
  /// assumes the least.
  const std::vector<ParamInfo> &params() const;
  size_t numEntries() const { return entries.size(); }
  const Kernel &entry(size_t index) const { return entries[index].kernel; }
  const std::shared_ptr<Device> &device() const;

  /// Checks an argument that is no parameter: every entry must have folded it,
  /// with this value.
  Status checkFolded(const Argument &argument) const;

  /// Checks the arguments and says which entry a launch takes. `why` receives
  /// the reason in a sentence, if it is not null.
  Result<size_t> choose(const PlainArgument *arguments, size_t count,
                        std::string *why = nullptr) const;

  /// Queues a run of the entry that fits. An empty grid does nothing.
  Status launch(const PlainArgument *arguments, size_t count, const Grid &grid,
                const Stream &stream, std::string *why = nullptr) const;

private:
  /// A requirement of the argument at a position.
  struct Check {
    unsigned param;
    Requirement requirement;
  };
  /// A size of an array: a number, or the argument at a position.
  struct Extent {
    uint64_t value = 0;
    std::optional<unsigned> param;
  };
  /// A tensor map among the hidden parameters.
  struct MapPlan {
    TensorMapSpec spec; ///< what does not depend on the arguments
    unsigned pointer = 0;
    std::vector<Extent> shape, strides;
  };
  /// A hidden parameter: a tensor map, or zeroed memory.
  struct HiddenPlan {
    std::optional<MapPlan> map;
    uint64_t scratchBytes = 0;
  };
  struct Entry {
    Kernel kernel;
    std::vector<unsigned> params; ///< positions of its own parameters
    std::vector<Check> checks;
    std::vector<HiddenPlan> hidden;
  };
  struct Scratch {
    std::mutex mutex;
    /// By entry and hidden parameter, and stream: work in a stream is in order.
    std::map<std::pair<const HiddenPlan *, void *>, Buffer> buffers;
  };

  KernelFamily() = default;
  Status add(Kernel kernel);
  Status addHidden(Entry &entry);
  Result<MapPlan> planMap(const json::Value &fields) const;
  std::optional<unsigned> find(std::string_view name) const;
  Status checkArguments(const PlainArgument *arguments, size_t count) const;
  const Check *findBroken(const Entry &entry,
                          const PlainArgument *arguments) const;
  Result<TensorMap> makeMap(const MapPlan &plan,
                            const PlainArgument *arguments) const;
  Result<uint64_t> makeScratch(const HiddenPlan &plan,
                               const Stream &stream) const;
  Status launchHidden(const Entry &entry, const PlainArgument *arguments,
                      void **pointers, const Grid &grid,
                      const Stream &stream) const;

  std::vector<Entry> entries;
  std::unique_ptr<Scratch> scratch = std::make_unique<Scratch>();
};

} // namespace tilec

#endif // TILEC_RUNTIME_KERNELFAMILY_H
