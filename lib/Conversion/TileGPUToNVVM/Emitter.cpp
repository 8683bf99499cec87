//===- Emitter.cpp - one kernel, from tiles to registers ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The pass, the dispatch over operations, and the small builders that all
// groups of operations share.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "tilec/Analysis/SharedMemory.h"
#include "tilec/Conversion/TileGPUToNVVM/TileGPUToNVVM.h"
#include "tilec/Layout/Constructors.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace tilec {
#define GEN_PASS_DEF_CONVERTTILEGPUTONVVMPASS
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

/// The kernel's dynamic shared memory.
static constexpr StringLiteral kSharedSymbol = "tilec_shared";

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Emitter::Emitter(func::FuncOp source, const Architecture &arch)
    : b(source), loc(source.getLoc()), arch(arch), source(source),
      axisInfo(source), certainInfo(source, /*certain=*/true) {
  numWarps =
      source->getAttrOfType<IntegerAttr>(tilegpu::kNumWarpsAttr).getInt();
}

ArrayRef<Value> Emitter::get(Value value) const {
  auto it = values.find(value);
  assert(it != values.end() && "operands are emitted before their users");
  return it->second;
}

Value Emitter::getScalar(Value value) const {
  return value ? get(value).front() : Value();
}

void Emitter::set(Value value, Registers registers) {
  values[value] = std::move(registers);
}

Type Emitter::convertElement(Type element) const {
  if (isa<tile::PtrType>(element))
    return LLVM::LLVMPointerType::get(element.getContext(), 1);
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
    return IntegerType::get(element.getContext(), 8);
  if (isa<IndexType>(element))
    return IntegerType::get(element.getContext(), 64);
  return element;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value Emitter::constant(TypedAttr value) {
  Value &constant = constants[value];
  if (!constant) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&target.getBody().front());
    constant = LLVM::ConstantOp::create(b, loc, value.getType(), value);
  }
  return constant;
}

Value Emitter::constant(Type type, int64_t value) {
  return constant(b.getIntegerAttr(type, value));
}

Value Emitter::f32(double value) {
  return constant(b.getF32FloatAttr(static_cast<float>(value)));
}

Value Emitter::add(Value x, int64_t y) {
  return y ? Value(LLVM::AddOp::create(b, loc, x, constant(x.getType(), y)))
           : x;
}

Value Emitter::negate(Value condition) {
  return LLVM::XOrOp::create(b, loc, condition, constant(b.getI1Type(), 1));
}

Value Emitter::intrinsic(StringRef name, Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

Registers Emitter::ptx(StringRef text, StringRef constraints, TypeRange results,
                       ValueRange operands, bool sideEffects) {
  Type type = results.empty() ? Type(LLVM::LLVMVoidType::get(b.getContext()))
              : results.size() == 1
                  ? results.front()
                  : Type(LLVM::LLVMStructType::getLiteral(
                        b.getContext(), SmallVector<Type>(results)));
  auto dialect =
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  auto op = LLVM::InlineAsmOp::create(
      b, loc, results.empty() ? TypeRange() : TypeRange(type), operands, text,
      constraints, sideEffects, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, dialect, ArrayAttr());
  if (results.size() <= 1)
    return Registers(op->getResults());
  Registers values;
  for (unsigned i = 0; i < results.size(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, loc, op->getResult(0), i));
  return values;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

Value Emitter::threadId() { return thread; }
Value Emitter::laneId() { return lane; }
Value Emitter::warpId() { return warp; }

void Emitter::barrier() { NVVM::BarrierOp::create(b, loc); }

void Emitter::gridDependency(NVVM::GridDepActionKind kind) {
  if (arch.capability >= 90)
    NVVM::GriddepcontrolOp::create(b, loc, kind);
}

Value Emitter::applyLinear(Value index, ArrayRef<uint32_t> columns) {
  // Index bits that move by the same distance move together.
  std::map<int, uint32_t> masks;
  for (auto [from, column] : llvm::enumerate(columns))
    for (unsigned to = 0; to < 32; ++to)
      if (column >> to & 1)
        masks[int(to) - int(from)] |= 1u << from;
  Value result;
  for (auto [distance, mask] : masks) {
    Value part = LLVM::AndOp::create(b, loc, index, i32(mask));
    if (distance > 0)
      part = LLVM::ShlOp::create(b, loc, part, i32(distance));
    else if (distance < 0)
      part = LLVM::LShrOp::create(b, loc, part, i32(-distance));
    result = result ? Value(LLVM::XOrOp::create(b, loc, result, part)) : part;
  }
  return result ? result : i32(0);
}

Value Emitter::applyThread(const Bases &bases) {
  // Lane and warp are the low and high bits of the thread's number.
  Vectors columns(bases[InDim::Lane]);
  columns.resize(5, 0);
  columns.append(bases[InDim::Warp].begin(), bases[InDim::Warp].end());
  return applyLinear(thread, columns);
}

Value Emitter::isOwner(const LinearLayout &layout) {
  HardwareIndex free = layout.freeMasks();
  uint32_t mask = free[InDim::Lane] | free[InDim::Warp] << 5;
  // Lanes and warps past the layout's own hold copies too.
  for (unsigned bit = layout.bits(InDim::Lane); bit < 5; ++bit)
    mask |= 1u << bit;
  for (unsigned bit = layout.bits(InDim::Warp); 1u << bit < numWarps; ++bit)
    mask |= 32u << bit;
  if (!mask)
    return {};
  Value bits = LLVM::AndOp::create(b, loc, thread, i32(mask));
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, bits, i32(0));
}

Registers Emitter::coordinates(const LinearLayout &layout) {
  Value base = applyThread(layout.allBases());
  uint32_t threadBits = 0;
  for (uint32_t column : layout.columns({InDim::Lane, InDim::Warp}))
    threadBits |= column;
  Registers result;
  for (uint32_t r = 0; r < layout.size(InDim::Register); ++r) {
    uint32_t own = layout.apply(InDim::Register, r);
    if (own & threadBits)
      result.push_back(LLVM::XOrOp::create(b, loc, base, i32(own)));
    else
      result.push_back(add(base, own));
  }
  return result;
}

Value Emitter::cachePolicy(tile::Eviction eviction) {
  if (eviction == tile::Eviction::Normal)
    return {};
  Value &policy = cachePolicies[static_cast<unsigned>(eviction)];
  if (!policy) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(warp.getDefiningOp());
    std::string name = eviction == tile::Eviction::First ? "first" : "last";
    policy = ptx("createpolicy.fractional.L2::evict_" + name + ".b64 $0, 1.0;",
                 "=l", {b.getI64Type()}, {}, /*sideEffects=*/false)[0];
  }
  return policy;
}

Value Emitter::sharedAddress(int64_t offset) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 3);
  Value base = LLVM::AddressOfOp::create(b, loc, pointer, kSharedSymbol);
  if (!offset)
    return base;
  return LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value Emitter::loadShared(Value address, Type element) {
  Type type = convertElement(element);
  if (type.isInteger(1)) {
    Value byte = LLVM::LoadOp::create(b, loc, b.getI8Type(), address);
    return LLVM::TruncOp::create(b, loc, type, byte);
  }
  return LLVM::LoadOp::create(b, loc, type, address);
}

void Emitter::storeShared(Value address, Value value, Value predicate) {
  if (value.getType().isInteger(1))
    value = LLVM::ZExtOp::create(b, loc, b.getI8Type(), value);
  if (predicate)
    storeWords(*this, address, pack({value}), predicate, "shared");
  else
    LLVM::StoreOp::create(b, loc, value, address);
}

Registers Emitter::combine(Region &region, ArrayRef<Value> left,
                           ArrayRef<Value> right) {
  Block &block = region.front();
  for (auto [argument, value] :
       llvm::zip(block.getArguments(), llvm::concat<const Value>(left, right)))
    values[argument] = {value};
  for (Operation &op : block.without_terminator())
    (void)emit(&op);
  Registers results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(getScalar(value));
  return results;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// Reads a special register that holds the program's index or the grid's size.
template <typename X, typename Y, typename Z>
static Value emitGrid(Emitter &e, uint32_t axis) {
  Type type = e.b.getI32Type();
  if (axis == 0)
    return X::create(e.b, e.loc, type);
  return axis == 1 ? Value(Y::create(e.b, e.loc, type))
                   : Value(Z::create(e.b, e.loc, type));
}

LogicalResult Emitter::emit(Operation *op) {
  loc = op->getLoc();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp o) { return emitFor(o); })
      .Case([&](scf::WhileOp o) { return emitWhile(o); })
      .Case([&](scf::IfOp o) { return emitIf(o); })
      .Case([&](tile::LoadOp o) { return emitLoad(*this, o); })
      .Case([&](tile::StoreOp o) { return emitStore(*this, o); })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>(
          [&](Operation *o) { return emitAtomic(*this, o); })
      .Case([&](tile::ReduceOp o) { return emitReduce(*this, o); })
      .Case([&](tile::ScanOp o) { return emitScan(*this, o); })
      .Case([&](ConvertLayoutOp o) { return emitConvertLayout(*this, o); })
      .Case([&](LocalAllocOp o) { return emitLocalAlloc(*this, o); })
      .Case([&](RingAllocOp o) { return emitRingAlloc(*this, o); })
      .Case([&](SlotOp o) { return emitSlot(*this, o); })
      .Case([&](KeepOp o) { return emitKeep(*this, o); })
      .Case([&](RecallOp o) { return emitRecall(*this, o); })
      .Case([&](AsyncCopyOp o) { return emitAsyncCopy(*this, o); })
      .Case([&](AsyncCommitOp) {
        NVVM::CpAsyncCommitGroupOp::create(b, loc);
        return success();
      })
      .Case([&](AsyncWaitOp o) {
        NVVM::CpAsyncWaitGroupOp::create(b, loc, o.getPending());
        return success();
      })
      .Case([&](DotOp o) { return emitDot(*this, o); })
      .Case<arith::ConstantOp, tile::ArangeOp, tile::SplatOp, tile::BroadcastOp,
            tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp>(
          [&](Operation *o) { return emitView(*this, o); })
      .Case([&](tile::ProgramIdOp o) {
        set(o, {emitGrid<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(
                   *this, o.getAxis())});
        return success();
      })
      .Case([&](tile::NumProgramsOp o) {
        set(o, {emitGrid<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(
                   *this, o.getAxis())});
        return success();
      })
      .Case<BarrierOp, tile::BarrierOp>([&](Operation *) {
        barrier();
        return success();
      })
      .Case([&](tile::GdcWaitOp) {
        gridDependency(NVVM::GridDepActionKind::wait);
        return success();
      })
      .Case([&](tile::GdcLaunchDependentsOp) {
        gridDependency(NVVM::GridDepActionKind::launch_dependents);
        return success();
      })
      .Case([&](tile::AssertOp o) { return emitAssert(*this, o); })
      .Case([&](tile::PrintOp o) { return emitPrint(*this, o); })
      .Case([&](tile::InlineAsmOp o) { return emitInlineAsm(*this, o); })
      .Case([&](tile::GatherOp o) { return emitGather(*this, o); })
      .Case([&](tile::HistogramOp o) { return emitHistogram(*this, o); })
      .Case<tile::AssumeOp>([&](Operation *) { return success(); })
      .Case([&](func::ReturnOp) {
        LLVM::ReturnOp::create(b, loc, ValueRange());
        return success();
      })
      .Default([&](Operation *o) -> LogicalResult {
        if (o->getNumResults() == 1 && o->getNumRegions() == 0)
          return emitElementwise(*this, o);
        return o->emitError()
               << "code generation does not know '" << o->getName()
               << "': run this kernel on the interpreter";
      });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Erases what nothing uses. A tile of addresses and one of masks have a
/// register for each element, of which an access by vectors reads the first of
/// each vector: LLVM would look at the others many times.
static void eraseUnused(LLVM::LLVMFuncOp function) {
  for (Block &block : llvm::reverse(function.getBody()))
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
}

LogicalResult Emitter::run() {
  SmallVector<Type> types;
  for (Type type : source.getArgumentTypes()) {
    if (isa<RankedTensorType>(type))
      return source.emitError("expected scalars and pointers as arguments of a "
                              "kernel, got ")
             << type;
    types.push_back(convertElement(type));
  }
  if (failed(checkLayouts(source)) || failed(checkOffsets(source)))
    return failure();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types);
  target = LLVM::LLVMFuncOp::create(b, loc, source.getName(), type);
  for (NamedAttribute attr : source->getDiscardableAttrs())
    target->setAttr(attr.getName(), attr.getValue());
  target->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  target->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  b.getDenseI32ArrayAttr({int32_t(numWarps * 32)}));
  if (auto blocks = source->getAttrOfType<IntegerAttr>(kBlocksAttr))
    target->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), blocks);
  if (ArrayAttr attrs = source.getAllArgAttrs())
    target.setAllArgAttrs(attrs);
  Block *entry = target.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  thread = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  lane = LLVM::AndOp::create(b, loc, thread, i32(31));
  warp = LLVM::LShrOp::create(b, loc, thread, i32(5));
  for (auto [argument, value] :
       llvm::zip(source.getArguments(), entry->getArguments()))
    set(argument, {value});
  Block &body = source.getBody().front();
  if (failed(emitBlock(body)) || failed(emit(body.getTerminator())))
    return failure();
  eraseUnused(target);
  return success();
}

namespace {
struct ConvertTileGPUToNVVM
    : tilec::impl::ConvertTileGPUToNVVMPassBase<ConvertTileGPUToNVVM> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Architecture *arch = getArchitecture(module);
    if (!arch) {
      module.emitError() << "expected '" << kArchAttr
                         << "': run tilegpu-set-target first";
      return signalPassFailure();
    }
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(builder, module.getLoc(),
                           LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External,
                           kSharedSymbol, Attribute(), /*alignment=*/1024,
                           /*addrSpace=*/3);
    for (auto func :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (!func->hasAttr(tilegpu::kNumWarpsAttr) ||
          !func.getBody().hasOneBlock()) {
        func.emitError() << "expected a kernel with one block and '"
                         << tilegpu::kNumWarpsAttr
                         << "': run tilegpu-set-target first";
        return signalPassFailure();
      }
      if (failed(Emitter(func, *arch).run()))
        return signalPassFailure();
      func.erase();
    }
  }
};
} // namespace
