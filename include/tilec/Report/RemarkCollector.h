//===- RemarkCollector.h - gathers what passes say --------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_REMARKCOLLECTOR_H
#define TILEC_REPORT_REMARKCOLLECTOR_H

#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <string>
#include <vector>

namespace tilec {

/// A decision of a pass.
struct RemarkEntry {
  std::string kernel; ///< the function's name
  std::string pass;   ///< `tilegpu-pipeline`
  std::string name;   ///< the kind of decision: `pipelined`
  bool done = false;  ///< or else it was not, and the message says why
  std::string file;
  unsigned line = 0, column = 0; ///< 0 if not known
  std::string message;
  unsigned count = 1; ///< how often the pass said the same of this line
};

/// While it lives, the remarks of everything that runs in the context end up
/// here. A context has one collector at a time.
class RemarkCollector {
public:
  explicit RemarkCollector(mlir::MLIRContext &context);
  ~RemarkCollector();

  /// What was said, in the order of the source's lines and then of the passes.
  std::vector<RemarkEntry> entries() const;

private:
  struct Store;
  mlir::MLIRContext &context;
  std::shared_ptr<Store> store;
};

} // namespace tilec

#endif // TILEC_REPORT_REMARKCOLLECTOR_H
