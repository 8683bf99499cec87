//===- PadTiles.cpp - sizes become powers of two --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// All types change first; an operation whose result depends on more than the
// elements at the same place is put right afterwards, by the shapes that its
// operands had. What stands in the padding is anything: nobody reads it.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEPADTILESPASS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

using Shape = SmallVector<int64_t, 4>;

/// A shape with its sizes rounded up.
static Shape pad(ArrayRef<int64_t> shape) {
  Shape result;
  for (int64_t size : shape)
    result.push_back(llvm::PowerOf2Ceil(std::max<int64_t>(1, size)));
  return result;
}

/// The type of a tile with its sizes rounded up; other types as they are.
static Type pad(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return type;
  return tensor.clone(pad(tensor.getShape()));
}

/// Do elements keep their place in row-major order when both shapes are padded?
/// Yes where, in each group of axes that are regrouped among themselves, only
/// the first is padded.
static bool keepsOrder(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto isSimple = [](ArrayRef<int64_t> group) {
    group = group.drop_while([](int64_t size) { return size == 1; });
    return group.empty() || llvm::all_of(group.drop_front(), [](int64_t size) {
             return llvm::isPowerOf2_64(size);
           });
  };
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t firstFrom = i, firstTo = j;
    int64_t x = i < from.size() ? from[i++] : 1;
    int64_t y = j < to.size() ? to[j++] : 1;
    while (x != y)
      (x < y ? x : y) *= x < y ? from[i++] : to[j++];
    if (!isSimple(from.slice(firstFrom, i - firstFrom)) ||
        !isSimple(to.slice(firstTo, j - firstTo)))
      return false;
  }
  return true;
}

namespace {
/// Rewrites one function.
class Padding {
public:
  explicit Padding(func::FuncOp function)
      : function(function), b(function.getContext()), loc(function.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult retype(Operation *op);
  void fix(Operation *op);
  void fixReduce(ReduceOp op);
  void fixScan(ScanOp op);
  void fixDot(DotOp op);
  void fixReshape(ReshapeOp op);
  void fixGather(GatherOp op);
  void fixDivision(Operation *op);
  void fixAssert(AssertOp op);
  void maskOperand(OpOperand &operand, unsigned axis);
  template <typename OpT>
  OpT addFlag(OpT op, Value flag);

  /// The shape that a value had.
  ArrayRef<int64_t> had(Value value) {
    auto it = shapes.find(value);
    return it == shapes.end() ? getShape(value.getType())
                              : ArrayRef<int64_t>(it->second);
  }
  bool isPadded(Value value, unsigned axis) {
    return had(value)[axis] != getShape(value.getType())[axis];
  }
  Value along(Value like, unsigned axis);
  Value inside(Value value);
  void narrow(MutableOperandRange mask, Value like);
  Value constant(Type type, int64_t value) {
    Type element = getElementType(type);
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      attr = SplatElementsAttr::get(tensor, attr);
    return arith::ConstantOp::create(b, loc, attr);
  }

  func::FuncOp function;
  OpBuilder b;
  Location loc;
  llvm::DenseMap<Value, Shape> shapes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Which elements of a tile lie inside of it along one axis.
Value Padding::along(Value like, unsigned axis) {
  ArrayRef<int64_t> shape = getShape(like.getType());
  auto line = RankedTensorType::get({shape[axis]}, b.getI32Type());
  Value place =
      ArangeOp::create(b, loc, line, 0, static_cast<uint32_t>(shape[axis]));
  Value mask = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place,
                                     constant(line, had(like)[axis]));
  return spread(b, loc, mask, shape, axis);
}

/// Which elements of a tile lie inside of it; null if all do.
Value Padding::inside(Value value) {
  Value mask;
  for (unsigned axis = 0; axis < getShape(value.getType()).size(); ++axis) {
    if (!isPadded(value, axis))
      continue;
    Value more = along(value, axis);
    mask = mask ? Value(arith::AndIOp::create(b, loc, mask, more)) : more;
  }
  return mask;
}

/// Restricts a mask (if there is one) to what lies inside of `like`.
void Padding::narrow(MutableOperandRange mask, Value like) {
  Value limit = inside(like);
  if (!limit)
    return;
  if (!mask.empty())
    limit = arith::AndIOp::create(b, loc, mask[0].get(), limit);
  mask.assign(limit);
}

/// Makes the padding along an axis zero.
void Padding::maskOperand(OpOperand &operand, unsigned axis) {
  Value value = operand.get();
  if (!isPadded(value, axis))
    return;
  // A load fills what its mask leaves out, and by now that is the padding.
  if (auto load = value.getDefiningOp<LoadOp>();
      load && load.getMask() && !load.getOther())
    return;
  auto type = cast<RankedTensorType>(value.getType());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  operand.set(arith::SelectOp::create(b, loc, along(value, axis), value, zero));
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

/// The value that a region of one operation combines with any other to that
/// other; null if it has none.
static TypedAttr getNeutral(Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return {};
  Operation *op = &block.front();
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      op->getOperand(0) == op->getOperand(1) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value v) { return isa<BlockArgument>(v); }) ||
      block.getTerminator()->getOperand(0) != op->getResult(0))
    return {};
  Builder builder(op->getContext());
  Type type = op->getResult(0).getType();
  if (isa<arith::AddFOp>(op)) // +0 would turn a sum of -0 into +0
    return builder.getFloatAttr(type, -0.0);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return builder.getFloatAttr(
        type, APFloat::getNaN(cast<FloatType>(type).getFloatSemantics()));
  return arith::getNeutralElement(op).value_or(TypedAttr());
}

/// Gives a reduction or scan another input that says which elements count: two
/// that do are combined as before, one that does not gives way.
template <typename OpT>
OpT Padding::addFlag(OpT op, Value flag) {
  SmallVector<Value> inputs(op.getInputs());
  inputs.push_back(flag);
  SmallVector<Type> types(op->getResultTypes());
  types.push_back(withElementType(types.front(), b.getI1Type()));
  OperationState state(loc, op->getName());
  state.addOperands(inputs);
  state.addTypes(types);
  state.addAttributes(op->getAttrs());
  state.addRegion()->takeBody(op.getCombine());
  auto copy = cast<OpT>(b.create(state));
  Block &block = copy.getCombine().front();
  unsigned n = op.getInputs().size();
  Value left = block.insertArgument(n, b.getI1Type(), loc);
  Value right = block.addArgument(b.getI1Type(), loc);
  OpBuilder::InsertionGuard guard(b);
  Operation *yield = block.getTerminator();
  b.setInsertionPoint(yield);
  SmallVector<Value> yields;
  for (unsigned i = 0; i < n; ++i) {
    Value both = arith::SelectOp::create(b, loc, right, yield->getOperand(i),
                                         block.getArgument(i));
    yields.push_back(arith::SelectOp::create(b, loc, left, both,
                                             block.getArgument(n + 1 + i)));
  }
  yields.push_back(arith::OrIOp::create(b, loc, left, right));
  yield->setOperands(yields);
  for (unsigned i = 0; i < n; ++i) {
    op->getResult(i).replaceAllUsesWith(copy->getResult(i));
    if (auto it = shapes.find(op->getResult(i)); it != shapes.end())
      shapes[copy->getResult(i)] = Shape(it->second);
  }
  op.erase();
  return copy;
}

void Padding::fixReduce(ReduceOp op) {
  Value first = op.getInputs().front();
  if (!isPadded(first, op.getAxis()))
    return;
  Value counts = along(first, op.getAxis());
  TypedAttr neutral = getNeutral(op.getCombine());
  if (!neutral) {
    addFlag(op, counts);
    return;
  }
  Value rest = arith::ConstantOp::create(
      b, loc,
      SplatElementsAttr::get(cast<RankedTensorType>(first.getType()), neutral));
  op->setOperand(0, arith::SelectOp::create(b, loc, counts, first, rest));
}

/// From the front the padding comes last, and what it gets is in the padding.
void Padding::fixScan(ScanOp op) {
  Value first = op.getInputs().front();
  if (op.getReverse() && isPadded(first, op.getAxis()))
    addFlag(op, along(first, op.getAxis()));
}

//===----------------------------------------------------------------------===//
// Other operations
//===----------------------------------------------------------------------===//

/// Rows and columns of the padding stay in the padding; along K it is zero.
void Padding::fixDot(DotOp op) {
  unsigned rank = getShape(op.getType()).size();
  maskOperand(op.getAMutable(), rank - 1);
  maskOperand(op.getBMutable(), rank - 2);
}

/// An index beyond the axis must not find padding.
void Padding::fixGather(GatherOp op) {
  if (!isPadded(op.getSrc(), op.getAxis()))
    return;
  Value index = op.getIndex();
  Value fits = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ult, index,
      constant(index.getType(), had(op.getSrc())[op.getAxis()]));
  op.getIndexMutable().set(arith::SelectOp::create(
      b, loc, fits, index, constant(index.getType(), -1)));
}

/// Where elements change their place in row-major order, each is fetched by the
/// place that it had.
void Padding::fixReshape(ReshapeOp op) {
  Shape from(had(op.getSrc())), to(had(op.getResult()));
  if (keepsOrder(from, to))
    return;
  Shape paddedFrom = pad(from), paddedTo = pad(to);
  int64_t count = ShapedType::getNumElements(paddedTo);
  auto line = RankedTensorType::get({count}, b.getI32Type());
  Value rest = ArangeOp::create(b, loc, line, 0, line.getDimSize(0));
  // Along the axes of `sizes`, last first, a number is cut into coordinates and
  // put together again for the axes of `others`.
  auto regroup = [&](Value number, ArrayRef<int64_t> sizes,
                     ArrayRef<int64_t> others) {
    Value sum = constant(line, 0);
    int64_t stride = 1;
    for (size_t axis = sizes.size(); axis-- > 0;) {
      Value size = constant(line, sizes[axis]);
      Value place = arith::RemUIOp::create(b, loc, number, size);
      number = arith::DivUIOp::create(b, loc, number, size);
      sum = arith::AddIOp::create(
          b, loc, sum,
          arith::MulIOp::create(b, loc, place, constant(line, stride)));
      stride *= others[axis];
    }
    return sum;
  };
  Value index = regroup(regroup(rest, paddedTo, to), from, paddedFrom);
  Type element = getElementType(op.getType());
  Value source = ReshapeOp::create(
      b, loc,
      RankedTensorType::get({ShapedType::getNumElements(paddedFrom)}, element),
      op.getSrc());
  Value found =
      GatherOp::create(b, loc, RankedTensorType::get({count}, element), source,
                       index, uint32_t(0));
  op.getSrcMutable().set(found);
}

/// In the padding everything is divided by one.
void Padding::fixDivision(Operation *op) {
  OpOperand &divisor = op->getOpOperand(1);
  Value limit = inside(divisor.get());
  if (!limit || divisor.get().getDefiningOp<arith::ConstantOp>())
    return;
  divisor.set(arith::SelectOp::create(b, loc, limit, divisor.get(),
                                      constant(divisor.get().getType(), 1)));
}

/// The padding passes every assertion.
void Padding::fixAssert(AssertOp op) {
  Value condition = op.getCondition();
  Value limit = inside(condition);
  if (!limit)
    return;
  Value outside =
      arith::XOrIOp::create(b, loc, limit, constant(limit.getType(), 1));
  op.getConditionMutable().set(
      arith::OrIOp::create(b, loc, condition, outside));
}

/// Puts one operation right.
void Padding::fix(Operation *op) {
  b.setInsertionPoint(op);
  loc = op->getLoc();
  llvm::TypeSwitch<Operation *>(op)
      .Case<LoadOp, StoreOp, AtomicRMWOp, AtomicCASOp>([&](auto access) {
        narrow(access.getMaskMutable(), access.getPtr());
      })
      .Case([&](PrintOp print) {
        if (!print.getValues().empty())
          narrow(print.getMaskMutable(), print.getValues().front());
      })
      .Case([&](AssertOp assertion) { fixAssert(assertion); })
      .Case([&](ReduceOp reduce) { fixReduce(reduce); })
      .Case([&](ScanOp scan) { fixScan(scan); })
      .Case([&](DotOp dot) { fixDot(dot); })
      .Case([&](ReshapeOp reshape) { fixReshape(reshape); })
      .Case([&](GatherOp gather) { fixGather(gather); })
      .Case([&](HistogramOp count) {
        narrow(count.getMaskMutable(), count.getSrc());
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](Operation *division) { fixDivision(division); });
}

/// Pads the types of an operation's results and blocks, and what its attributes
/// say of them.
LogicalResult Padding::retype(Operation *op) {
  auto change = [&](Value value) {
    Type type = pad(value.getType());
    if (type == value.getType())
      return false;
    shapes[value] = Shape(getShape(value.getType()));
    value.setType(type);
    return true;
  };
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        change(argument);
  for (Value result : op->getResults()) {
    if (!change(result))
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    if (auto assembly = dyn_cast<InlineAsmOp>(op);
        assembly && !assembly.getPure())
      return op->emitError(
          "code generation rounds sizes up to powers of two, and this assembly "
          "would act for elements that are not there: make the sizes powers of "
          "two, or say is_pure=True if it only computes");
    if (auto arange = dyn_cast<ArangeOp>(op)) {
      arange.setEnd(arange.getStart() + uint32_t(type.getDimSize(0)));
      if (int32_t(arange.getEnd()) < int32_t(arange.getStart()))
        return op->emitError(
            "code generation rounds sizes up to powers of two, "
            "and this range then leaves 32 bits");
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
      if (!splat)
        return op->emitError("code generation takes constant tiles of equal "
                             "elements only");
      constant.setValueAttr(splat.resizeSplat(type));
    }
  }
  return success();
}

LogicalResult Padding::run() {
  SmallVector<Operation *> ops;
  WalkResult result = function.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) -> WalkResult {
        ops.push_back(op);
        return retype(op);
      });
  if (result.wasInterrupted())
    return failure();
  if (!shapes.empty())
    for (Operation *op : ops)
      fix(op);
  return success();
}

namespace {
/// The pass of Passes.td.
struct TilePadTilesPass
    : tilec::tile::impl::TilePadTilesPassBase<TilePadTilesPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // Tiles in a signature are other functions' business, too.
    auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
    if (llvm::any_of(function.getArgumentTypes(), isTile) ||
        llvm::any_of(function.getResultTypes(), isTile))
      return;
    if (failed(Padding(function).run()))
      signalPassFailure();
  }
};
} // namespace
