//===- LowerControl.cpp - branches and loops ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Structured control flow. A branch is lowered into regions of its own with a
// copy of the names; the names that come out different become results of the
// operation. A branch that leaves the function or the loop takes the statements
// that follow it into both sides, so that nothing but structured operations is
// needed. A loop carries the names that its body assigns and that exist before.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <set>

using namespace tilec::frontend;
using llvm::cast;
using llvm::dyn_cast;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;
namespace scf = mlir::scf;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Values that travel through operations
//===----------------------------------------------------------------------===//

bool Lowering::isCarriable(const Val &value) {
  if (value.kind == Val::Tuple || value.kind == Val::BlockPointer)
    return llvm::all_of(*value.elements, isCarriable);
  return value.kind == Val::Runtime;
}

void Lowering::flatten(const Val &value, std::vector<Value> &out) {
  if (value.kind == Val::Runtime)
    out.push_back(value.value);
  else if (value.kind == Val::Tuple || value.kind == Val::BlockPointer)
    for (const Val &element : *value.elements)
      flatten(element, out);
}

Val Lowering::unflatten(const Val &like, mlir::ValueRange values,
                        size_t &next) {
  if (like.kind == Val::Runtime)
    return Val::runtime(values[next++], like.type);
  if (like.kind != Val::Tuple && like.kind != Val::BlockPointer)
    return like;
  std::vector<Val> elements;
  for (const Val &element : *like.elements)
    elements.push_back(unflatten(element, values, next));
  Val result = like;
  result.elements = std::make_shared<std::vector<Val>>(std::move(elements));
  return result;
}

bool Lowering::sameType(const Val &a, const Val &b) {
  if (a.kind != b.kind)
    return false;
  if (a.kind == Val::Runtime)
    return a.type == b.type && a.value.getType() == b.value.getType();
  if (a.kind == Val::Tuple || a.kind == Val::BlockPointer)
    return a.blockShape == b.blockShape &&
           a.elements->size() == b.elements->size() &&
           llvm::all_of(llvm::zip(*a.elements, *b.elements), [](auto pair) {
             return sameType(std::get<0>(pair), std::get<1>(pair));
           });
  return same(a, b);
}

/// A value that is no value, and why.
static Val poison(std::string message,
                  std::vector<std::pair<Location, std::string>> notes) {
  Val v;
  v.kind = Val::Poisoned;
  v.poison =
      std::make_shared<Poison>(Poison{std::move(message), std::move(notes)});
  return v;
}

/// A type as messages about a name have it; numbers by the type of their
/// literal.
static std::string typeText(const Val &value) {
  if (value.isNumber())
    if (std::optional<ElemType> type = literalType(value))
      return type->name();
  return value.describe();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

Flow Lowering::lowerIf(const IfStmt *stmt, const Rest *rest) {
  FailureOr<Val> cond = eval(stmt->cond);
  if (failed(cond))
    return Flow::Fail;
  if (std::optional<bool> truth = foldTruth(*cond))
    return lowerBlock(*truth ? stmt->thenBlock : stmt->elseBlock, rest);
  FailureOr<Val> flag = condition(*cond, loc(stmt->cond));
  if (failed(flag))
    return Flow::Fail;
  if (!flag->isScalar()) {
    bool one = llvm::all_of(flag->shape(), [](int64_t d) { return d == 1; });
    if (!one) {
      error(loc(stmt->cond), "expected one Boolean as condition, got " +
                                 flag->describe() + "; use " +
                                 spell("where()") + ", or reduce it with " +
                                 spell("max()"));
      return Flow::Fail;
    }
    flag = callBuiltin(*findBuiltin("item", kLanguage),
                       {{"", *flag, loc(stmt->cond)}}, loc(stmt->cond));
    if (failed(flag))
      return Flow::Fail;
  }
  return lowerRuntimeIf(stmt, *flag, rest);
}

namespace {
/// One side of a branch after lowering.
struct Side {
  std::unique_ptr<mlir::Region> region = std::make_unique<mlir::Region>();
  Env env;
  std::optional<Binding> result;
};

/// Joins the two sides of a branch: decides which names become results.
class Merge {
public:
  Merge(Lowering &lowering, Side &a, Side &b, Location loc)
      : lowering(lowering), a(a), b(b), loc(loc) {}

  /// Joins two values; `name` is for messages.
  Val join(StringRef name, Binding x, Binding y) {
    if (same(x.value, y.value))
      return x.value;
    if (x.value.kind == Val::Poisoned)
      return x.value;
    if (y.value.kind == Val::Poisoned)
      return y.value;
    toRuntimeIn(*a.region, x);
    toRuntimeIn(*b.region, y);
    if (!Lowering::sameType(x.value, y.value) ||
        !Lowering::isCarriable(x.value)) {
      std::string subject =
          name.empty() ? "'return' gives " : ("'" + name + "' is ").str();
      return poison(subject + typeText(x.value) + " on one path and " +
                        typeText(y.value) +
                        " on the other; give it one type on both",
                    {{x.loc, "one value is set here"},
                     {y.loc, "the other value is set here"}});
    }
    Lowering::flatten(x.value, thenValues);
    Lowering::flatten(y.value, elseValues);
    joined = true;
    return x.value;
  }

  /// The joined value once the operation exists.
  Val finish(const Val &like, const Binding &x, const Binding &y,
             mlir::Operation *op) {
    if (same(x.value, y.value) || like.kind == Val::Poisoned)
      return like;
    return Lowering::unflatten(like, op->getResults(), next);
  }

  std::vector<Value> thenValues, elseValues;
  bool joined = false;

private:
  /// Numbers become values at the end of their side.
  void toRuntimeIn(mlir::Region &region, Binding &binding) {
    mlir::OpBuilder::InsertionGuard guard(lowering.builder);
    lowering.builder.setInsertionPointToEnd(&region.front());
    binding.value = lowering.decay(binding.value, binding.loc);
  }

  Lowering &lowering;
  Side &a, &b;
  Location loc;
  size_t next = 0;
};
} // namespace

/// Makes `scf.if` of two sides; the region of a side that does nothing is left
/// out.
static mlir::Operation *createIf(Lowering &lowering, Value cond, Side &a,
                                 Side &b, ArrayRef<Value> thenValues,
                                 ArrayRef<Value> elseValues, Location loc) {
  mlir::OpBuilder &builder = lowering.builder;
  if (thenValues.empty() && a.region->front().empty()) {
    // An early return: what follows it depends on the opposite.
    std::swap(a.region, b.region);
    auto type = cond.getType();
    Value yes = arith::ConstantOp::create(builder, loc,
                                          builder.getIntegerAttr(type, 1));
    cond = arith::XOrIOp::create(builder, loc, cond, yes);
  }
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&a.region->front());
    scf::YieldOp::create(builder, loc, thenValues);
    bool needsElse = !elseValues.empty() || !b.region->front().empty();
    if (needsElse) {
      builder.setInsertionPointToEnd(&b.region->front());
      scf::YieldOp::create(builder, loc, elseValues);
    } else {
      b.region = std::make_unique<mlir::Region>();
    }
  }
  mlir::OperationState state(loc, scf::IfOp::getOperationName());
  state.addOperands(cond);
  state.addTypes(mlir::ValueRange(thenValues).getTypes());
  state.addRegion(std::move(a.region));
  state.addRegion(std::move(b.region));
  return builder.create(state);
}

Flow Lowering::lowerRuntimeIf(const IfStmt *stmt, const Val &cond,
                              const Rest *rest) {
  Location at = loc(stmt->offset);
  if (stmt->exits && frame->loop == Frame::StaticLoop) {
    error(at,
          "an unrolled loop can be left under a compile-time condition only; "
          "use range()");
    return Flow::Fail;
  }
  DepthScope scope(regionDepth);
  Env before = frame->env;
  mlir::OpBuilder::InsertPoint outside = builder.saveInsertionPoint();
  // Lowers one side, and what follows it where a side leaves.
  auto lowerSide = [&](Block block, Side &side) {
    frame->env = before;
    frame->result.reset();
    enterRegion(*side.region);
    Flow flow = lowerBlock(block, stmt->exits ? rest : nullptr);
    if (stmt->exits)
      for (const Rest *r = rest; r && flow == Flow::Next; r = r->outer)
        flow = lowerBlock(r->stmts, r->outer);
    side.env = std::move(frame->env);
    side.result = std::move(frame->result);
    return flow;
  };
  Side thenSide, elseSide;
  Flow thenFlow = lowerSide(stmt->thenBlock, thenSide);
  if (thenFlow == Flow::Fail)
    return Flow::Fail;
  Flow elseFlow = lowerSide(stmt->elseBlock, elseSide);
  if (elseFlow == Flow::Fail)
    return Flow::Fail;
  builder.restoreInsertionPoint(outside);

  bool leavesFunction = stmt->exits && frame->loop == Frame::NoLoop;
  Merge merge(*this, thenSide, elseSide, at);
  if (leavesFunction) {
    // The names are of no use any more; the result is all that comes out.
    Binding none{Val::none(), at};
    Binding x = thenSide.result.value_or(none),
            y = elseSide.result.value_or(none);
    Val result = merge.join("", x, y);
    if (result.kind == Val::Poisoned) {
      auto diag = error(at, result.poison->message);
      for (auto &[where, text] : result.poison->notes)
        diag.attachNote(where) << text;
      return Flow::Fail;
    }
    mlir::Operation *op = createIf(*this, cond.value, thenSide, elseSide,
                                   merge.thenValues, merge.elseValues, at);
    frame->env = std::move(before);
    frame->result = Binding{merge.finish(result, x, y, op), x.loc};
    return Flow::Exit;
  }

  std::map<StringRef, Val> joined;
  std::set<StringRef> names;
  for (auto *env : {&thenSide.env, &elseSide.env})
    for (auto &[name, binding] : *env)
      names.insert(name);
  for (StringRef name : names) {
    auto x = thenSide.env.find(name), y = elseSide.env.find(name);
    if (x == thenSide.env.end() || y == elseSide.env.end()) {
      Location set = (x == thenSide.env.end() ? y : x)->second.loc;
      joined[name] =
          poison(("'" + name +
                  "' is set in one branch only; set it before the 'if' too")
                     .str(),
                 {{set, "it is set here"}});
      continue;
    }
    joined[name] = merge.join(name, x->second, y->second);
  }
  mlir::Operation *op = createIf(*this, cond.value, thenSide, elseSide,
                                 merge.thenValues, merge.elseValues, at);
  frame->env.clear();
  for (StringRef name : names) {
    auto x = thenSide.env.find(name), y = elseSide.env.find(name);
    const Binding *one = x != thenSide.env.end() ? &x->second : &y->second;
    Val value = joined[name];
    Location where = one->loc;
    if (x != thenSide.env.end() && y != elseSide.env.end()) {
      value = merge.finish(value, x->second, y->second, op);
      auto old = before.find(name);
      // The side that changed the name says where it was set last.
      if (old != before.end() && same(old->second.value, x->second.value))
        where = y->second.loc;
    }
    frame->env.insert_or_assign(name, Binding{value, where});
  }
  return stmt->exits ? Flow::Exit : Flow::Next;
}

//===----------------------------------------------------------------------===//
// What a loop carries
//===----------------------------------------------------------------------===//

namespace {
/// The names that a loop carries, and their values around it.
class LoopState {
public:
  LoopState(Lowering &lowering, Block body, ArrayRef<StringRef> more,
            Location loc)
      : lowering(lowering), frame(*lowering.frame), loc(loc) {
    std::vector<StringRef> assigned(more.begin(), more.end());
    collectAssigned(body, assigned);
    std::set<StringRef> unique(assigned.begin(), assigned.end());
    for (StringRef name : unique) {
      auto it = frame.env.find(name);
      if (it == frame.env.end())
        continue;
      Val initial = lowering.decay(it->second.value, it->second.loc);
      if (Lowering::isCarriable(initial)) {
        names.push_back(name);
        initials.push_back({initial, it->second.loc});
        Lowering::flatten(initial, values);
      } else if (it->second.value.kind != Val::Poisoned) {
        uncarried.push_back({name, it->second});
      }
    }
  }

  /// Binds the names to the loop's block arguments, at the head of the body.
  void enter(mlir::ValueRange arguments) {
    size_t next = 0;
    for (auto [name, initial] : llvm::zip(names, initials))
      lowering.bind(name, Lowering::unflatten(initial.value, arguments, next),
                    initial.loc);
    for (auto &[name, binding] : uncarried)
      frame.env.insert_or_assign(
          name,
          Binding{
              poison(
                  ("'" + name + "' is " + binding.value.describe() +
                   " before the loop and is assigned in it; give it a number "
                   "or a tile before the loop")
                      .str(),
                  {{binding.loc, "it is set here"}}),
              binding.loc});
  }

  /// The values at the end of the body; an error where a type changed.
  FailureOr<std::vector<Value>> leave(mlir::ValueRange arguments) {
    std::vector<Value> out;
    size_t next = 0;
    bool wrong = false;
    for (auto [name, initial] : llvm::zip(names, initials)) {
      size_t first = next;
      Val argument = Lowering::unflatten(initial.value, arguments, next);
      Binding last = frame.env.find(name)->second;
      last.value = lowering.decay(last.value, last.loc);
      if (Lowering::sameType(initial.value, last.value)) {
        Lowering::flatten(last.value, out);
        continue;
      }
      // A name that the body sets before it reads it is a new one each time.
      bool isRead = llvm::any_of(arguments.slice(first, next - first),
                                 [](Value v) { return !v.use_empty(); });
      if (isRead && last.value.kind == Val::Poisoned) {
        auto diag = lowering.error(last.loc, last.value.poison->message);
        for (auto &[where, text] : last.value.poison->notes)
          diag.attachNote(where) << text;
        wrong = true;
      } else if (isRead) {
        lowering.error(last.loc,
                       "'" + name + "' is " + typeText(initial.value) +
                           " before the loop and becomes " +
                           typeText(last.value) +
                           " in it; give it one type, with .to() or at its "
                           "first value")
                .attachNote(initial.loc)
            << "it is " << typeText(initial.value) << " here";
        wrong = true;
      }
      changed.insert_or_assign(name,
                               std::make_pair(typeText(last.value), last.loc));
      Lowering::flatten(argument, out);
    }
    if (wrong)
      return failure();
    return out;
  }

  /// Binds the names after the loop. `before` are the names around it.
  void finish(const Env &before, mlir::ValueRange results) {
    Env inner = std::move(frame.env);
    frame.env = before;
    size_t next = 0;
    for (auto [name, initial] : llvm::zip(names, initials)) {
      Val value = Lowering::unflatten(initial.value, results, next);
      Location where = inner.find(name)->second.loc;
      if (auto it = changed.find(name); it != changed.end())
        value = poison(("'" + name + "' is " + typeText(initial.value) +
                        " before the loop and " + it->second.first +
                        " in it; use another name in one of them")
                           .str(),
                       {{initial.loc, "it is set before the loop here"},
                        {it->second.second, "it is set in the loop here"}});
      frame.env.insert_or_assign(name, Binding{value, where});
    }
    for (auto &[name, binding] : inner) {
      auto it = before.find(name);
      bool carried = llvm::is_contained(names, name);
      if (carried ||
          (it != before.end() && same(it->second.value, binding.value)))
        continue;
      if (it != before.end() && it->second.value.kind == Val::Poisoned)
        continue;
      if (name == target) {
        frame.env.insert_or_assign(
            name, Binding{poison(("'" + name +
                                  "' is the variable of a loop and has "
                                  "no value after it; use another name")
                                     .str(),
                                 {{binding.loc, "the loop is here"}}),
                          binding.loc});
        continue;
      }
      bool isNew = it == before.end();
      frame.env.insert_or_assign(
          name,
          Binding{
              poison(
                  ("'" + name + "' is set in the loop " +
                   (isNew ? "only, which may run no time; set it before the "
                            "loop too"
                          : "to something that a loop cannot carry; give it a "
                            "number or a tile before the loop"))
                      .str(),
                  {{binding.loc, "it is set here"}}),
              binding.loc});
    }
  }

  std::vector<StringRef> names;
  std::vector<Binding> initials;
  std::vector<Value> values;
  /// The variable of a `for`.
  StringRef target;

private:
  Lowering &lowering;
  Frame &frame;
  Location loc;
  std::vector<std::pair<StringRef, Binding>> uncarried;
  std::map<StringRef, std::pair<std::string, Location>> changed;
};
} // namespace

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

Flow Lowering::lowerFor(const ForStmt *stmt) {
  if (stmt->elseOffset) {
    error(loc(stmt->elseOffset),
          "a loop cannot have an 'else'; put the statements after the loop");
    return Flow::Fail;
  }
  FailureOr<Val> iterable = eval(stmt->iterable);
  if (failed(iterable))
    return Flow::Fail;
  if (iterable->kind == Val::Tuple ||
      (iterable->kind == Val::Range &&
       (iterable->isStatic || frame->isConstexpr())))
    return lowerStaticFor(stmt, *iterable);
  if (iterable->kind == Val::Range)
    return lowerRuntimeFor(stmt, *iterable);
  error(loc(stmt->iterable), "a 'for' goes over range(), " +
                                 spell("static_range()") +
                                 " or a tuple, "
                                 "not over " +
                                 iterable->describe());
  return Flow::Fail;
}

Flow Lowering::lowerRuntimeFor(const ForStmt *stmt, const Val &range) {
  Location at = loc(stmt->offset), rangeLoc = loc(stmt->iterable);
  auto *target = dyn_cast<NameExpr>(stmt->target);
  if (!target) {
    error(loc(stmt->target), "a loop over a range has one variable");
    return Flow::Fail;
  }
  DepthScope scope(regionDepth);
  Val bounds[3];
  bool isDown = false;
  ElemType type = DType::I32;
  for (auto [index, part] : llvm::enumerate(*range.elements)) {
    Val bound = part;
    if (std::optional<BigInt> step = bound.asInt(); step && index == 2) {
      if (*step == 0) {
        error(rangeLoc, "the step of a range cannot be 0");
        return Flow::Fail;
      }
      isDown = *step < 0;
      bound = Val::intValue(isDown ? -*step : *step);
    }
    FailureOr<Val> value = toRuntime(bound, rangeLoc);
    if (failed(value))
      return Flow::Fail;
    if (!value->isScalar() || !value->type.isInt()) {
      error(rangeLoc,
            "the bounds of a range are integers, got " + value->describe());
      return Flow::Fail;
    }
    bounds[index] = *value;
    type = index ? ElemType(promoteIntegers(type.dtype, value->type.dtype))
                 : value->type;
  }
  for (Val &bound : bounds) {
    FailureOr<Val> value = castTo(bound, type, rangeLoc);
    if (failed(value))
      return Flow::Fail;
    bound = *value;
  }
  Val lower = isDown ? bounds[1] : bounds[0],
      upper = isDown ? bounds[0] : bounds[1];
  if (stmt->hasBreak)
    return lowerBreakingFor(stmt, lower, upper, bounds[2], isDown);

  Env before = frame->env;
  LoopState state(*this, stmt->body, {}, at);
  state.target = target->name;
  // The variable of the loop is set anew in every round.
  auto loop = scf::ForOp::create(builder, at, lower.value, upper.value,
                                 bounds[2].value, state.values);
  if (type.isInt() && !type.isSigned())
    loop.setUnsignedCmp(true);
  loop.getBody()->clear();
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  state.enter(loop.getRegionIterArgs());
  Val iv = Val::runtime(loop.getInductionVar(), type);
  if (isDown) {
    // Rounds go up; the variable is mirrored in the bounds.
    Value sum = arith::AddIOp::create(builder, at, lower.value, upper.value);
    iv.value = arith::SubIOp::create(builder, at, sum, iv.value);
  }
  bind(target->name, iv, loc(target));
  {
    InLoop inLoop(*frame, Frame::RuntimeLoop, state.names);
    if (lowerBlock(stmt->body, nullptr) == Flow::Fail)
      return Flow::Fail;
  }
  FailureOr<std::vector<Value>> last = state.leave(loop.getRegionIterArgs());
  if (failed(last))
    return Flow::Fail;
  scf::YieldOp::create(builder, at, *last);
  state.finish(before, loop.getResults());
  return Flow::Next;
}

/// A name for the flag of a loop with `break`: no name of a source has a `$`.
static constexpr StringRef kBreakName = "$break";
static constexpr StringRef kCounterName = "$counter";

Flow Lowering::lowerBreakingFor(const ForStmt *stmt, Val lower, Val upper,
                                Val step, bool isDown) {
  Location at = loc(stmt->offset);
  auto *target = cast<NameExpr>(stmt->target);
  Env before = frame->env;
  bind(kBreakName, decay(Val::boolean(false), at), at);
  bind(kCounterName, Val::runtime(lower.value, lower.type), at);
  LoopState state(*this, stmt->body, {kBreakName, kCounterName}, at);
  state.target = target->name;
  auto loop = scf::WhileOp::create(
      builder, at, mlir::ValueRange(state.values).getTypes(), state.values);
  mlir::OpBuilder::InsertionGuard guard(builder);
  llvm::SmallVector<Location> locs(state.values.size(), at);
  auto types = mlir::ValueRange(state.values).getTypes();
  mlir::Block *head = builder.createBlock(&loop.getBefore(), {}, types, locs);
  state.enter(head->getArguments());
  FailureOr<Val> more =
      compare(CompareOp::Lt, frame->env.at(kCounterName).value, upper, at);
  FailureOr<Val> stay =
      failed(more) ? more
                   : unary(UnaryOp::Not, frame->env.at(kBreakName).value, at);
  FailureOr<Val> both =
      failed(stay) ? stay : binary(BinaryOp::And, *more, *stay, at);
  if (failed(both))
    return Flow::Fail;
  scf::ConditionOp::create(builder, at, both->value, head->getArguments());
  mlir::Block *body = builder.createBlock(&loop.getAfter(), {}, types, locs);
  state.enter(body->getArguments());
  Val counter = frame->env.at(kCounterName).value;
  Val iv = counter;
  if (isDown) {
    Value sum = arith::AddIOp::create(builder, at, lower.value, upper.value);
    iv.value = arith::SubIOp::create(builder, at, sum, iv.value);
  }
  bind(target->name, iv, loc(target));
  {
    InLoop inLoop(*frame, Frame::RuntimeLoop, state.names, kBreakName);
    if (lowerBlock(stmt->body, nullptr) == Flow::Fail)
      return Flow::Fail;
  }
  Val next = counter;
  next.value = arith::AddIOp::create(builder, at, counter.value, step.value);
  bind(kCounterName, next, at);
  FailureOr<std::vector<Value>> last = state.leave(body->getArguments());
  if (failed(last))
    return Flow::Fail;
  scf::YieldOp::create(builder, at, *last);
  state.finish(before, loop.getResults());
  frame->env.erase(kBreakName);
  frame->env.erase(kCounterName);
  for (StringRef name : {kBreakName, kCounterName})
    if (auto it = before.find(name); it != before.end())
      frame->env.insert_or_assign(name, it->second);
  return Flow::Next;
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

Flow Lowering::lowerWhile(const WhileStmt *stmt) {
  Location at = loc(stmt->offset);
  if (stmt->elseOffset) {
    error(loc(stmt->elseOffset),
          "a loop cannot have an 'else'; put the statements after the loop");
    return Flow::Fail;
  }
  if (frame->isConstexpr())
    return lowerStaticWhile(stmt);
  DepthScope scope(regionDepth);
  Env before = frame->env;
  std::vector<StringRef> more;
  if (stmt->hasBreak) {
    bind(kBreakName, decay(Val::boolean(false), at), at);
    more.push_back(kBreakName);
  }
  collectWalrus(stmt->cond, more);
  LoopState state(*this, stmt->body, more, at);
  auto types = mlir::ValueRange(state.values).getTypes();
  llvm::SmallVector<Location> locs(state.values.size(), at);
  auto loop = scf::WhileOp::create(builder, at, types, state.values);
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *head = builder.createBlock(&loop.getBefore(), {}, types, locs);
  state.enter(head->getArguments());
  FailureOr<Val> cond = eval(stmt->cond);
  if (failed(cond))
    return Flow::Fail;
  FailureOr<Val> flag = condition(*cond, loc(stmt->cond));
  if (failed(flag))
    return Flow::Fail;
  if (!flag->isScalar()) {
    error(loc(stmt->cond), "expected one Boolean as condition, got " +
                               flag->describe() + "; reduce it with " +
                               spell("max()"));
    return Flow::Fail;
  }
  if (stmt->hasBreak) {
    FailureOr<Val> stay =
        unary(UnaryOp::Not, frame->env.at(kBreakName).value, at);
    flag = failed(stay) ? stay : binary(BinaryOp::And, *flag, *stay, at);
    if (failed(flag))
      return Flow::Fail;
  }
  FailureOr<std::vector<Value>> passed = state.leave(head->getArguments());
  if (failed(passed))
    return Flow::Fail;
  scf::ConditionOp::create(builder, at, flag->value, *passed);
  mlir::Block *body = builder.createBlock(&loop.getAfter(), {}, types, locs);
  frame->env = before;
  state.enter(body->getArguments());
  {
    InLoop inLoop(*frame, Frame::RuntimeLoop, state.names, kBreakName);
    if (lowerBlock(stmt->body, nullptr) == Flow::Fail)
      return Flow::Fail;
  }
  FailureOr<std::vector<Value>> last = state.leave(body->getArguments());
  if (failed(last))
    return Flow::Fail;
  scf::YieldOp::create(builder, at, *last);
  state.finish(before, loop.getResults());
  if (auto it = before.find(kBreakName); it != before.end())
    frame->env.insert_or_assign(kBreakName, it->second);
  else
    frame->env.erase(kBreakName);
  return Flow::Next;
}
