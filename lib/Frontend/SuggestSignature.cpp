//===- SuggestSignature.cpp - a signature that would fit ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What a message proposes for `--sig`: the types that are known, and guesses
// for the rest. A parameter that a load or a store reaches is guessed to be a
// pointer; the walk is over the syntax, since nothing is typed yet.
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "llvm/ADT/StringSet.h"

using namespace tilec::frontend;
using llvm::dyn_cast;

namespace {
/// Finds the parameters of a kernel through which it accesses memory.
class PointerSearch {
public:
  explicit PointerSearch(const FunctionDef &function) {
    for (const Param &param : function.params)
      params.insert(param.name);
    visit(function.body);
    for (const Expr *address : addresses)
      mark(address);
  }

  bool isPointer(StringRef name) const { return pointers.contains(name); }

private:
  void visit(Block block);
  void visit(const Expr *e);
  void assign(const Expr *target, const Expr *value);
  bool mark(const Expr *address);

  llvm::StringSet<> params, pointers;
  /// Do these local names lead to a pointer? Each is followed once.
  llvm::StringMap<bool> followed;
  unsigned depth = 0;
  /// What each local name is set to.
  llvm::StringMap<std::vector<const Expr *>> values;
  /// First arguments of the functions that access memory.
  std::vector<const Expr *> addresses;
};
} // namespace

void PointerSearch::assign(const Expr *target, const Expr *value) {
  auto *name = dyn_cast<NameExpr>(target);
  if (name && value)
    values[name->name].push_back(value);
  auto *targets = dyn_cast<TupleExpr>(target);
  auto *tuple = llvm::dyn_cast_or_null<TupleExpr>(value);
  if (targets && tuple && targets->elements.size() == tuple->elements.size())
    for (auto [t, v] : llvm::zip(targets->elements, tuple->elements))
      assign(t, v);
}

void PointerSearch::visit(Block block) {
  for (const Stmt *stmt : block) {
    if (auto *expr = dyn_cast<ExprStatement>(stmt)) {
      visit(expr->value);
    } else if (auto *s = dyn_cast<AssignStmt>(stmt)) {
      for (const Expr *target : s->targets)
        assign(target, s->value);
      visit(s->value);
    } else if (auto *s = dyn_cast<AnnAssignStmt>(stmt)) {
      assign(s->target, s->value);
      visit(s->value);
    } else if (auto *s = dyn_cast<AugAssignStmt>(stmt)) {
      visit(s->value); // what is added to a pointer is none
    } else if (auto *branch = dyn_cast<IfStmt>(stmt)) {
      visit(branch->cond);
      visit(branch->thenBlock);
      visit(branch->elseBlock);
    } else if (auto *loop = dyn_cast<ForStmt>(stmt)) {
      visit(loop->iterable);
      visit(loop->body);
    } else if (auto *loop = dyn_cast<WhileStmt>(stmt)) {
      visit(loop->cond);
      visit(loop->body);
    } else if (auto *ret = dyn_cast<ReturnStmt>(stmt)) {
      visit(ret->value);
    } else if (auto *with = dyn_cast<WithStmt>(stmt)) {
      visit(with->body);
    }
  }
}

/// Is the first argument of the function that has this name an address?
static bool takesAddress(StringRef name) {
  return name == "load" || name == "store" || name.starts_with("atomic_") ||
         name == "make_block_ptr" || name == "make_tensor_descriptor";
}

void PointerSearch::visit(const Expr *e) {
  if (!e)
    return;
  if (auto *call = dyn_cast<CallExpr>(e)) {
    auto *name = dyn_cast<NameExpr>(call->callee);
    auto *attribute = dyn_cast<AttributeExpr>(call->callee);
    StringRef callee = name        ? name->name
                       : attribute ? attribute->name
                                   : StringRef();
    if (takesAddress(callee) && !call->args.empty())
      addresses.push_back(call->args.front().value);
    visit(call->callee);
    for (const CallArg &arg : call->args)
      visit(arg.value);
  } else if (auto *attribute = dyn_cast<AttributeExpr>(e)) {
    visit(attribute->object);
  } else if (auto *binary = dyn_cast<BinaryExpr>(e)) {
    visit(binary->lhs);
    visit(binary->rhs);
  } else if (auto *compare = dyn_cast<CompareExpr>(e)) {
    visit(compare->lhs);
    visit(compare->rhs);
  } else if (auto *logic = dyn_cast<BoolOpExpr>(e)) {
    visit(logic->lhs);
    visit(logic->rhs);
  } else if (auto *unary = dyn_cast<UnaryExpr>(e)) {
    visit(unary->operand);
  } else if (auto *subscript = dyn_cast<SubscriptExpr>(e)) {
    visit(subscript->object);
  } else if (auto *choice = dyn_cast<IfExpExpr>(e)) {
    visit(choice->cond);
    visit(choice->thenValue);
    visit(choice->elseValue);
  } else if (auto *tuple = dyn_cast<TupleExpr>(e)) {
    for (const Expr *element : tuple->elements)
      visit(element);
  } else if (auto *walrus = dyn_cast<WalrusExpr>(e)) {
    values[walrus->name].push_back(walrus->value);
    visit(walrus->value);
  }
}

/// An address is followed through this many names.
static constexpr unsigned kMaxSteps = 64;

/// Takes the parameters that an address starts from as pointers; false if it
/// leads to none. One term of a sum is the pointer: the first that leads to
/// one.
bool PointerSearch::mark(const Expr *address) {
  if (auto *sum = dyn_cast<BinaryExpr>(address))
    return (sum->op == BinaryOp::Add || sum->op == BinaryOp::Sub) &&
           (mark(sum->lhs) || mark(sum->rhs));
  if (auto *subscript = dyn_cast<SubscriptExpr>(address))
    return mark(subscript->object);
  auto *name = dyn_cast<NameExpr>(address);
  if (!name)
    return false;
  if (params.contains(name->name)) {
    pointers.insert(name->name);
    return true;
  }
  auto it = values.find(name->name);
  if (it == values.end() || depth == kMaxSteps)
    return false;
  auto [known, isNew] = followed.try_emplace(name->name, false);
  if (!isNew)
    return known->second;
  ++depth;
  bool found = false;
  for (const Expr *value : it->second)
    found |= mark(value);
  --depth;
  return followed[name->name] = found;
}

/// A parameter of which something is known, as --sig writes it.
static std::string describeKnown(const ParamSpec &spec) {
  if (spec.kind == ParamSpec::Constant)
    return spec.isFolded                    ? "i32:1"
           : spec.value.kind == Val::String ? "'" + spec.value.text.str() + "'"
           : spec.value.kind == Val::Type   ? spec.value.type.signature()
                                            : spec.value.describe();
  std::string text;
  if (!spec.elements.empty()) {
    for (const ParamSpec &element : spec.elements)
      text += (text.empty() ? "(" : ", ") + element.type.signature();
    return text + ")";
  }
  if (!spec.blockShape.empty())
    return "tensordesc<" + spec.type.pointee().signature() +
           describeShape(spec.blockShape) + ">";
  text = spec.type.signature();
  if (spec.divisibility)
    text += ":" + std::to_string(spec.divisibility);
  return text;
}

/// Is this item of a signature a type, as opposed to a value?
static bool isTypeItem(StringRef item) {
  StringRef type = item.ltrim("( ");
  return type.starts_with("tensordesc") ||
         parseElemType(type.take_until([](char c) {
           return c == ':' || c == ',' || c == ')';
         })).has_value();
}

/// Lays `items` over `places` in order. Where there are fewer items than
/// places, one goes past places that `fits` refuses as long as the rest has
/// room.
static void layOver(ArrayRef<StringRef> items, ArrayRef<size_t> places,
                    llvm::function_ref<bool(StringRef, size_t)> fits,
                    std::vector<std::string> &texts) {
  size_t next = 0;
  for (auto [k, item] : llvm::enumerate(items)) {
    if (next == places.size())
      return;
    size_t last = places.size() - std::min(places.size(), items.size() - k);
    size_t place = next;
    while (place < last && !fits(item, places[place]))
      ++place;
    if (!fits(item, places[place]))
      place = next;
    texts[places[place]] = item.str();
    next = place + 1;
  }
}

std::string tilec::frontend::suggestSignature(const FunctionDef &function,
                                              ArrayRef<ParamSpec> specs,
                                              ArrayRef<bool> isConstexpr,
                                              ArrayRef<StringRef> given) {
  PointerSearch search(function);
  auto isPointer = [&](size_t i) {
    if (specs[i].kind == ParamSpec::Argument)
      return specs[i].type.isPointer();
    StringRef name = function.params[i].name;
    return search.isPointer(name) || name.contains_insensitive("ptr");
  };
  std::vector<std::string> texts(specs.size());
  std::vector<size_t> arguments, constants;
  for (size_t i = 0; i < specs.size(); ++i)
    if (specs[i].kind != ParamSpec::Constant)
      (isConstexpr[i] ? constants : arguments).push_back(i);
  std::vector<StringRef> types, others;
  for (StringRef item : given)
    (isTypeItem(item) ? types : others).push_back(item);
  layOver(
      types, arguments,
      [&](StringRef item, size_t i) {
        return item.starts_with("*") == isPointer(i);
      },
      texts);
  // A text that is neither type nor value is no help.
  llvm::erase_if(others, [](StringRef item) {
    return item.empty() ||
           !(llvm::isDigit(item[0]) || StringRef("-'\"(").contains(item[0]) ||
             item == "True" || item == "False");
  });
  layOver(others, constants, [](StringRef, size_t) { return true; }, texts);

  std::string text;
  for (auto [i, param] : llvm::enumerate(function.params)) {
    std::string &item = texts[i];
    if (specs[i].kind != ParamSpec::Missing) {
      item = describeKnown(specs[i]);
    } else if (item.empty() && isConstexpr[i]) {
      ParamSpec spec;
      spec.kind = ParamSpec::Constant;
      std::optional<Val> value =
          param.defaultValue ? literalValue(param.defaultValue) : std::nullopt;
      spec.value = value.value_or(Val::intValue(1024));
      item = describeKnown(spec);
    } else if (item.empty()) {
      item = isPointer(i) ? "*fp32"
             : param.name.contains_insensitive("desc")
                 ? "tensordesc<fp16[128, 64]>"
                 : "i32";
    }
    text += (i ? ", " : "") + item;
  }
  return text;
}
