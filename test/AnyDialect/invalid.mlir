// RUN: reprise-opt %s -split-input-file -verify-diagnostics --allow-unregistered-dialect \
// RUN:   --remat-to-budget="budget-bytes=4096"
// RUN: not reprise-opt %S/doc-remat-to-budget.mlir --allow-unregistered-dialect --remat-to-budget 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE --implicit-check-not=note:
// RUN: not reprise-opt %S/doc-remat-to-budget.mlir --allow-unregistered-dialect --remat-to-budget="budget-bytes=1 budget-percent=1.5" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: not reprise-opt %S/doc-remat-to-budget.mlir --allow-unregistered-dialect --remat-to-budget="budget-percent=nan" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAN
// RUN: not reprise-opt %S/doc-remat-to-budget.mlir --allow-unregistered-dialect --remat-to-budget="budget-percent=50 work=0" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WORK
// RUN: not reprise-opt %S/doc-remat-to-budget.mlir --allow-unregistered-dialect --remat-to-budget="budget-percent=50 gflops=0" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RATE
// RUN: not reprise-opt %S/doc-remat-to-budget.mlir --allow-unregistered-dialect --remat-to-budget="budget-percent=50 function=other" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: not reprise-opt %S/doc-remat-to-budget.mlir --allow-unregistered-dialect --remat-to-budget="budget-bytes=60000" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFUSED

// ONE: error: loc("remat-to-budget"): give one of budget-bytes, budget-percent and knee; none above 0 is given
// TWO: error: loc("remat-to-budget"): give one of budget-bytes, budget-percent and knee; budget-bytes=1 and budget-percent=1.5 are given
// NAN: error: loc("remat-to-budget"): budget-percent is {{-?}}nan; it must be above 0 and at most 1000
// WORK: error: loc("remat-to-budget"): work is 0; it must be above 0 and at most 1024
// RATE: error: loc("remat-to-budget"): gflops is 0; it must be above 0 and at most 1e9
// OTHER: error: loc("remat-to-budget"): function is 'other'; the module has no function of that name with a body
// REFUSED: error: budget of 58.6 KiB (60000 bytes) cannot be met; the smallest found is 66.0 KiB (67584 bytes)
// REFUSED: note: no schedule of these ops lives below 66.0 KiB (67584 bytes), because while 'foreign.both' runs these are live at once:
// REFUSED: note: 64.0 KiB (65536 bytes) 'foreign.grow', which it reads

// expected-error@below {{has no function with a body to rematerialize}}
module {
  func.func private @declared()
}

// -----

// expected-error@below {{has 2 blocks; only functions of one can be planned}}
func.func @blocks() {
  cf.br ^next
^next:
  return
}

// -----

func.func @unknown_bytes(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@below {{'other.op' op has result 0 of unknown bytes: it is a 'tensor<?xf32>'; give them by 'remat.bytes'}}
  %a = "other.op"(%x) {remat.pure} : (tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}

// -----

func.func @view_with_effects(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'other.op' op is a view, but not free of memory effects}}
  %a = "other.op"(%x) {remat.view = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @view_with_results(%m: memref<8xf32>) {
  // expected-error@below {{'memref.extract_strided_metadata' op is a view with 4 results; only views with one can be planned}}
  %base, %offset, %size, %stride = memref.extract_strided_metadata %m
    : memref<8xf32> -> memref<f32>, index, index, index
  return
}

// -----

func.func @too_long(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = "other.op"(%x) {remat.pure, remat.cost = 1.0e9}
    : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@below {{'other.op' op takes the function past 1e9 milliseconds}}
  %b = "other.op"(%a) {remat.pure, remat.cost = 1.0e9}
    : (tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

func.func @mistyped(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'other.op' op has attribute 'remat.prue', which is none of those known: remat.cost, remat.bytes, remat.workspace, remat.pure, remat.fixed, remat.view, remat.in_place, remat.phase, remat.recomputed}}
  %a = "other.op"(%x) {remat.prue} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @cost(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.cost' of value -1.000000e+00 : f64; it must be an f64 of milliseconds, at least 0 and at most 1e9}}
  %a = "other.op"(%x) {remat.cost = -1.0} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @cost_of_another_type(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.cost' of value 1 : i64; it must be an f64}}
  %a = "other.op"(%x) {remat.cost = 1} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @bytes(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.bytes' of value array<i64: 1, 2>; it must be an array of i64, one for each result, at least 0 and below 2^56}}
  %a = "other.op"(%x) {remat.bytes = array<i64: 1, 2>} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @workspace(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.workspace' of value -1 : i64; it must be an i64 of bytes, at least 0 and below 2^56}}
  %a = "other.op"(%x) {remat.workspace = -1} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @pure(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.pure' of value true; it must be a unit}}
  %a = "other.op"(%x) {remat.pure = true} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @pure_with_effects(%m: memref<8xf32>) {
  // expected-error@below {{'memref.dealloc' op has attribute 'remat.pure' but says that it has memory effects}}
  memref.dealloc %m {remat.pure} : memref<8xf32>
  return
}

// -----

func.func @fixed(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.fixed' of value 1 : i64; it must be a unit}}
  %a = "other.op"(%x) {remat.fixed = 1} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @view(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.view' of value 1 : i64; it must be an i64 that numbers an operand of an op with one result}}
  %a = "other.op"(%x) {remat.pure, remat.view = 1} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @in_place(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.in_place' of value array<i64: 0>; it must be an array of i64, pairs of a result and an operand of the op}}
  %a = "other.op"(%x) {remat.in_place = array<i64: 0>} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @in_place_of_nothing(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.in_place' of value array<i64: 0, 1>; it must be}}
  %a = "other.op"(%x) {remat.in_place = array<i64: 0, 1>} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @phase(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.phase' of value "middle"; it must be "forward" or "backward"}}
  %a = "other.op"(%x) {remat.phase = "middle"} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @recomputed(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{has attribute 'remat.recomputed' of value 0 : i64; it must be an i64 of at least 1}}
  %a = "other.op"(%x) {remat.recomputed = 0} : (tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

// expected-error@below {{has an argument with attribute 'remat.fixed'; attributes of remat are for ops}}
func.func @argument(%x: tensor<8xf32> {remat.fixed}) {
  return
}

// -----

// expected-error@below {{has a result with attribute 'remat.fixed'; attributes of remat are for ops}}
func.func @result(%x: tensor<8xf32>) -> (tensor<8xf32> {remat.fixed}) {
  return %x : tensor<8xf32>
}

// -----

func.func @effects_within(%m: memref<4xf32>) -> f32 {
  // expected-error@below {{'scf.execute_region' op has attribute 'remat.pure' but says that it has memory effects}}
  %a = scf.execute_region -> f32 {
    %c0 = arith.constant 0 : index
    %v = memref.load %m[%c0] : memref<4xf32>
    scf.yield %v : f32
  } {remat.pure}
  return %a : f32
}

// -----

// What is allocated within is nobody else's.
func.func @own_memory(%x: f32) -> f32 {
  %a = scf.execute_region -> f32 {
    %m = memref.alloca() : memref<f32>
    memref.store %x, %m[] : memref<f32>
    %v = memref.load %m[] : memref<f32>
    scf.yield %v : f32
  } {remat.pure}
  return %a : f32
}
