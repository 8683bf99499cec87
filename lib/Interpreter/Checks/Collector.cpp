//===- Collector.cpp - gathers faults -------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Checks/Collector.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::interpreter;

FileLineColLoc tilec::interpreter::placeOf(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return placeOf(call.getCallee());
  return location->findInstanceOf<FileLineColLoc>();
}

std::pair<unsigned, unsigned> tilec::interpreter::lineOf(Location location) {
  FileLineColLoc place = placeOf(location);
  if (!place)
    return {0, 0};
  return {place.getLine(), place.getColumn()};
}

Finding *Collector::add(StringRef kind, Operation *at, Operation *other,
                        uint64_t n) {
  auto [it, isNew] =
      places.try_emplace(std::make_tuple(kind, at, other), findings.size());
  if (!isNew) {
    findings[it->second].count += n;
    ++findings[it->second].times;
    return nullptr;
  }
  findings.emplace_back(at->getLoc());
  findings.back().kind = kind.str();
  findings.back().count = n;
  return &findings.back();
}

/// What an operation does, for tools: as the language calls it, or an access.
static std::string verbOf(Operation *op) {
  if (isa<tilec::tile::AtomicRMWOp, tilec::tile::AtomicCASOp>(op))
    return "atomic";
  return op->getName().stripDialect().str();
}

Finding &Collector::addFault(Fault &fault) {
  auto key = std::make_tuple(fault.kind, fault.op, (Operation *)nullptr);
  if (Finding *finding = add(fault.kind, fault.op, nullptr, fault.count)) {
    finding->message = std::move(fault.message);
    finding->notes = std::move(fault.notes);
    finding->buffer = std::move(fault.buffer);
    finding->index = std::move(fault.index);
    std::string access = fault.access.str();
    finding->accesses.push_back({access.empty() ? verbOf(fault.op) : access,
                                 fault.op->getLoc(), fault.program,
                                 std::max<int64_t>(fault.lane, 0)});
    for (const FaultPart &part : fault.others)
      finding->accesses.push_back({access.empty() ? verbOf(part.op) : access,
                                   part.op->getLoc(), part.program, part.lane});
  }
  fault = Fault();
  return findings[places.at(key)];
}

std::vector<Finding> Collector::take() {
  places.clear();
  SmallVector<std::pair<std::pair<unsigned, unsigned>, size_t>> order;
  for (auto [i, finding] : llvm::enumerate(findings))
    order.emplace_back(lineOf(finding.loc), i);
  llvm::sort(order);
  std::vector<Finding> result;
  for (const auto &[line, i] : order)
    result.push_back(std::move(findings[i]));
  findings.clear();
  return result;
}

void tilec::interpreter::emitFinding(const Finding &finding) {
  InFlightDiagnostic error = emitError(finding.loc, finding.message);
  for (const auto &[loc, note] : finding.notes)
    error.attachNote(loc) << note;
  if (finding.times > 1)
    error.attachNote(finding.loc)
        << "seen " << finding.count << " times, this was the first";
  if (!finding.advice.empty())
    error.attachNote(finding.loc) << finding.advice;
}
