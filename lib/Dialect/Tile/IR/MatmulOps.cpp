//===- MatmulOps.cpp - matrix products ------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The verifier of the operations in MatmulOps.td.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/DotTypes.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

bool tilec::tile::areDotTypes(Type a, Type b, Type c) {
  bool fp8 = isa<Float8E4M3FNType, Float8E5M2Type>(a) &&
             isa<Float8E4M3FNType, Float8E5M2Type>(b);
  if (fp8 || (a.isF16() && b.isF16()))
    return c.isF32() || c.isF16();
  if (a != b)
    return false;
  if (a.isBF16() || a.isF32())
    return c.isF32();
  return a.isF64() ? c.isF64() : a.isInteger(8) && c.isInteger(32);
}

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = getShape(getA().getType()),
                    b = getShape(getB().getType()),
                    c = getShape(getC().getType());
  size_t rank = a.size();
  if ((rank != 2 && rank != 3) || b.size() != rank || c.size() != rank) // (C1)
    return emitOpError("expected three tiles of rank 2 or three of rank 3, got "
                       "ranks ")
           << rank << ", " << b.size() << " and " << c.size();
  if (rank == 3 && (a[0] != b[0] || a[0] != c[0])) // (C1)
    return emitOpError("expected equal first sizes, got ")
           << a[0] << ", " << b[0] << " and " << c[0];
  int64_t m = a[rank - 2], k = a[rank - 1], n = b[rank - 1];
  if (b[rank - 2] != k) // (C2)
    return emitOpError("expected ")
           << k << " rows in 'b', as 'a' has columns, got " << b[rank - 2];
  if (c[rank - 2] != m || c[rank - 1] != n) // (C2)
    return emitOpError("expected an accumulator of ")
           << m << "x" << n << ", got " << c[rank - 2] << "x" << c[rank - 1];
  Type ea = getElementType(getA().getType()),
       eb = getElementType(getB().getType()),
       ec = getElementType(getC().getType());
  if (!areDotTypes(ea, eb, ec)) // (C3)
    return emitOpError("expected element types that multiply, got ")
           << ea << " * " << eb << " -> " << ec;
  return success();
}
