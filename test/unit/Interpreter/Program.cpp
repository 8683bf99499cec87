//===- Program.cpp - runs IR from a test ----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Parsing, running, and collecting what was said.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Parser/Parser.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::interpreter;

/// Appends a diagnostic and its notes.
static void append(std::string &text, Diagnostic &diagnostic) {
  text += diagnostic.str() + "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    text += "  " + note.str() + "\n";
}

Program::Program(StringRef ir) {
  context.loadDialect<tilec::tile::TileDialect, arith::ArithDialect,
                      math::MathDialect, scf::SCFDialect, func::FuncDialect>();
  context.getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { append(messages, diagnostic); });
  module = parseSourceString<ModuleOp>(ir, ParserConfig(&context));
}

bool Program::run(int64_t x, int64_t y, int64_t z) {
  if (!module)
    return false;
  func::FuncOp kernel;
  for (auto func : module->getOps<func::FuncOp>())
    if (!kernel || func->hasAttr(tilec::tile::kKernelAttr))
      kernel = func;
  llvm::raw_string_ostream os(printed);
  options.output = &os;
  traffic = Traffic();
  return succeeded(
      tilec::interpreter::run(kernel, arguments, {x, y, z}, options, &traffic));
}

std::string tilec::interpreter::expressionKernel(const std::string &type,
                                                 const std::string &result,
                                                 const std::string &body,
                                                 size_t operands, size_t n) {
  std::string size = std::to_string(n);
  auto tile = [&](const std::string &element) {
    return "tensor<" + size + "x" + element + ">";
  };
  // Booleans are bytes in memory.
  auto memory = [](const std::string &element) {
    return element == "i1" ? "i8" : element;
  };
  auto pointer = [&](const std::string &element) {
    return "!tile.ptr<" + memory(element) + ">";
  };
  std::string text = "func.func @k(", loads;
  for (size_t i = 0; i < operands; ++i) {
    std::string name(1, 'a' + i);
    text += "%" + name + "_ptr: " + pointer(type) + ", ";
    loads += "%" + name + "_s = tile.splat %" + name +
             "_ptr : " + pointer(type) + " -> " + tile(pointer(type)) + "\n%" +
             name + "_p = tile.addptr %" + name +
             "_s, %i : " + tile(pointer(type)) + ", " + tile("i32") + "\n";
    std::string loaded = type == "i1" ? name + "_8" : name;
    loads += "%" + loaded + " = tile.load %" + name +
             "_p : " + tile(pointer(type)) + " -> " + tile(memory(type)) + "\n";
    if (type == "i1")
      loads += "%" + name + " = arith.trunci %" + loaded + " : " + tile("i8") +
               " to " + tile("i1") + "\n";
  }
  text += "%out: " + pointer(result) + ") {\n%i = tile.arange 0, " + size +
          " : " + tile("i32") + "\n" + loads + body + "\n";
  std::string stored = "%r";
  if (result == "i1") {
    text += "%r8 = arith.extui %r : " + tile("i1") + " to " + tile("i8") + "\n";
    stored = "%r8";
  }
  text += "%out_s = tile.splat %out : " + pointer(result) + " -> " +
          tile(pointer(result)) +
          "\n%out_p = tile.addptr %out_s, %i : " + tile(pointer(result)) +
          ", " + tile("i32") + "\ntile.store %out_p, " + stored + " : " +
          tile(pointer(result)) + ", " + tile(memory(result)) + "\nreturn\n}\n";
  return text;
}
