//===- TensorCores.cpp - products of fragments ----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The sum over k does not care which k an element of A is at, as long as the
// element of B that it meets is at the same. So the same registers serve
// instructions of other element types: 8-bit floats that are multiplied as f16,
// and f32 that is split into parts of bf16.
//
//===----------------------------------------------------------------------===//

#include "TensorCores.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

TensorCores::TensorCores(Emitter &e, DotOp op)
    : e(e), aType(getOperandElementType(op.getA())),
      bType(getOperandElementType(op.getB())),
      depth(op.getTiling().getInstruction()[2]), instructionDepth(depth) {
  perWord = std::max(1u, 32 / getBits(aType));
  stride = 1;
  wordStride = 4 * perWord;
  tile::DotPrecision precision = op.getPrecision();
  if (aType.isBF16()) {
    instructionType = NVVM::MMATypes::bf16;
  } else if (aType.isInteger(8)) {
    instructionType = NVVM::MMATypes::s8;
  } else if (aType.isF64()) {
    instructionType = NVVM::MMATypes::f64;
  } else if (aType.isF32() && (precision == tile::DotPrecision::BF16x3 ||
                               precision == tile::DotPrecision::BF16x6)) {
    instructionType = NVVM::MMATypes::bf16;
    parts = precision == tile::DotPrecision::BF16x3 ? 2 : 3;
    bf16Parts = true;
    // A word of two: what tf32 fragments hold in two words.
    perWord = 2;
    stride = 4;
    wordStride = 8;
  } else if (aType.isF32()) {
    instructionType = NVVM::MMATypes::tf32;
    parts = precision == tile::DotPrecision::TF32x3 ? 2 : 1;
  } else {
    instructionType = NVVM::MMATypes::f16;
    // Hopper takes the instruction apart, with additions in between.
    bool hasFp8 = e.arch.capability == 89 || e.arch.capability >= 120;
    if (isFp8(aType) && !hasFp8)
      instructionDepth = 16;
  }
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Rounds to tf32, to nearest with ties away from zero: half a unit in the last
/// place of tf32, with the sign and exponent of the value, is added and the
/// instruction ignores the bits below. NaN and infinity stay what they are.
/// `cvt.rna.tf32` does the same at a quarter of a product's rate.
static Value roundToTF32(Emitter &e, Value value) {
  Type i32 = e.b.getI32Type();
  Value bits = LLVM::BitcastOp::create(e.b, e.loc, i32, value);
  Value power =
      LLVM::AndOp::create(e.b, e.loc, bits, e.constant(i32, 0xFF800000));
  return LLVM::FMAOp::create(
      e.b, e.loc, LLVM::BitcastOp::create(e.b, e.loc, e.b.getF32Type(), power),
      e.f32(0x1p-11), value);
}

Value tilec::cutToTF32(Emitter &e, Value value) {
  Type i32 = e.b.getI32Type();
  Value bits = LLVM::BitcastOp::create(e.b, e.loc, i32, value);
  bits = LLVM::AndOp::create(e.b, e.loc, bits, e.constant(i32, 0xFFFFE000));
  return LLVM::BitcastOp::create(e.b, e.loc, value.getType(), bits);
}

/// The parts of an f32 that add up to it, the largest first: numbers of tf32 or
/// of bf16.
SmallVector<Value, 3> TensorCores::split(Value value) {
  Type f32 = e.b.getF32Type(), bf16 = e.b.getBF16Type();
  SmallVector<Value, 3> result;
  for (unsigned i = 0; i < parts; ++i) {
    Value part, kept;
    if (bf16Parts) {
      part = emitTruncF(e, value, f32, bf16, /*towardZero=*/false);
      kept = emitExtF(e, part, bf16, f32);
    } else {
      part = roundToTF32(e, value);
      kept = cutToTF32(e, part);
    }
    result.push_back(part);
    if (i + 1 == parts)
      break;
    // Infinity has no rest: it is not what it minus itself is.
    Value rest = LLVM::FSubOp::create(e.b, e.loc, value, kept);
    Value isFinite =
        LLVM::FCmpOp::create(e.b, e.loc, LLVM::FCmpPredicate::olt,
                             LLVM::FAbsOp::create(e.b, e.loc, kept),
                             e.f32(std::numeric_limits<double>::infinity()));
    value = LLVM::SelectOp::create(e.b, e.loc, isFinite, rest, e.f32(0.0));
  }
  return result;
}

/// Elements as a word of a fragment.
Value TensorCores::packWord(ArrayRef<Value> elements) {
  Type element = elements.front().getType();
  if (element.isF64())
    return elements.front();
  Value word = e.pack(elements).front();
  if (!element.isF16())
    return word;
  // NVVM wants pairs of f16 as vectors, everything else as words.
  Type pair = VectorType::get(2, e.b.getF16Type());
  return LLVM::BitcastOp::create(e.b, e.loc, pair, word);
}

/// A fragment of the elements that its words have.
TensorCores::Fragment TensorCores::pack(ArrayRef<SmallVector<Value, 4>> words,
                                        Type type) {
  Fragment fragment(parts);
  for (auto &part : fragment)
    part.resize(depth / instructionDepth);
  for (ArrayRef<Value> word : words) {
    if (isFp8(type) && instructionDepth == 16) {
      for (unsigned i = 0; i < 2; ++i)
        fragment[0][i].push_back(
            emitHalves(e, word[2 * i], word[2 * i + 1], type));
      continue;
    }
    SmallVector<SmallVector<Value, 4>, 3> split(parts);
    for (Value element : word) {
      // An f32 by itself is cut to tf32 by the instruction.
      if (parts > 1)
        for (auto [i, part] : llvm::enumerate(this->split(element)))
          split[i].push_back(part);
      else
        split.front().push_back(element);
    }
    for (unsigned part = 0; part < parts; ++part)
      fragment[part][0].push_back(packWord(split[part]));
  }
  return fragment;
}

/// The fragment at the given rows of A or columns of B: two words of each.
TensorCores::Fragment TensorCores::get(Elements elements,
                                       ArrayRef<uint32_t> outers, uint32_t k,
                                       Type type) {
  SmallVector<SmallVector<Value, 4>, 4> words;
  for (unsigned word : {0u, 1u})
    for (uint32_t outer : outers) {
      words.emplace_back();
      for (unsigned i = 0; i < perWord; ++i)
        words.back().push_back(
            elements(outer, k + word * wordStride + i * stride));
    }
  return pack(words, type);
}

TensorCores::Fragment TensorCores::getA(Elements elements, uint32_t row,
                                        uint32_t k) {
  return get(elements, {row, row + 8}, k, aType);
}

TensorCores::Fragment TensorCores::getB(Elements elements, uint32_t column,
                                        uint32_t k) {
  return get(elements, column, k, bType);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void TensorCores::multiply(const Fragment &a, const Fragment &b,
                           MutableArrayRef<Value> sum) {
  // The smallest products first, without those too small to matter.
  for (unsigned order = parts; order-- > 0;)
    for (unsigned i = 0; i <= order; ++i)
      for (auto [aWords, bWords] : llvm::zip(a[i], b[order - i])) {
        if (aType.isF64())
          multiplyF64(aWords, bWords, sum);
        else if (isFp8(aType) && instructionDepth == 32)
          multiplyFp8(aWords, bWords, sum);
        else
          multiplyWords(aWords, bWords, sum);
      }
}

/// The struct that an instruction gives.
static Type getResultType(Type element, unsigned count) {
  return LLVM::LLVMStructType::getLiteral(element.getContext(),
                                          SmallVector<Type>(count, element));
}

static void extract(Emitter &e, Value result, MutableArrayRef<Value> sum) {
  for (auto [i, value] : llvm::enumerate(sum))
    value = LLVM::ExtractValueOp::create(e.b, e.loc, result, i);
}

void TensorCores::multiplyWords(ArrayRef<Value> a, ArrayRef<Value> b,
                                MutableArrayRef<Value> sum) {
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (instructionType == NVVM::MMATypes::s8)
    overflow = NVVM::MMAIntOverflow::wrapped;
  Value result = NVVM::MmaOp::create(
      e.b, e.loc, getResultType(sum.front().getType(), 4), a, b, sum,
      {16, 8, int64_t(instructionDepth)}, std::nullopt, overflow,
      {{instructionType, instructionType}},
      {{NVVM::MMALayout::row, NVVM::MMALayout::col}});
  extract(e, result, sum);
}

/// nvvm.mma.sync has no 8-bit floats.
void TensorCores::multiplyFp8(ArrayRef<Value> a, ArrayRef<Value> b,
                              MutableArrayRef<Value> sum) {
  std::string text =
      llvm::formatv("mma.sync.aligned.m16n8k32.row.col.f32.{0}.{1}.f32 "
                    "{{$0, $1, $2, $3}, {{$4, $5, $6, $7}, {{$8, $9}, "
                    "{{$0, $1, $2, $3};",
                    getFp8Name(aType), getFp8Name(bType));
  SmallVector<Value> operands(a);
  llvm::append_range(operands, b);
  llvm::append_range(operands, sum);
  Registers results = e.ptx(text, "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3",
                            SmallVector<Type>(4, e.b.getF32Type()), operands,
                            /*sideEffects=*/false);
  llvm::copy(results, sum.begin());
}

void TensorCores::multiplyF64(ArrayRef<Value> a, ArrayRef<Value> b,
                              MutableArrayRef<Value> sum) {
  for (unsigned k = 0; k < 2; ++k)
    for (unsigned half = 0; half < 2; ++half) {
      MutableArrayRef<Value> rows = sum.slice(2 * half, 2);
      Value result = NVVM::MmaOp::create(
          e.b, e.loc, getResultType(e.b.getF64Type(), 2), a[2 * k + half], b[k],
          rows, {8, 8, 4}, std::nullopt, std::nullopt,
          {{instructionType, instructionType}},
          {{NVVM::MMALayout::row, NVVM::MMALayout::col}});
      extract(e, result, rows);
    }
}
