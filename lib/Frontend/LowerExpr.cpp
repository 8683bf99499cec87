//===- LowerExpr.cpp - expressions ----------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What a tree of an expression means: operators, indexing, conditions, texts.
//
//===----------------------------------------------------------------------===//

#include "FormatText.h"
#include "Lowering.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cmath>

using namespace tilec::frontend;
using llvm::cast;
using llvm::dyn_cast;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;

FailureOr<Val> Lowering::eval(const Expr *expr) {
  if (!hasRoom(expr->offset))
    return failure();
  switch (expr->kind) {
  case Expr::Name:
    return evalName(cast<NameExpr>(expr)->name, loc(expr));
  case Expr::Int:
    return Val::intValue(cast<IntExpr>(expr)->value);
  case Expr::Float:
    return Val::floatValue(cast<FloatExpr>(expr)->value);
  case Expr::Bool:
    return Val::boolean(cast<BoolExpr>(expr)->value);
  case Expr::None:
    return Val::none();
  case Expr::String:
    return Val::string(cast<StringExpr>(expr)->value);
  case Expr::FString:
    return evalFString(cast<FStringExpr>(expr));
  case Expr::Formatted:
    return eval(cast<FormattedExpr>(expr)->value);
  case Expr::Tuple: {
    std::vector<Val> elements;
    for (const Expr *element : cast<TupleExpr>(expr)->elements) {
      auto *star = dyn_cast<StarredExpr>(element);
      FailureOr<Val> value = eval(star ? star->value : element);
      if (failed(value))
        return failure();
      if (star && value->kind == Val::Tuple)
        elements.insert(elements.end(), value->elements->begin(),
                        value->elements->end());
      else
        elements.push_back(*value);
    }
    return Val::tuple(std::move(elements));
  }
  case Expr::Binary:
    return evalBinary(cast<BinaryExpr>(expr), /*isCompared=*/false);
  case Expr::Unary: {
    auto *e = cast<UnaryExpr>(expr);
    FailureOr<Val> operand = eval(e->operand);
    return failed(operand) ? operand : unary(e->op, *operand, loc(expr));
  }
  case Expr::BoolAnd:
  case Expr::BoolOr:
    return evalBoolOp(cast<BoolOpExpr>(expr));
  case Expr::Compare:
    return evalCompare(cast<CompareExpr>(expr));
  case Expr::Call:
    return evalCall(cast<CallExpr>(expr));
  case Expr::Attribute:
    return evalAttribute(cast<AttributeExpr>(expr));
  case Expr::Subscript:
    return evalSubscript(cast<SubscriptExpr>(expr));
  case Expr::IfExp:
    return evalIfExp(cast<IfExpExpr>(expr));
  case Expr::Walrus: {
    auto *e = cast<WalrusExpr>(expr);
    FailureOr<Val> value = eval(e->value);
    if (failed(value))
      return failure();
    Val stored = decay(*value, loc(expr));
    bind(e->name, stored, loc(expr));
    return stored;
  }
  case Expr::Comprehension:
    return evalComprehension(cast<ComprehensionExpr>(expr));
  case Expr::Slice: {
    auto *e = cast<SliceExpr>(expr);
    if (e->lower || e->upper || e->step) {
      error(loc(expr),
            "a tile is indexed by ':' and None only; load the part that "
            "is needed through pointers");
      return failure();
    }
    Val v;
    v.kind = Val::Slice;
    return v;
  }
  case Expr::Starred:
    error(loc(expr), "'*' can stand before an argument of a call only");
    return failure();
  case Expr::Dict:
    return evalDict(cast<DictExpr>(expr));
  case Expr::Unsupported:
    error(loc(expr), describeUnsupported(cast<UnsupportedExpr>(expr)->what));
    return failure();
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

/// `t[i]` and `t[a:b]` of a tuple.
static FailureOr<Val> indexTuple(Lowering &lowering, const Val &tuple,
                                 const SubscriptExpr *expr) {
  Location loc = lowering.loc(expr);
  int64_t size = tuple.elements->size();
  if (expr->indices.size() != 1) {
    lowering.error(loc, "a tuple has one index");
    return failure();
  }
  auto bound = [&](const Expr *e, int64_t otherwise) -> FailureOr<int64_t> {
    if (!e)
      return otherwise;
    FailureOr<Val> value = lowering.eval(e);
    if (failed(value))
      return failure();
    FailureOr<int64_t> i =
        lowering.constantInt(*value, "the index of a tuple", lowering.loc(e));
    return failed(i) ? i : FailureOr<int64_t>(*i < 0 ? *i + size : *i);
  };
  if (auto *slice = dyn_cast<SliceExpr>(expr->indices[0])) {
    FailureOr<int64_t> lower = bound(slice->lower, 0);
    FailureOr<int64_t> upper =
        failed(lower) ? lower : bound(slice->upper, size);
    if (failed(upper))
      return failure();
    std::vector<Val> part;
    for (int64_t i = std::max<int64_t>(*lower, 0); i < std::min(*upper, size);
         ++i)
      part.push_back((*tuple.elements)[i]);
    return Val::tuple(std::move(part));
  }
  FailureOr<int64_t> index = bound(expr->indices[0], 0);
  if (failed(index))
    return failure();
  if (*index < 0 || *index >= size) {
    lowering.error(lowering.loc(expr->indices[0]),
                   "this index is outside the tuple, which has " + Twine(size) +
                       " elements");
    return failure();
  }
  return (*tuple.elements)[*index];
}

/// `d[key]` of a dictionary.
static FailureOr<Val> indexDict(Lowering &lowering, const Val &dict,
                                const SubscriptExpr *expr) {
  std::vector<Val> parts;
  for (const Expr *index : expr->indices) {
    FailureOr<Val> part = lowering.eval(index);
    if (failed(part))
      return failure();
    parts.push_back(part->constant());
  }
  Val key = expr->isTuple ? Val::tuple(parts) : parts.front();
  std::string keys;
  for (size_t i = 0; i < dict.elements->size(); i += 2) {
    if (foldCompare(CompareOp::Eq, key, (*dict.elements)[i]).value_or(false))
      return (*dict.elements)[i + 1];
    keys += (i ? ", " : "") + (*dict.elements)[i].describe();
  }
  lowering.error(lowering.loc(expr->indices[0]),
                 "expected a key of the dictionary (" + keys + "), got " +
                     key.describe());
  return failure();
}

FailureOr<Val> Lowering::evalSubscript(const SubscriptExpr *expr) {
  FailureOr<Val> object = eval(expr->object);
  if (failed(object))
    return failure();
  if (object->kind == Val::Tuple)
    return indexTuple(*this, *object, expr);
  if (object->kind == Val::Dict)
    return indexDict(*this, *object, expr);
  if (object->kind == Val::Builtin && object->builtin->name == "ptr") {
    // A type: `ptr[f32]`.
    CallInput input;
    for (const Expr *index : expr->indices) {
      FailureOr<Val> value = eval(index);
      if (failed(value))
        return failure();
      input.push_back({"", *value, loc(index)});
    }
    return callBuiltin(*object->builtin, input, loc(expr));
  }
  if (!object->isRuntime()) {
    error(loc(expr),
          object->describe() + " cannot be indexed; only tiles and tuples can");
    return failure();
  }
  Val value = *object;
  int32_t axis = 0;
  int64_t rank = value.shape().size();
  int64_t used = 0;
  for (const Expr *index : expr->indices) {
    FailureOr<Val> v = eval(index);
    if (failed(v))
      return failure();
    if (v->kind == Val::Slice) {
      if (++used > rank && rank) {
        error(loc(index), "too many ':' for " + value.describe() +
                              "; write one for each axis");
        return failure();
      }
      ++axis;
    } else if (v->kind == Val::None) {
      FailureOr<Val> expanded = callBuiltin(
          *findBuiltin("expand_dims", kLanguage),
          {{"", value, loc(expr)}, {"", Val::intValue(axis), loc(index)}},
          loc(expr));
      if (failed(expanded))
        return failure();
      value = *expanded;
      ++axis;
    } else {
      error(loc(index),
            "a tile is indexed by ':' and None only; load the element "
            "through a pointer, or reduce the axis");
      return failure();
    }
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

FailureOr<Val> Lowering::evalBoolOp(const BoolOpExpr *expr) {
  bool isAnd = expr->kind == Expr::BoolAnd;
  FailureOr<Val> lhs = eval(expr->lhs);
  if (failed(lhs))
    return failure();
  if (std::optional<bool> truth = foldTruth(*lhs)) {
    if (*truth != isAnd)
      return lhs;
    return eval(expr->rhs);
  }
  FailureOr<Val> rhs = eval(expr->rhs);
  if (failed(rhs))
    return failure();
  std::optional<bool> truth = foldTruth(*rhs);
  if (truth && *truth != isAnd)
    return rhs;
  FailureOr<Val> a = condition(*lhs, loc(expr->lhs));
  if (truth)
    return a;
  FailureOr<Val> b = failed(a) ? a : condition(*rhs, loc(expr->rhs));
  if (failed(b))
    return failure();
  return binary(isAnd ? BinaryOp::And : BinaryOp::Or, *a, *b, loc(expr));
}

FailureOr<Val> Lowering::evalBinary(const BinaryExpr *expr, bool isCompared) {
  FailureOr<Val> lhs = eval(expr->lhs);
  if (failed(lhs))
    return failure();
  FailureOr<Val> rhs = eval(expr->rhs);
  if (failed(rhs))
    return failure();
  if (isCompared)
    warnOfMixedMask(expr, *lhs, *rhs);
  return binary(expr->op, *lhs, *rhs, loc(expr));
}

FailureOr<Val> Lowering::evalCompared(const Expr *expr) {
  auto *binary = dyn_cast<BinaryExpr>(expr);
  return binary ? evalBinary(binary, /*isCompared=*/true) : eval(expr);
}

FailureOr<Val> Lowering::evalCompare(const CompareExpr *expr) {
  if (expr->chained) {
    error(loc(expr->chainOffset),
          "comparisons cannot be chained; write (a < b) & (b < c)");
    return failure();
  }
  FailureOr<Val> lhs = evalCompared(expr->lhs);
  if (failed(lhs))
    return failure();
  FailureOr<Val> rhs = evalCompared(expr->rhs);
  if (failed(rhs))
    return failure();
  return compare(expr->op, *lhs, *rhs, loc(expr));
}

FailureOr<Val> Lowering::evalIfExp(const IfExpExpr *expr) {
  FailureOr<Val> cond = eval(expr->cond);
  if (failed(cond))
    return failure();
  if (std::optional<bool> truth = foldTruth(*cond))
    return eval(*truth ? expr->thenValue : expr->elseValue);
  FailureOr<Val> flag = condition(*cond, loc(expr->cond));
  if (failed(flag))
    return failure();
  if (!flag->isScalar()) {
    error(loc(expr->cond), "expected one Boolean as condition, got " +
                               flag->describe() + "; use " + spell("where()"));
    return failure();
  }
  // Only the chosen side is evaluated: each gets a region.
  auto at = loc(expr);
  mlir::OpBuilder::InsertPoint outside = builder.saveInsertionPoint();
  DepthScope scope(regionDepth);
  auto lower = [&](const Expr *side, mlir::Region &region) -> FailureOr<Val> {
    enterRegion(region);
    FailureOr<Val> value = eval(side);
    return failed(value) ? value : FailureOr<Val>(decay(*value, loc(side)));
  };
  auto thenRegion = std::make_unique<mlir::Region>();
  auto elseRegion = std::make_unique<mlir::Region>();
  FailureOr<Val> a = lower(expr->thenValue, *thenRegion);
  FailureOr<Val> b = failed(a) ? a : lower(expr->elseValue, *elseRegion);
  if (failed(b))
    return failure();
  if (!sameType(*a, *b) || !isCarriable(*a)) {
    error(at, "the sides of this 'if' expression differ in type, " +
                  a->describe() + " and " + b->describe() +
                  "; cast one of them");
    return failure();
  }
  std::vector<mlir::Value> thenValues, elseValues;
  flatten(*a, thenValues);
  flatten(*b, elseValues);
  builder.setInsertionPointToEnd(&thenRegion->front());
  mlir::scf::YieldOp::create(builder, at, thenValues);
  builder.setInsertionPointToEnd(&elseRegion->front());
  mlir::scf::YieldOp::create(builder, at, elseValues);
  mlir::OperationState state(at, mlir::scf::IfOp::getOperationName());
  state.addOperands(flag->value);
  state.addTypes(mlir::ValueRange(thenValues).getTypes());
  state.addRegion(std::move(thenRegion));
  state.addRegion(std::move(elseRegion));
  builder.restoreInsertionPoint(outside);
  mlir::Operation *op = builder.create(state);
  size_t next = 0;
  return unflatten(*a, op->getResults(), next);
}

//===----------------------------------------------------------------------===//
// Texts and lists
//===----------------------------------------------------------------------===//

FailureOr<Val> Lowering::evalFString(const FStringExpr *expr) {
  std::string text;
  for (const Expr *part : expr->parts) {
    FailureOr<Val> value = eval(part);
    if (failed(value))
      return failure();
    Val constant = value->constant();
    if (constant.kind == Val::Poisoned) {
      error(loc(part), "expected a compile-time value in a text, got " +
                           value->describe());
      return failure();
    }
    auto *formatted = dyn_cast<FormattedExpr>(part);
    if (formatted && formatted->isQuoted && constant.kind == Val::String)
      constant.text = session.ast.strings.save("'" + constant.text + "'");
    std::string reason;
    std::optional<std::string> shown =
        formatValue(constant, formatted ? formatted->format : "", reason);
    if (!shown) {
      error(loc(part), reason);
      return failure();
    }
    text += *shown;
  }
  return Val::string(session.ast.strings.save(text));
}

FailureOr<Val> Lowering::evalDict(const DictExpr *expr) {
  std::vector<Val> entries;
  for (auto [key, value] : llvm::zip(expr->keys, expr->values)) {
    if (!key) {
      error(loc(value), "expected 'key: value' in a dictionary");
      return failure();
    }
    const Expr *parts[] = {key, value};
    Val pair[2];
    for (auto [part, out] : llvm::zip(parts, pair)) {
      FailureOr<Val> v = eval(part);
      if (failed(v))
        return failure();
      out = v->constant();
      if (out.kind == Val::Poisoned) {
        error(loc(part), "expected a compile-time value in a dictionary, got " +
                             v->describe() + "; use a tuple");
        return failure();
      }
    }
    // The last of equal keys counts.
    size_t at = 0;
    while (at < entries.size() &&
           !foldCompare(CompareOp::Eq, pair[0], entries[at]).value_or(false))
      at += 2;
    entries.resize(std::max(entries.size(), at + 2));
    std::copy(pair, pair + 2, entries.begin() + at);
  }
  return Val::dict(std::move(entries));
}

FailureOr<Val> Lowering::evalComprehension(const ComprehensionExpr *expr) {
  FailureOr<Val> iterable = eval(expr->iterable);
  if (failed(iterable))
    return failure();
  std::vector<Val> items;
  if (iterable->kind == Val::Tuple) {
    items = *iterable->elements;
  } else if (iterable->kind == Val::Range) {
    int64_t bounds[3];
    for (auto [bound, part] : llvm::zip(bounds, *iterable->elements)) {
      FailureOr<int64_t> value = constantInt(
          part, "the range of a comprehension", loc(expr->iterable));
      if (failed(value))
        return failure();
      bound = *value;
    }
    if (bounds[2] == 0) {
      error(loc(expr->iterable), "the step of a range cannot be 0");
      return failure();
    }
    for (int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];
         i += bounds[2]) {
      items.push_back(Val::intValue(i));
      if (items.size() > 65536)
        break;
    }
  } else {
    error(loc(expr->iterable),
          "expected a tuple or a range, got " + iterable->describe());
    return failure();
  }
  StringRef name = cast<NameExpr>(expr->target)->name;
  auto outer = frame->env.find(name);
  std::optional<Binding> saved;
  if (outer != frame->env.end())
    saved = outer->second;
  std::vector<Val> elements;
  for (const Val &item : items) {
    bind(name, item, loc(expr->target));
    FailureOr<Val> value = eval(expr->element);
    if (failed(value))
      return failure();
    elements.push_back(*value);
  }
  if (saved)
    frame->env.insert_or_assign(name, *saved);
  else
    frame->env.erase(name);
  return Val::tuple(std::move(elements));
}
