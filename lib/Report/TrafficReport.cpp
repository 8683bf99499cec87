//===- TrafficReport.cpp - what a metered run counted ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Formatting alone; the counting is the interpreter's.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/TrafficReport.h"

#include "tilec/KernelInfo/Json.h"

using namespace tilec;
using interpreter::ArgumentTraffic;
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

/// Rows as text, names to the left, numbers to the right.
static std::string
alignRows(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      text += i ? "  " + padding + row[i] : row[i] + padding;
    }
    text += "\n";
  }
  return text;
}

std::string tilec::trafficTable(llvm::StringRef kernel,
                                std::array<int64_t, 3> grid,
                                const Traffic &traffic) {
  std::string text = kernel.str() + ": " + std::to_string(traffic.programs) +
                     " programs, grid " + std::to_string(grid[0]) + "x" +
                     std::to_string(grid[1]) + "x" + std::to_string(grid[2]) +
                     "\n";
  std::vector<std::vector<std::string>> rows = {{"argument"}};
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
  return text + (flops.empty() ? "" : flops + "\n");
}

std::string tilec::trafficJson(llvm::StringRef kernel,
                               std::array<int64_t, 3> grid,
                               const Traffic &traffic) {
  json::Value sizes = json::Value::array(), arguments = json::Value::object(),
              flops = json::Value::object(), root = json::Value::object();
  for (int64_t size : grid)
    sizes.push(size);
  for (const ArgumentTraffic &argument : traffic.arguments) {
    json::Value counters = json::Value::object();
    for (const Column &column : columns)
      counters.set(column.name, argument.*column.counter);
    arguments.set(argument.name, std::move(counters));
  }
  for (const auto &[kind, count] : traffic.flops)
    flops.set(kind, count);
  root.set("kernel", kernel.str());
  root.set("grid", std::move(sizes));
  root.set("programs", traffic.programs);
  root.set("args", std::move(arguments));
  root.set("flops", std::move(flops));
  return root.write() + "\n";
}
