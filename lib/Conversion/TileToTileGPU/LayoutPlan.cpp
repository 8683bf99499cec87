//===- LayoutPlan.cpp - which layout each tile is computed in -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Union-find over the values that are not cheap: an elementwise operation
// unites its result with its operands, a loop what it carries. Each class then
// takes the layout of its strongest anchor.
//
//===----------------------------------------------------------------------===//

#include "LayoutPlan.h"
#include "tilec/Analysis/MemoryAccess.h"
#include "tilec/Layout/Access.h"
#include "tilec/Layout/Constructors.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Kinds of operations
//===----------------------------------------------------------------------===//

bool tilec::isView(Operation *op) {
  return isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp,
             tile::TransOp>(op);
}

LinearLayout tilec::getViewSource(Operation *view, const LinearLayout &result) {
  ArrayRef<int64_t> shape = tile::getShape(view->getOperand(0).getType());
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(view))
    return result.slice(expand.getAxis()).dedupRegisters();
  if (auto trans = dyn_cast<tile::TransOp>(view)) {
    SmallVector<unsigned> inverse(shape.size());
    for (auto [to, from] : llvm::enumerate(trans.getOrder()))
      inverse[from] = to;
    return result.transpose(inverse);
  }
  if (isa<tile::ReshapeOp>(view))
    return result.reshape(padded(shape));
  LinearLayout source = result;
  for (auto [axis, size] : llvm::enumerate(shape))
    if (size == 1)
      source = source.slice(axis).expandDims(axis);
  return source.dedupRegisters();
}

std::optional<LinearLayout> tilec::getViewResult(Operation *view,
                                                 const LinearLayout &source) {
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(view))
    return source.expandDims(expand.getAxis());
  if (auto trans = dyn_cast<tile::TransOp>(view))
    return source.transpose(SmallVector<unsigned>(trans.getOrder().begin(),
                                                  trans.getOrder().end()));
  if (auto reshape = dyn_cast<tile::ReshapeOp>(view))
    return source.reshape(padded(tile::getShape(reshape.getType())));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

LayoutPlan::LayoutPlan(func::FuncOp function, int64_t numWarps)
    : numWarps(numWarps) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { findCheap(op); });
  collect(function.getBody());
}

void LayoutPlan::findCheap(Operation *op) {
  bool simple = isa<arith::ConstantOp, tile::SplatOp, tile::ArangeOp>(op) ||
                isView(op) ||
                (isElementwise(op) &&
                 !isa_and_nonnull<math::MathDialect>(op->getDialect()));
  if (!simple || !isTile(op->getResult(0)))
    return;
  for (Value operand : op->getOperands())
    if (isTile(operand) && !cheap.contains(operand))
      return;
  cheap.insert(op->getResult(0));
}

unsigned LayoutPlan::find(Value value) {
  auto [it, isNew] = ids.try_emplace(value, parents.size());
  if (isNew) {
    parents.push_back(parents.size());
    anchors.emplace_back();
  }
  unsigned id = it->second;
  while (parents[id] != id)
    id = parents[id] = parents[parents[id]];
  return id;
}

void LayoutPlan::unite(Value a, Value b) {
  if (!isTile(a) || !isTile(b) || isCheap(a) || isCheap(b) ||
      tile::getShape(a.getType()) != tile::getShape(b.getType()))
    return;
  unsigned x = find(a), y = find(b);
  if (x == y)
    return;
  parents[y] = x;
  llvm::append_range(anchors[x], anchors[y]);
  anchors[y].clear();
}

void LayoutPlan::anchor(Value value, Reason reason, Operation *op) {
  if (!isTile(value) || isCheap(value))
    return;
  auto type = cast<RankedTensorType>(value.getType());
  int64_t weight = type.getNumElements() * getBits(type.getElementType());
  anchors[find(value)].push_back({reason, weight, op, value});
}

void LayoutPlan::collect(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      collect(&op);
}

void LayoutPlan::collectMemory(Operation *op, Value value) {
  auto [pointer, mask] = getMemoryOperands(op);
  if (!isTile(pointer))
    return;
  anchor(pointer, Reason::Use, op);
  if (mask)
    anchor(mask, Reason::Use, op);
  anchor(value, op->getNumResults() ? Reason::Load : Reason::Store, op);
}

void LayoutPlan::collect(Operation *op) {
  if (auto store = dyn_cast<tile::StoreOp>(op))
    collectMemory(op, store.getValue());
  else if (isa<tile::LoadOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op))
    collectMemory(op, op->getResult(0));
  else if (auto dot = dyn_cast<tile::DotOp>(op)) {
    anchor(dot.getResult(), Reason::Dot, op);
    unite(dot.getResult(), dot.getC());
  } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    for (Value result : reduce.getResults())
      anchor(result, Reason::Reduce, op);
    for (Value input : reduce.getInputs().drop_front())
      unite(reduce.getInputs().front(), input);
  } else if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    for (Value result : scan.getResults())
      anchor(result, Reason::Scan, op);
  } else if (isa<tile::InlineAsmOp>(op)) {
    for (Value other :
         llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                             SmallVector<Value>(op->getResults().drop_front())))
      unite(op->getResult(0), other);
  } else if (auto gather = dyn_cast<tile::GatherOp>(op)) {
    unite(gather.getResult(), gather.getIndex());
  } else if (auto histogram = dyn_cast<tile::HistogramOp>(op)) {
    anchor(histogram.getResult(), Reason::View, op);
    if (histogram.getMask())
      unite(histogram.getSrc(), histogram.getMask());
  } else if (auto recall = dyn_cast<RecallOp>(op)) {
    // A thread reads back what it has kept itself.
    for (Operation *user : recall.getRing().getUsers())
      if (auto keep = dyn_cast<KeepOp>(user))
        unite(recall.getResult(), keep.getSrc());
  } else if (isView(op)) {
    if (!isa<tile::BroadcastOp>(op))
      anchor(op->getResult(0), Reason::View, op);
  } else if (isElementwise(op)) {
    for (Value operand : op->getOperands())
      unite(op->getResult(0), operand);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      unite(loop.getResult(i), loop.getRegionIterArgs()[i]);
      unite(loop.getResult(i), loop.getInitArgs()[i]);
      unite(loop.getResult(i), loop.getYieldedValues()[i]);
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments())) {
      unite(argument, loop.getInits()[i]);
      unite(argument, loop.getYieldOp()->getOperand(i));
    }
    for (auto [i, result] : llvm::enumerate(loop.getResults())) {
      unite(result, loop.getAfterArguments()[i]);
      unite(result, loop.getConditionOp().getArgs()[i]);
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [i, result] : llvm::enumerate(branch.getResults())) {
      unite(result, branch.thenYield().getOperand(i));
      unite(result, branch.elseYield().getOperand(i));
    }
  }
  if (!isa<tile::ReduceOp, tile::ScanOp>(op))
    for (Region &region : op->getRegions())
      collect(region);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

LinearLayout LayoutPlan::getDefault(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> contiguity(tensor.getRank(), 1);
  contiguity.back() = padded({tensor.getShape().back()})[0];
  SmallVector<int64_t> divisibility(tensor.getRank(), 16);
  return coalesced(tensor.getShape(),
                   std::max(32u, getBits(tensor.getElementType())), numWarps,
                   contiguity, divisibility)
      .dedupRegisters();
}

LinearLayout LayoutPlan::getScanLayout(Type type, unsigned axis) const {
  auto tensor = cast<RankedTensorType>(type);
  unsigned warpBits = llvm::Log2_64(numWarps);
  unsigned axisBits = llvm::Log2_64_Ceil(tensor.getDimSize(axis));
  unsigned registers = axisBits > 5 + warpBits ? axisBits - 5 - warpBits : 0;
  unsigned lanes = std::min(5u, axisBits - registers);
  unsigned warps = std::min(warpBits, axisBits - registers - lanes);
  SmallVector<LayoutStep> steps{{InDim::Register, axis, registers},
                                {InDim::Lane, axis, lanes},
                                {InDim::Warp, axis, warps}};
  // Lanes and warps that the axis leaves go to the others, the last one first.
  unsigned lanesLeft = 5 - lanes, warpsLeft = warpBits - warps;
  SmallVector<unsigned> rest;
  for (int other = tensor.getRank() - 1; other >= 0; --other) {
    if (unsigned(other) == axis)
      continue;
    rest.push_back(other);
    unsigned bits = llvm::Log2_64_Ceil(tensor.getDimSize(other));
    unsigned l = std::min(lanesLeft, bits), w = std::min(warpsLeft, bits - l);
    steps.push_back({InDim::Lane, unsigned(other), l});
    steps.push_back({InDim::Warp, unsigned(other), w});
    lanesLeft -= l;
    warpsLeft -= w;
  }
  steps.push_back({InDim::Lane, std::nullopt, lanesLeft});
  steps.push_back({InDim::Warp, std::nullopt, warpsLeft});
  return fromSteps(padded(tensor.getShape()), steps, rest).dedupRegisters();
}

LinearLayout LayoutPlan::getReduceLayout(tile::ReduceOp op) {
  Value input = op.getInputs().front();
  return op.getCommutative() ? getNative(input)
                             : getScanLayout(input.getType(), op.getAxis());
}

std::optional<LinearLayout> LayoutPlan::resolve(const Anchor &anchor) {
  Operation *op = anchor.op;
  switch (anchor.reason) {
  case Reason::Use:
  case Reason::Store:
  case Reason::Load:
    return op->getAttrOfType<LayoutAttr>(kLayoutAttr).getLinear();
  case Reason::View: {
    Value source = op->getOperand(0);
    if (isCheap(source) || resolving.contains(find(source)))
      return std::nullopt;
    return getViewResult(op, getNative(source));
  }
  case Reason::Reduce: {
    auto reduce = cast<tile::ReduceOp>(op);
    Value input = reduce.getInputs().front();
    if (reduce.getCommutative() && !isCheap(input) && !isView(op) &&
        resolving.contains(find(input)))
      return std::nullopt;
    return getReduceLayout(reduce).slice(reduce.getAxis()).dedupRegisters();
  }
  case Reason::Scan:
    return getScanLayout(anchor.value.getType(),
                         cast<tile::ScanOp>(op).getAxis());
  case Reason::Dot:
    return getAccumulatorLayout(op->getAttrOfType<DotTilingAttr>(kTilingAttr),
                                tile::getShape(anchor.value.getType()));
  }
  llvm_unreachable("all reasons are handled");
}

LinearLayout LayoutPlan::getClassLayout(Value value) {
  unsigned id = find(value);
  if (auto it = layouts.find(id); it != layouts.end())
    return it->second;
  // Around a loop a class may depend on itself; any layout breaks the circle.
  if (!resolving.insert(id).second)
    return getDefault(value.getType());
  SmallVector<Anchor, 2> sorted(anchors[id]);
  llvm::stable_sort(sorted, [](const Anchor &a, const Anchor &b) {
    return std::tuple(a.reason, a.weight) > std::tuple(b.reason, b.weight);
  });
  std::optional<LinearLayout> layout;
  for (const Anchor &a : sorted)
    if ((layout = resolve(a)))
      break;
  resolving.erase(id);
  LinearLayout chosen = layout ? *layout : getDefault(value.getType());
  layouts[id] = chosen;
  return chosen;
}

LinearLayout LayoutPlan::getHome(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return getClassLayout(value);
  if (isa<tile::LoadOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op))
    return getMemoryLayout(op);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return *resolve({Reason::Dot, 0, op, value});
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return getReduceLayout(reduce).slice(reduce.getAxis()).dedupRegisters();
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return getScanLayout(value.getType(), scan.getAxis());
  return getClassLayout(value);
}

LinearLayout LayoutPlan::getNative(Value value) {
  if (isCheap(value))
    return getDefault(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !isView(op))
    return getHome(value);
  Value source = op->getOperand(0);
  if (auto result = getViewResult(op, getNative(source)))
    return *result;
  return getDefault(value.getType());
}

/// Elements of a row that one instruction moves, and sectors that it touches.
static std::pair<unsigned, unsigned>
getAccess(const LinearLayout &layout, const LinearLayout &own, unsigned bits) {
  // `own` tells the fastest axis and the proven vector: its lowest register
  // columns, or its first lane column where a thread moves single elements.
  Vectors columns = own.columns({InDim::Register, InDim::Lane});
  unsigned fastest = own.rank() - 1;
  for (uint32_t column : columns)
    if (column) {
      for (unsigned axis = 0; axis < own.rank(); ++axis)
        if (own.coordinate(column, axis))
          fastest = axis;
      break;
    }
  SmallVector<unsigned> order{fastest};
  for (unsigned axis = own.rank(); axis-- > 0;)
    if (axis != fastest)
      order.push_back(axis);
  return {globalAccess(layout, order, bits).elements,
          sectors(layout, order, bits)};
}

LinearLayout LayoutPlan::getMemoryLayout(Operation *op) {
  LinearLayout own = op->getAttrOfType<LayoutAttr>(kLayoutAttr).getLinear();
  Value value;
  if (auto store = dyn_cast<tile::StoreOp>(op))
    value = store.getValue();
  else if (auto load = dyn_cast<tile::LoadOp>(op))
    value = load.getResult();
  if (!value || isCheap(value))
    return own;
  LinearLayout wanted =
      isa<tile::StoreOp>(op) ? getNative(value) : getClassLayout(value);
  if (wanted == own)
    return own;
  unsigned bits = getBits(getElementTypeOrSelf(value.getType()));
  auto [ownElements, ownSectors] = getAccess(own, own, bits);
  auto [elements, touched] = getAccess(wanted, own, bits);
  bool asWide = elements >= ownElements;
  bool fullWidth = elements * bits >= 128 && ownElements * bits >= 128;
  return asWide && (fullWidth || touched <= ownSectors) ? wanted : own;
}
