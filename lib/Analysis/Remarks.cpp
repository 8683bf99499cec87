//===- Remarks.cpp - what passes say of their decisions -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Remarks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tilec;

/// The pass is the category, so that `--remarks-filter` picks passes; the
/// function is the kernel.
static remark::RemarkOpts optionsOf(Operation *op, StringRef pass,
                                    StringRef name) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    function = op->getParentOfType<func::FuncOp>();
  return remark::RemarkOpts::name(name).category(pass).function(
      function ? function.getName() : StringRef());
}

remark::detail::InFlightRemark
tilec::remarkPassed(Operation *op, StringRef pass, StringRef name) {
  return remark::passed(op->getLoc(), optionsOf(op, pass, name));
}

remark::detail::InFlightRemark
tilec::remarkMissed(Operation *op, StringRef pass, StringRef name) {
  return remark::missed(op->getLoc(), optionsOf(op, pass, name));
}
