//===- FaultReport.cpp - what a checking run found ------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/FaultReport.h"

#include "JsonArray.h"
#include "tilec/Dialect/Tile/IR/Source.h"

using namespace tilec;
using namespace tilec::interpreter;

/// Adds "file" and "line".
static void setPlace(json::Value &object, mlir::Location location) {
  mlir::FileLineColLoc place = tile::findPlace(location);
  object.set("file", place ? place.getFilename().str() : std::string());
  object.set("line", place ? place.getLine() : 0u);
}

std::string tilec::faultsJson(llvm::ArrayRef<Finding> findings) {
  json::Value faults = json::Value::array();
  for (const Finding &finding : findings) {
    json::Value fault = json::Value::object(), accesses = json::Value::array();
    fault.set("kind", finding.kind);
    fault.set("message", finding.message);
    setPlace(fault, finding.loc);
    fault.set("buffer",
              finding.buffer.empty() ? json::Value() : finding.buffer);
    fault.set("index", arrayOf(finding.index));
    for (const FaultAccess &access : finding.accesses) {
      json::Value entry = json::Value::object();
      entry.set("op", access.op);
      setPlace(entry, access.loc);
      entry.set("program", arrayOf(access.program));
      entry.set("lane", access.lane);
      accesses.push(std::move(entry));
    }
    fault.set("accesses", std::move(accesses));
    fault.set("count", finding.count);
    if (!finding.advice.empty())
      fault.set("advice", finding.advice);
    faults.push(std::move(fault));
  }
  json::Value root = json::Value::object();
  root.set("faults", std::move(faults));
  return root.write() + "\n";
}
