//===- KernelReport.cpp - what became of a kernel -------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads the IR at the end of two phases: operations and bytes from the tile
// phase, where each stands once; layouts and buffers from the tilegpu phase.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/KernelReport.h"

#include "tilec/Analysis/Alias.h"
#include "tilec/Analysis/MemoryAccess.h"
#include "tilec/Analysis/SharedMemory.h"
#include "tilec/Dialect/Tile/IR/Source.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The place of an operation.
static ReportPlace placeIn(Location location) {
  if (FileLineColLoc place = tile::findPlace(location))
    return {place.getFilename().str(), place.getLine()};
  return {};
}

/// "128x64xbf16"; a scalar is its type.
static std::string describeTile(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t size : tile::getShape(type))
    stream << size << 'x';
  Type element = tile::getElementType(type);
  if (auto pointer = dyn_cast<tile::PtrType>(element))
    element = pointer.getPointee();
  stream << element;
  return text;
}

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

/// What an operation keeps in shared memory.
static std::string describeBuffer(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](LocalAllocOp) { return "operand of a product"; })
      .Case([](RingAllocOp ring) {
        bool isKept = llvm::any_of(ring->getUsers(), llvm::IsaPred<KeepOp>);
        return isKept ? "tiles to be read again" : "stages of a pipeline";
      })
      .Case([](ConvertLayoutOp) { return "scratch of a conversion"; })
      .Case([](tile::ReduceOp) { return "scratch of a reduction"; })
      .Case([](tile::ScanOp) { return "scratch of a scan"; })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>(
          [](Operation *) { return "results of an atomic"; })
      .Default([](Operation *other) {
        return other->getName().stripDialect().str();
      });
}

/// The buffer of an operation that has one.
static void addBuffer(Operation *op, KernelReport &kernel) {
  auto offset = op->getAttrOfType<IntegerAttr>(kOffsetAttr);
  int64_t bytes = offset ? getSharedBytes(op) : 0;
  if (!bytes)
    return;
  SharedBufferReport buffer{placeIn(op->getLoc()), describeBuffer(op), bytes,
                            offset.getInt()};
  if (auto ring = dyn_cast<RingAllocOp>(op))
    buffer.stages = ring.getStages();
  kernel.buffers.push_back(std::move(buffer));
}

/// The name of the argument that an address is computed from, or "?".
static std::string nameBase(Value pointer) {
  auto argument = dyn_cast_or_null<BlockArgument>(getMemoryBase(pointer));
  StringRef name = argument ? tile::getArgumentName(argument) : "";
  return name.empty() ? "?" : name.str();
}

/// The access of an operation to global memory, if it has one.
static void addGlobalAccess(Operation *op, const AxisInfoAnalysis &facts,
                            const AxisInfoAnalysis &places,
                            KernelReport &kernel) {
  std::optional<GlobalAccessCost> cost = getGlobalAccess(op, facts, places);
  if (!cost)
    return;
  GlobalAccessReport access{placeIn(op->getLoc()),
                            op->getName().stripDialect().str(),
                            nameBase(cost->operands.pointer),
                            describeTile(cost->operands.pointer.getType()),
                            cost->operands.mask != nullptr,
                            cost->bytes,
                            cost->instructions,
                            cost->sectors.sectors,
                            cost->sectors.ideal,
                            op->getLoc()};
  kernel.globalAccesses.push_back(std::move(access));
}

/// The instruction of an access to shared memory.
static std::string nameInstruction(const SharedAccessCost &cost, bool isAsync) {
  if (cost.kind == AccessKind::Vec)
    return isAsync ? "cp.async" : cost.isStore ? "st" : "ld";
  std::string name = cost.isStore ? "stmatrix" : "ldmatrix";
  return cost.kind == AccessKind::MatrixTrans ? name + ".trans" : name;
}

/// The accesses of an operation to shared memory.
static void addSharedAccesses(Operation *op, const AxisInfoAnalysis &facts,
                              KernelReport &kernel) {
  for (const SharedAccessCost &cost : getSharedAccesses(op, facts))
    kernel.sharedAccesses.push_back(
        {placeIn(op->getLoc()), cost.isStore ? "store" : "load", cost.what,
         nameInstruction(cost, isa<AsyncCopyOp>(op)), cost.bytes,
         cost.instructions, cost.wavefronts, cost.idealWavefronts,
         op->getLoc()});
}

/// A conversion that costs something.
static void addConversion(Operation *op, KernelReport &kernel) {
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  if (!convert)
    return;
  Conversion plan =
      planConversion(convert.getSrc().getType(), convert.getType());
  if (plan.kind == ConversionKind::Noop)
    return;
  ConversionReport conversion{placeIn(op->getLoc()),
                              describeTile(convert.getType()),
                              stringifyConversionKind(plan.kind).str()};
  if (plan.kind == ConversionKind::Shared && plan.shared) {
    conversion.bytes = plan.bytes;
    conversion.wavefronts = plan.shared->wavefronts();
  } else if (plan.exchange) {
    conversion.shuffles = plan.exchange->shuffles;
  }
  kernel.conversions.push_back(std::move(conversion));
}

//===----------------------------------------------------------------------===//
// Rows of one line
//===----------------------------------------------------------------------===//

/// Copies of one operation of the source that the passes made (before a
/// pipelined loop and in it) are one row: they cost the same.
template <typename Row, typename Key>
static void mergeRows(std::vector<Row> &rows, Key key) {
  // By lines; the order of the program among those of one line.
  auto isBefore = [](const Row &a, const Row &b) {
    return a.place.line < b.place.line;
  };
  std::vector<Row> merged;
  for (Row &row : rows)
    if (llvm::none_of(merged,
                      [&](const Row &other) { return key(other) == key(row); }))
      merged.insert(llvm::upper_bound(merged, row, isBefore), std::move(row));
  rows = std::move(merged);
}

/// Leaves one row of those that passes made of one.
static void mergeCopies(KernelReport &kernel) {
  mergeRows(kernel.globalAccesses, [](const GlobalAccessReport &a) {
    return std::tuple(a.origin, a.op, a.argument, a.tile, a.bytes, a.sectors);
  });
  mergeRows(kernel.sharedAccesses, [](const SharedAccessReport &a) {
    return std::tuple(a.origin, a.what, a.instruction, a.bytes, a.instructions,
                      a.wavefronts);
  });
}

//===----------------------------------------------------------------------===//
// The builder
//===----------------------------------------------------------------------===//

KernelReport *ModuleReport::find(StringRef entry) {
  auto found = llvm::find_if(kernels, [&](const KernelReport &kernel) {
    return kernel.entry == entry;
  });
  return found == kernels.end() ? nullptr : &*found;
}

KernelReport &ReportBuilder::get(func::FuncOp kernel) {
  if (KernelReport *known = report.find(kernel.getName()))
    return *known;
  KernelReport &added = report.kernels.emplace_back();
  added.entry = kernel.getName().str();
  added.place = placeIn(kernel.getLoc());
  return added;
}

/// Bytes that divide the start of a buffer, as allocators align them.
static constexpr int64_t bufferAlignment = 128;

/// Facts about addresses when every buffer starts where allocators put it,
/// whatever the kernel was promised.
static AxisInfoAnalysis analyzePlaces(func::FuncOp function) {
  Builder builder(function.getContext());
  SmallVector<Attribute> promised;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    promised.push_back(function.getArgAttr(i, tile::kDivisibilityAttr));
    if (isa<tile::PtrType>(function.getArgumentTypes()[i]))
      function.setArgAttr(i, tile::kDivisibilityAttr,
                          builder.getI32IntegerAttr(bufferAlignment));
  }
  AxisInfoAnalysis facts(function);
  for (auto [i, attr] : llvm::enumerate(promised)) {
    if (attr)
      function.setArgAttr(i, tile::kDivisibilityAttr, attr);
    else
      function.removeArgAttr(i, tile::kDivisibilityAttr);
  }
  return facts;
}

/// Reads what the tilegpu phase decided.
static void readLayouts(func::FuncOp function, KernelReport &kernel) {
  kernel.hasLayouts = true;
  auto read = [&](StringRef name) -> int64_t {
    auto attr = function->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : 0;
  };
  kernel.numWarps = read(kNumWarpsAttr);
  kernel.numStages = read(kNumStagesAttr);
  kernel.sharedBytes = read(kSharedAttr);
  AxisInfoAnalysis facts(function), places = analyzePlaces(function);
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    kernel.barriers += isa<tilegpu::BarrierOp, tile::BarrierOp>(op);
    addBuffer(op, kernel);
    addGlobalAccess(op, facts, places, kernel);
    addSharedAccesses(op, facts, kernel);
    addConversion(op, kernel);
  });
  mergeCopies(kernel);
}

void ReportBuilder::observe(Phase phase, ModuleOp module) {
  if (phase != Phase::Tile && phase != Phase::TileGPU)
    return;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(tile::kKernelAttr) &&
        !function->hasAttr(kSharedAttr))
      continue;
    KernelReport &kernel = get(function);
    if (phase == Phase::Tile)
      kernel.work = countKernelWork(function);
    else if (succeeded(checkLayouts(function)))
      readLayouts(function, kernel);
  }
}

ModuleReport ReportBuilder::take() {
  for (RemarkEntry &entry : remarks.entries())
    if (KernelReport *kernel = report.find(entry.kernel))
      kernel->remarks.push_back(std::move(entry));
  return std::move(report);
}
