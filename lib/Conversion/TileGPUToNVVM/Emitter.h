//===- Emitter.h - one kernel, from tiles to registers ----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Walks a function of the tilegpu phase once and emits what one thread does. A
// tile is a list of values, one for each register of its layout; a scalar is a
// list of one. A direct walk instead of conversion patterns: a tile has a
// hundred registers, and rewriting each operation in turn costs ten times the
// walk.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_TILEGPUTONVVM_EMITTER_H
#define TILEC_CONVERSION_TILEGPUTONVVM_EMITTER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilec/Analysis/Architecture.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "tilec/Layout/Access.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Swizzle.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

/// The registers of one value in one thread.
using Registers = llvm::SmallVector<mlir::Value, 8>;

/// Emits one kernel.
class Emitter {
public:
  Emitter(mlir::func::FuncOp source, const Architecture &arch);

  /// Emits the whole kernel beside the source function.
  mlir::LogicalResult run();

  //===-- Values ----------------------------------------------------------===//

  /// The registers that hold a value of the source.
  llvm::ArrayRef<mlir::Value> get(mlir::Value value) const;
  /// The one register of a scalar; null for a null value.
  mlir::Value getScalar(mlir::Value value) const;
  void set(mlir::Value value, Registers registers);

  /// The type of a register that holds an element: pointers are addresses of
  /// global memory, 8-bit floats are their bits.
  mlir::Type convertElement(mlir::Type element) const;

  //===-- Building --------------------------------------------------------===//

  mlir::OpBuilder b;
  mlir::Location loc;

  /// A constant, made once a kernel.
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value i32(int64_t value) { return constant(b.getI32Type(), value); }
  mlir::Value f32(double value);
  mlir::Value add(mlir::Value x, int64_t y);
  /// The opposite of a condition.
  mlir::Value negate(mlir::Value condition);
  /// Calls an LLVM intrinsic by name.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type type,
                        mlir::ValueRange operands);
  /// Emits inline PTX; `$0` and so on are results, then operands. Returns the
  /// results.
  Registers ptx(llvm::StringRef text, llvm::StringRef constraints,
                mlir::TypeRange results, mlir::ValueRange operands,
                bool sideEffects);

  /// Packs elements into words of 32 bits (64 for 64-bit elements; fewer bits
  /// if the elements do not fill a word).
  Registers pack(llvm::ArrayRef<mlir::Value> elements);
  /// The elements of type `element` in words.
  Registers unpack(llvm::ArrayRef<mlir::Value> words, mlir::Type element,
                   unsigned count);

  //===-- The machine -----------------------------------------------------===//

  const Architecture &arch;
  unsigned numWarps;
  mlir::Value threadId();
  mlir::Value laneId();
  mlir::Value warpId();
  void barrier();
  /// Waits for the grids before, or lets those after start; nothing before
  /// sm_90, where no launch overlaps another.
  void gridDependency(mlir::NVVM::GridDepActionKind kind);

  /// The xor of the columns that the set bits of `index` select.
  mlir::Value applyLinear(mlir::Value index, llvm::ArrayRef<uint32_t> columns);
  /// What this thread's lane and warp add to a map, as a number.
  mlir::Value applyThread(const Bases &bases);
  /// Is this thread the one of all copies that performs side effects? Null
  /// where there are no copies.
  mlir::Value isOwner(const LinearLayout &layout);
  /// The flattened coordinates of this thread's registers.
  Registers coordinates(const LinearLayout &layout);

  /// Address of a byte of the kernel's shared memory.
  mlir::Value sharedAddress(int64_t offset);
  mlir::Value loadShared(mlir::Value address, mlir::Type element);
  /// Stores one value, by the threads where the predicate (if any) holds.
  void storeShared(mlir::Value address, mlir::Value value,
                   mlir::Value predicate = {});

  /// Registers of `to` from those of `from`; `offset` places scratch in shared
  /// memory.
  Registers convertLayout(llvm::ArrayRef<mlir::Value> registers,
                          mlir::Type from, mlir::Type to,
                          std::optional<int64_t> offset);

  /// Applies the combining region of a reduction or scan to two lists of
  /// scalars.
  Registers combine(mlir::Region &region, llvm::ArrayRef<mlir::Value> left,
                    llvm::ArrayRef<mlir::Value> right);

  /// The policy (64 bits, PTX ISA, createpolicy) that gives lines of the L2
  /// cache a priority other than the normal one, made once a kernel; null for
  /// the normal one.
  mlir::Value cachePolicy(tile::Eviction eviction);

  /// Goes on in a new block, through another one where `condition` holds, which
  /// is seldom. `emitAside` fills that one and returns the values that replace
  /// `values`; the arguments of the block that is returned are either.
  mlir::Block *branchAside(mlir::Value condition, mlir::ValueRange values,
                           llvm::function_ref<Registers()> emitAside);

  /// Emits a loop over `values` that repeats while `more` says so of them;
  /// `next` computes the next ones. Returns those for which it does not.
  llvm::SmallVector<mlir::Value>
  emitLoop(llvm::SmallVector<mlir::Value> values,
           llvm::function_ref<mlir::Value(mlir::ValueRange)> more,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
               next);

  /// The kernel that is being emitted.
  mlir::LLVM::LLVMFuncOp getTarget() const { return target; }

  /// Facts about addresses.
  const AxisInfoAnalysis &facts() const { return axisInfo; }

  //===-- Walk ------------------------------------------------------------===//

  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emit(mlir::Operation *op);

private:
  /// The word of type `type` that was taken apart into `elements`; null if they
  /// are not all of one, each at its place.
  mlir::Value findWhole(llvm::ArrayRef<mlir::Value> elements, mlir::Type type);
  mlir::LogicalResult emitChain(llvm::ArrayRef<mlir::Operation *> chain);
  unsigned findRepeats(mlir::Operation *op) const;
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  Registers flatten(mlir::ValueRange values) const;
  void setAll(mlir::ValueRange values, mlir::ValueRange registers);
  mlir::Block *addBlock(mlir::ValueRange values);

  mlir::func::FuncOp source;
  mlir::LLVM::LLVMFuncOp target;
  AxisInfoAnalysis axisInfo;
  /// The facts that hold for any arguments.
  AxisInfoAnalysis certainInfo;
  llvm::DenseMap<mlir::Value, Registers> values;
  mlir::Value thread, lane, warp;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  mlir::Value cachePolicies[3];
};

//===-- Groups of operations, one file each -------------------------------===//

/// Emits an elementwise operation on one element; null (after an error) if the
/// code generator does not know it.
mlir::Value emitElement(Emitter &e, mlir::Operation *op,
                        llvm::ArrayRef<mlir::Value> operands);
/// Emits an elementwise operation by itself.
mlir::LogicalResult emitElementwise(Emitter &e, mlir::Operation *op);
/// Emits an operation of the math dialect on one element of f32.
mlir::Value emitMath(Emitter &e, mlir::Operation *op,
                     llvm::ArrayRef<mlir::Value> operands);
/// The negative or the magnitude of an integer of 16 bits, `name` being `neg`
/// or `abs`: in 32 bits, cut to 16. ptxas takes the results of `neg.s16` and
/// `abs.s16` for signed numbers and forgets to cut that of -32768.
mlir::Value emitShort(Emitter &e, llvm::StringRef name, mlir::Value value);
/// Is this an 8-bit float?
bool isFp8(mlir::Type type);
/// The name of an 8-bit float in PTX.
llvm::StringRef getFp8Name(mlir::Type type);
/// Conversion between floating-point types, as registers hold them.
mlir::Value emitExtF(Emitter &e, mlir::Value value, mlir::Type from,
                     mlir::Type to);
mlir::Value emitTruncF(Emitter &e, mlir::Value value, mlir::Type from,
                       mlir::Type to, bool towardZero);
/// Two 8-bit floats as a vector of two f16, which holds them exactly.
mlir::Value emitHalves(Emitter &e, mlir::Value low, mlir::Value high,
                       mlir::Type from);

mlir::LogicalResult emitView(Emitter &e, mlir::Operation *op);
mlir::LogicalResult emitLoad(Emitter &e, tile::LoadOp op);
mlir::LogicalResult emitStore(Emitter &e, tile::StoreOp op);
mlir::LogicalResult emitAtomic(Emitter &e, mlir::Operation *op);
mlir::LogicalResult emitReduce(Emitter &e, tile::ReduceOp op);
mlir::LogicalResult emitScan(Emitter &e, tile::ScanOp op);
mlir::LogicalResult emitGather(Emitter &e, tile::GatherOp op);
mlir::LogicalResult emitHistogram(Emitter &e, tile::HistogramOp op);
mlir::LogicalResult emitInlineAsm(Emitter &e, tile::InlineAsmOp op);
mlir::LogicalResult emitPrint(Emitter &e, tile::PrintOp op);
mlir::LogicalResult emitAssert(Emitter &e, tile::AssertOp op);
mlir::LogicalResult emitConvertLayout(Emitter &e, tilegpu::ConvertLayoutOp op);
mlir::LogicalResult emitLocalAlloc(Emitter &e, tilegpu::LocalAllocOp op);
mlir::LogicalResult emitRingAlloc(Emitter &e, tilegpu::RingAllocOp op);
mlir::LogicalResult emitSlot(Emitter &e, tilegpu::SlotOp op);
mlir::LogicalResult emitKeep(Emitter &e, tilegpu::KeepOp op);
mlir::LogicalResult emitRecall(Emitter &e, tilegpu::RecallOp op);
mlir::LogicalResult emitAsyncCopy(Emitter &e, tilegpu::AsyncCopyOp op);
mlir::LogicalResult emitDot(Emitter &e, tilegpu::DotOp op);

/// Addresses of elements in a tile of shared memory: the thread's share of the
/// offset xor the register's.
class SharedAddress {
public:
  /// `thread` are the columns of lanes and warps, in elements of `bytes`.
  SharedAddress(Emitter &e, const Bases &thread, mlir::Value base,
                unsigned bytes);
  /// The address of the element at `own` in the thread's share.
  mlir::Value get(uint32_t own);

private:
  Emitter &e;
  mlir::Value base, part;
  uint32_t threadBits;
  unsigned bytes;
  llvm::DenseMap<uint32_t, mlir::Value> bases;
};

/// Reads a tile in shared memory into the registers of a layout, each when it
/// is first asked for.
class SharedReader {
public:
  SharedReader(Emitter &e, const Access &access, unsigned numRegisters,
               mlir::Type element, mlir::Value base);
  /// The value of one register.
  mlir::Value get(unsigned reg);

private:
  void readVector(unsigned reg);
  void readMatrices(unsigned reg);

  Emitter &e;
  Access access;
  mlir::Type element;
  SharedAddress addresses;
  llvm::SmallVector<uint32_t, 4> vectorMasks;
  Registers registers;
};

/// A value of any type from another lane.
mlir::Value shuffleLanes(Emitter &e, mlir::Value value,
                         mlir::NVVM::ShflKind kind, mlir::Value by,
                         mlir::Value clamp);

/// The registers of layout `to` from those of another, by a plan that stays in
/// the warp.
Registers emitExchange(Emitter &e, const Exchange &plan,
                       llvm::ArrayRef<mlir::Value> registers,
                       mlir::Type element, const LinearLayout &to);

/// Logical and of two conditions, either of which may be missing.
mlir::Value bothHold(Emitter &e, mlir::Value a, mlir::Value b);

/// The condition under which this thread performs a side effect for a tile or
/// scalar of this type; null for always.
mlir::Value getSideEffectOwner(Emitter &e, mlir::Type type);

/// Gives every thread the results that the owners have got, through shared
/// memory.
Registers shareResult(Emitter &e, mlir::Operation *op,
                      llvm::ArrayRef<mlir::Value> results, mlir::Value owner);

/// The letter of an inline PTX constraint for a register of this many bits.
llvm::StringRef getRegisterLetter(unsigned bits);

/// Zero in a register.
mlir::Value emitZero(Emitter &e, mlir::Type type);

/// Loads `count` words from consecutive addresses by one instruction.
Registers loadWords(Emitter &e, mlir::Value address, mlir::Type word,
                    unsigned count, bool isVolatile = false);

/// Loads `count` elements that follow each other in shared memory by one
/// instruction.
Registers loadSharedVector(Emitter &e, mlir::Value address, mlir::Type element,
                           unsigned count);

/// Stores packed words to consecutive addresses by one instruction. `space` is
/// global or shared; the predicate and the policy of the cache may be null.
void storeWords(Emitter &e, mlir::Value address,
                llvm::ArrayRef<mlir::Value> words, mlir::Value predicate,
                llvm::StringRef space, llvm::StringRef modifiers = "",
                mlir::Value policy = {});

/// Writes the registers of a layout into a tile in shared memory.
void writeShared(Emitter &e, const Access &access,
                 llvm::ArrayRef<mlir::Value> registers, mlir::Value base,
                 mlir::Value owner);

} // namespace tilec

#endif // TILEC_CONVERSION_TILEGPUTONVVM_EMITTER_H
