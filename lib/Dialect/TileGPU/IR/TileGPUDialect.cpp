//===- TileGPUDialect.cpp - the tilegpu dialect ---------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Registration, attributes and types.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "tilec/Layout/Constructors.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

#include "tilec/Dialect/TileGPU/IR/TileGPUDialect.cpp.inc"
#include "tilec/Dialect/TileGPU/IR/TileGPUEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tilec/Dialect/TileGPU/IR/TileGPUAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tilec/Dialect/TileGPU/IR/TileGPUTypes.cpp.inc"
#define GET_OP_CLASSES
#include "tilec/Dialect/TileGPU/IR/TileGPUOps.cpp.inc"

namespace {
/// Prints layouts once, at the top: they are long and few.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    auto layout = dyn_cast<LayoutAttr>(attr);
    if (!layout)
      return AliasResult::NoAlias;
    os << (layout.getLinear().columns(InDim::Offset).empty() ? "layout"
                                                             : "shared");
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileGPUDialect::initialize() {
  addInterfaces<LayoutAliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilec/Dialect/TileGPU/IR/TileGPUAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilec/Dialect/TileGPU/IR/TileGPUTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilec/Dialect/TileGPU/IR/TileGPUOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// layout
//===----------------------------------------------------------------------===//

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  getLinear().printBody(printer.getStream());
  printer << '>';
}

/// Parses a list in brackets, each element by `element`.
static ParseResult parseList(AsmParser &parser,
                             function_ref<ParseResult()> element) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element);
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  SmallVector<LinearLayout::NamedColumns, 4> dims;
  auto parseInteger = [&](auto &list) -> ParseResult {
    int64_t value;
    if (parser.parseInteger(value))
      return failure();
    list.push_back(value);
    return success();
  };
  if (parser.parseLess() ||
      parseList(parser, [&] { return parseInteger(shape); }))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    auto &dim = dims.emplace_back();
    if (parser.parseKeywordOrString(&dim.name) || parser.parseEqual() ||
        parseList(parser, [&] {
          auto &column = dim.columns.emplace_back();
          return parseList(parser, [&] { return parseInteger(column); });
        }))
      return {};
  }
  if (parser.parseGreater())
    return {};
  std::string error;
  auto linear = LinearLayout::get(shape, dims, error);
  if (!linear) {
    parser.emitError(loc) << error;
    return {};
  }
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), *linear);
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 LinearLayout linear) {
  std::string error;
  if (!linear.verify(error))
    return emitError() << error;
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (!getLinear().columns(InDim::Offset).empty())
    return emitError() << "expected a layout of registers, got one of shared "
                          "memory";
  if (ShapedType::isDynamicShape(shape) ||
      ArrayRef<int64_t>(getLinear().shape()) !=
          ArrayRef<int64_t>(padded(shape)))
    return emitError() << "expected a layout of shape [" << padded(shape)
                       << "], got [" << getLinear().shape() << "]";
  return success();
}

//===----------------------------------------------------------------------===//
// tiling, memdesc
//===----------------------------------------------------------------------===//

LogicalResult
DotTilingAttr::verify(function_ref<InFlightDiagnostic()> emitError, DotKind,
                      ArrayRef<int64_t> warps, ArrayRef<int64_t> instruction) {
  auto fits = [](ArrayRef<int64_t> sizes, size_t count) {
    return sizes.size() == count && llvm::all_of(sizes, [](int64_t n) {
             return n > 0 && llvm::isPowerOf2_64(n);
           });
  };
  if (!fits(warps, 2) || !fits(instruction, 3))
    return emitError() << "expected 2 counts of warps and 3 sizes of the "
                          "instruction, all powers of two";
  return success();
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape())
    printer << size << 'x';
  printer << getElementType();
  if (getLayout())
    printer << ", " << getLayout();
  printer << '>';
}

Type MemDescType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type element;
  LayoutAttr layout;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) ||
      (succeeded(parser.parseOptionalComma()) &&
       parser.parseAttribute(layout)) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<MemDescType>(loc, parser.getContext(), shape,
                                        element, layout);
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type elementType,
                                  LayoutAttr layout) {
  if (!layout)
    return success();
  const LinearLayout &linear = layout.getLinear();
  if (linear.inBits() != linear.bits(InDim::Offset) ||
      ArrayRef<int64_t>(linear.shape()) != ArrayRef<int64_t>(padded(shape)))
    return emitError() << "expected a layout of shared memory of shape ["
                       << padded(shape) << "], got " << layout;
  return success();
}

//===----------------------------------------------------------------------===//
// Layouts of types
//===----------------------------------------------------------------------===//

const LinearLayout &tilegpu::getLayout(Type type) {
  return cast<LayoutAttr>(cast<RankedTensorType>(type).getEncoding())
      .getLinear();
}

RankedTensorType tilegpu::withLayout(Type type, const LinearLayout &layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

FailureOr<int64_t> tilegpu::getNumWarps(func::FuncOp function) {
  if (auto numWarps = function->getAttrOfType<IntegerAttr>(kNumWarpsAttr))
    return numWarps.getInt();
  return function.emitError()
         << "expected '" << kNumWarpsAttr << "': run tilegpu-set-target first";
}

unsigned tilegpu::getBits(Type element) {
  if (isa<tile::PtrType>(element))
    return 64;
  return std::max(8u, element.getIntOrFloatBitWidth());
}

LinearLayout tilegpu::getAccumulatorLayout(DotTilingAttr tiling,
                                           ArrayRef<int64_t> shape) {
  unsigned wm = tiling.getWarps()[0], wn = tiling.getWarps()[1];
  if (tiling.getKind() == DotKind::MMA)
    return mmaC(padded(shape), {wm, wn}).dedupRegisters();
  // Patches of 4 x 4 where there is room; lanes take 4 columns of patches, so
  // that a warp reads few different rows and columns.
  auto part = [](int64_t size, int64_t most) { return std::min(size, most); };
  int64_t pm = part(shape[0], tiling.getInstruction()[0]),
          pn = part(shape[1], tiling.getInstruction()[1]);
  int64_t ln = part(std::max<int64_t>(1, shape[1] / (pn * wn)), 8);
  return blocked(padded(shape), {pm, pn}, {32 / ln, ln}, {wm, wn}, {1, 0})
      .dedupRegisters();
}

/// Renames registers past the first `fixed` bits so that those of the other
/// axis come before those of `depthAxis`: instructions that read several
/// fragments at once then read fragments of one step along k.
static LinearLayout putDepthLast(const LinearLayout &layout, unsigned fixed,
                                 unsigned depthAxis) {
  SmallVector<unsigned> order;
  for (bool depth : {false, true})
    for (auto [i, column] : llvm::enumerate(layout.columns(InDim::Register)))
      if (i >= fixed && (layout.coordinate(column, depthAxis) != 0) == depth)
        order.push_back(i);
  SmallVector<unsigned> all = llvm::to_vector(
      llvm::seq(0u, std::min(fixed, layout.bits(InDim::Register))));
  llvm::append_range(all, order);
  return layout.permuteRegisters(all);
}

LinearLayout tilegpu::getOperandLayout(DotTilingAttr tiling, unsigned operand,
                                       ArrayRef<int64_t> shape, unsigned bits) {
  WarpGrid warps{unsigned(tiling.getWarps()[0]),
                 unsigned(tiling.getWarps()[1])};
  // Two m8n8k4 of f64 side by side lie as one m16n8k8 of tf32 does.
  bits = std::min(bits, 32u);
  unsigned packed = llvm::Log2_32(32 / bits);
  return operand == 0
             ? putDepthLast(mmaA(padded(shape), bits, warps), packed + 2, 1)
             : putDepthLast(mmaB(padded(shape), bits, warps), packed + 1, 0);
}

LinearLayout tilegpu::getFmaOperandLayout(const LinearLayout &accumulator,
                                          unsigned operand, int64_t k) {
  LinearLayout rows = accumulator.slice(operand == 0 ? 1 : 0).dedupRegisters();
  Bases bases;
  unsigned depth = llvm::Log2_64(k);
  unsigned low = operand == 0 ? depth : 0; // bits below the rows' own
  for (InDim dim : {InDim::Register, InDim::Lane, InDim::Warp})
    for (uint32_t column : rows.columns(dim))
      bases[dim].push_back(column << low);
  for (unsigned i = 0; i < depth; ++i)
    bases[InDim::Register].push_back(
        1u << (operand == 0 ? i : rows.outBits() + i));
  SmallVector<unsigned> axes{rows.outBits(), depth};
  if (operand == 1)
    std::swap(axes[0], axes[1]);
  return LinearLayout(axes, bases);
}
