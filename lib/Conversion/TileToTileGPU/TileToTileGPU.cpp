//===- TileToTileGPU.cpp - gives every tile a layout ----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The rewriting half: the body is built anew in program order; each operation
// asks for its operands in the layout it works in. A value that is asked for in
// another layout than its own is computed again if it is cheap, converted
// otherwise.
//
//===----------------------------------------------------------------------===//

#include "tilec/Conversion/TileToTileGPU/TileToTileGPU.h"
#include "LayoutPlan.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Analysis/AsyncCopy.h"
#include "tilec/Analysis/SharedMemory.h"
#include "tilec/Layout/Constructors.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/Swizzle.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace tilec {
#define GEN_PASS_DEF_CONVERTTILETOTILEGPUPASS
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

namespace {

/// Builds the body of one function with layouts.
class Rewriter {
public:
  Rewriter(func::FuncOp function, int64_t numWarps)
      : plan(function, numWarps), facts(function), function(function),
        builder(function.getContext()) {}

  LogicalResult run();

private:
  /// Values of one region by old value and layout; they end with the region.
  using Scope = DenseMap<std::pair<Value, Attribute>, Value>;

  Value get(Value old, const LinearLayout &layout);
  Value materialize(Value old, const LinearLayout &layout);
  void define(Value old, Value value);
  Type newType(Value old);

  LogicalResult rewrite(Operation *op);
  LogicalResult rewriteMemory(Operation *op);
  LogicalResult rewriteDot(tile::DotOp op);
  struct Filling {
    LinearLayout layout;
    GlobalFill fill;
  };
  std::optional<Filling> getFilling(Value old, const LinearLayout &native,
                                    unsigned bits);
  Value getDotOperand(Value old, unsigned operand, DotTilingAttr tiling,
                      Type accumulator);
  LogicalResult rewriteReduce(Operation *op, ValueRange inputs,
                              const LinearLayout &layout);
  void rewriteRing(RingAllocOp op);
  void rewriteKeep(KeepOp op);
  void rewriteRecall(RecallOp op);
  LogicalResult rewriteFor(scf::ForOp op);
  LogicalResult rewriteWhile(scf::WhileOp op);
  LogicalResult rewriteIf(scf::IfOp op);
  LogicalResult rewriteInto(Region &from, Region &to, ValueRange oldYields,
                            ArrayRef<Value> targets);
  void rewriteElementwise(Operation *op);
  void rewriteGather(tile::GatherOp op);
  void rewriteHistogram(tile::HistogramOp op);
  void rewriteInlineAsm(tile::InlineAsmOp op);
  SmallVector<Value> getAll(ValueRange olds, ArrayRef<Value> targets);

  LayoutPlan plan;
  /// What is known of addresses, of the function as it was.
  AxisInfoAnalysis facts;
  func::FuncOp function;
  OpBuilder builder;
  SmallVector<Scope> scopes;
  /// Buffers in shared memory by their source; they live where that does.
  DenseMap<std::pair<Value, Type>, Value> buffers;
};

} // namespace

static bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

Type Rewriter::newType(Value old) {
  return isTile(old) ? Type(withLayout(old.getType(), plan.getHome(old)))
                     : old.getType();
}

void Rewriter::define(Value old, Value value) {
  Attribute layout;
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    layout = type.getEncoding();
  scopes.back()[{old, layout}] = value;
}

Value Rewriter::get(Value old, const LinearLayout &layout) {
  Attribute key;
  if (isTile(old))
    key = LayoutAttr::get(builder.getContext(), layout);
  for (Scope &scope : llvm::reverse(scopes))
    if (Value value = scope.lookup({old, key}))
      return value;
  Value value = materialize(old, layout);
  scopes.back()[{old, key}] = value;
  return value;
}

/// Makes a value in a layout that it is not there in yet.
Value Rewriter::materialize(Value old, const LinearLayout &layout) {
  Operation *op = old.getDefiningOp();
  bool view = op && isView(op);
  if (!view && !plan.isCheap(old))
    return ConvertLayoutOp::create(builder, old.getLoc(),
                                   withLayout(old.getType(), layout),
                                   get(old, plan.getHome(old)));
  RankedTensorType type = withLayout(old.getType(), layout);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    return arith::ConstantOp::create(builder, old.getLoc(), type,
                                     splat.resizeSplat(type));
  }
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand,
                get(operand, view ? getViewSource(op, layout) : layout));
  Operation *copy = builder.clone(*op, mapping);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Rewriter::rewriteElementwise(Operation *op) {
  LinearLayout layout = plan.getHome(op->getResult(0));
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, get(operand, layout));
  Operation *copy = builder.clone(*op, mapping);
  copy->getResult(0).setType(newType(op->getResult(0)));
  define(op->getResult(0), copy->getResult(0));
}

LogicalResult Rewriter::rewriteMemory(Operation *op) {
  bool tiles = isTile(op->getOperand(0));
  if (tiles && !op->hasAttr(kLayoutAttr))
    return op->emitError() << "expected '" << kLayoutAttr
                           << "': run tilegpu-coalesce first";
  LinearLayout layout = tiles ? plan.getMemoryLayout(op) : LinearLayout();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, get(operand, layout));
  Operation *copy = builder.clone(*op, mapping);
  copy->removeAttr(kLayoutAttr);
  if (op->getNumResults()) {
    copy->getResult(0).setType(newType(op->getResult(0)));
    define(op->getResult(0), copy->getResult(0));
  }
  return success();
}

/// What fills a buffer with a tile that may be copied from global memory: a
/// vector is what one access moves, and each other register is an instruction
/// of its own, as if of another warp. None if nothing is copied by pieces of 4
/// bytes at least: threads then write what they have loaded.
std::optional<Rewriter::Filling>
Rewriter::getFilling(Value old, const LinearLayout &native, unsigned bits) {
  auto load = old.getDefiningOp<tile::LoadOp>();
  if (!load)
    return std::nullopt;
  auto vector = getGlobalVector(facts, load.getPtr(), load.getMask(), native);
  if (bits << vector.size() < 32)
    return std::nullopt;
  Bases bases = native.allBases();
  bases[InDim::Register].clear();
  for (auto [i, column] : llvm::enumerate(native.columns(InDim::Register)))
    bases[llvm::is_contained(vector, 1u << i) ? InDim::Register : InDim::Warp]
        .push_back(column);
  Filling filling{LinearLayout(native.axisBits(), bases), {}};
  filling.fill.repeats = native.size(InDim::Register) >> vector.size();
  return filling;
}

Value Rewriter::getDotOperand(Value old, unsigned operand, DotTilingAttr tiling,
                              Type accumulator) {
  auto type = cast<RankedTensorType>(old.getType());
  unsigned bits = getBits(type.getElementType());
  bool mma = tiling.getKind() == DotKind::MMA;
  LinearLayout native = plan.getNative(old);
  LinearLayout fragments =
      mma ? getOperandLayout(tiling, operand, type.getShape(), bits)
                .dedupRegisters()
          : getFmaOperandLayout(getLayout(accumulator), operand,
                                type.getDimSize(operand == 0 ? 1 : 0));
  if (mma && !plan.isCheap(old)) {
    ConversionKind kind = conversion(native, fragments, bits).kind;
    if (kind == ConversionKind::Noop || kind == ConversionKind::Registers)
      return get(old, fragments);
  }
  // Matrix loads at the same price: their images have few different addresses,
  // and the tensor cores' own copies know them. Not if copies then come in
  // smaller pieces, each with an address and a mask of its own.
  LinearLayout store = native;
  std::optional<GlobalFill> fill;
  if (auto filling = getFilling(old, native, bits))
    std::tie(store, fill) = std::pair(filling->layout, filling->fill);
  auto shared = swizzle(store, fragments, bits, {AccessKind::Vec},
                        {AccessKind::Vec}, fill);
  if (mma && bits <= 32) {
    SmallVector<AccessKind> kinds{AccessKind::Matrix};
    if (bits == 16)
      kinds.push_back(AccessKind::MatrixTrans);
    auto matrices =
        swizzle(store, fragments, bits, {AccessKind::Vec}, kinds, fill);
    if (matrices && matrices->wavefronts() <= shared->wavefronts() &&
        (!fill || matrices->store.instructions <= shared->store.instructions))
      shared = matrices;
  }
  assert(shared && "a tile holds every element that its product reads");
  auto memory = MemDescType::get(
      builder.getContext(), type.getShape(), type.getElementType(),
      LayoutAttr::get(builder.getContext(), shared->image));
  // Beside the value: a loop that only reads the operand does not fill the
  // buffer again.
  Value source = get(old, native);
  Value &buffer = buffers[{source, memory}];
  if (!buffer) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(source);
    buffer = LocalAllocOp::create(builder, old.getLoc(), memory, source);
  }
  return buffer;
}

LogicalResult Rewriter::rewriteDot(tile::DotOp op) {
  if (cast<RankedTensorType>(op.getType()).getRank() != 2)
    return op.emitError(
        "code generation multiplies tiles with two axes: loop over "
        "the first axis, or run this kernel on the interpreter");
  auto tiling = op->getAttrOfType<DotTilingAttr>(kTilingAttr);
  if (!tiling)
    return op.emitError()
           << "expected '" << kTilingAttr
           << "': products of rank 2 get it from tilegpu-tile-dot";
  Type type = newType(op.getResult());
  Value a = getDotOperand(op.getA(), 0, tiling, type);
  Value b = getDotOperand(op.getB(), 1, tiling, type);
  auto dot =
      DotOp::create(builder, op.getLoc(), type, a, b,
                    get(op.getC(), getLayout(type)), tiling, op.getPrecision());
  define(op.getResult(), dot.getResult());
  return success();
}

LogicalResult Rewriter::rewriteReduce(Operation *op, ValueRange inputs,
                                      const LinearLayout &layout) {
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, get(input, layout));
  // The region may use scalars from around it: constants, as a rule.
  Region &combine = op->getRegion(0);
  combine.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentRegion()->isProperAncestor(&combine) &&
          !mapping.contains(operand))
        mapping.map(operand, get(operand, LinearLayout()));
  });
  Operation *copy = builder.clone(*op, mapping);
  for (auto [old, value] : llvm::zip(op->getResults(), copy->getResults())) {
    value.setType(newType(old));
    define(old, value);
  }
  return success();
}

/// All operands and results are in one layout.
void Rewriter::rewriteInlineAsm(tile::InlineAsmOp op) {
  LinearLayout layout = plan.getHome(op.getResult(0));
  IRMapping mapping;
  for (Value operand : op.getArgs())
    mapping.map(operand, get(operand, layout));
  Operation *copy = builder.clone(*op, mapping);
  for (auto [old, value] : llvm::zip(op->getResults(), copy->getResults())) {
    value.setType(withLayout(old.getType(), layout));
    define(old, value);
  }
}

/// The indices come in the layout of the result, the source in any.
void Rewriter::rewriteGather(tile::GatherOp op) {
  Value source = get(op.getSrc(), plan.getNative(op.getSrc()));
  Value index = get(op.getIndex(), plan.getHome(op.getResult()));
  define(op.getResult(),
         tile::GatherOp::create(builder, op.getLoc(), newType(op.getResult()),
                                source, index, op.getAxis()));
}

/// The mask comes in the layout of the values.
void Rewriter::rewriteHistogram(tile::HistogramOp op) {
  LinearLayout layout = plan.getNative(op.getSrc());
  Value source = get(op.getSrc(), layout);
  Value mask = op.getMask() ? get(op.getMask(), layout) : Value();
  define(op.getResult(),
         tile::HistogramOp::create(builder, op.getLoc(),
                                   newType(op.getResult()), source, mask));
}

//===----------------------------------------------------------------------===//
// What threads keep for themselves
//===----------------------------------------------------------------------===//

/// The layout of the tiles that go through a ring; none if there are none.
static std::optional<LinearLayout> getRingLayout(Value ring, LayoutPlan &plan) {
  for (Operation *user : ring.getUsers())
    if (auto recall = dyn_cast<RecallOp>(user))
      return plan.getHome(recall.getResult());
  for (Operation *user : ring.getUsers())
    if (auto keep = dyn_cast<KeepOp>(user))
      return plan.getNative(keep.getSrc());
  return std::nullopt;
}

void Rewriter::rewriteRing(RingAllocOp op) {
  MemDescType type = op.getType();
  if (auto layout = getRingLayout(op, plan))
    type = getOwnBufferType(type.getShape(), type.getElementType(), *layout);
  define(op, RingAllocOp::create(builder, op.getLoc(), type, op.getStages()));
}

void Rewriter::rewriteKeep(KeepOp op) {
  LinearLayout layout = *getRingLayout(op.getRing(), plan), none;
  KeepOp::create(builder, op.getLoc(), get(op.getSrc(), layout),
                 get(op.getRing(), none), get(op.getIndex(), none));
}

void Rewriter::rewriteRecall(RecallOp op) {
  LinearLayout none;
  define(op,
         RecallOp::create(builder, op.getLoc(), newType(op.getResult()),
                          get(op.getRing(), none), get(op.getIndex(), none)));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// `olds` in the layouts that `targets` have.
SmallVector<Value> Rewriter::getAll(ValueRange olds, ArrayRef<Value> targets) {
  SmallVector<Value> values;
  for (auto [old, target] : llvm::zip(olds, targets))
    values.push_back(
        get(old, isTile(target) ? plan.getHome(target) : LinearLayout()));
  return values;
}

/// Rewrites the operations of `from` but its terminator into the one block of
/// `to`, whose arguments stand for those of `from`, and ends it with a
/// terminator that yields `oldYields` in the layouts of `targets`.
LogicalResult Rewriter::rewriteInto(Region &from, Region &to,
                                    ValueRange oldYields,
                                    ArrayRef<Value> targets) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&to.front());
  scopes.emplace_back();
  for (auto [old, value] : llvm::zip(from.getArguments(), to.getArguments()))
    define(old, value);
  for (Operation &op : from.front().without_terminator())
    if (failed(rewrite(&op)))
      return failure();
  Operation *end = from.front().getTerminator();
  SmallVector<Value> values = getAll(oldYields, targets);
  if (auto condition = dyn_cast<scf::ConditionOp>(end))
    scf::ConditionOp::create(builder, end->getLoc(),
                             get(condition.getCondition(), LinearLayout()),
                             values);
  else
    scf::YieldOp::create(builder, end->getLoc(), values);
  scopes.pop_back();
  return success();
}

/// Adds a block to `region` with arguments for `olds`.
static void addBlock(Region &region, ValueRange olds,
                     function_ref<Type(Value)> newType) {
  Block *block = new Block();
  region.push_back(block);
  for (Value old : olds)
    block->addArgument(newType(old), old.getLoc());
}

LogicalResult Rewriter::rewriteFor(scf::ForOp op) {
  SmallVector<Value> results(op.getResults());
  LinearLayout none;
  auto loop =
      scf::ForOp::create(builder, op.getLoc(), get(op.getLowerBound(), none),
                         get(op.getUpperBound(), none), get(op.getStep(), none),
                         getAll(op.getInitArgs(), results));
  loop->setAttrs(op->getAttrs());
  loop.getRegion().getBlocks().clear();
  addBlock(loop.getRegion(), op.getBody()->getArguments(),
           [&](Value old) { return newType(old); });
  if (failed(rewriteInto(op.getRegion(), loop.getRegion(),
                         op.getYieldedValues(), results)))
    return failure();
  for (auto [old, value] : llvm::zip(results, loop.getResults()))
    define(old, value);
  return success();
}

LogicalResult Rewriter::rewriteWhile(scf::WhileOp op) {
  SmallVector<Value> before(op.getBeforeArguments()),
      after(op.getAfterArguments()), results(op.getResults());
  SmallVector<Type> types;
  for (Value result : results)
    types.push_back(newType(result));
  auto loop = scf::WhileOp::create(builder, op.getLoc(), types,
                                   getAll(op.getInits(), before));
  auto type = [&](Value old) { return newType(old); };
  addBlock(loop.getBefore(), before, type);
  addBlock(loop.getAfter(), after, type);
  if (failed(rewriteInto(op.getBefore(), loop.getBefore(),
                         op.getConditionOp().getArgs(), results)) ||
      failed(rewriteInto(op.getAfter(), loop.getAfter(),
                         op.getYieldOp().getOperands(), before)))
    return failure();
  for (auto [old, value] : llvm::zip(results, loop.getResults()))
    define(old, value);
  return success();
}

LogicalResult Rewriter::rewriteIf(scf::IfOp op) {
  SmallVector<Value> results(op.getResults());
  SmallVector<Type> types;
  for (Value result : results)
    types.push_back(newType(result));
  auto branch = scf::IfOp::create(builder, op.getLoc(), types,
                                  get(op.getCondition(), LinearLayout()));
  for (auto [from, to] :
       {std::pair(&op.getThenRegion(), &branch.getThenRegion()),
        std::pair(&op.getElseRegion(), &branch.getElseRegion())}) {
    if (from->empty())
      continue;
    addBlock(*to, {}, {});
    if (failed(rewriteInto(
            *from, *to, from->front().getTerminator()->getOperands(), results)))
      return failure();
  }
  for (auto [old, value] : llvm::zip(results, branch.getResults()))
    define(old, value);
  return success();
}

LogicalResult Rewriter::rewrite(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (isTile(op->getResult(0)) &&
        !isa<SplatElementsAttr>(constant.getValue()))
      return op->emitError(
          "code generation takes constant tiles of equal elements "
          "only");
  if (op->getNumResults() == 1 &&
      (plan.isCheap(op->getResult(0)) || (isView(op))))
    return success(); // made where it is wanted
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return rewriteFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return rewriteWhile(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return rewriteIf(branch);
  if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
          op))
    return rewriteMemory(op);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return rewriteDot(dot);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return rewriteReduce(op, reduce.getInputs(), plan.getReduceLayout(reduce));
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return rewriteReduce(
        op, scan.getInputs(),
        plan.getScanLayout(scan.getInputs().front().getType(), scan.getAxis()));
  if (isElementwise(op)) {
    rewriteElementwise(op);
    return success();
  }
  if (auto gather = dyn_cast<tile::GatherOp>(op)) {
    rewriteGather(gather);
    return success();
  }
  if (auto histogram = dyn_cast<tile::HistogramOp>(op)) {
    rewriteHistogram(histogram);
    return success();
  }
  if (auto assembly = dyn_cast<tile::InlineAsmOp>(op);
      assembly && isTile(op->getResult(0))) {
    rewriteInlineAsm(assembly);
    return success();
  }
  if (auto ring = dyn_cast<RingAllocOp>(op)) {
    rewriteRing(ring);
    return success();
  }
  if (auto keep = dyn_cast<KeepOp>(op)) {
    rewriteKeep(keep);
    return success();
  }
  if (auto recall = dyn_cast<RecallOp>(op)) {
    rewriteRecall(recall);
    return success();
  }
  // Scalars, and operations that take tiles as they are (assert, print), all in
  // one layout.
  IRMapping mapping;
  std::optional<LinearLayout> layout;
  for (Value operand : op->getOperands()) {
    if (isTile(operand) && !layout)
      layout = plan.getNative(operand);
    mapping.map(operand,
                get(operand, isTile(operand) ? *layout : LinearLayout()));
  }
  if (op->getNumRegions() || llvm::any_of(op->getResults(), isTile))
    return op->emitError(
        "this operation has no layout: code generation does not "
        "know it");
  Operation *copy = builder.clone(*op, mapping);
  for (auto [old, value] : llvm::zip(op->getResults(), copy->getResults()))
    define(old, value);
  return success();
}

LogicalResult Rewriter::run() {
  Region &body = function.getBody();
  if (!body.hasOneBlock())
    return function.emitError("expected structured control flow, got several "
                              "blocks");
  for (Value argument : function.getArguments())
    if (isTile(argument))
      return function.emitError(
                 "expected scalars and pointers as arguments of a "
                 "kernel, got ")
             << argument.getType();
  Region old;
  old.takeBody(body);
  Block *block = new Block();
  body.push_back(block);
  scopes.emplace_back();
  for (BlockArgument argument : old.getArguments())
    define(argument, block->addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToEnd(block);
  LogicalResult result = success();
  for (Operation &op : old.front())
    if (failed(result = rewrite(&op)))
      break;
  old.dropAllReferences();
  return result;
}

namespace {
struct ConvertTileToTileGPU
    : tilec::impl::ConvertTileToTileGPUPassBase<ConvertTileToTileGPU> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    FailureOr<int64_t> numWarps = getNumWarps(function);
    if (failed(numWarps))
      return signalPassFailure();
    Rewriter rewriter(function, *numWarps);
    if (failed(rewriter.run()))
      signalPassFailure();
  }
};
} // namespace
