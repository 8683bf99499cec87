//===- SharedAccess.cpp - moves tiles through shared memory ---------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The layout library has planned each access (Layout/Swizzle.h): which
// registers one instruction moves and the address of each, as xors of columns.
// Here they become instructions. An address is base + (thread's part ^
// register's part); where the parts share no bit the register's part is an
// immediate.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "tilec/Analysis/AsyncCopy.h"
#include "tilec/Analysis/SharedMemory.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The bits that a thread's part of an address may set.
static uint32_t getThreadBits(const Bases &addr) {
  uint32_t bits = 0;
  for (InDim dim : {InDim::Lane, InDim::Warp})
    for (uint32_t column : addr[dim])
      bits |= column;
  return bits;
}

SharedAddress::SharedAddress(Emitter &e, const Bases &thread, Value base,
                             unsigned bytes)
    : e(e), base(base), part(e.applyThread(thread)),
      threadBits(getThreadBits(thread)), bytes(bytes) {}

Value SharedAddress::get(uint32_t own) {
  Type pointer = base.getType(), i8 = e.b.getI8Type();
  // Few different values of the common bits, so few bases to keep in registers;
  // the rest is the instruction's immediate.
  Value &address = bases[own & threadBits];
  if (!address) {
    Value offset = part;
    if (own & threadBits)
      offset = LLVM::XOrOp::create(e.b, e.loc, offset, e.i32(own & threadBits));
    if (bytes > 1)
      offset =
          LLVM::ShlOp::create(e.b, e.loc, offset, e.i32(llvm::Log2_32(bytes)));
    address = LLVM::GEPOp::create(e.b, e.loc, pointer, i8, base,
                                  ArrayRef<LLVM::GEPArg>{offset});
  }
  uint32_t immediate = own & ~threadBits;
  if (!immediate)
    return address;
  return LLVM::GEPOp::create(
      e.b, e.loc, pointer, i8, address,
      ArrayRef<LLVM::GEPArg>{int32_t(immediate * bytes)});
}

/// The register that bit i of the position in a vector adds.
static SmallVector<uint32_t, 4> getVectorMasks(const Access &access) {
  SmallVector<uint32_t, 4> masks;
  gf2::Span span(access.addr[InDim::Register]);
  for (unsigned i = 0; i < access.v; ++i)
    masks.push_back(*span.solve(1u << i));
  return masks;
}

void tilec::writeShared(Emitter &e, const Access &access,
                        ArrayRef<Value> registers, Value base, Value owner) {
  unsigned bytes = access.bits / 8;
  SharedAddress addresses(e, access.addr, base, bytes);
  forEachVector(
      registers.size(), getVectorMasks(access), [&](ArrayRef<unsigned> vector) {
        // The first register need not be the one at the vector's lowest offset:
        // vector[k] is at position `at` ^ k.
        const Vectors &columns = access.addr[InDim::Register];
        unsigned at = gf2::mul(columns, vector[0]) & (vector.size() - 1);
        Registers elements;
        for (unsigned k = 0; k < vector.size(); ++k) {
          Value value = registers[vector[at ^ k]];
          if (value.getType().isInteger(1))
            value = LLVM::ZExtOp::create(e.b, e.loc, e.b.getI8Type(), value);
          elements.push_back(value);
        }
        uint32_t own = gf2::mul(columns, vector[at]);
        storeWords(e, addresses.get(own), e.pack(elements), owner, "shared");
      });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// What a lane's and a warp's bits add to the address that a thread gives.
static Bases getPointers(const Access &access) {
  if (access.kind == AccessKind::Vec)
    return access.addr;
  // Lanes 0-7 point at the rows of the first matrix, 8-15 at those of the
  // second.
  Bases pointers;
  pointers[InDim::Lane] = Vectors(access.rowCols.begin(), access.rowCols.end());
  for (unsigned i = 0; 1u << i < access.num; ++i)
    pointers[InDim::Lane].push_back(access.rest[i]);
  pointers[InDim::Warp] = access.addr[InDim::Warp];
  return pointers;
}

SharedReader::SharedReader(Emitter &e, const Access &access,
                           unsigned numRegisters, Type element, Value base)
    : e(e), access(access), element(element),
      addresses(e, getPointers(access), base, access.bits / 8),
      registers(numRegisters) {
  if (access.kind == AccessKind::Vec)
    vectorMasks = getVectorMasks(access);
}

Value SharedReader::get(unsigned reg) {
  if (!registers[reg]) {
    if (access.kind == AccessKind::Vec)
      readVector(reg);
    else
      readMatrices(reg);
  }
  return registers[reg];
}

Registers tilec::loadSharedVector(Emitter &e, Value address, Type element,
                                  unsigned count) {
  bool isBit = element.isInteger(1);
  unsigned bits = getBits(element);
  unsigned wordBits = std::min(std::max(32u, bits), count * bits);
  Registers words = loadWords(e, address, e.b.getIntegerType(wordBits),
                              count * bits / wordBits);
  Registers values =
      e.unpack(words, isBit ? Type(e.b.getI8Type()) : element, count);
  if (isBit)
    for (Value &value : values)
      value = LLVM::TruncOp::create(e.b, e.loc, element, value);
  return values;
}

void SharedReader::readVector(unsigned reg) {
  // The vector's element at position 0: clear the position bits of the address.
  const Vectors &columns = access.addr[InDim::Register];
  uint32_t position = gf2::mul(columns, reg) & ((1u << vectorMasks.size()) - 1);
  unsigned first = reg ^ gf2::mul(vectorMasks, position);
  Value address = addresses.get(gf2::mul(columns, first));
  Registers elements =
      loadSharedVector(e, address, element, 1u << vectorMasks.size());
  for (auto [k, value] : llvm::enumerate(elements))
    registers[first ^ gf2::mul(vectorMasks, k)] = value;
}

void SharedReader::readMatrices(unsigned reg) {
  // reg as a sum of what picks the matrix and what picks the half of a word.
  Vectors basis(access.restRegs.begin(), access.restRegs.end());
  llvm::append_range(basis, access.half);
  uint64_t parts = *gf2::Span(basis).solve(reg);
  unsigned inInstruction = llvm::Log2_32(access.num);
  uint64_t high = parts & ((1ull << access.rest.size()) - 1) &
                  ~((1ull << inInstruction) - 1);
  Value address = addresses.get(gf2::mul(access.rest, high));
  bool trans = access.kind == AccessKind::MatrixTrans;
  Type i32 = e.b.getI32Type();
  Type result =
      access.num == 1
          ? i32
          : Type(LLVM::LLVMStructType::getLiteral(
                e.b.getContext(), SmallVector<Type>(access.num, i32)));
  Value loaded = NVVM::LdMatrixOp::create(
      e.b, e.loc, result, address, access.num,
      trans ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(e.b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  for (unsigned j = 0; j < access.num; ++j) {
    Value word =
        access.num == 1
            ? loaded
            : Value(LLVM::ExtractValueOp::create(e.b, e.loc, loaded, j));
    unsigned first = gf2::mul(access.restRegs, high | j);
    Registers elements = e.unpack({word}, element, 1u << access.half.size());
    for (unsigned k = 0; k < elements.size(); ++k)
      registers[first ^ gf2::mul(access.half, k)] = elements[k];
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Registers Emitter::convertLayout(ArrayRef<Value> registers, Type from, Type to,
                                 std::optional<int64_t> offset) {
  Conversion plan = planConversion(from, to);
  const LinearLayout &a = getLayout(from), &target = getLayout(to);
  unsigned count = target.size(InDim::Register);
  Registers result;
  if (plan.kind == ConversionKind::Noop ||
      plan.kind == ConversionKind::Registers) {
    gf2::Span span(a.columns(InDim::Register));
    for (unsigned r = 0; r < count; ++r)
      result.push_back(
          registers[*span.solve(target.apply(InDim::Register, r))]);
    return result;
  }
  Type element = getElementTypeOrSelf(to);
  if (plan.kind == ConversionKind::Select ||
      plan.kind == ConversionKind::Shuffle)
    return emitExchange(*this, *plan.exchange, registers, element, target);
  assert(plan.shared && offset && "allocated with the same plan");
  Value base = sharedAddress(*offset);
  writeShared(*this, plan.shared->store, registers, base, isOwner(a));
  barrier();
  SharedReader reader(*this, plan.shared->load, count, element, base);
  for (unsigned r = 0; r < count; ++r)
    result.push_back(reader.get(r));
  return result;
}

LogicalResult tilec::emitConvertLayout(Emitter &e, ConvertLayoutOp op) {
  Conversion plan = planConversion(op.getSrc().getType(), op.getType());
  std::optional<int64_t> offset;
  if (auto attr = op->getAttrOfType<IntegerAttr>(kOffsetAttr))
    offset = attr.getInt();
  if (plan.kind == ConversionKind::Cluster)
    return op.emitError("expected a conversion inside one block");
  e.set(op.getResult(),
        e.convertLayout(e.get(op.getSrc()), op.getSrc().getType(), op.getType(),
                        offset));
  return success();
}

LogicalResult tilec::emitLocalAlloc(Emitter &e, LocalAllocOp op) {
  auto offset = op->getAttrOfType<IntegerAttr>(kOffsetAttr);
  const LinearLayout &layout = getLayout(op.getSrc().getType());
  auto access = planVectors(op.getSrc().getType(), op.getType());
  assert(access && "a buffer holds every element of a tile of its shape");
  Value base = e.sharedAddress(offset.getInt());
  e.set(op.getResult(), {base});
  writeShared(e, *access, e.get(op.getSrc()), base, e.isOwner(layout));
  return success();
}

LogicalResult tilec::emitRingAlloc(Emitter &e, RingAllocOp op) {
  auto offset = op->getAttrOfType<IntegerAttr>(kOffsetAttr);
  e.set(op.getResult(), {e.sharedAddress(offset.getInt())});
  return success();
}

/// The address of one buffer of a ring.
static Value getSlot(Emitter &e, Value ring, Value index) {
  int64_t bytes = getBufferBytes(cast<MemDescType>(ring.getType()));
  Value offset =
      LLVM::MulOp::create(e.b, e.loc, e.getScalar(index), e.i32(bytes));
  Value base = e.getScalar(ring);
  return LLVM::GEPOp::create(e.b, e.loc, base.getType(), e.b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

LogicalResult tilec::emitSlot(Emitter &e, SlotOp op) {
  e.set(op.getResult(), {getSlot(e, op.getRing(), op.getIndex())});
  return success();
}

LogicalResult tilec::emitKeep(Emitter &e, KeepOp op) {
  Type type = op.getSrc().getType();
  auto access = planVectors(type, op.getRing().getType());
  assert(access && "a buffer holds every element of a tile of its shape");
  // Copies of an element write the same, and need not wait for each other.
  writeShared(e, *access, e.get(op.getSrc()),
              getSlot(e, op.getRing(), op.getIndex()), /*owner=*/{});
  return success();
}

LogicalResult tilec::emitRecall(Emitter &e, RecallOp op) {
  auto access = planVectors(op.getType(), op.getRing().getType());
  assert(access && "a buffer holds every element of a tile of its shape");
  unsigned count = getLayout(op.getType()).size(InDim::Register);
  SharedReader reader(e, *access, count, getElementTypeOrSelf(op.getType()),
                      getSlot(e, op.getRing(), op.getIndex()));
  Registers result;
  for (unsigned r = 0; r < count; ++r)
    result.push_back(reader.get(r));
  e.set(op.getResult(), std::move(result));
  return success();
}

LogicalResult tilec::emitAsyncCopy(Emitter &e, AsyncCopyOp op) {
  auto plan = planAsyncCopy(e.facts(), op.getPtr(), op.getMask(),
                            op.getRing().getType());
  if (!plan)
    return op.emitError(
        "expected vectors of 4 bytes at least: load, and write with "
        "tilegpu.local_alloc");
  ArrayRef<Value> pointers = e.get(op.getPtr());
  Value base = getSlot(e, op.getRing(), op.getIndex());
  Value owner = e.isOwner(getLayout(op.getPtr().getType()));
  SharedAddress addresses(e, plan->store.addr, base, plan->store.bits / 8);
  forEachVector(pointers.size(), plan->vector, [&](ArrayRef<unsigned> vector) {
    unsigned bytes = plan->store.bits / 8 * vector.size();
    Value to =
        addresses.get(gf2::mul(plan->store.addr[InDim::Register], vector[0]));
    // 16 bytes may go past L1, which holds nothing that is read twice.
    std::string text = std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") +
                       ".shared.global [$0], [$1], " + std::to_string(bytes);
    std::string constraints = "r,l";
    SmallVector<Value> operands{to, pointers[vector[0]]};
    unsigned next = 2;
    if (op.getMask()) {
      // Bytes past those that are read become zero.
      Value size = LLVM::SelectOp::create(
          e.b, e.loc, e.get(op.getMask())[vector[0]], e.i32(bytes), e.i32(0));
      operands.push_back(size);
      constraints += ",r";
      text += ", $" + std::to_string(next++);
    }
    if (owner) {
      operands.push_back(owner);
      constraints += ",b";
      text = "@$" + std::to_string(next) + " " + text;
    }
    e.ptx(text + ";", constraints, {}, operands, /*sideEffects=*/true);
  });
  return success();
}
