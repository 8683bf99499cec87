//===- TrafficReport.cpp - what a metered run counted ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Formatting alone; the counting is the interpreter's.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/TrafficReport.h"

#include "KernelLimits.h"
#include "Table.h"
#include "tilec/KernelInfo/Json.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using interpreter::AccessTraffic;
using interpreter::ArgumentTraffic;
using interpreter::LineTraffic;
using interpreter::Traffic;

namespace {

/// A column: its title, its name in JSON, and the counter.
struct Column {
  const char *title, *name;
  uint64_t ArgumentTraffic::*counter;
};

} // namespace

static constexpr Column columns[] = {
    {"elements read", "elements_read", &ArgumentTraffic::elementsRead},
    {"written", "elements_written", &ArgumentTraffic::elementsWritten},
    {"bytes read", "bytes_read", &ArgumentTraffic::bytesRead},
    {"written", "bytes_written", &ArgumentTraffic::bytesWritten},
    {"distinct read", "distinct_bytes_read",
     &ArgumentTraffic::distinctBytesRead},
    {"written", "distinct_bytes_written",
     &ArgumentTraffic::distinctBytesWritten},
};

/// The cells of a row: a name and the counters.
static std::vector<std::string> cellsOf(const ArgumentTraffic &traffic) {
  std::vector<std::string> cells = {traffic.name};
  for (const Column &column : columns)
    cells.push_back(std::to_string(traffic.*column.counter));
  return cells;
}

/// The sums of all arguments.
static ArgumentTraffic sumOf(const Traffic &traffic) {
  ArgumentTraffic sum;
  sum.name = "total";
  for (const ArgumentTraffic &argument : traffic.arguments)
    for (const Column &column : columns)
      sum.*column.counter += argument.*column.counter;
  return sum;
}

/// Bytes moved for each byte of the sectors that they lie in.
static std::string sectorUse(const AccessTraffic &traffic) {
  return percent(traffic.bytesRead + traffic.bytesWritten,
                 32.0 * traffic.sectors);
}

/// A row for each access in the source.
static std::string lineTable(const Traffic &traffic) {
  TableRows rows = {{"line", "argument", "access", "elements", "bytes",
                     "masked off", "sectors", "128-byte lines", "sector use"}};
  for (const LineTraffic &line : traffic.lines) {
    const AccessTraffic &t = line.traffic;
    uint64_t elements = std::max(t.elementsRead, t.elementsWritten);
    rows.push_back(
        {std::to_string(line.line), line.argument, line.op,
         std::to_string(elements), std::to_string(t.bytesRead + t.bytesWritten),
         percent(t.lanesOff, t.lanesOff + elements), std::to_string(t.sectors),
         std::to_string(t.cacheLines), sectorUse(t)});
  }
  return rows.size() > 1 ? "\n" + alignRows(rows) : "";
}

/// A row for each loop in the source.
static std::string loopTable(const Traffic &traffic) {
  TableRows rows = {{"line", "loop runs", "iterations", "of a run"}};
  for (const interpreter::LoopCount &loop : traffic.loops)
    rows.push_back(
        {std::to_string(loop.line), std::to_string(loop.runs),
         std::to_string(loop.iterations),
         llvm::formatv("{0:F1}", double(loop.iterations) / loop.runs)});
  return rows.size() > 1 ? "\n" + alignRows(rows) : "";
}

//===----------------------------------------------------------------------===//
// Roofline
//===----------------------------------------------------------------------===//

namespace {

/// What a run of a whole grid asks of a GPU at least.
struct GridRoofline {
  uint64_t flops = 0, dots = 0;        // operations
  uint64_t bytes = 0, distinct = 0;    // moved, and different
  double memoryTime = 0, mathTime = 0; // seconds, on a GPU
  uint64_t waves = 0;
  double lastWave = 0; // its share of the multiprocessors

  GridRoofline(const Traffic &traffic, const Gpu *gpu, const WorkTypes &types);
  /// Bound by memory, or else by arithmetic.
  bool isMemory() const { return memoryTime >= mathTime; }
  double intensity() const {
    return bytes ? double(flops + dots) / double(bytes) : 0;
  }
};

} // namespace

GridRoofline::GridRoofline(const Traffic &traffic, const Gpu *gpu,
                           const WorkTypes &types) {
  for (const auto &[kind, count] : traffic.flops)
    (kind == "dot" ? dots : flops) += count;
  for (const ArgumentTraffic &argument : traffic.arguments) {
    bytes += argument.bytesRead + argument.bytesWritten;
    distinct += argument.distinctBytesRead + argument.distinctBytesWritten;
  }
  if (!gpu || traffic.programs == 0)
    return;
  memoryTime = distinct / (gpu->memory * 1e9);
  mathTime = flops / (peakOf(*gpu, types.flops, /*isDot=*/false) * 1e12);
  if (dots)
    mathTime = std::max(
        mathTime, dots / (peakOf(*gpu, types.dots, /*isDot=*/true) * 1e12));
  waves = (traffic.programs - 1) / gpu->multiprocessors + 1;
  uint64_t last = traffic.programs - (waves - 1) * gpu->multiprocessors;
  lastWave = double(last) / gpu->multiprocessors;
}

/// What bounds the kernel on a GPU, in words.
static std::string rooflineText(const GridRoofline &roofline,
                                const Traffic &traffic, const Gpu &gpu) {
  return llvm::formatv(
      "{0}: bound by {1}: {2:F2} us to move the distinct bytes, {3:F2} us to "
      "compute\n{0}: {4} programs on {5} multiprocessors: {6} {7} of one "
      "program each, the last uses {8}\n",
      gpu.name, roofline.isMemory() ? "memory" : "arithmetic",
      roofline.memoryTime * 1e6, roofline.mathTime * 1e6, traffic.programs,
      gpu.multiprocessors, roofline.waves,
      roofline.waves == 1 ? "wave" : "waves", percent(roofline.lastWave, 1));
}

std::string tilec::trafficTable(llvm::StringRef kernel,
                                std::array<int64_t, 3> grid,
                                const Traffic &traffic, const Gpu *gpu,
                                const WorkTypes &types) {
  std::string text = kernel.str() + ": " + std::to_string(traffic.programs) +
                     (traffic.programs == 1 ? " program" : " programs") +
                     ", grid " + std::to_string(grid[0]) + "x" +
                     std::to_string(grid[1]) + "x" + std::to_string(grid[2]) +
                     "\n";
  TableRows rows = {{"argument"}};
  for (const Column &column : columns)
    rows[0].push_back(column.title);
  for (const ArgumentTraffic &argument : traffic.arguments)
    rows.push_back(cellsOf(argument));
  rows.push_back(cellsOf(sumOf(traffic)));
  text += alignRows(rows);
  std::string flops;
  for (const auto &[kind, count] : traffic.flops)
    flops +=
        (flops.empty() ? "flops: " : ", ") + kind + " " + std::to_string(count);
  text += flops.empty() ? "" : flops + "\n";
  text += lineTable(traffic) + loopTable(traffic);
  GridRoofline roofline(traffic, gpu, types);
  text += llvm::formatv(
      "\n{0:F2} operations a byte; each byte is moved {1:F2} times\n",
      roofline.intensity(),
      roofline.distinct ? double(roofline.bytes) / roofline.distinct : 0.0);
  return text + (gpu ? rooflineText(roofline, traffic, *gpu) : "");
}

/// The counters of an access beyond elements and bytes.
static void setTransactions(json::Value &object, const AccessTraffic &traffic) {
  object.set("lanes_off", traffic.lanesOff);
  object.set("sectors", traffic.sectors);
  object.set("cache_lines", traffic.cacheLines);
}

/// The rows of the table by lines.
static json::Value linesJson(const Traffic &traffic) {
  json::Value lines = json::Value::array();
  for (const LineTraffic &line : traffic.lines) {
    json::Value entry = json::Value::object();
    entry.set("line", line.line);
    entry.set("op", line.op);
    entry.set("arg", line.argument);
    entry.set("elements_read", line.traffic.elementsRead);
    entry.set("elements_written", line.traffic.elementsWritten);
    entry.set("bytes_read", line.traffic.bytesRead);
    entry.set("bytes_written", line.traffic.bytesWritten);
    setTransactions(entry, line.traffic);
    entry.set("has_layout", line.hasLayout);
    lines.push(std::move(entry));
  }
  return lines;
}

/// The rows of the table by loops.
static json::Value loopsJson(const Traffic &traffic) {
  json::Value loops = json::Value::array();
  for (const interpreter::LoopCount &loop : traffic.loops) {
    json::Value entry = json::Value::object();
    entry.set("line", loop.line);
    entry.set("runs", loop.runs);
    entry.set("iterations", loop.iterations);
    loops.push(std::move(entry));
  }
  return loops;
}

/// What `--gpu` adds.
static json::Value rooflineJson(const GridRoofline &roofline, const Gpu &gpu) {
  json::Value object = json::Value::object();
  object.set("gpu", std::string(gpu.name));
  object.set("bound", roofline.isMemory() ? "memory" : "arithmetic");
  object.set("memory_us", roofline.memoryTime * 1e6);
  object.set("compute_us", roofline.mathTime * 1e6);
  object.set("waves", roofline.waves);
  object.set("last_wave", roofline.lastWave);
  return object;
}

std::string tilec::trafficJson(llvm::StringRef kernel,
                               std::array<int64_t, 3> grid,
                               const Traffic &traffic, const Gpu *gpu,
                               const WorkTypes &types) {
  json::Value sizes = json::Value::array(), arguments = json::Value::object(),
              flops = json::Value::object(), root = json::Value::object();
  for (int64_t size : grid)
    sizes.push(size);
  for (const ArgumentTraffic &argument : traffic.arguments) {
    json::Value counters = json::Value::object();
    for (const Column &column : columns)
      counters.set(column.name, argument.*column.counter);
    setTransactions(counters, argument);
    arguments.set(argument.name, std::move(counters));
  }
  for (const auto &[kind, count] : traffic.flops)
    flops.set(kind, count);
  root.set("kernel", kernel.str());
  root.set("grid", std::move(sizes));
  root.set("programs", traffic.programs);
  root.set("args", std::move(arguments));
  root.set("flops", std::move(flops));
  root.set("lines", linesJson(traffic));
  root.set("loops", loopsJson(traffic));
  GridRoofline roofline(traffic, gpu, types);
  root.set("intensity", roofline.intensity());
  if (gpu)
    root.set("roofline", rooflineJson(roofline, *gpu));
  return root.write() + "\n";
}
