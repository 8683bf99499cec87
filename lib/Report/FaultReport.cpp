//===- FaultReport.cpp - what a checking run found ------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/FaultReport.h"

#include "tilec/KernelInfo/Json.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace tilec;
using namespace tilec::interpreter;

/// The place in a source that a location names first; what called it comes
/// after.
static mlir::FileLineColLoc placeOf(mlir::Location location) {
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location))
    return placeOf(call.getCallee());
  return location->findInstanceOf<mlir::FileLineColLoc>();
}

/// Adds "file" and "line".
static void setPlace(json::Value &object, mlir::Location location) {
  mlir::FileLineColLoc place = placeOf(location);
  object.set("file", place ? place.getFilename().str() : std::string());
  object.set("line", place ? place.getLine() : 0u);
}

/// Numbers as an array.
template <typename Numbers>
static json::Value arrayOf(const Numbers &numbers) {
  json::Value array = json::Value::array();
  for (int64_t number : numbers)
    array.push(number);
  return array;
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
