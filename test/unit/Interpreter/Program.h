//===- Program.h - runs IR from a test --------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A kernel as text, its arguments as vectors, and what the run said.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_INTERPRETER_PROGRAM_H
#define TILEC_TEST_UNIT_INTERPRETER_PROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilec/Interpreter/Interpreter.h"
#include <cstring>

namespace tilec::interpreter {

/// A kernel and its arguments.
class Program {
public:
  explicit Program(llvm::StringRef ir);

  /// Adds an array argument.
  template <typename T>
  Program &array(std::string name, std::vector<T> &values) {
    Argument argument;
    argument.name = std::move(name);
    argument.isBuffer = true;
    argument.data = values.data();
    argument.bytes = values.size() * sizeof(T);
    arguments.push_back(argument);
    return *this;
  }
  /// Adds a number.
  template <typename T>
  Program &number(std::string name, T value) {
    Argument argument;
    argument.name = std::move(name);
    std::memcpy(&argument.bits, &value, sizeof(T));
    arguments.push_back(argument);
    return *this;
  }

  /// Runs the first function that is marked as a kernel, or the first one.
  bool run(int64_t x = 1, int64_t y = 1, int64_t z = 1);

  RunOptions options;
  Traffic traffic;
  /// Diagnostics, notes indented, one a line.
  std::string messages;
  /// What the kernel printed.
  std::string printed;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Argument> arguments;
};

/// Runs a kernel whose body is an expression on elements: `body` computes `%r`
/// of type `result` from `%a`, `%b`, `%c` of type `type`, each of n elements.
/// As many operands as there are arrays. Returns the results.
template <typename R, typename T>
std::vector<R> evaluate(const std::string &type, const std::string &result,
                        const std::string &body,
                        std::vector<std::vector<T>> operands);

/// The text of such a kernel.
std::string expressionKernel(const std::string &type, const std::string &result,
                             const std::string &body, size_t operands,
                             size_t n);

template <typename R, typename T>
std::vector<R> evaluate(const std::string &type, const std::string &result,
                        const std::string &body,
                        std::vector<std::vector<T>> operands) {
  size_t n = operands[0].size();
  std::vector<R> out(n);
  Program program(expressionKernel(type, result, body, operands.size(), n));
  for (auto &operand : operands)
    program.array("in", operand);
  program.array("out", out);
  if (!program.run()) {
    llvm::errs() << program.messages;
    out.clear();
  }
  return out;
}

} // namespace tilec::interpreter

#endif // TILEC_TEST_UNIT_INTERPRETER_PROGRAM_H
