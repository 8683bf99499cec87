//===- KernelReportText.cpp - a report for people -------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelLimits.h"
#include "Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using llvm::formatv;

//===-- Words ----------------------------------------------------------------//

/// "1 load", "2 loads".
static std::string plural(uint64_t count, const char *noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// The number of a line, with the file where that is another than the kernel's.
static std::string lineOf(const ReportPlace &place,
                          const KernelReport &kernel) {
  if (!place.line)
    return "-";
  std::string line = std::to_string(place.line);
  return place.file == kernel.place.file ? line : place.file + ":" + line;
}

/// A count as a sum: "4096 + 8192 * ceil(K / 32)".
static std::string describe(const WorkCount &count, const KernelWork &work) {
  std::string text;
  for (const auto &[loops, factor] : count.getTerms()) {
    text +=
        (text.empty() ? "" : " + ") + std::string(formatv("{0:F0}", factor));
    for (unsigned loop : loops)
      text += " * " + (work.loops[loop].length == "?"
                           ? "loop" + std::to_string(loop + 1)
                           : work.loops[loop].length);
  }
  return text.empty() ? "0" : text;
}

/// A line with a title to the left.
static std::string titled(const char *title, const std::string &text) {
  return formatv("  {0,-15} {1}\n", title, text);
}

//===-- Sections -------------------------------------------------------------//

/// What the block takes.
static std::string resourcesText(const ModuleReport &report,
                                 const KernelReport &kernel) {
  std::string text;
  if (const auto &resources = kernel.resources) {
    std::string spills =
        resources->spillStores || resources->spillLoads
            ? formatv("spills {0} bytes of stores, {1} of loads",
                      resources->spillStores, resources->spillLoads)
                  .str()
            : std::string("no spills");
    if (resources->stack)
      spills += formatv(", {0} bytes of stack", resources->stack);
    text +=
        titled("registers", formatv("{0}, {1} (by {2})", resources->registers,
                                    spills, report.assembler));
  } else if (!report.noResources.empty()) {
    text += titled("registers", "unknown: " + report.noResources);
  }
  if (!kernel.hasLayouts)
    return text;
  text += titled("shared memory", plural(kernel.sharedBytes, "byte"));
  if (std::optional<Occupancy> occupancy = occupancyOf(report, kernel))
    text += titled(
        "occupancy",
        formatv("{0}: {1} a multiprocessor, {2}, {3} of its warps, limited by "
                "{4}{5}",
                report.gpu->name, plural(occupancy->blocks, "block"),
                plural(occupancy->warps, "warp"), percent(occupancy->share, 1),
                occupancy->limiter,
                kernel.resources ? "" : " (registers not counted)"));
  text += titled("barriers", std::to_string(kernel.barriers));
  return text;
}

/// What one program does.
static std::string workText(const ModuleReport &report,
                            const KernelReport &kernel) {
  if (!kernel.work)
    return "";
  const KernelWork &work = *kernel.work;
  WorkCount flops;
  std::string kinds;
  for (const auto &[kind, count] : work.flops) {
    flops.add(count);
    kinds += (kinds.empty() ? "" : ", ") + kind;
  }
  std::string text;
  for (const auto &[type, count] : work.dots)
    text += titled("products",
                   describe(count, work) + " FLOP of " + type + " a program");
  if (!flops.isZero())
    text +=
        titled("arithmetic", describe(flops, work) + " FLOP of " +
                                 work.flopType + " a program (" + kinds + ")");
  text += titled("memory", describe(work.bytesRead, work) + " bytes read, " +
                               describe(work.bytesWritten, work) +
                               " written a program");
  for (auto [number, loop] : llvm::enumerate(work.loops))
    if (loop.length == "?")
      text += titled("", formatv("loop{0} is how often a loop runs whose "
                                 "length is known at launch",
                                 number + 1));
  if (std::optional<Roofline> roofline = rooflineOf(report, kernel))
    text += titled(
        "roofline",
        formatv("{0}: {1:F2} FLOP a byte, the ridge of {2} is at {3:F1}: bound "
                "by {4}, {5:F1} of {6:F1} TFLOP/s in reach",
                report.gpu->name, roofline->intensity, roofline->unit,
                roofline->ridge, roofline->isMemory ? "memory" : "arithmetic",
                roofline->attainable, roofline->peak));
  return text;
}

/// A table under its title, if it has more than the head.
static std::string section(const char *title, const TableRows &rows) {
  return rows.size() > 1
             ? "\n  " + std::string(title) + "\n" + alignRows(rows, 4)
             : "";
}

static std::string buffersText(const KernelReport &kernel) {
  TableRows rows = {{"line", "for", "offset", "bytes", "stages"}};
  for (const SharedBufferReport &buffer : kernel.buffers)
    rows.push_back({lineOf(buffer.place, kernel), buffer.what,
                    std::to_string(buffer.offset), std::to_string(buffer.bytes),
                    std::to_string(buffer.stages)});
  return section("shared memory by buffer", rows);
}

static std::string globalText(const KernelReport &kernel) {
  TableRows rows = {{"line", "access", "argument", "tile", "masked",
                     "bytes a thread", "instructions", "sectors a warp",
                     "of these needed"}};
  for (const GlobalAccessReport &access : kernel.globalAccesses)
    rows.push_back(
        {lineOf(access.place, kernel), access.op, access.argument, access.tile,
         access.isMasked ? "yes" : "no", std::to_string(access.bytes),
         std::to_string(access.instructions), std::to_string(access.sectors),
         std::to_string(access.idealSectors)});
  return section("access to global memory", rows);
}

static std::string sharedText(const KernelReport &kernel) {
  TableRows rows = {{"line", "access", "for", "instruction", "bytes a thread",
                     "instructions", "wavefronts", "without conflicts"}};
  for (const SharedAccessReport &access : kernel.sharedAccesses)
    rows.push_back({lineOf(access.place, kernel), access.op, access.what,
                    access.instruction, std::to_string(access.bytes),
                    std::to_string(access.instructions),
                    std::to_string(access.wavefronts),
                    std::to_string(access.idealWavefronts)});
  return section("access to shared memory, of a warp", rows);
}

static std::string conversionsText(const KernelReport &kernel) {
  TableRows rows = {
      {"line", "tile", "by", "shared bytes", "wavefronts", "shuffles"}};
  for (const ConversionReport &conversion : kernel.conversions)
    rows.push_back({lineOf(conversion.place, kernel), conversion.tile,
                    conversion.kind, std::to_string(conversion.bytes),
                    std::to_string(conversion.wavefronts),
                    std::to_string(conversion.shuffles)});
  return section("conversions between layouts that are left", rows);
}

static std::string remarksText(const KernelReport &kernel) {
  std::string text;
  for (const RemarkEntry &remark : kernel.remarks)
    text +=
        formatv("    {0}: {1}{2}: {3}{4} [{5}]\n",
                lineOf({remark.file, remark.line}, kernel),
                remark.done ? "" : "not ", remark.name, remark.message,
                remark.count > 1 ? formatv(" ({0} times)", remark.count).str()
                                 : std::string(),
                remark.pass);
  return text.empty() ? "" : "\n  decisions\n" + text;
}

std::string tilec::reportText(const ModuleReport &report) {
  std::string text;
  for (const KernelReport &kernel : report.kernels) {
    text += text.empty() ? "" : "\n";
    text += kernel.entry;
    if (kernel.place.line)
      text += formatv(" ({0}:{1})", kernel.place.file, kernel.place.line);
    text += formatv(" for {0}", report.arch);
    if (kernel.hasLayouts)
      text += formatv(", {0}, {1}", plural(kernel.numWarps, "warp"),
                      plural(kernel.numStages, "stage"));
    text += "\n" + resourcesText(report, kernel) + workText(report, kernel) +
            buffersText(kernel) + globalText(kernel) + sharedText(kernel) +
            conversionsText(kernel) + remarksText(kernel);
  }
  return text;
}
