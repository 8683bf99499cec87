//===- BuiltinsMap.cpp - a function of scalars on every element -----------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The function is lowered on one element, in a region that is thrown away; its
// operations are then made of whole tiles, in which both sides of a branch are
// computed and a selection takes the place of the branch. A loop goes on while
// any element does; those that are done keep their values. Where all go through
// it equally often, it is a loop over tiles.
//
//===----------------------------------------------------------------------===//

#include "BuiltinHandlers.h"
#include "Lowering.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/ScopeExit.h"

using namespace tilec::frontend;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace tile = tilec::tile;

namespace {
/// Makes operations on scalars operations on tiles of one shape.
class Spread {
public:
  Spread(Lowering &lowering, mlir::Region &region, ArrayRef<int64_t> shape)
      : l(lowering), region(region), shape(shape) {}

  void map(Value scalar, Value value) { values.map(scalar, value); }

  /// The tile for a scalar.
  Value at(Value scalar) {
    if (Value value = values.lookupOrNull(scalar))
      return value;
    Value value = tile::SplatOp::create(l.builder, scalar.getLoc(),
                                        typeOf(scalar), uniform(scalar));
    values.map(scalar, value);
    return value;
  }

  /// An operation; `mask` is where its results count, null for everywhere.
  LogicalResult spread(mlir::Operation *op, Value mask) {
    if (auto branch = mlir::dyn_cast<scf::IfOp>(op))
      return spreadIf(branch, mask);
    if (auto loop = mlir::dyn_cast<scf::ForOp>(op))
      return spreadFor(loop, mask);
    if (auto loop = mlir::dyn_cast<scf::WhileOp>(op))
      return spreadWhile(loop, mask);
    bool isArithmetic = mlir::isa<arith::ArithDialect, mlir::math::MathDialect>(
                            op->getDialect()) ||
                        mlir::isa<tile::AddPtrOp, tile::PtrCastOp>(op);
    if (!isArithmetic) {
      l.error(op->getLoc(),
              "'map_elementwise' applies arithmetic, branches and loops to "
              "elements; keep accesses to memory out of its function");
      return failure();
    }
    if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op)) {
      auto type = mlir::cast<mlir::ShapedType>(typeOf(constant));
      auto all = mlir::DenseElementsAttr::get(
          type, mlir::cast<mlir::Attribute>(constant.getValue()));
      map(constant, arith::ConstantOp::create(l.builder, op->getLoc(), all));
      return success();
    }
    mlir::OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      state.operands.push_back(at(operand));
    // Where a branch is not taken, its divisors may be zero.
    if (mask && isDivision(op))
      state.operands[1] = arith::SelectOp::create(l.builder, op->getLoc(), mask,
                                                  state.operands[1], one(op));
    for (Value result : op->getResults())
      state.types.push_back(typeOf(result));
    state.attributes.append(op->getAttrs().begin(), op->getAttrs().end());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    mlir::Operation *wide = l.builder.create(state);
    values.map(op->getResults(), wide->getResults());
    return success();
  }

private:
  static bool isDivision(mlir::Operation *op) {
    return mlir::isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                     arith::RemUIOp>(op);
  }

  /// The scalar that all elements have, null where they differ.
  Value uniform(Value scalar) {
    if (!region.isAncestor(scalar.getParentRegion()))
      return scalar;
    if (Value value = uniforms.lookupOrNull(scalar))
      return value;
    mlir::Operation *op = scalar.getDefiningOp();
    if (!op || op->getNumResults() != 1 || isDivision(op) ||
        !mlir::isa<arith::ArithDialect>(op->getDialect()))
      return Value();
    for (Value operand : op->getOperands()) {
      Value value = uniform(operand);
      if (!value)
        return Value();
      uniforms.map(operand, value);
    }
    l.builder.clone(*op, uniforms);
    return uniforms.lookup(scalar);
  }

  mlir::Type typeOf(Value scalar) {
    return mlir::RankedTensorType::get(shape, scalar.getType());
  }

  /// Ones of the type of a division.
  Value one(mlir::Operation *op) {
    auto type = mlir::cast<mlir::ShapedType>(typeOf(op->getResult(0)));
    return arith::ConstantOp::create(
        l.builder, op->getLoc(),
        mlir::DenseElementsAttr::get(
            type, l.builder.getIntegerAttr(type.getElementType(), 1)));
  }

  LogicalResult spreadIf(scf::IfOp op, Value mask) {
    Location loc = op.getLoc();
    auto within = [&](Value condition) -> Value {
      return mask
                 ? Value(arith::AndIOp::create(l.builder, loc, mask, condition))
                 : condition;
    };
    Value condition = at(op.getCondition());
    if (failed(spreadBlock(*op.thenBlock(), within(condition))))
      return failure();
    if (!op.elseBlock())
      return success();
    auto yes = mlir::DenseElementsAttr::get(
        mlir::cast<mlir::ShapedType>(condition.getType()), true);
    Value opposite =
        arith::XOrIOp::create(l.builder, loc, condition,
                              arith::ConstantOp::create(l.builder, loc, yes));
    if (failed(spreadBlock(*op.elseBlock(), within(opposite))))
      return failure();
    for (auto [result, x, y] :
         llvm::zip(op.getResults(), op.thenYield().getOperands(),
                   op.elseYield().getOperands()))
      map(result,
          arith::SelectOp::create(l.builder, loc, condition, at(x), at(y)));
    return success();
  }

  /// Spreads a block's operations in the block where the builder is. What is
  /// made for them counts there only.
  LogicalResult spreadBlock(mlir::Block &block, Value mask) {
    return mlir::LogicalResult::success(
        llvm::all_of(block.without_terminator(), [&](mlir::Operation &inner) {
          return mlir::succeeded(spread(&inner, mask));
        }));
  }
  auto leaveRegion() {
    return llvm::scope_exit([this, outer = values, outerUniforms = uniforms] {
      values = outer;
      uniforms = outerUniforms;
    });
  }
  llvm::SmallVector<Value> allAt(mlir::ValueRange scalars) {
    return llvm::map_to_vector(scalars, [&](Value v) { return at(v); });
  }

  /// A tile of one number.
  Value filled(mlir::Type element, int64_t number, Location loc) {
    auto type = mlir::RankedTensorType::get(shape, element);
    mlir::Attribute value =
        mlir::isa<mlir::FloatType>(element)
            ? mlir::Attribute(l.builder.getFloatAttr(element, number))
            : l.builder.getIntegerAttr(element, number);
    return arith::ConstantOp::create(l.builder, loc,
                                     mlir::DenseElementsAttr::get(type, value));
  }

  /// Is a Boolean true for any element?
  FailureOr<Value> anyOf(Value flags, Location loc) {
    FailureOr<Val> any =
        l.callBuiltin(*findBuiltin("reduce_or", kLanguage),
                      {{"", Val::runtime(flags, DType::I1), loc}}, loc);
    return failed(any) ? FailureOr<Value>(failure())
                       : FailureOr<Value>(any->value);
  }

  /// A loop that goes on while an element's flag is set, the last value that it
  /// carries. `before` sets the flags anew, `after` is a round for those whose
  /// flag is set; both get what is carried and change it.
  using Round = llvm::function_ref<LogicalResult(llvm::MutableArrayRef<Value>)>;
  FailureOr<llvm::SmallVector<Value>>
  loopWhileAny(ArrayRef<Value> inits, Location loc, Round before, Round after) {
    llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
    llvm::SmallVector<Location> locs(types.size(), loc);
    auto loop = scf::WhileOp::create(l.builder, loc, types, inits);
    mlir::OpBuilder::InsertionGuard guard(l.builder);
    for (bool isBefore : {true, false}) {
      auto leave = leaveRegion();
      mlir::Block *block = l.builder.createBlock(
          isBefore ? &loop.getBefore() : &loop.getAfter(), {}, types, locs);
      llvm::SmallVector<Value> carried(block->getArguments());
      if (failed((isBefore ? before : after)(carried)))
        return failure();
      if (!isBefore) {
        scf::YieldOp::create(l.builder, loc, carried);
        continue;
      }
      FailureOr<Value> any = anyOf(carried.back(), loc);
      if (failed(any))
        return failure();
      scf::ConditionOp::create(l.builder, loc, *any, carried);
    }
    return llvm::SmallVector<Value>(loop.getResults());
  }

  LogicalResult spreadFor(scf::ForOp op, Value mask) {
    Location loc = op.getLoc();
    if (op.getNumResults() == 0)
      return success();
    Value lower = uniform(op.getLowerBound()),
          upper = uniform(op.getUpperBound()), step = uniform(op.getStep());
    mlir::Operation *yield = op.getBody()->getTerminator();
    if (lower && upper && step) {
      auto loop = scf::ForOp::create(l.builder, loc, lower, upper, step,
                                     allAt(op.getInitArgs()));
      loop.setUnsignedCmp(op.getUnsignedCmp());
      mlir::OpBuilder::InsertionGuard guard(l.builder);
      {
        auto leave = leaveRegion();
        l.builder.setInsertionPointToStart(loop.getBody());
        uniforms.map(op.getInductionVar(), loop.getInductionVar());
        values.map(op.getRegionIterArgs(), loop.getRegionIterArgs());
        if (failed(spreadBlock(*op.getBody(), mask)))
          return failure();
        scf::YieldOp::create(l.builder, loc, allAt(yield->getOperands()));
      }
      values.map(op.getResults(), loop.getResults());
      return success();
    }
    llvm::SmallVector<Value> inits = allAt(op.getInitArgs());
    inits.insert(inits.begin(), at(op.getLowerBound()));
    inits.push_back(mask ? mask : filled(l.builder.getI1Type(), 1, loc));
    Value last = at(op.getUpperBound()), stride = at(op.getStep());
    auto before = [&](llvm::MutableArrayRef<Value> carried) {
      auto less = op.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                      : arith::CmpIPredicate::slt;
      Value more =
          arith::CmpIOp::create(l.builder, loc, less, carried[0], last);
      carried.back() =
          arith::AndIOp::create(l.builder, loc, carried.back(), more);
      return success();
    };
    auto after = [&](llvm::MutableArrayRef<Value> carried) {
      auto inner = carried.drop_front().drop_back();
      values.map(op.getInductionVar(), carried[0]);
      values.map(op.getRegionIterArgs(), inner);
      Value active = carried.back();
      if (failed(spreadBlock(*op.getBody(), active)))
        return failure();
      for (auto [value, next] : llvm::zip(inner, yield->getOperands()))
        value =
            arith::SelectOp::create(l.builder, loc, active, at(next), value);
      Value next = arith::AddIOp::create(l.builder, loc, carried[0], stride);
      carried[0] =
          arith::SelectOp::create(l.builder, loc, active, next, carried[0]);
      return success();
    };
    FailureOr<llvm::SmallVector<Value>> results =
        loopWhileAny(inits, loc, before, after);
    if (failed(results))
      return failure();
    values.map(op.getResults(),
               llvm::ArrayRef(*results).slice(1, op.getNumResults()));
    return success();
  }

  /// Carries the values of the loop, its results so far, and the flags.
  LogicalResult spreadWhile(scf::WhileOp op, Value mask) {
    Location loc = op.getLoc();
    size_t numInits = op.getInits().size(), numResults = op.getNumResults();
    llvm::SmallVector<Value> inits = allAt(op.getInits());
    for (mlir::Type type : op.getResultTypes()) {
      if (!type.isIntOrFloat()) {
        l.error(loc, "loops in the function of 'map_elementwise' change "
                     "numbers only; keep pointers out of its function");
        return failure();
      }
      inits.push_back(filled(type, 0, loc));
    }
    inits.push_back(mask ? mask : filled(l.builder.getI1Type(), 1, loc));
    auto before = [&](llvm::MutableArrayRef<Value> carried) {
      values.map(op.getBeforeArguments(), carried.take_front(numInits));
      Value active = carried.back();
      if (failed(spreadBlock(*op.getBeforeBody(), active)))
        return failure();
      scf::ConditionOp condition = op.getConditionOp();
      for (auto [result, passed] :
           llvm::zip(carried.slice(numInits, numResults), condition.getArgs()))
        result =
            arith::SelectOp::create(l.builder, loc, active, at(passed), result);
      carried.back() = arith::AndIOp::create(l.builder, loc, active,
                                             at(condition.getCondition()));
      return success();
    };
    auto after = [&](llvm::MutableArrayRef<Value> carried) {
      values.map(op.getAfterArguments(), carried.slice(numInits, numResults));
      if (failed(spreadBlock(*op.getAfterBody(), carried.back())))
        return failure();
      mlir::Operation *yield = op.getAfterBody()->getTerminator();
      llvm::copy(allAt(yield->getOperands()), carried.begin());
      return success();
    };
    FailureOr<llvm::SmallVector<Value>> results =
        loopWhileAny(inits, loc, before, after);
    if (failed(results))
      return failure();
    values.map(op.getResults(),
               llvm::ArrayRef(*results).slice(numInits, numResults));
    return success();
  }

  Lowering &l;
  mlir::Region &region;
  llvm::SmallVector<int64_t> shape;
  /// The tile for each scalar, and the scalar of those that are equal for all.
  mlir::IRMapping values, uniforms;
};
} // namespace

/// Every `count`-th element of the last axis, from each of the first `count`
/// on; `count` is a power of two.
static FailureOr<std::vector<Val>> takeApart(Lowering &l, const Val &x,
                                             int64_t count, Location loc) {
  if (count == 1)
    return std::vector<Val>{x};
  std::vector<int64_t> shape = x.shape().vec();
  shape.back() /= 2;
  shape.push_back(2);
  FailureOr<Val> pairs = builtins::reshapeTo(l, x, shape, loc);
  FailureOr<Val> halves =
      failed(pairs) ? pairs : l.callPrelude("split", {*pairs}, loc);
  if (failed(halves))
    return failure();
  auto even = takeApart(l, (*halves->elements)[0], count / 2, loc);
  auto odd = takeApart(l, (*halves->elements)[1], count / 2, loc);
  if (failed(even) || failed(odd))
    return failure();
  std::vector<Val> all;
  for (auto [a, b] : llvm::zip(*even, *odd)) {
    all.push_back(a);
    all.push_back(b);
  }
  return all;
}

/// The opposite.
static FailureOr<Val> putTogether(Lowering &l, std::vector<Val> parts,
                                  Location loc) {
  if (parts.size() == 1)
    return parts.front();
  std::vector<Val> even, odd;
  for (auto [i, part] : llvm::enumerate(parts))
    (i % 2 ? odd : even).push_back(part);
  FailureOr<Val> a = putTogether(l, std::move(even), loc);
  FailureOr<Val> b = failed(a) ? a : putTogether(l, std::move(odd), loc);
  return failed(b) ? b : l.callPrelude("interleave", {*a, *b}, loc);
}

/// Calls the function with scalars for the elements of the tiles, which have
/// one shape; a result is a tile.
static FailureOr<std::vector<Val>> mapTiles(Lowering &l, const Val &function,
                                            ArrayRef<Val> tiles, Location loc) {
  mlir::Region region;
  std::vector<Val> scalars;
  {
    mlir::OpBuilder::InsertionGuard guard(l.builder);
    mlir::Block *block = l.enterRegion(region);
    CallInput input;
    for (const Val &t : tiles)
      input.push_back(
          {"",
           Val::runtime(block->addArgument(t.type.mlirType(l.context), loc),
                        t.type),
           loc});
    FailureOr<Val> result = l.callValue(function, std::move(input), loc);
    if (failed(result))
      return failure();
    scalars = result->kind == Val::Tuple ? *result->elements
                                         : std::vector<Val>{*result};
    for (Val &scalar : scalars) {
      scalar = l.decay(scalar, loc);
      if (scalar.kind == Val::Runtime && scalar.isScalar())
        continue;
      l.error(loc,
              "the function of 'map_elementwise' must return numbers, got " +
                  scalar.describe());
      return failure();
    }
  }
  Spread spread(l, region, tiles.front().shape());
  for (auto [argument, t] : llvm::zip(region.front().getArguments(), tiles))
    spread.map(argument, t.value);
  for (mlir::Operation &op : region.front())
    if (failed(spread.spread(&op, Value())))
      return failure();
  for (Val &scalar : scalars)
    scalar.value = spread.at(scalar.value);
  return scalars;
}

FailureOr<Val> builtins::mapElementwise(Lowering &l, CallArgs &args) {
  FailureOr<int64_t> pack = l.constantInt(args[2], "'pack'", args.locs[2]);
  if (failed(pack))
    return failure();
  std::vector<Val> tiles;
  for (const Val &v : args.rest) {
    FailureOr<Val> value = l.toRuntime(v, args.loc);
    if (failed(value))
      return failure();
    tiles.push_back(*value);
  }
  if (tiles.empty()) {
    l.error(args.loc, "'map_elementwise' needs at least one tile");
    return failure();
  }
  if (failed(l.broadcastAll(tiles, args.loc)))
    return failure();
  ArrayRef<int64_t> shape = tiles.front().shape();
  if (*pack != 1 && (*pack < 1 || !llvm::isPowerOf2_64(*pack) ||
                     shape.empty() || shape.back() % *pack)) {
    l.error(args.locs[2],
            "'pack' is a power of two that divides the last axis, got " +
                Twine(*pack) + " for " + tiles.front().describe());
    return failure();
  }
  if (shape.empty()) {
    CallInput input;
    for (const Val &v : tiles)
      input.push_back({"", v, args.loc});
    return l.callValue(args[0], std::move(input), args.loc);
  }
  std::vector<Val> parts;
  for (const Val &t : tiles) {
    FailureOr<std::vector<Val>> some = takeApart(l, t, *pack, args.loc);
    if (failed(some))
      return failure();
    parts.insert(parts.end(), some->begin(), some->end());
  }
  FailureOr<std::vector<Val>> mapped = mapTiles(l, args[0], parts, args.loc);
  if (failed(mapped))
    return failure();
  if (mapped->empty() || mapped->size() % *pack) {
    l.error(args.loc, "the function of 'map_elementwise' returns 'pack' = " +
                          Twine(*pack) + " numbers for each result, got " +
                          Twine(mapped->size()));
    return failure();
  }
  std::vector<Val> results;
  for (size_t i = 0; i < mapped->size(); i += *pack) {
    FailureOr<Val> whole = putTogether(
        l, {mapped->begin() + i, mapped->begin() + i + *pack}, args.loc);
    if (failed(whole))
      return failure();
    results.push_back(*whole);
  }
  return results.size() == 1 ? results.front() : Val::tuple(results);
}
