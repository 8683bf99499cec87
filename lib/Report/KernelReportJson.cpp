//===- KernelReportJson.cpp - a report for machines -----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// docs/Report.md describes the members; later ones are added, none renamed.
//
//===----------------------------------------------------------------------===//

#include "JsonArray.h"
#include "KernelLimits.h"
#include "tilec/Dialect/Tile/IR/Source.h"

using namespace tilec;
using json::Value;

/// Adds "file" and "line".
static void setPlace(Value &object, const ReportPlace &place) {
  object.set("file", place.file);
  object.set("line", place.line);
}

/// A sum as its terms: `[{"factor": x, "loops": [0]}, ...]`.
static Value toJson(const WorkCount &count) {
  return arrayOf(count.getTerms(), [](const auto &term) {
    Value object = Value::object();
    bool isExact = term.second < double(uint64_t(1) << 53); // and whole
    object.set("factor",
               isExact ? Value(int64_t(term.second)) : Value(term.second));
    object.set("loops", arrayOf(term.first));
    return object;
  });
}

/// Counts by name.
static Value toJson(const std::map<std::string, WorkCount> &counts) {
  Value object = Value::object();
  for (const auto &[name, count] : counts)
    object.set(name, toJson(count));
  return object;
}

static Value toJson(const KernelWork &work) {
  Value object = Value::object();
  object.set("loops", arrayOf(work.loops, [](const WorkLoop &loop) {
               Value entry = Value::object();
               mlir::FileLineColLoc place = tile::findPlace(loop.loc);
               entry.set("line", place ? place.getLine() : 0u);
               entry.set("length",
                         loop.length == "?" ? Value() : Value(loop.length));
               return entry;
             }));
  object.set("flops", toJson(work.flops));
  object.set("dot_flops", toJson(work.dots));
  object.set("bytes_read", toJson(work.bytesRead));
  object.set("bytes_written", toJson(work.bytesWritten));
  return object;
}

static Value toJson(const SharedBufferReport &buffer) {
  Value object = Value::object();
  setPlace(object, buffer.place);
  object.set("what", buffer.what);
  object.set("offset", buffer.offset);
  object.set("bytes", buffer.bytes);
  object.set("stages", buffer.stages);
  return object;
}

static Value toJson(const GlobalAccessReport &access) {
  Value object = Value::object();
  setPlace(object, access.place);
  object.set("op", access.op);
  object.set("arg", access.argument);
  object.set("tile", access.tile);
  object.set("masked", access.isMasked);
  object.set("bytes", access.bytes);
  object.set("instructions", access.instructions);
  object.set("sectors", access.sectors);
  object.set("ideal_sectors", access.idealSectors);
  return object;
}

static Value toJson(const SharedAccessReport &access) {
  Value object = Value::object();
  setPlace(object, access.place);
  object.set("op", access.op);
  object.set("what", access.what);
  object.set("instruction", access.instruction);
  object.set("bytes", access.bytes);
  object.set("instructions", access.instructions);
  object.set("wavefronts", access.wavefronts);
  object.set("ideal_wavefronts", access.idealWavefronts);
  return object;
}

static Value toJson(const ConversionReport &conversion) {
  Value object = Value::object();
  setPlace(object, conversion.place);
  object.set("tile", conversion.tile);
  object.set("kind", conversion.kind);
  object.set("shared_bytes", conversion.bytes);
  object.set("wavefronts", conversion.wavefronts);
  object.set("shuffles", conversion.shuffles);
  return object;
}

static Value toJson(const RemarkEntry &remark) {
  Value object = Value::object();
  setPlace(object, {remark.file, remark.line});
  object.set("column", remark.column);
  object.set("pass", remark.pass);
  object.set("name", remark.name);
  object.set("done", remark.done);
  object.set("message", remark.message);
  object.set("count", remark.count);
  return object;
}

static Value toJson(const EntryResources &resources) {
  Value object = Value::object();
  object.set("registers", resources.registers);
  object.set("spill_store_bytes", resources.spillStores);
  object.set("spill_load_bytes", resources.spillLoads);
  object.set("stack_bytes", resources.stack);
  return object;
}

static Value toJson(const Occupancy &occupancy) {
  Value object = Value::object();
  object.set("blocks", occupancy.blocks);
  object.set("warps", occupancy.warps);
  object.set("share", occupancy.share);
  object.set("limiter", occupancy.limiter);
  return object;
}

static Value toJson(const Roofline &roofline) {
  Value object = Value::object();
  object.set("intensity", roofline.intensity);
  object.set("ridge", roofline.ridge);
  object.set("unit", roofline.unit);
  object.set("bound", roofline.isMemory ? "memory" : "arithmetic");
  object.set("tflops", roofline.attainable);
  object.set("peak_tflops", roofline.peak);
  return object;
}

/// The value as JSON, or null.
template <typename T>
static Value orNull(const std::optional<T> &value) {
  return value ? toJson(*value) : Value();
}

/// All rows as an array.
template <typename Row>
static Value rowsOf(const std::vector<Row> &rows) {
  return arrayOf(rows, [](const Row &row) { return toJson(row); });
}

static Value toJson(const ModuleReport &report, const KernelReport &kernel) {
  Value object = Value::object();
  object.set("entry", kernel.entry);
  setPlace(object, kernel.place);
  object.set("num_warps", kernel.numWarps);
  object.set("num_stages", kernel.numStages);
  object.set("resources", orNull(kernel.resources));
  object.set("shared_bytes", kernel.sharedBytes);
  object.set("barriers", kernel.barriers);
  object.set("occupancy", orNull(occupancyOf(report, kernel)));
  object.set("work", orNull(kernel.work));
  object.set("roofline", orNull(rooflineOf(report, kernel)));
  object.set("shared_buffers", rowsOf(kernel.buffers));
  object.set("global_accesses", rowsOf(kernel.globalAccesses));
  object.set("shared_accesses", rowsOf(kernel.sharedAccesses));
  object.set("conversions", rowsOf(kernel.conversions));
  object.set("decisions", rowsOf(kernel.remarks));
  return object;
}

std::string tilec::reportJson(const ModuleReport &report) {
  Value root = Value::object();
  root.set("compiler", std::string(compilerVersion()));
  root.set("arch", report.arch);
  root.set("gpu", report.gpu ? Value(report.gpu->name) : Value());
  root.set("assembler",
           report.assembler.empty() ? Value() : Value(report.assembler));
  root.set("kernels", arrayOf(report.kernels, [&](const KernelReport &kernel) {
             return toJson(report, kernel);
           }));
  return root.write() + "\n";
}
