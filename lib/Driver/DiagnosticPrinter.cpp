//===- DiagnosticPrinter.cpp - messages for people ------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A source is anything, also one line of megabytes or bytes that a terminal
// would obey: what is printed of it is short and harmless.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/DiagnosticPrinter.h"
#include "tilec/Dialect/Tile/IR/Source.h"
#include "tilec/Frontend/SourceFile.h"
#include "llvm/Support/ConvertUTF.h"

using namespace mlir;
using namespace tilec;

/// Bytes of a source line that are printed at most, and those before the caret.
static constexpr size_t maxWidth = 120, widthBefore = 80;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context,
                                     llvm::SourceMgr &sources,
                                     std::string mainFile,
                                     llvm::raw_ostream &stream)
    : ScopedDiagnosticHandler(&context), sources(sources),
      mainFile(std::move(mainFile)), stream(stream),
      isColored(stream.is_displayed()) {
  // The printed operation after a message tells a user of the language nothing.
  context.printOpOnDiagnostic(false);
  setHandler([this](Diagnostic &diagnostic) { print(diagnostic); });
}

std::optional<StringRef> DiagnosticPrinter::findText(StringRef file) {
  for (unsigned id = 1, e = sources.getNumBuffers(); id <= e; ++id)
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() == file)
      return sources.getMemoryBuffer(id)->getBuffer();
  std::string why;
  std::unique_ptr<llvm::MemoryBuffer> buffer = readSource(file, why);
  if (!buffer)
    return std::nullopt;
  StringRef text = buffer->getBuffer();
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return text;
}

/// Line `number`, from 1, without its end.
static std::optional<StringRef> findLine(StringRef text, unsigned number) {
  for (; number > 1; --number) {
    size_t end = text.find('\n');
    if (end == StringRef::npos)
      return std::nullopt;
    text = text.drop_front(end + 1);
  }
  return text.take_until([](char c) { return c == '\n' || c == '\r'; });
}

void DiagnosticPrinter::printColored(StringRef text,
                                     llvm::raw_ostream::Colors color) {
  if (!isColored) {
    stream << text;
    return;
  }
  stream.changeColor(color, /*Bold=*/true) << text;
  stream.resetColor();
}

void DiagnosticPrinter::printLine(FileLineColLoc place) {
  if (place.getLine() == 0)
    return;
  std::optional<StringRef> text = findText(place.getFilename());
  std::optional<StringRef> line =
      text ? findLine(*text, place.getLine()) : std::nullopt;
  if (!line || line->trim().empty())
    return;
  size_t caret =
      std::min<size_t>(std::max(place.getColumn(), 1u) - 1, line->size());
  size_t start =
      line->size() > maxWidth && caret > widthBefore ? caret - widthBefore : 0;
  StringRef shown = line->substr(start, maxWidth);
  const auto *bytes = reinterpret_cast<const llvm::UTF8 *>(line->begin());
  bool isText = llvm::isLegalUTF8String(&bytes, bytes + line->size());
  std::string spaces;
  for (auto [index, character] : llvm::enumerate(shown)) {
    auto byte = static_cast<signed char>(character);
    bool isContinuation = (byte & 0xc0) == 0x80;
    bool isAscii = (byte >= 0x20 && byte != 0x7f) || byte == '\t';
    stream << (isAscii || (isText && byte < 0) ? character : '?');
    if (start + index < caret && !isContinuation)
      spaces += byte == '\t' ? '\t' : ' ';
  }
  stream << '\n' << spaces;
  printColored("^", llvm::raw_ostream::GREEN);
  stream << '\n';
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  static constexpr struct {
    StringRef name;
    llvm::raw_ostream::Colors color;
  } kinds[] = {{"note", llvm::raw_ostream::CYAN},
               {"warning", llvm::raw_ostream::MAGENTA},
               {"error", llvm::raw_ostream::RED},
               {"remark", llvm::raw_ostream::BLUE}};
  const auto &kind = kinds[static_cast<unsigned>(diagnostic.getSeverity())];
  FileLineColLoc place = tile::findPlace(diagnostic.getLocation());
  stream << (place ? place.getFilename().getValue() : StringRef(mainFile))
         << ':';
  if (place && place.getLine()) {
    stream << place.getLine() << ':';
    if (place.getColumn())
      stream << place.getColumn() << ':';
  }
  stream << ' ';
  printColored(kind.name, kind.color);
  stream << ": " << diagnostic.str() << '\n';
  if (place)
    printLine(place);
  for (Diagnostic &note : diagnostic.getNotes())
    print(note);
}
