//===- BuiltinsMemory.cpp - loads, stores, atomics, products --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Functions that touch memory, and matrix products. A Boolean in memory is a
// byte: loads compare it with zero, stores widen it.
//
//===----------------------------------------------------------------------===//

#include "BuiltinHandlers.h"
#include "Lowering.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cmath>

using namespace tilec::frontend;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;
using tilec::Warning;
namespace tile = tilec::tile;
namespace arith = mlir::arith;

/// The argument as pointers.
static FailureOr<Val> pointerArgument(Lowering &l, CallArgs &args, size_t i) {
  const Val &v = args[i];
  if (v.isRuntime() && v.type.isPointer())
    return v;
  l.error(args.locs[i], "'" + args.row.name + "' needs pointers, got " +
                            v.describe() +
                            "; add an offset to a pointer argument");
  return failure();
}

/// The argument as a mask; null where it is None.
static FailureOr<std::optional<Val>> maskArgument(Lowering &l, CallArgs &args,
                                                  size_t i) {
  if (args[i].kind == Val::None)
    return std::optional<Val>();
  FailureOr<Val> mask = l.condition(args[i], args.locs[i]);
  if (failed(mask))
    return failure();
  if (args[i].isRuntime() && !args[i].type.isBool()) {
    l.error(args.locs[i], "a mask is a tile of Booleans, got " +
                              args[i].describe() + "; compare it with 0");
    return failure();
  }
  return std::optional<Val>(*mask);
}

/// Refuses a mask that does not broadcast with the pointers.
static LogicalResult checkMaskShape(Lowering &l, const Val &pointers,
                                    const Val &mask, Location loc) {
  auto sizes =
      llvm::zip(llvm::reverse(pointers.shape()), llvm::reverse(mask.shape()));
  if (llvm::all_of(sizes, [](auto pair) {
        auto [a, b] = pair;
        return a == b || a == 1 || b == 1;
      }))
    return success();
  l.error(loc, "a mask of shape " + describeShape(mask.shape()) +
                   " does not broadcast with pointers of shape " +
                   describeShape(pointers.shape()) +
                   "; sizes must be equal or 1");
  return failure();
}

/// `boundary_check` and `padding_option` belong to block pointers.
static LogicalResult rejectBoundaryCheck(Lowering &l, CallArgs &args,
                                         size_t i) {
  if (!args.given[i] || args[i].kind == Val::None ||
      (args[i].kind == Val::Tuple && args[i].elements->empty()) ||
      (args[i].kind == Val::String && args[i].text.empty()))
    return success();
  StringRef name = parseSignature(args.row.signature)[i].name;
  // A text in the place of the axes is a cache modifier as a rule.
  bool isMisplaced = args[i].kind == Val::String && name == "boundary_check";
  l.error(args.locs[i],
          "'" + name + "' of '" + args.row.name + "' needs a block pointer; " +
              (isMisplaced ? "pass what follows it by name, such as "
                             "cache_modifier=\".ca\""
                           : "write a mask"));
  return failure();
}

/// Turns an access through a block pointer into one through addresses: replaces
/// the pointer, the mask and `other` in `args`. `check` is the index of
/// `boundary_check`.
static LogicalResult expandBlock(Lowering &l, CallArgs &args, size_t check,
                                 std::optional<size_t> padding) {
  Val block = args[0];
  size_t maskIndex = padding ? 1 : 2;
  if (args[maskIndex].kind != Val::None) {
    l.error(args.locs[maskIndex],
            "a block pointer has no mask; name the axes to check "
            "with boundary_check");
    return failure();
  }
  std::vector<bool> axes(block.blockShape.size(), block.isStatic);
  const Val &list = args[check];
  for (const Val &v :
       list.kind == Val::Tuple ? *list.elements : std::vector<Val>{list}) {
    if (v.kind == Val::None)
      continue;
    FailureOr<int64_t> axis =
        l.constantInt(v, "an axis to check", args.locs[check]);
    if (failed(axis))
      return failure();
    if (*axis < 0 || *axis >= int64_t(axes.size())) {
      l.error(args.locs[check],
              "axis " + Twine(*axis) + " is out of range for " +
                  Twine(axes.size()) + (axes.size() == 1 ? " axis" : " axes"));
      return failure();
    }
    axes[*axis] = true;
  }
  llvm::SmallVector<bool> checked(axes.begin(), axes.end());
  std::optional<Val> mask;
  Val pointers;
  if (failed(l.blockAddresses(block, checked, pointers, mask, args.loc)))
    return failure();
  args[0] = pointers;
  if (mask)
    args[maskIndex] = *mask;
  bool isNan = block.number != block.number;
  if (padding) {
    FailureOr<bool> option =
        builtins::paddingArgument(l, args, *padding, block.type.pointee());
    if (failed(option))
      return failure();
    isNan |= *option;
  }
  if (padding && mask && isNan)
    args[2] = Val::floatValue(NAN);
  args.given[check] = false;
  if (padding)
    args.given[*padding] = false;
  return success();
}

/// A text argument by its table of values.
template <typename T>
static FailureOr<T> choose(Lowering &l, CallArgs &args, size_t i,
                           const char *what,
                           ArrayRef<std::pair<StringRef, T>> table) {
  if (args[i].kind == Val::None)
    return table.front().second;
  if (args[i].kind == Val::String)
    for (auto &[text, value] : table)
      if (args[i].text == text)
        return value;
  std::string known;
  for (auto &[text, value] : table)
    if (!text.empty())
      known += (known.empty() ? "\"" : ", \"") + text.str() + "\"";
  bool isText = args[i].kind == Val::String;
  l.error(args.locs[i],
          Twine("unknown ") + what + " " +
              (isText ? "\"" + args[i].text.str() + "\"" : args[i].describe()) +
              "; known are " + known);
  return failure();
}

//===----------------------------------------------------------------------===//
// load, store
//===----------------------------------------------------------------------===//

/// `cache_modifier` and `eviction_policy` of a load or a store.
static FailureOr<std::pair<tile::CacheModifier, tile::Eviction>>
cacheArguments(Lowering &l, CallArgs &args, size_t cache) {
  using C = tile::CacheModifier;
  using E = tile::Eviction;
  using Row = std::pair<StringRef, C>;
  static constexpr Row loads[] = {{"", C::None},
                                  {".ca", C::CA},
                                  {".cg", C::CG},
                                  {".cs", C::CS},
                                  {".cv", C::CV}};
  static constexpr Row stores[] = {{"", C::None},
                                   {".wb", C::WB},
                                   {".cg", C::CG},
                                   {".cs", C::CS},
                                   {".wt", C::WT}};
  bool isLoad = args.row.name == "load";
  FailureOr<C> modifier = choose<C>(
      l, args, cache,
      isLoad ? "cache modifier of a load" : "cache modifier of a store",
      isLoad ? ArrayRef<Row>(loads) : ArrayRef<Row>(stores));
  if (failed(modifier))
    return failure();
  FailureOr<E> eviction = choose<E>(l, args, cache + 1, "eviction policy",
                                    {{"", E::Normal},
                                     {"evict_first", E::First},
                                     {"evict_last", E::Last},
                                     {"evict_normal", E::Normal}});
  if (failed(eviction))
    return failure();
  return std::make_pair(*modifier, *eviction);
}

FailureOr<Val> builtins::load(Lowering &l, CallArgs &args) {
  // A descriptor fills what is outside with zeros, a block pointer if asked to.
  bool isPadded = args[0].kind == Val::BlockPointer &&
                  (args[0].isStatic ||
                   (args[4].kind == Val::String && !args[4].text.empty()));
  if (args[0].kind == Val::BlockPointer && failed(expandBlock(l, args, 3, 4)))
    return failure();
  FailureOr<Val> pointer = pointerArgument(l, args, 0);
  if (failed(pointer))
    return failure();
  FailureOr<std::optional<Val>> mask = maskArgument(l, args, 1);
  if (failed(mask) || failed(rejectBoundaryCheck(l, args, 3)) ||
      failed(rejectBoundaryCheck(l, args, 4)))
    return failure();
  auto hints = cacheArguments(l, args, 5);
  if (failed(hints))
    return failure();
  ElemType element = pointer->type.pointee();
  // A Boolean is read as its byte.
  ElemType stored = element.isBool() ? ElemType(DType::I8) : element;
  Val ptr = *pointer, maskVal, other;
  bool hasMask = mask->has_value(), hasOther = args[2].kind != Val::None;
  if (hasOther && !hasMask) {
    l.error(args.locs[2], "'other' needs a mask");
    return failure();
  }
  std::vector<Val *> all = {&ptr};
  if (hasMask) {
    maskVal = **mask;
    if (failed(checkMaskShape(l, ptr, maskVal, args.locs[1])))
      return failure();
    all.push_back(&maskVal);
  }
  if (hasOther) {
    l.warnOfLiteral(args[2], element, args.locs[2]);
    FailureOr<Val> value = l.castTo(args[2], stored, args.locs[2]);
    if (failed(value))
      return failure();
    other = *value;
    // `other` follows the shape of the access, it does not widen it.
    if (other.shape().size() > 0)
      all.push_back(&other);
  }
  if (failed(l.broadcastAll(all, args.loc)))
    return failure();
  if (hasOther) {
    FailureOr<Val> value = l.broadcastTo(other, ptr.shape(), args.locs[2]);
    if (failed(value))
      return failure();
    other = *value;
  }
  auto op = tile::LoadOp::create(
      l.builder, args.loc, tile::LoadOp::getLoadedType(ptr.value.getType()),
      ptr.value, hasMask ? maskVal.value : Value(),
      hasOther ? other.value : Value(), hints->first, hints->second,
      foldTruth(args[7]).value_or(false));
  if (isPadded && hasMask && !hasOther)
    op->setAttr(tile::kPaddedAttr, l.builder.getUnitAttr());
  Val result = Val::runtime(op, stored);
  return element.isBool() ? l.castTo(result, DType::I1, args.loc)
                          : FailureOr<Val>(result);
}

FailureOr<Val> builtins::store(Lowering &l, CallArgs &args) {
  if (args[0].kind == Val::BlockPointer &&
      failed(expandBlock(l, args, 3, std::nullopt)))
    return failure();
  FailureOr<Val> pointer = pointerArgument(l, args, 0);
  if (failed(pointer))
    return failure();
  if (pointer->type.isConst) {
    l.error(args.locs[0],
            "this pointer is const; a store needs one that may be "
            "written");
    return failure();
  }
  FailureOr<std::optional<Val>> mask = maskArgument(l, args, 2);
  if (failed(mask) || failed(rejectBoundaryCheck(l, args, 3)))
    return failure();
  auto hints = cacheArguments(l, args, 4);
  if (failed(hints))
    return failure();
  ElemType element = pointer->type.pointee();
  l.warnOfLiteral(args[1], element, args.locs[1]);
  if (args[1].isRuntime() && args[1].known == Val::None &&
      args[1].type.isFloat() && element.isInt() && !element.isBool())
    l.warn(Warning::FloatConversion, args.locs[1],
           args[1].type.name() + " is stored as " + element.name() +
               ", cut toward zero; write .to() where that is meant");
  FailureOr<Val> value = l.castTo(args[1], element, args.locs[1]);
  if (failed(value))
    return failure();
  if (element.isBool()) {
    value = l.castTo(*value, DType::I8, args.locs[1]);
    if (failed(value))
      return failure();
  }
  ArrayRef<int64_t> shape = pointer->shape();
  if (value->shape().size() > shape.size()) {
    l.error(args.locs[1],
            "cannot store " + value->describe() + " through " +
                (shape.empty() ? "one pointer"
                               : "pointers of shape " + describeShape(shape)) +
                "; add a tile of offsets to the pointer");
    return failure();
  }
  value = l.broadcastTo(*value, shape, args.locs[1]);
  if (failed(value))
    return failure();
  Value maskValue;
  if (*mask) {
    if (failed(checkMaskShape(l, *pointer, **mask, args.locs[2])))
      return failure();
    FailureOr<Val> m = l.broadcastTo(**mask, shape, args.locs[2]);
    if (failed(m))
      return failure();
    maskValue = m->value;
  }
  tile::StoreOp::create(l.builder, args.loc, pointer->value, value->value,
                        maskValue, hints->first, hints->second);
  return Val::none();
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// `sem` and `scope`.
static FailureOr<std::pair<tile::MemOrder, tile::MemScope>>
orderArguments(Lowering &l, CallArgs &args, size_t sem) {
  using O = tile::MemOrder;
  using S = tile::MemScope;
  FailureOr<O> order = choose<O>(l, args, sem, "memory order",
                                 {{"acq_rel", O::AcqRel},
                                  {"acquire", O::Acquire},
                                  {"release", O::Release},
                                  {"relaxed", O::Relaxed}});
  if (failed(order))
    return failure();
  FailureOr<S> scope =
      choose<S>(l, args, sem + 1, "scope",
                {{"gpu", S::GPU}, {"cta", S::Block}, {"sys", S::System}});
  if (failed(scope))
    return failure();
  return std::make_pair(*order, *scope);
}

/// The kind of an atomic operation on a type; null where there is none.
static std::optional<tile::AtomicKind> atomicKind(StringRef name,
                                                  ElemType type) {
  using K = tile::AtomicKind;
  unsigned bits = type.bits();
  bool word = bits == 32 || bits == 64;
  if (name == "atomic_add" && type.isFloat())
    return bits >= 16 ? std::optional(K::FAdd) : std::nullopt;
  if (!word)
    return std::nullopt;
  if (name == "atomic_xchg")
    return K::Xchg;
  if (name == "atomic_max")
    return type.isFloat() ? K::FMax : type.isSigned() ? K::Max : K::UMax;
  if (name == "atomic_min")
    return type.isFloat() ? K::FMin : type.isSigned() ? K::Min : K::UMin;
  if (type.isFloat())
    return std::nullopt;
  return name == "atomic_add"   ? K::Add
         : name == "atomic_and" ? K::And
         : name == "atomic_or"  ? K::Or
                                : K::Xor;
}

/// Pointer and values of an atomic operation in one shape.
static LogicalResult atomicOperands(Lowering &l, CallArgs &args, Val &ptr,
                                    llvm::MutableArrayRef<Val *> values,
                                    ArrayRef<size_t> indices) {
  FailureOr<Val> pointer = pointerArgument(l, args, 0);
  if (failed(pointer))
    return failure();
  ptr = *pointer;
  if (ptr.type.isConst) {
    l.error(args.locs[0],
            "this pointer is const; an atomic operation needs one that "
            "may be written");
    return failure();
  }
  if (ptr.type.pointers > 1 || ptr.type.pointee().isBool()) {
    l.error(args.locs[0], "'" + args.row.name + "' does not work on " +
                              ptr.type.pointee().name() +
                              "; use a 32 or 64 bit type it is defined for");
    return failure();
  }
  std::vector<Val *> all = {&ptr};
  for (auto [v, i] : llvm::zip(values, indices)) {
    l.warnOfLiteral(args[i], ptr.type.pointee(), args.locs[i]);
    FailureOr<Val> value = l.castTo(args[i], ptr.type.pointee(), args.locs[i]);
    if (failed(value))
      return failure();
    *v = *value;
    all.push_back(v);
  }
  return l.broadcastAll(all, args.loc);
}

FailureOr<Val> builtins::atomic(Lowering &l, CallArgs &args) {
  Val ptr, value;
  Val *values[] = {&value};
  if (failed(atomicOperands(l, args, ptr, values, {1})))
    return failure();
  FailureOr<std::optional<Val>> mask = maskArgument(l, args, 2);
  if (failed(mask))
    return failure();
  auto order = orderArguments(l, args, 3);
  if (failed(order))
    return failure();
  std::optional<tile::AtomicKind> kind = atomicKind(args.row.name, value.type);
  if (!kind) {
    l.error(args.locs[0], "'" + args.row.name + "' does not work on " +
                              value.type.name() +
                              "; use a 32 or 64 bit type it is defined for");
    return failure();
  }
  Value maskValue;
  if (*mask) {
    Val m = **mask;
    Val *all[] = {&ptr, &value, &m};
    if (failed(checkMaskShape(l, ptr, m, args.locs[2])))
      return failure();
    if (failed(l.broadcastAll(all, args.loc)))
      return failure();
    maskValue = m.value;
  }
  return Val::runtime(
      tile::AtomicRMWOp::create(l.builder, args.loc, value.value.getType(),
                                *kind, order->first, order->second, ptr.value,
                                value.value, maskValue),
      value.type);
}

FailureOr<Val> builtins::atomicCas(Lowering &l, CallArgs &args) {
  Val ptr, compare, value;
  Val *values[] = {&compare, &value};
  if (failed(atomicOperands(l, args, ptr, values, {1, 2})))
    return failure();
  auto order = orderArguments(l, args, 3);
  if (failed(order))
    return failure();
  if (value.type.bits() < 16) {
    l.error(args.locs[0],
            "'atomic_cas' needs elements of 16, 32 or 64 bits, got " +
                value.type.name());
    return failure();
  }
  return Val::runtime(
      tile::AtomicCASOp::create(l.builder, args.loc, value.value.getType(),
                                order->first, order->second, ptr.value,
                                compare.value, value.value,
                                /*mask=*/mlir::Value()),
      value.type);
}

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

/// The type of a product; null with the reason where the operands have none.
static std::optional<ElemType> productType(ElemType a, ElemType b,
                                           std::optional<ElemType> wanted,
                                           std::string &reason) {
  auto is = [](ElemType t, DType d) { return t == ElemType(d); };
  if (a != b && !(a.isFP8() && b.isFP8())) {
    reason = "operands of one type, got " + a.name() + " and " + b.name() +
             "; cast one of them with .to()";
    return std::nullopt;
  }
  std::vector<ElemType> fitting;
  if (is(a, DType::I8))
    fitting = {DType::I32};
  else if (is(a, DType::F16) || a.isFP8())
    fitting = {DType::F32, DType::F16};
  else if (is(a, DType::BF16) || is(a, DType::F32))
    fitting = {DType::F32};
  else if (is(a, DType::F64))
    fitting = {DType::F64};
  if (fitting.empty()) {
    reason = "int8 or floats, got " + a.name() + "; cast it with .to()";
    return std::nullopt;
  }
  if (!wanted || (is(a, DType::I8) && is(*wanted, DType::F32)) ||
      (is(a, DType::F64) && is(*wanted, DType::F32)))
    return fitting[0];
  for (ElemType t : fitting)
    if (t == *wanted)
      return t;
  reason = "a result of type " + fitting[0].name() + " for operands of " +
           a.name() + ", got " + wanted->name();
  return std::nullopt;
}

/// `input_precision` and `allow_tf32`.
static FailureOr<tile::DotPrecision> precisionArgument(Lowering &l,
                                                       CallArgs &args) {
  using P = tile::DotPrecision;
  if (args[3].kind == Val::Bool)
    return args[3].integer ? P::TF32 : P::IEEE;
  if (args[3].kind == Val::None && args[4].kind != Val::None)
    return foldTruth(args[4]).value_or(true) ? P::TF32 : P::IEEE;
  return choose<P>(l, args, 3, "precision",
                   {{"tf32", P::TF32},
                    {"tf32x3", P::TF32x3},
                    {"ieee", P::IEEE},
                    {"bf16x3", P::BF16x3},
                    {"bf16x6", P::BF16x6}});
}

/// The same elements with all axes before the last two as one.
static Value flattenBatches(Lowering &l, const Val &v, Location loc) {
  ArrayRef<int64_t> shape = v.shape();
  if (shape.size() <= 3)
    return v.value;
  int64_t batches = 1;
  for (int64_t size : shape.drop_back(2))
    batches *= size;
  auto type = mlir::RankedTensorType::get(
      {batches, shape[shape.size() - 2], shape.back()},
      tile::getElementType(v.value.getType()));
  return tile::ReshapeOp::create(l.builder, loc, type, v.value);
}

FailureOr<Val> builtins::dot(Lowering &l, CallArgs &args) {
  FailureOr<Val> a = tileArgument(l, args, 0);
  FailureOr<Val> b = failed(a) ? a : tileArgument(l, args, 1);
  if (failed(b))
    return failure();
  ArrayRef<int64_t> x = a->shape(), y = b->shape();
  size_t rank = x.size();
  if (rank != y.size() || rank < 2 || x[rank - 1] != y[rank - 2] ||
      x.drop_back(2) != y.drop_back(2)) {
    l.error(args.loc, "'dot' needs shapes [M, K] and [K, N], got " +
                          describeShape(x) + " and " + describeShape(y));
    return failure();
  }
  std::optional<ElemType> wanted;
  if (args[6].kind != Val::None) {
    FailureOr<ElemType> type = typeArgument(l, args, 6);
    if (failed(type))
      return failure();
    wanted = *type;
  }
  bool hasAcc = args[2].kind != Val::None;
  if (hasAcc && !wanted && args[2].isRuntime())
    wanted = args[2].type;
  std::string reason;
  std::optional<ElemType> type = productType(a->type, b->type, wanted, reason);
  if (!type) {
    l.error(args.loc, "'dot' needs " + reason);
    return failure();
  }
  FailureOr<tile::DotPrecision> precision = precisionArgument(l, args);
  if (failed(precision))
    return failure();
  if (a->type == ElemType(DType::F32) && args[3].kind == Val::None &&
      args[4].kind == Val::None)
    l.warn(Warning::TF32, args.loc,
           "'dot' of fp32 cuts its operands to tf32, 10 bits of fraction; "
           "write input_precision=\"ieee\" to keep them, or \"tf32\" where "
           "that is meant");
  std::vector<int64_t> shape = x.vec();
  shape[rank - 1] = y[rank - 1];
  FailureOr<Val> acc = failure();
  if (hasAcc) {
    acc = tileArgument(l, args, 2);
    if (failed(acc))
      return failure();
    if (acc->isScalar())
      acc = l.castTo(*acc, *type, args.locs[2]);
    if (!failed(acc) && acc->isScalar())
      acc = l.broadcastTo(*acc, shape, args.locs[2]);
    if (failed(acc))
      return failure();
    if (acc->type != *type || acc->shape() != ArrayRef<int64_t>(shape)) {
      l.error(args.locs[2], "'dot' needs an accumulator of type " +
                                describeType(*type, shape) + ", got " +
                                acc->describe());
      return failure();
    }
  } else {
    acc = l.constant(Val::intValue(0), *type, shape, args.loc);
    if (failed(acc))
      return failure();
  }
  Value flat = flattenBatches(l, *acc, args.loc);
  Value product = tile::DotOp::create(
      l.builder, args.loc, flat.getType(), flattenBatches(l, *a, args.loc),
      flattenBatches(l, *b, args.loc), flat, *precision);
  if (rank > 3)
    product = tile::ReshapeOp::create(l.builder, args.loc, acc->value.getType(),
                                      product);
  return Val::runtime(product, *type);
}
