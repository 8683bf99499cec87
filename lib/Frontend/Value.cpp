//===- Value.cpp - arithmetic while compiling -----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Constants follow Python: integers do not wrap, `//` rounds down, `/` gives a
// float.
//
//===----------------------------------------------------------------------===//

#include "Value.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace tilec::frontend;

/// Constants beyond this are errors, so that no operation on two can overflow.
static constexpr BigInt kLimit = BigInt(1) << 120;

ArrayRef<int64_t> Val::shape() const {
  return kind == Runtime ? tile::getShape(value.getType())
                         : ArrayRef<int64_t>();
}

Val Val::constant() const {
  if (kind != Runtime)
    return *this;
  Val v;
  v.kind = known == None ? Poisoned : known;
  v.integer = integer;
  v.number = number;
  return v;
}

std::optional<BigInt> Val::asInt() const {
  Val c = constant();
  if (c.kind == Int || c.kind == Bool)
    return c.integer;
  return std::nullopt;
}

std::string tilec::frontend::toText(BigInt value) {
  if (value == 0)
    return "0";
  bool negative = value < 0;
  std::string text;
  for (BigInt v = negative ? -value : value; v; v /= 10)
    text.insert(text.begin(), char('0' + int(v % 10)));
  return negative ? "-" + text : text;
}

std::string Val::describe() const {
  std::string out;
  switch (kind) {
  case Poisoned:
    return "nothing";
  case None:
    return "None";
  case Bool:
    return integer ? "True" : "False";
  case Int:
    return toText(integer);
  case Float: {
    // The shortest text that reads back as the number.
    char text[40];
    for (int digits = 1; digits <= 17; ++digits) {
      snprintf(text, sizeof text, "%.*g", digits, number);
      if (strtod(text, nullptr) == number)
        break;
    }
    // A text that reads like an integer would not tell the type.
    bool isPlain =
        StringRef(text).find_first_not_of("-0123456789") == StringRef::npos;
    return text + std::string(isPlain ? ".0" : "");
  }
  case String:
    return ("the text \"" + text + "\"").str();
  case Type:
    return "the type " + type.name();
  case Tuple: {
    out = "(";
    for (const Val &v : *elements)
      out += (out.size() > 1 ? ", " : "") + v.describe();
    return out + ")";
  }
  case Dict:
    return "a dictionary";
  case Function:
    return ("the function '" + function->name + "'").str();
  case Builtin:
  case Method:
  case TypeTest:
    return "a function of the language";
  case Module:
  case UserModule:
    return "a module";
  case Slice:
    return "':'";
  case Range:
    return "a range";
  case BlockPointer:
    return isStatic ? "a tensor descriptor of " + describeShape(blockShape)
                    : "a block pointer of " + describeShape(blockShape);
  case Runtime:
    return describeType(type, shape());
  }
  return out;
}

bool tilec::frontend::same(const Val &a, const Val &b) {
  if (a.kind != b.kind)
    return false;
  switch (a.kind) {
  case Val::Runtime:
    return a.value == b.value && a.type == b.type;
  case Val::Bool:
  case Val::Int:
    return a.integer == b.integer;
  case Val::Float:
    return a.number == b.number ||
           (std::isnan(a.number) && std::isnan(b.number));
  case Val::String:
  case Val::Module:
    return a.text == b.text;
  case Val::Type:
    return a.type == b.type;
  case Val::Tuple:
  case Val::Dict:
  case Val::BlockPointer:
  case Val::Range: {
    if (a.elements->size() != b.elements->size())
      return false;
    for (size_t i = 0; i < a.elements->size(); ++i)
      if (!same((*a.elements)[i], (*b.elements)[i]))
        return false;
    return true;
  }
  case Val::Function:
    return a.function == b.function;
  case Val::Poisoned:
    return a.poison == b.poison;
  case Val::UserModule:
    return a.userModule == b.userModule;
  default:
    return a.builtin == b.builtin;
  }
}

std::optional<ElemType> tilec::frontend::literalType(const Val &number) {
  if (number.kind == Val::Bool)
    return ElemType(DType::I1);
  if (number.kind == Val::Float) {
    double magnitude = std::fabs(number.number);
    bool isF32 = magnitude == 0 || std::isinf(magnitude) ||
                 std::isnan(magnitude) ||
                 (magnitude >= 0x1p-126 && magnitude <= 0x1.fffffep127);
    return ElemType(isF32 ? DType::F32 : DType::F64);
  }
  BigInt i = number.integer;
  auto fits = [&](BigInt low, BigInt high) { return i >= low && i < high; };
  if (fits(-(BigInt(1) << 31), BigInt(1) << 31))
    return ElemType(DType::I32);
  if (fits(0, BigInt(1) << 32))
    return ElemType(DType::U32);
  if (fits(-(BigInt(1) << 63), BigInt(1) << 63))
    return ElemType(DType::I64);
  if (fits(0, BigInt(1) << 64))
    return ElemType(DType::U64);
  return std::nullopt;
}

/// The number as a float.
static double toDouble(const Val &v) {
  return v.kind == Val::Float ? v.number : double(v.integer);
}

/// `a` to the power of the non-negative `b`; null beyond the limit.
static std::optional<BigInt> power(BigInt a, BigInt b) {
  BigInt result = 1;
  if (a == 0 || a == 1 || b == 0)
    return b == 0 ? 1 : a;
  if (a == -1)
    return b % 2 ? -1 : 1;
  if (b > 120)
    return std::nullopt;
  for (BigInt i = 0; i < b; ++i) {
    if (result >= kLimit / (a < 0 ? -a : a) ||
        result <= -kLimit / (a < 0 ? -a : a))
      return std::nullopt;
    result *= a;
  }
  return result;
}

/// Rounds the quotient down.
static BigInt floorDivide(BigInt a, BigInt b) {
  BigInt q = a / b;
  return (a % b != 0) && ((a < 0) != (b < 0)) ? q - 1 : q;
}

/// The integer result of an operation, if it has one.
static std::optional<BigInt> foldInt(BinaryOp op, BigInt a, BigInt b,
                                     std::string &error) {
  switch (op) {
  case BinaryOp::Add:
    return a + b;
  case BinaryOp::Sub:
    return a - b;
  case BinaryOp::Mul: {
    BigInt magnitude = a < 0 ? -a : a;
    if (magnitude && (b > kLimit / magnitude || b < -kLimit / magnitude))
      return kLimit;
    return a * b;
  }
  case BinaryOp::FloorDiv:
    return floorDivide(a, b);
  case BinaryOp::Mod:
    return a - floorDivide(a, b) * b;
  case BinaryOp::Pow:
    return power(a, b).value_or(kLimit);
  case BinaryOp::LShift:
  case BinaryOp::RShift:
    if (b < 0) {
      error = "cannot shift by a negative number";
      return std::nullopt;
    }
    if (op == BinaryOp::RShift)
      return b > 126 ? (a < 0 ? -1 : 0) : a >> int(b);
    if (b > 119 || a > (kLimit >> int(b)) || a < -(kLimit >> int(b)))
      return a == 0 ? 0 : kLimit;
    return a * (BigInt(1) << int(b));
  case BinaryOp::And:
    return a & b;
  case BinaryOp::Or:
    return a | b;
  case BinaryOp::Xor:
    return a ^ b;
  default:
    return std::nullopt;
  }
}

std::optional<Val> tilec::frontend::foldBinary(BinaryOp op, const Val &a,
                                               const Val &b,
                                               std::string &error) {
  bool isFloat = a.kind == Val::Float || b.kind == Val::Float;
  if ((op == BinaryOp::Div || op == BinaryOp::FloorDiv ||
       op == BinaryOp::Mod) &&
      toDouble(b) == 0) {
    error = "division by zero";
    return std::nullopt;
  }
  if (op == BinaryOp::Div)
    return Val::floatValue(toDouble(a) / toDouble(b));
  if (isFloat || (op == BinaryOp::Pow && b.integer < 0)) {
    double x = toDouble(a), y = toDouble(b);
    switch (op) {
    case BinaryOp::Add:
      return Val::floatValue(x + y);
    case BinaryOp::Sub:
      return Val::floatValue(x - y);
    case BinaryOp::Mul:
      return Val::floatValue(x * y);
    case BinaryOp::FloorDiv:
      return Val::floatValue(std::floor(x / y));
    case BinaryOp::Mod: {
      double r = std::fmod(x, y);
      return Val::floatValue(r != 0 && (r < 0) != (y < 0) ? r + y : r);
    }
    case BinaryOp::Pow:
      return Val::floatValue(std::pow(x, y));
    default:
      error = ("'" + spelling(op) + "' needs integers").str();
      return std::nullopt;
    }
  }
  std::optional<BigInt> result = foldInt(op, a.integer, b.integer, error);
  if (!result) {
    if (error.empty())
      error = ("'" + spelling(op) + "' cannot combine two numbers").str();
    return std::nullopt;
  }
  if (*result >= kLimit || *result <= -kLimit) {
    error = "the result does not fit in 64 bits";
    return std::nullopt;
  }
  bool isBool =
      a.kind == Val::Bool && b.kind == Val::Bool &&
      (op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor);
  return isBool ? Val::boolean(*result != 0) : Val::intValue(*result);
}

/// The outcome of an ordering, given `a < b` and `a == b`.
static bool ordered(CompareOp op, bool less, bool equal) {
  switch (op) {
  case CompareOp::Lt:
    return less;
  case CompareOp::Le:
    return less || equal;
  case CompareOp::Gt:
    return !less && !equal;
  default:
    return !less;
  }
}

std::optional<bool> tilec::frontend::foldCompare(CompareOp op, const Val &a,
                                                 const Val &b) {
  if (a.kind == Val::Runtime || b.kind == Val::Runtime) {
    // `x is None` is known whatever x is.
    if ((op == CompareOp::Is || op == CompareOp::IsNot) &&
        (a.kind == Val::None || b.kind == Val::None))
      return op == CompareOp::IsNot;
    if ((op == CompareOp::Eq || op == CompareOp::Ne) &&
        (a.kind == Val::None || b.kind == Val::None))
      return op == CompareOp::Ne;
    return std::nullopt;
  }
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    if (b.kind != Val::Tuple && b.kind != Val::Dict)
      return std::nullopt;
    size_t step = b.kind == Val::Dict ? 2 : 1; // of a dictionary, the keys
    for (size_t i = 0; i < b.elements->size(); i += step) {
      std::optional<bool> equal =
          foldCompare(CompareOp::Eq, a, (*b.elements)[i]);
      if (!equal)
        return std::nullopt;
      if (*equal)
        return op == CompareOp::In;
    }
    return op == CompareOp::NotIn;
  }
  bool numbers = a.isNumber() && b.isNumber();
  bool equal;
  if (numbers && (a.kind == Val::Float || b.kind == Val::Float))
    equal = toDouble(a) == toDouble(b);
  else if (numbers)
    equal = a.integer == b.integer;
  else
    equal = same(a, b);
  if (op == CompareOp::Eq || op == CompareOp::Is)
    return equal;
  if (op == CompareOp::Ne || op == CompareOp::IsNot)
    return !equal;
  if (numbers && (a.kind == Val::Float || b.kind == Val::Float)) {
    double x = toDouble(a), y = toDouble(b);
    if (std::isnan(x) || std::isnan(y))
      return false;
    return ordered(op, x < y, x == y);
  }
  if (numbers)
    return ordered(op, a.integer < b.integer, equal);
  if (a.kind == Val::String && b.kind == Val::String)
    return ordered(op, a.text < b.text, equal);
  return std::nullopt;
}

std::optional<bool> tilec::frontend::foldTruth(const Val &value) {
  Val c = value.constant();
  switch (c.kind) {
  case Val::None:
    return false;
  case Val::Bool:
  case Val::Int:
    return c.integer != 0;
  case Val::Float:
    return c.number != 0;
  case Val::String:
    return !c.text.empty();
  case Val::Tuple:
  case Val::Dict:
    return !c.elements->empty();
  case Val::Function:
  case Val::Builtin:
  case Val::Type:
    return true;
  default:
    return std::nullopt;
  }
}
