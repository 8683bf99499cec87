//===- BuiltinsExtern.cpp - functions of libdevice by their symbols -------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Kernels that call symbols of the toolkit's library get this project's
// functions of the same meaning: nothing is linked.
//
//===----------------------------------------------------------------------===//

#include "BuiltinHandlers.h"
#include "Lowering.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec::frontend;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;

/// Is this a function of the device library?
static bool isOfLibdevice(Lowering &l, StringRef name) {
  if (findBuiltin(name, kLibdevice))
    return true;
  Module *library = l.session.library(name);
  return library && !l.session.isPrelude(*library);
}

/// The function of `libdevice` for a symbol without `__nv_`; empty for none.
static StringRef functionOf(Lowering &l, StringRef symbol) {
  StringRef listed = llvm::StringSwitch<StringRef>(symbol)
#define TILEC_SYMBOL(SYMBOL, FUNCTION) .Case(SYMBOL, FUNCTION)
#include "LibdeviceSymbols.def"
                         .Default("");
  if (!listed.empty())
    return listed;
  if (symbol.empty() || isOfLibdevice(l, symbol))
    return symbol;
  bool isRounded =
      llvm::is_contained({"_rn", "_rz", "_rd", "_ru"}, symbol.take_back(3));
  StringRef rest = isRounded ? symbol.drop_front() : symbol.drop_back();
  bool isMarked = isRounded ? symbol.front() == 'd' || symbol.front() == 'f'
                            : symbol.ends_with("f");
  return isMarked && isOfLibdevice(l, rest) ? rest : "";
}

/// Is the key the types of the arguments?
static bool matches(const Val &key, ArrayRef<Val> values) {
  return key.kind == Val::Tuple && key.elements->size() == values.size() &&
         llvm::all_of(llvm::zip(*key.elements, values), [](auto pair) {
           auto [type, value] = pair;
           return type.kind == Val::Type && type.type == value.type;
         });
}

/// The entry `(symbol, type of the result)` for the types of the arguments,
/// else for their common type, to which they are cast then.
static FailureOr<const Val *> findEntry(Lowering &l, CallArgs &args,
                                        std::vector<Val> &values) {
  const std::vector<Val> &entries = *args[3].elements;
  auto find = [&]() -> const Val * {
    for (size_t i = 0; i < entries.size(); i += 2)
      if (matches(entries[i], values))
        return &entries[i + 1];
    return nullptr;
  };
  if (const Val *entry = find())
    return entry;
  std::string types;
  for (const Val &value : values)
    types += (types.empty() ? "" : ", ") + value.type.name();
  for (Val &value : values)
    for (Val &other : values)
      if (&value != &other &&
          failed(l.promotePair(value, other, false, "extern_elementwise",
                               args.loc)))
        return failure();
  if (const Val *entry = find())
    return entry;
  l.error(args.locs[3], "the dictionary of 'extern_elementwise' has no entry "
                        "for (" +
                            types + "); add one or cast the arguments");
  return failure();
}

FailureOr<Val> builtins::externElementwise(Lowering &l, CallArgs &args) {
  if (args[0].kind == Val::String && !args[0].text.empty() &&
      args[0].text != "libdevice") {
    l.error(args.locs[0],
            "expected the library \"libdevice\", got " + args[0].describe() +
                "; nothing is linked, write the function in the language");
    return failure();
  }
  if (args[2].kind != Val::Tuple || args[2].elements->empty() ||
      args[3].kind != Val::Dict) {
    l.error(args.loc, "expected extern_elementwise(name, path, [arguments], "
                      "{(types): (symbol, type)}, is_pure), got " +
                          args[2].describe() + " and " + args[3].describe());
    return failure();
  }
  std::vector<Val> values;
  for (const Val &arg : *args[2].elements) {
    FailureOr<Val> value = l.toRuntime(arg, args.locs[2]);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  FailureOr<const Val *> entry = findEntry(l, args, values);
  if (failed(entry))
    return failure();
  if ((*entry)->kind != Val::Tuple || (*entry)->elements->size() != 2 ||
      (*(*entry)->elements)[0].kind != Val::String ||
      (*(*entry)->elements)[1].kind != Val::Type) {
    l.error(args.locs[3], "expected (symbol, type of the result) in the "
                          "dictionary, got " +
                              (*entry)->describe());
    return failure();
  }
  StringRef symbol = (*(*entry)->elements)[0].text;
  StringRef name = symbol.starts_with("__nv_")
                       ? functionOf(l, symbol.drop_front(5))
                       : StringRef();
  if (name.empty()) {
    l.error(args.locs[3], "'" + symbol +
                              "' is no function of libdevice; nothing is "
                              "linked, write it in the language");
    return failure();
  }
  FailureOr<Val> function = l.moduleAttribute("libdevice", name, args.loc);
  if (failed(function) || failed(l.broadcastAll(values, args.loc)))
    return failure();
  CallInput input;
  for (Val &value : values)
    input.push_back({"", value, args.locs[2]});
  FailureOr<Val> result = l.callValue(*function, std::move(input), args.loc);
  if (failed(result))
    return failure();
  return l.castTo(*result, (*(*entry)->elements)[1].type, args.loc);
}
