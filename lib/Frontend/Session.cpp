//===- Session.cpp - files, modules and messages of one compilation -------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Finds imported modules beside the importer, then in the folders of `-I`.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Signature.h"
#include "Syntax.h"
#include "tilec/Dialect/Tile/IR/Source.h"
#include "tilec/Frontend/SourceFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tilec::frontend;
using llvm::Twine;

mlir::Location Session::loc(const Module &module, uint32_t offset) {
  auto [line, column] = lineAndColumn(module, offset);
  return mlir::FileLineColLoc::get(&context, module.file, line, column);
}

mlir::InFlightDiagnostic Session::error(mlir::Location loc,
                                        const Twine &message) {
  mlir::InFlightDiagnostic diag =
      tilec::tile::emitAtPlace(loc, mlir::DiagnosticSeverity::Error);
  diag << message;
  tilec::tile::attachCalls(diag, loc);
  return diag;
}

Module *Session::load(std::string name, StringRef text, bool isTile) {
  modules.push_back(std::make_unique<Module>());
  Module &module = *modules.back();
  module.file = std::move(name);
  module.text = text;
  module.isTile = isTile;
  module.lineStarts.push_back(0);
  if (text.size() > (1u << 30)) {
    error(loc(module, 0), "this file is too large; kernels fit in 1 GB");
    return nullptr;
  }
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      module.lineStarts.push_back(i + 1);
  if (size_t bad = findBadByte(text); bad != StringRef::npos) {
    error(loc(module, bad), text[bad]
                                ? "this file is not UTF-8 text"
                                : "this file is not text; it holds a NUL byte");
    return nullptr;
  }
  auto onError = [&](uint32_t offset, const Twine &message) {
    error(loc(module, offset), message);
  };
  auto decide = [&](const Expr *e) { return this->decide(module, e); };
  SyntaxParser parser(ast, module, onError, decide);
  return parser.parseModule() ? &module : nullptr;
}

Module *Session::loadMain() {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  StringRef name = buffer->getBufferIdentifier();
  return load(name.str(), buffer->getBuffer(), !name.ends_with(".py"));
}

Module *Session::library(StringRef name, bool inPrelude) {
  const std::pair<const char *, const char *> texts[] = {
      {"<prelude>", preludeText},
      {"<libdevice>", libdeviceText},
      {"<libdevice, special functions>", specialText},
      {"<libdevice, Bessel functions>", besselText}};
  for (auto [i, text] : llvm::enumerate(texts)) {
    if (i == libraries.size())
      libraries.push_back(load(text.first, text.second, /*isTile=*/true));
    if (libraries[i] && libraries[i]->globals.count(name))
      return libraries[i];
    if (inPrelude)
      break;
  }
  return nullptr;
}

FunctionDef *Session::parseDeferred(Module &module, Global &global) {
  auto onError = [&](uint32_t offset, const Twine &message) {
    error(loc(module, offset), message);
  };
  SyntaxParser parser(ast, module, onError);
  FunctionDef *function = parser.parseDeferred(global.offset);
  if (function) {
    function->isConstexpr = global.isConstexpr;
    global.kind = Global::Function;
    global.function = function;
  }
  return function;
}

Expr *Session::parseText(StringRef what, StringRef text) {
  modules.push_back(std::make_unique<Module>());
  Module &module = *modules.back();
  module.file = what.str();
  module.text = ast.strings.save(text);
  module.lineStarts.push_back(0);
  if (findBadByte(text) != StringRef::npos)
    return nullptr;
  SyntaxParser parser(ast, module, [](uint32_t, const Twine &) {});
  return parser.parseWhole();
}

mlir::FailureOr<Val> Session::readDefine(StringRef name, StringRef text,
                                         mlir::Location loc) {
  Expr *expr = parseText(("-D " + name).str(), text);
  if (std::optional<Val> value = expr ? literalValue(expr) : std::nullopt)
    return *value;
  error(loc, "cannot read the value of -D " + name + "=" + text +
                 "; write a Python literal such as 128, 1.5, True, None, "
                 "\"text\" or a type");
  return mlir::failure();
}

const std::string *Session::findDefine(StringRef name) {
  // What only Python knows is given on the command line.
  for (const auto &[given, text] : options.defines)
    if (given == name && !parameterDefines.count(name)) {
      overridden.insert(given);
      return &text;
    }
  return nullptr;
}

Module *Session::import(const Module &importer, StringRef path, bool &failed) {
  failed = false;
  unsigned dots = path.take_while([](char c) { return c == '.'; }).size();
  llvm::SmallString<128> relative;
  for (unsigned i = 1; i < dots; ++i)
    llvm::sys::path::append(relative, "..");
  llvm::SmallVector<StringRef> parts;
  path.drop_front(dots).split(parts, '.', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    llvm::sys::path::append(relative, part);
  if (relative.empty())
    return nullptr;
  std::vector<std::string> folders = {
      llvm::sys::path::parent_path(importer.file).str()};
  folders.insert(folders.end(), options.includeDirs.begin(),
                 options.includeDirs.end());
  for (const std::string &folder : folders)
    for (const char *ending : {".tile", ".py", "/__init__.py"}) {
      llvm::SmallString<256> file(folder);
      llvm::sys::path::append(file, relative);
      file += ending;
      if (!llvm::sys::fs::exists(file) || llvm::sys::fs::is_directory(file))
        continue;
      if (isTrying && broken.count(file.str().str())) {
        failed = true;
        return nullptr;
      }
      auto [it, inserted] = byPath.try_emplace(file.str().str(), nullptr);
      if (!inserted) {
        failed = !it->second;
        return it->second;
      }
      std::string why;
      std::unique_ptr<llvm::MemoryBuffer> buffer = readSource(file, why);
      Module *loaded = nullptr;
      if (buffer) {
        StringRef text = buffer->getBuffer();
        sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
        loaded = load(file.str().str(), text, StringRef(ending) == ".tile");
      } else {
        error(mlir::FileLineColLoc::get(&context, file, 0, 0),
              "cannot read the file: " + Twine(why));
      }
      failed = !loaded;
      if (loaded || !isTrying) {
        it->second = loaded;
      } else { // whoever needs it gets the message
        broken.insert(it->first);
        byPath.erase(it);
      }
      return loaded;
    }
  return nullptr;
}

Module *Session::importQuietly(const Module &importer, StringRef path) {
  mlir::ScopedDiagnosticHandler silence(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  llvm::SaveAndRestore tried(isTrying, true);
  bool failed = false;
  return import(importer, path, failed);
}
