//===- Commutative.cpp - does order matter to a reduction -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What the region computes of (left, right) is compared with what it computes
// of (right, left), both as expressions of the block's arguments. Where
// arguments are compared, as by a maximum with its index, that is done once for
// each way in which they can compare: then conditions are known, and selections
// are one of their values. NaN counts where the region asks for it: comparisons
// alone have no order with NaN, so that no grouping of the elements is right.
//
//===----------------------------------------------------------------------===//

#include "Commutative.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <map>

using namespace mlir;
using namespace tilec::tile;

namespace {
/// How two arguments compare; of floats, which of them are NaN.
enum Relation { Less, Equal, Greater, LeftNaN, RightNaN, BothNaN };

/// The relation of the same two, the other way round.
Relation turned(Relation relation) {
  static constexpr Relation table[] = {Greater,  Equal,   Less,
                                       RightNaN, LeftNaN, BothNaN};
  return table[relation];
}

/// A value of the region; `swapped` as computed of the operands in other
/// places.
struct Term {
  Value value;
  bool swapped;
};

/// Compares terms under an assumption about each pair of arguments.
class Comparer {
public:
  using Pair = std::pair<unsigned, unsigned>;

  Comparer(Block &block, const std::map<Pair, Relation> &relations,
           bool mindsNaN)
      : block(block), relations(relations), mindsNaN(mindsNaN) {}

  /// Are the two terms the same?
  bool equal(Term a, Term b, unsigned depth = 0) {
    if (depth > 64 || ++work > 10000)
      return false;
    a = resolve(a);
    b = resolve(b);
    auto x = argumentOf(a), y = argumentOf(b);
    if (x && y)
      return *x == *y || relate(*x, *y) == Equal || relate(*x, *y) == BothNaN;
    if (x || y)
      return false;
    Operation *p = a.value.getDefiningOp(), *q = b.value.getDefiningOp();
    if (!p || !q || p->getBlock() != &block || q->getBlock() != &block)
      return a.value == b.value;
    if (p->getName() != q->getName() || p->getNumRegions() ||
        !isMemoryEffectFree(p) || p->getNumOperands() != q->getNumOperands() ||
        p->getAttrDictionary() != q->getAttrDictionary() ||
        cast<OpResult>(a.value).getResultNumber() !=
            cast<OpResult>(b.value).getResultNumber())
      return false;
    auto same = [&](unsigned i, unsigned j) {
      return equal({p->getOperand(i), a.swapped}, {q->getOperand(j), b.swapped},
                   depth + 1);
    };
    if (p->getNumOperands() == 2 && p->hasTrait<OpTrait::IsCommutative>() &&
        same(0, 1) && same(1, 0))
      return true;
    for (unsigned i = 0; i < p->getNumOperands(); ++i)
      if (!same(i, i))
        return false;
    return true;
  }

private:
  /// The number of the argument that a term is.
  std::optional<unsigned> argumentOf(Term term) {
    auto argument = dyn_cast<BlockArgument>(term.value);
    if (!argument || argument.getOwner() != &block)
      return std::nullopt;
    unsigned half = block.getNumArguments() / 2, i = argument.getArgNumber();
    return !term.swapped ? i : i < half ? i + half : i - half;
  }

  std::optional<Relation> relate(unsigned x, unsigned y) {
    auto it = relations.find({std::min(x, y), std::max(x, y)});
    if (it == relations.end())
      return std::nullopt;
    return x < y ? it->second : turned(it->second);
  }

  /// How a float compares with itself, if that is known.
  std::optional<Relation> relateToItself(unsigned x) {
    if (!mindsNaN)
      return Equal;
    for (const auto &[pair, relation] : relations)
      if (pair.first == x || pair.second == x) {
        Relation own = pair.first == x ? LeftNaN : RightNaN;
        return relation == own || relation == BothNaN ? BothNaN : Equal;
      }
    return std::nullopt;
  }

  /// Follows selections whose condition is known.
  Term resolve(Term term) {
    while (auto select = term.value.getDefiningOp<arith::SelectOp>()) {
      std::optional<bool> condition =
          evaluate({select.getCondition(), term.swapped});
      if (!condition)
        break;
      term.value = *condition ? select.getTrueValue() : select.getFalseValue();
    }
    return term;
  }

  /// A condition that the assumptions decide.
  std::optional<bool> evaluate(Term term, unsigned depth = 0) {
    Operation *op = term.value.getDefiningOp();
    if (!op || depth > 64 || ++work > 10000)
      return std::nullopt;
    APInt number;
    if (matchPattern(term.value, m_ConstantInt(&number)))
      return number.getBitWidth() == 1 ? std::optional(number.isOne())
                                       : std::nullopt;
    auto side = [&](unsigned i) {
      return Term{op->getOperand(i), term.swapped};
    };
    if (isa<arith::CmpIOp, arith::CmpFOp>(op)) {
      auto x = argumentOf(resolve(side(0))), y = argumentOf(resolve(side(1)));
      std::optional<Relation> relation;
      if (x && y && *x == *y)
        relation = isa<arith::CmpIOp>(op) ? Equal : relateToItself(*x);
      else if (x && y)
        relation = relate(*x, *y);
      return relation ? decide(op, *relation) : std::nullopt;
    }
    if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
      return std::nullopt;
    std::optional<bool> x = evaluate(side(0), depth + 1),
                        y = evaluate(side(1), depth + 1);
    if (isa<arith::AndIOp>(op) && ((x && !*x) || (y && !*y)))
      return false;
    if (isa<arith::OrIOp>(op) && ((x && *x) || (y && *y)))
      return true;
    if (!x || !y)
      return std::nullopt;
    return isa<arith::AndIOp>(op)  ? *x && *y
           : isa<arith::OrIOp>(op) ? *x || *y
                                   : *x != *y;
  }

  /// A comparison of operands in a relation.
  static std::optional<bool> decide(Operation *op, Relation relation) {
    StringRef name;
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      name = stringifyEnum(compare.getPredicate());
    else
      name = stringifyEnum(cast<arith::CmpFOp>(op).getPredicate());
    bool isNaN = relation > Greater;
    if (name == "ord" || name == "uno")
      return isNaN == (name == "uno");
    if (isNaN)
      return name.front() == 'u';
    // slt, ult, olt: only the last two letters matter.
    if (name.size() == 3)
      name = name.drop_front();
    return llvm::StringSwitch<std::optional<bool>>(name)
        .Case("eq", relation == Equal)
        .Case("ne", relation != Equal)
        .Case("lt", relation == Less)
        .Case("le", relation != Greater)
        .Case("gt", relation == Greater)
        .Case("ge", relation != Less)
        .Default(std::nullopt);
  }

  Block &block;
  const std::map<Pair, Relation> &relations;
  bool mindsNaN;
  unsigned work = 0;
};
} // namespace

/// Does the region ask whether a number is NaN?
static bool asksForNaN(Block &block) {
  return llvm::any_of(block.getOps<arith::CmpFOp>(), [](arith::CmpFOp op) {
    return op.getLhs() == op.getRhs() ||
           op.getPredicate() == arith::CmpFPredicate::ORD ||
           op.getPredicate() == arith::CmpFPredicate::UNO;
  });
}

/// Pairs of arguments that the region compares, of one kind of comparison each.
/// Numbers that are compared with and without their sign have no one relation.
static std::optional<std::vector<Comparer::Pair>> findPairs(Block &block) {
  std::map<Comparer::Pair, char> kinds;
  unsigned half = block.getNumArguments() / 2;
  for (Operation &op : block) {
    if (!isa<arith::CmpIOp, arith::CmpFOp>(op))
      continue;
    auto x = dyn_cast<BlockArgument>(op.getOperand(0));
    auto y = dyn_cast<BlockArgument>(op.getOperand(1));
    if (!x || !y || x == y || x.getOwner() != &block || y.getOwner() != &block)
      continue;
    char kind = 'f';
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      StringRef name = stringifyEnum(compare.getPredicate());
      kind = name.size() == 3 ? name.front() : '=';
    }
    unsigned i = x.getArgNumber(), j = y.getArgNumber();
    auto turn = [&](unsigned n) { return n < half ? n + half : n - half; };
    for (auto [a, b] : {std::pair(i, j), std::pair(turn(i), turn(j))}) {
      auto [it, isNew] =
          kinds.try_emplace({std::min(a, b), std::max(a, b)}, kind);
      if (!isNew && it->second != kind && it->second != '=' && kind != '=')
        return std::nullopt;
      if (it->second == '=')
        it->second = kind;
    }
  }
  std::vector<Comparer::Pair> pairs;
  for (auto &[pair, kind] : kinds)
    pairs.push_back(pair);
  return pairs;
}

bool tilec::tile::isCommutative(Block &block) {
  std::optional<std::vector<Comparer::Pair>> pairs = findPairs(block);
  if (!pairs || pairs->size() > 4)
    return false;
  bool mindsNaN = asksForNaN(block);
  auto countRelations = [&](Comparer::Pair pair) -> unsigned {
    bool isFloat = isa<FloatType>(block.getArgument(pair.first).getType());
    return mindsNaN && isFloat ? BothNaN + 1 : Greater + 1;
  };
  unsigned cases = 1;
  for (Comparer::Pair pair : *pairs)
    cases *= countRelations(pair);
  for (unsigned n = 0; n < cases; ++n) {
    std::map<Comparer::Pair, Relation> relations;
    unsigned rest = n;
    for (Comparer::Pair pair : *pairs) {
      relations[pair] = Relation(rest % countRelations(pair));
      rest /= countRelations(pair);
    }
    Comparer comparer(block, relations, mindsNaN);
    for (Value value : block.getTerminator()->getOperands())
      if (!comparer.equal({value, false}, {value, true}))
        return false;
  }
  return true;
}
