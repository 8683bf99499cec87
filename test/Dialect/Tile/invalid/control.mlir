// RUN: tile-opt --split-input-file --verify-diagnostics %s

func.func @program_id() { // (C1)
  // expected-error @+1 {{'tile.program_id' op expected axis 0, 1 or 2 of the grid, got 3}}
  %0 = tile.program_id 3 : i32
  return
}

// -----

func.func @num_programs() { // (C1)
  // expected-error @+1 {{'tile.num_programs' op expected axis 0, 1 or 2 of the grid, got -1}}
  %0 = tile.num_programs -1 : i32
  return
}

// -----

func.func @print(%x: tensor<8xi32>, %y: i32) { // (C1)
  // expected-error @+1 {{'tile.print' op expected values of one shape}}
  tile.print "", %x, %y : tensor<8xi32>, i32
  return
}

// -----

func.func @assert(%x: tensor<8xi32>) {
  // expected-error @+1 {{'tile.assert' op operand #0 must be 1-bit signless integer}}
  tile.assert %x, "" : tensor<8xi32>
  return
}

// -----

// Attributes of the dialect on other operations.

// expected-error @+1 {{'builtin.module' op expected a function to carry 'tile.kernel'}}
module attributes {tile.kernel} {}

// -----

// expected-error @+1 {{'func.func' op expected a kernel to have no results}}
func.func @kernel_result() -> i32 attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  return %0 : i32
}

// -----

// expected-error @+1 {{expected a positive integer that is a power of two as 'tile.num_warps', got 3 : i32}}
func.func @num_warps() attributes {tile.kernel, tile.num_warps = 3 : i32} {
  return
}

// -----

// expected-error @+1 {{expected a positive integer as 'tile.num_stages', got 0 : i32}}
func.func @num_stages() attributes {tile.kernel, tile.num_stages = 0 : i32} {
  return
}

// -----

// expected-error @+1 {{expected a positive integer as 'tile.num_stages', got "many"}}
func.func @num_stages_text() attributes {tile.kernel, tile.num_stages = "many"} {
  return
}

// -----

func.func @hint_rank(%x: tensor<4x8xi32>) {
  // expected-error @+1 {{'arith.addi' op expected 'tile.contiguity' to be an array of 2 i32, one for each axis}}
  %0 = arith.addi %x, %x {tile.contiguity = array<i32: 8>} : tensor<4x8xi32>
  return
}

// -----

func.func @hint_sign(%x: i32) {
  // expected-error @+1 {{'arith.addi' op expected 'tile.constancy' to hold positive numbers, got 0}}
  %0 = arith.addi %x, %x {tile.constancy = array<i32: 0>} : i32
  return
}

// -----

// expected-error @+1 {{expected 'tile.name' to be a string}}
func.func @name(%x: i32 {tile.name = 1 : i32}) {
  return
}

// -----

// expected-error @+1 {{expected 'tile.type' to be a string}}
func.func @type(%x: i32 {tile.type = i32}) {
  return
}

// -----

// expected-error @+1 {{expected a positive integer that is a power of two as 'tile.divisibility', got 12 : i32}}
func.func @divisibility(%x: i32 {tile.divisibility = 12 : i32}) {
  return
}

// -----

func.func @padded_value(%x: !tile.ptr<f32>) {
  // expected-error @+1 {{'tile.load' op expected a load to carry 'tile.padded', without a value}}
  %0 = tile.load %x {tile.padded = 1 : i32} : !tile.ptr<f32> -> f32
  return
}

// -----

func.func @padded_other(%x: i32) {
  // expected-error @+1 {{'arith.addi' op expected a load to carry 'tile.padded', without a value}}
  %0 = arith.addi %x, %x {tile.padded} : i32
  return
}

// -----

// expected-error @+1 {{unknown argument attribute 'tile.color'}}
func.func @unknown(%x: i32 {tile.color = "red"}) {
  return
}

// -----

func.func @mask(%x: tensor<8xi32>, %c: tensor<4xi1>) {
  // expected-error @+1 {{'tile.print' op expected values of one shape}}
  tile.print "", %x : tensor<8xi32> mask %c : tensor<4xi1>
  return
}

// -----

func.func @no_result(%x: i32) {
  // expected-error @+1 {{'tile.inline_asm' op expected at least one result}}
  tile.inline_asm "nop;" constraints "r" (%x) pack 1 : (i32) -> ()
  return
}

// -----

func.func @shapes(%x: tensor<8xi32>) {
  // expected-error @+1 {{'tile.inline_asm' op expected operands and results of one shape, got [4] and [8]}}
  %0 = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" (%x) pack 1 : (tensor<8xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @pack(%x: i32) {
  // expected-error @+1 {{'tile.inline_asm' op expected a pack of 1 to 32 elements, got 0}}
  %0 = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" (%x) pack 0 : (i32) -> i32
  return
}
