//===- DiagnosticPrinter.h - messages for people ----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_DIAGNOSTICPRINTER_H
#define TILEC_DRIVER_DIAGNOSTICPRINTER_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec {

/// While it lives, prints the context's diagnostics to a stream:
/// `FILE:LINE:COL: error: text`, the source line with a caret, then the notes.
/// Long lines are cut around the caret; colour appears on a terminal only. A
/// message without a place names the main file.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  /// Source lines come from the buffers of `sources` by their names, else from
  /// the file system.
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::SourceMgr &sources,
                    std::string mainFile, llvm::raw_ostream &stream);

private:
  void print(mlir::Diagnostic &diagnostic);
  void printLine(mlir::FileLineColLoc place);
  void printColored(llvm::StringRef text, llvm::raw_ostream::Colors color);
  std::optional<llvm::StringRef> findText(llvm::StringRef file);

  llvm::SourceMgr &sources;
  std::string mainFile;
  llvm::raw_ostream &stream;
  bool isColored;
};

} // namespace tilec

#endif // TILEC_DRIVER_DIAGNOSTICPRINTER_H
