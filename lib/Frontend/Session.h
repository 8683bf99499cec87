//===- Session.h - files, modules and messages of one compilation -*- C++
//-*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What outlives a kernel: the arena, the modules that were loaded, and how a
// message finds its place.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_SESSION_H
#define TILEC_LIB_FRONTEND_SESSION_H

#include "AST.h"
#include "Value.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "tilec/Frontend/Parser.h"
#include <map>
#include <set>

namespace tilec::frontend {

/// One compilation.
class Session {
public:
  Session(llvm::SourceMgr &sources, const FrontendOptions &options,
          mlir::MLIRContext &context)
      : sources(sources), options(options), context(context),
        warnings(options.warnings) {}

  /// Parses the main buffer; null after errors.
  Module *loadMain();
  /// The module that `importer` calls `path`, or null if there is none.
  /// `failed` tells that it exists and is wrong.
  Module *import(const Module &importer, StringRef path, bool &failed);
  /// The same for what only might be needed: null, without a message, if it is
  /// wrong or being read.
  Module *importQuietly(const Module &importer, StringRef path);
  /// Whether a condition outside of functions holds; null where neither the
  /// files nor -D tell (ModuleConditions.cpp).
  std::optional<bool> decide(Module &module, const Expr *condition);
  /// Does a module of the language, by the path of its import, have this name?
  /// Null for modules that are not of the language alone.
  std::optional<bool> languageHas(StringRef path, StringRef name);
  /// Does a module of the user have this name, its own or of a star import?
  /// Null where a star import cannot be read.
  std::optional<bool> moduleHas(Module &module, StringRef name,
                                unsigned depth = 0);
  /// The module of functions of the language, written in the language, that
  /// defines a name; null if none does. Each is parsed when a name is not in
  /// those before it, of which `inPrelude` asks the first alone.
  Module *library(StringRef name, bool inPrelude = false);
  /// Parses a text that is one expression (`-D` values); null with a message.
  Expr *parseText(StringRef what, StringRef text);
  /// Reads the value of -D NAME=TEXT; an error at `loc` if it is no literal.
  mlir::FailureOr<Val> readDefine(StringRef name, StringRef text,
                                  mlir::Location loc);
  /// The text that -D gives for a constant of a module; null if it gives none.
  const std::string *findDefine(StringRef name);
  /// Parses a plain function of a `.py` file when it is first used.
  FunctionDef *parseDeferred(Module &module, Global &global);

  mlir::Location loc(const Module &module, uint32_t offset);
  /// Reports an error at a location; the calls that led there become notes.
  mlir::InFlightDiagnostic error(mlir::Location loc,
                                 const llvm::Twine &message);

  /// Is this one of the modules above, and the one of the language itself?
  bool isLibrary(const Module &module) const {
    return llvm::is_contained(libraries, &module);
  }
  bool isPrelude(const Module &module) const {
    return !libraries.empty() && libraries.front() == &module;
  }

  ASTContext ast;
  llvm::SourceMgr &sources;
  const FrontendOptions &options;
  mlir::MLIRContext &context;
  Warnings warnings;
  /// Constants of modules whose value -D has given.
  std::set<std::string, std::less<>> overridden;
  /// The -D that parameters of the current kernel have taken: constants of
  /// these names keep their values.
  std::set<std::string, std::less<>> parameterDefines;

private:
  Module *load(std::string name, StringRef text, bool isTile);

  std::vector<std::unique_ptr<Module>> modules;
  std::map<std::string, Module *> byPath;
  /// Files that were tried and are wrong.
  std::set<std::string> broken;
  /// Those that were parsed, in the order in which `library` asks.
  llvm::SmallVector<Module *, 4> libraries;
  /// Is what is imported only tried?
  bool isTrying = false;
};

/// What the language is besides its table, and the device library in parts.
extern const char *const preludeText;
extern const char *const libdeviceText;
extern const char *const specialText;
extern const char *const besselText;

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_SESSION_H
