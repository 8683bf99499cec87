//===- BenchReport.cpp - a measurement beside the machine's limits --------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A kernel cannot be faster than its arrays pass through memory or its
// operations through the arithmetic units; how near it is says what is left to
// gain.
//
//===----------------------------------------------------------------------===//

#include "BenchReport.h"

#include "tilec/Report/Gpu.h"

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace tilec;

namespace {
/// One way in which a kernel uses the machine; rates in units of 1e9 a second.
struct Use {
  std::string name; ///< "memory", "fp32", "tensor fp16"
  const char *unit; ///< of the amount: "B", "FLOP"
  double amount, rate;
  double limit = 0; ///< 0 where none is known
};
} // namespace

/// All uses, memory first.
static std::vector<Use> usesOf(const std::string &device, const Work &work,
                               double microseconds) {
  const Gpu *limits = findGpuOfDevice(device);
  auto rate = [&](double amount) { return amount / microseconds * 1e-3; };
  double bytes = static_cast<double>(work.bytes);
  std::vector<Use> uses = {
      {"memory", "B", bytes, rate(bytes), limits ? limits->memory : 0}};
  if (work.isCounted && work.flops > 0)
    uses.push_back(
        {work.type, "FLOP", work.flops, rate(work.flops),
         limits ? (work.type == "fp64" ? limits->fp64 : limits->fp32) * 1e3
                : 0});
  // Products of integers have no row: no limit is known, and no FLOP is one.
  if (work.isCounted && work.dotFlops > 0 && !work.dotType.empty())
    uses.push_back(
        {(work.dotType == "fp32" ? "products " : "tensor ") + work.dotType,
         "FLOP", work.dotFlops, rate(work.dotFlops),
         limits ? limits->dot(work.dotType) * 1e3 : 0});
  return uses;
}

/// A number with the prefix that makes it short: "4.25 T".
static std::string scaled(double value) {
  static constexpr const char *prefixes[] = {"", "k", "M", "G", "T", "P"};
  unsigned prefix = 0;
  for (; value >= 1000 && prefix + 1 < std::size(prefixes); ++prefix)
    value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f %s" : "%.1f %s", value,
                prefixes[prefix]);
  return text;
}

/// `text` in a column.
static std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

/// The use that takes longest at its limit, or null if no limit is known.
static const Use *findBound(const std::vector<Use> &uses) {
  const Use *bound = nullptr;
  for (const Use &use : uses)
    if (use.limit > 0 &&
        (!bound || use.amount / use.limit > bound->amount / bound->limit))
      bound = &use;
  return bound;
}

std::string tilec::limitsTable(const std::string &device, const Work &work,
                               double microseconds) {
  std::vector<Use> uses = usesOf(device, work, microseconds);
  std::string text = padded("", 14) + padded("measured", 16) +
                     padded("limit", 16) + padded("share", 8) + "work\n";
  for (const Use &use : uses) {
    std::string perSecond = std::string(use.unit) + "/s";
    char share[16] = "?";
    if (use.limit > 0)
      std::snprintf(share, sizeof share, "%.0f %%", 100 * use.rate / use.limit);
    text +=
        padded(use.name, 14) + padded(scaled(use.rate * 1e9) + perSecond, 16) +
        padded(use.limit > 0 ? scaled(use.limit * 1e9) + perSecond : "?", 16) +
        padded(share, 8) + scaled(use.amount) + use.unit +
        (use.unit[0] == 'B' ? ", each array once\n" : "\n");
  }
  if (work.isCounted && work.counted < work.programs)
    text += "operations by " + std::to_string(work.counted) + " of " +
            std::to_string(work.programs) + " programs, the rest taken alike\n";
  if (const Use *bound = findBound(uses)) {
    char time[32];
    std::snprintf(time, sizeof time, "%.2f us",
                  bound->amount / bound->limit * 1e-3);
    return text + "at the limit of " + device + " (" + bound->name +
           ") it would take " + time + "\n";
  }
  return text + "the limits of " + device + " are not in the table Gpus.def\n";
}

void tilec::addLimits(json::Value &object, const std::string &device,
                      const Work &work, double microseconds) {
  json::Value list = json::Value::array();
  std::vector<Use> uses = usesOf(device, work, microseconds);
  for (const Use &use : uses) {
    json::Value entry = json::Value::object();
    entry.set("name", use.name);
    entry.set("amount", use.amount);
    entry.set("giga_per_s", use.rate);
    if (use.limit > 0) {
      entry.set("limit_giga_per_s", use.limit);
      entry.set("share", use.rate / use.limit);
    }
    list.push(std::move(entry));
  }
  object.set("uses", std::move(list));
  if (work.isCounted) {
    object.set("counted_programs", work.counted);
    object.set("programs", work.programs);
  }
  if (const Use *bound = findBound(uses)) {
    object.set("bound", bound->name);
    object.set("limit_us", bound->amount / bound->limit * 1e-3);
  }
}
