//===- AllocateShared.cpp - places buffers in shared memory ---------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// First fit over live ranges in program order. A buffer lives from its
// operation to its last use; a use inside a loop that does not hold the
// buffer's operation keeps it alive to the loop's end. Scratch of a few bytes
// also lives on to the next buffer's operation, where there is room: in other
// memory that one need not wait for the threads that still read this.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Architecture.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Analysis/SharedMemory.h"
#include "tilec/Dialect/TileGPU/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

namespace tilec::tilegpu {
#define GEN_PASS_DEF_TILEGPUALLOCATESHAREDPASS
#include "tilec/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {

/// A buffer with its live range, in numbers of operations, and its place.
struct Buffer {
  Operation *op;
  int64_t bytes;
  int64_t begin, end;
  int64_t offset = 0;
};

/// Swizzled images of wgmma and bulk copies need 1024; a vector access 16.
constexpr int64_t kAlignment = 128;

/// Scratch up to this is not used again by the operation that follows.
constexpr int64_t kSmallScratch = 1024;

/// What each block takes of its multiprocessor besides.
constexpr int64_t kSystemBytes = 1024;

/// Numbers of operations in program order, and of the ends of their regions.
struct Numbering {
  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> range;
  int64_t next = 0;

  void visit(Region &region) {
    for (Block &block : region)
      for (Operation &op : block) {
        int64_t begin = next++;
        for (Region &nested : op.getRegions())
          visit(nested);
        range[&op] = {begin, next++};
      }
  }
};

/// The buffers of a function.
SmallVector<Buffer> collect(func::FuncOp func) {
  Numbering numbers;
  numbers.visit(func.getBody());
  SmallVector<Buffer> buffers;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    int64_t bytes = getSharedBytes(op);
    if (!bytes)
      return;
    auto [begin, end] = numbers.range[op];
    if (isa<LocalAllocOp, RingAllocOp>(op))
      for (Operation *user : op->getUsers())
        if (Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user))
          end = std::max(end, numbers.range[inBlock].second);
    buffers.push_back({op, bytes, begin, end});
  });
  return buffers;
}

/// Lets small scratch live on to the operation of the next buffer.
void keepScratch(MutableArrayRef<Buffer> buffers) {
  for (size_t i = 0; i + 1 < buffers.size(); ++i)
    if (!isa<LocalAllocOp, RingAllocOp>(buffers[i].op) &&
        buffers[i].bytes <= kSmallScratch)
      buffers[i].end = std::max(buffers[i].end, buffers[i + 1].begin);
}

/// Bytes that a block may use and leave room for as many as the kernel wants
/// on one multiprocessor.
int64_t getRoom(func::FuncOp func) {
  const Architecture *arch = getArchitecture(func);
  auto blocks = func->getAttrOfType<IntegerAttr>(kBlocksAttr);
  if (!arch)
    return std::numeric_limits<int64_t>::max();
  return (arch->sharedBytes + kSystemBytes) / (blocks ? blocks.getInt() : 1) -
         kSystemBytes;
}

/// Places every buffer at the lowest offset that no living buffer uses; returns
/// the total.
int64_t place(MutableArrayRef<Buffer> buffers) {
  int64_t total = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    Buffer &buffer = buffers[i];
    SmallVector<const Buffer *> living;
    for (const Buffer &other : buffers.take_front(i))
      if (other.end >= buffer.begin && other.begin <= buffer.end)
        living.push_back(&other);
    llvm::sort(living, [](const Buffer *a, const Buffer *b) {
      return a->offset < b->offset;
    });
    int64_t offset = 0;
    for (const Buffer *other : living)
      if (offset + buffer.bytes > other->offset)
        offset = std::max(
            offset,
            int64_t(llvm::alignTo(other->offset + other->bytes, kAlignment)));
    buffer.offset = offset;
    total = std::max(total, offset + buffer.bytes);
  }
  return total;
}

struct AllocateSharedPass
    : impl::TileGPUAllocateSharedPassBase<AllocateSharedPass> {
  using TileGPUAllocateSharedPassBase::TileGPUAllocateSharedPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (failed(checkLayouts(func)))
      return signalPassFailure();
    Builder builder(&getContext());
    SmallVector<Buffer> buffers = collect(func), apart = buffers;
    int64_t total = place(buffers);
    keepScratch(apart);
    if (int64_t more = place(apart); more <= getRoom(func)) {
      buffers = apart;
      total = more;
    }
    for (const Buffer &buffer : buffers)
      buffer.op->setAttr(kOffsetAttr, builder.getI32IntegerAttr(buffer.offset));
    func->setAttr(kSharedAttr, builder.getI32IntegerAttr(total));
    int64_t sum = 0;
    for (const Buffer &buffer : buffers)
      sum += buffer.bytes;
    if (sum > total)
      remarkPassed(func, getArgument(), "shared-space") << remark::add(
          "buffers that do not live together share space: {0} bytes instead of "
          "{1}",
          total, sum);
    if (failed(checkLimit(func, buffers, total)))
      signalPassFailure();
  }

  /// The kernel's total must fit the architecture.
  LogicalResult checkLimit(func::FuncOp func, ArrayRef<Buffer> buffers,
                           int64_t total) {
    const Architecture *arch = getArchitecture(func);
    if (!arch || total <= arch->sharedBytes)
      return success();
    InFlightDiagnostic error = func.emitError()
                               << "kernel '" << func.getName() << "' needs "
                               << total << " bytes of shared memory and "
                               << arch->name << " has " << arch->sharedBytes
                               << " for a block: lower the block sizes";
    for (const Buffer &buffer : buffers)
      if (isa<LocalAllocOp, RingAllocOp>(buffer.op) || buffer.bytes * 4 > total)
        error.attachNote(buffer.op->getLoc())
            << buffer.bytes << " bytes "
            << (isa<LocalAllocOp, RingAllocOp>(buffer.op)
                    ? "for this operand of a product"
                    : "of scratch");
    return failure();
  }
};
} // namespace
} // namespace tilec::tilegpu
