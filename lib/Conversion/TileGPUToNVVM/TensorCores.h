//===- TensorCores.h - products of fragments --------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What one step along k of a product of two tiles is in instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_TILEGPUTONVVM_TENSORCORES_H
#define TILEC_CONVERSION_TILEGPUTONVVM_TENSORCORES_H

#include "Emitter.h"

namespace tilec {

/// Multiplies 16 rows by 8 columns over one step along k, by one mma.sync or
/// several (PTX ISA, "Matrix Fragments for mma.m16n8k..."):
///   f16, bf16       one instruction
///   f32 as tf32     one; as tf32x3 the three products of two parts, and as
///                   bf16x3, bf16x6 three or six of two or three parts
///   i8              one, that wraps
///   8-bit floats    one where the hardware has it, of sm_89 and sm_120; two of
///                   f16 elsewhere, which holds them exactly
///   f64             four of m8n8k4
class TensorCores {
public:
  /// Gives an operand's element at row (of A) or column (of B) `outer`.
  using Elements = llvm::function_ref<mlir::Value(uint32_t outer, uint32_t k)>;
  /// What a thread holds of an operand: for each instruction of a part its
  /// words, for each part.
  using Fragment =
      llvm::SmallVector<llvm::SmallVector<llvm::SmallVector<mlir::Value, 4>, 2>,
                        3>;

  TensorCores(Emitter &e, tilegpu::DotOp op);

  /// The length of a step.
  unsigned getDepth() const { return depth; }

  /// The fragment of A whose first row is `row`, of B whose first column is
  /// `column`. A thread's first element is at (0, 0) of its own.
  Fragment getA(Elements elements, uint32_t row, uint32_t k);
  Fragment getB(Elements elements, uint32_t column, uint32_t k);

  /// Adds a product to the four elements of the sum that a thread holds: two
  /// columns of a row, then those of the row 8 below.
  void multiply(const Fragment &a, const Fragment &b,
                llvm::MutableArrayRef<mlir::Value> sum);

private:
  Fragment get(Elements elements, llvm::ArrayRef<uint32_t> outers, uint32_t k,
               mlir::Type type);
  Fragment pack(llvm::ArrayRef<llvm::SmallVector<mlir::Value, 4>> words,
                mlir::Type type);
  llvm::SmallVector<mlir::Value, 3> split(mlir::Value value);
  mlir::Value packWord(llvm::ArrayRef<mlir::Value> elements);
  void multiplyWords(llvm::ArrayRef<mlir::Value> a,
                     llvm::ArrayRef<mlir::Value> b,
                     llvm::MutableArrayRef<mlir::Value> sum);
  void multiplyFp8(llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b,
                   llvm::MutableArrayRef<mlir::Value> sum);
  void multiplyF64(llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b,
                   llvm::MutableArrayRef<mlir::Value> sum);

  Emitter &e;
  /// Of the operands, and what the instructions multiply.
  mlir::Type aType, bType;
  mlir::NVVM::MMATypes instructionType;
  /// k of a step and of an instruction.
  unsigned depth, instructionDepth;
  /// Elements of a word, how far apart they are along k, and how far its two
  /// words.
  unsigned perWord, stride, wordStride;
  /// What an element is split into, and whether the parts are of bf16.
  unsigned parts = 1;
  bool bf16Parts = false;
};

/// An f32 without the bits that tf32 lacks: what a tensor core multiplies.
mlir::Value cutToTF32(Emitter &e, mlir::Value value);

} // namespace tilec

#endif // TILEC_CONVERSION_TILEGPUTONVVM_TENSORCORES_H
