//===- Trace.h - prints what a program computes -----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_OBSERVERS_TRACE_H
#define TILEC_LIB_INTERPRETER_OBSERVERS_TRACE_H

#include "Scope.h"

namespace tilec::interpreter {

/// Emits what prints an operation's value when the traced program has computed
/// it, if a reader of the source would look for that: what a line hands to
/// others, and what is stored. With a line, only operations of that line.
void emitTrace(Scope &scope, mlir::Operation *op, const Trace &trace);

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_OBSERVERS_TRACE_H
