// Every rule of the dialect, broken once.
//
// RUN: reprise-opt %s -split-input-file -verify-diagnostics

//===- Types and attributes ------------------------------------------------===//

func.func @dynamic(%x: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %0 = "sg.neg"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %0 = "sg.neg"(%x) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @empty(%x: tensor<0x4xf32>) {
  // expected-error @+1 {{extents of 1 to 2147483647 and below 2^48 bytes, but got 'tensor<0x4xf32>'}}
  %0 = sg.neg %x : tensor<0x4xf32>
  return
}

// -----

func.func @encoded(%x: tensor<4xf32, "encoded">) {
  // expected-error @+1 {{no encoding, extents of 1 to 2147483647 and below 2^48 bytes, but got 'tensor<4xf32, "encoded">'}}
  %0 = sg.neg %x : tensor<4xf32, "encoded">
  return
}

// -----

func.func @encoded_counter(%seed: tensor<i64, "encoded">, %step: tensor<i64>) {
  // expected-error @+1 {{operand #0 must be 0D tensor of 64-bit signless integer values, no encoding, but got 'tensor<i64, "encoded">'}}
  %0 = "sg.random_uniform"(%seed, %step) {stream = 1 : i64} : (tensor<i64, "encoded">, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @long(%x: tensor<2147483648xf32>) {
  // expected-error @+1 {{extents of 1 to 2147483647 and below 2^48 bytes}}
  %0 = sg.neg %x : tensor<2147483648xf32>
  return
}

// -----

func.func @large(%x: tensor<65536x65536x65536xf32>) {
  // expected-error @+1 {{extents of 1 to 2147483647 and below 2^48 bytes}}
  %0 = sg.neg %x : tensor<65536x65536x65536xf32>
  return
}

// -----

func.func @element(%x: tensor<4xi16>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %0 = sg.add %x, %x : tensor<4xi16>
  return
}

// -----

func.func @real_only(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of floating-point number values}}
  %0 = sg.exp %x : tensor<4xi32>
  return
}

// -----

func.func @same_type(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "sg.add"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{init zeros has no value}}
sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros, 1.0 : f64>}

// -----

// expected-error @+1 {{init normal needs a value}}
sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<normal>}

// -----

// expected-error @+1 {{has an argument with attribute 'sg.size'; only a string 'sg.name', a #sg.binding 'sg.binding', an array 'sg.index_ranges' and an i64 'sg.offset' of at least 0 are known}}
func.func @argument(%x: tensor<4xf32> {sg.size = 3 : i64}) {
  return
}

// -----

// expected-error @+1 {{has an argument with attribute 'sg.name'; only a string 'sg.name', a #sg.binding 'sg.binding', an array 'sg.index_ranges' and an i64 'sg.offset' of at least 0 are known}}
func.func @argument(%x: tensor<4xf32> {sg.name = 3 : i64}) {
  return
}

// -----

//===- Variables -----------------------------------------------------------===//

// expected-error @+1 {{needs a statically shaped tensor type of numbers, no encoding, extents of 1 to 2147483647 and below 2^48 bytes, but has 'tensor<?xf32>'}}
sg.variable @w : tensor<?xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// -----

// expected-error @+1 {{needs a statically shaped tensor type of numbers, no encoding, extents of 1 to 2147483647 and below 2^48 bytes, but has 'f32'}}
sg.variable @w : f32 {role = #sg.role<parameter>, init = #sg.init<zeros>}

// -----

// expected-error @+1 {{needs a statically shaped tensor type of numbers, no encoding, extents of 1 to 2147483647 and below 2^48 bytes, but has 'tensor<4x0xf32>'}}
sg.variable @w : tensor<4x0xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// -----

// expected-error @+1 {{file_permutation is not a permutation of 2 dimensions}}
sg.variable @w : tensor<4x3xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>, file_permutation = array<i32: 0, 0>}

// -----

// expected-error @+1 {{file_permutation is not a permutation of 2 dimensions}}
sg.variable @w : tensor<4x3xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>, file_permutation = array<i32: 0, 2>}

// -----

// expected-error @+1 {{file_permutation has 1 entries for 2 dimensions}}
sg.variable @w : tensor<4x3xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>, file_permutation = array<i32: 0>}

// -----

func.func @unknown() {
  // expected-error @+1 {{names no sg.variable: @w}}
  %0 = sg.read @w : tensor<4xf32>
  return
}

// -----

func.func private @w()
func.func @not_a_variable(%x: tensor<4xf32>) {
  // expected-error @+1 {{names no sg.variable: @w}}
  sg.write @w, %x : tensor<4xf32>
  return
}

// -----

// expected-note @+1 {{declared here}}
sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @read_type() {
  // expected-error @+1 {{has type 'tensor<5xf32>', but @w has type 'tensor<4xf32>'}}
  %0 = sg.read @w : tensor<5xf32>
  return
}

// -----

// expected-note @+1 {{declared here}}
sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @write_type(%x: tensor<4xf64>) {
  // expected-error @+1 {{has type 'tensor<4xf64>', but @w has type 'tensor<4xf32>'}}
  sg.write @w, %x : tensor<4xf64>
  return
}

// -----

// expected-note @+1 {{declared here}}
sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @gradient_type(%x: tensor<5xf32>) {
  // expected-error @+1 {{has type 'tensor<5xf32>', but @w has type 'tensor<4xf32>'}}
  %0 = sg.backward of [@w] -> tensor<5xf32> {
    sg.yield %x : tensor<5xf32>
  }
  return
}

// -----

sg.variable @m : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
func.func @running(%x: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{names no sg.variable: @v}}
  %0 = sg.batch_norm %x, %c, %c {epsilon = 1.0e-05 : f64, momentum = 0.1 : f64, running_mean = @m, running_variance = @v} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

//===- Blocks --------------------------------------------------------------===//

func.func @inputs(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 inputs whose types differ from its body's arguments}}
  "sg.module"(%x) <{path = "m"}> ({
  ^bb0(%a: tensor<5xf32>):
    sg.yield
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @results(%x: tensor<4xf32>) {
  // expected-error @+1 {{has results ('tensor<5xf32>') that differ from what it yields}}
  %0 = sg.module "m" (%a = %x : tensor<4xf32>) -> tensor<5xf32> {
    // expected-note @+1 {{yields ('tensor<4xf32>')}}
    sg.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @residuals(%x: tensor<4xf32>) {
  // expected-error @+1 {{claims 2 residuals among its 1 results}}
  %0 = sg.module "m" (%a = %x : tensor<4xf32>) -> tensor<4xf32> attributes {residuals = 2 : i64} {
    sg.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @negative_residuals(%x: tensor<4xf32>) {
  // expected-error @+1 {{claims -1 residuals among its 1 results}}
  %0 = sg.module "m" (%a = %x : tensor<4xf32>) -> tensor<4xf32> attributes {residuals = -1 : i64} {
    sg.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @isolated(%x: tensor<4xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = sg.module "m" () -> tensor<4xf32> {
    // expected-error @+1 {{using value defined outside the region}}
    %1 = sg.neg %x : tensor<4xf32>
    sg.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @kernel(%x: tensor<4xf32>) {
  // expected-error @+1 {{has results ('tensor<5xf32>') that differ from what it yields}}
  %0 = sg.kernel "k" (%a = %x : tensor<4xf32>) -> tensor<5xf32> {
    // expected-note @+1 {{yields ('tensor<4xf32>')}}
    sg.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @terminator() {
  // expected-error @+1 {{must end with sg.yield}}
  "sg.module"() <{path = "m"}> ({
    "func.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @empty_body() {
  // expected-error @+1 {{expects a non-empty block}}
  "sg.module"() <{path = "m"}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

func.func @empty_backward() {
  // expected-error @+1 {{expects a non-empty block}}
  "sg.backward"() <{parameters = []}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @gradients(%x: tensor<4xf32>) {
  // expected-error @+1 {{names 1 parameters for 2 gradients}}
  %0:2 = sg.backward of [@w] -> tensor<4xf32>, tensor<4xf32> {
    sg.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @yields(%x: tensor<4xf32>) {
  // expected-error @+1 {{has gradients ('tensor<4xf32>') that differ from what it yields}}
  %0 = sg.backward of [@w] -> tensor<4xf32> {
    sg.yield
  }
  return
}

// -----

func.func @barrier(%x: tensor<4xf32>) {
  // expected-error @+1 {{has results that differ from its inputs}}
  %0 = sg.barrier (%x) after (%x) : (tensor<4xf32>) after (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @path_is_empty(%x: tensor<4xf32>) {
  // expected-error @+1 {{has attribute 'sg.path', which is none of those known}}
  %0 = sg.relu %x {sg.path = ""} : tensor<4xf32>
  return
}

// -----

func.func @path_is_no_string(%x: tensor<4xf32>) {
  // expected-error @+1 {{has attribute 'sg.path', which is none of those known}}
  %0 = sg.relu %x {sg.path = 3 : i64} : tensor<4xf32>
  return
}

// -----

func.func @origin_is_a_string(%x: tensor<4xf32>) {
  // expected-error @+1 {{has attribute 'sg.origin', which is none of those known}}
  %0 = sg.relu %x {sg.origin = "layer1"} : tensor<4xf32>
  return
}

// -----

func.func @origin_has_no_phase(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected ','}}
  %0 = sg.relu %x {sg.origin = #sg.origin<"layer1">} : tensor<4xf32>
  return
}

// -----

func.func @offsets_are_too_few(%x: tensor<4xf32>) {
  // expected-error @+1 {{has attribute 'sg.offsets', which is none of those known}}
  %0 = sg.copy %x {sg.offsets = array<i64: 0>} : tensor<4xf32>
  return
}

// -----

func.func @offsets_are_negative(%x: tensor<4xf32>) {
  // expected-error @+1 {{has attribute 'sg.offsets', which is none of those known}}
  %0 = sg.copy %x {sg.offsets = array<i64: 0, -2>} : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{has an argument with attribute 'sg.offset'; only a string 'sg.name', a #sg.binding 'sg.binding', an array 'sg.index_ranges' and an i64 'sg.offset' of at least 0 are known}}
func.func @offset_is_negative(%x: tensor<4xf32> {sg.offset = -64 : i64}) {
  return
}

//===- Places --------------------------------------------------------------===//

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
// expected-error @+1 {{stands outside of a function}}
%w = sg.read @w : tensor<4xf32>

// -----

// expected-error @+1 {{stands outside of a function}}
%a = sg.keep %b : tensor<4xf32>
%b = sg.keep %a : tensor<4xf32>

// -----

func.func @unreachable(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^bb1:
  // expected-error @+1 {{is after a branch; a static graph is one block}}
  %a = sg.keep %b : tensor<4xf32>
  %b = sg.keep %a : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// expected-error @+1 {{a range of indices ends at 0, which is not above 0}}
func.func @range_is_empty(%y: tensor<4xi32> {sg.index_ranges = [#sg.index_range<class 0 at [0, 1]>]}) {
  return
}

// -----

// expected-error @+1 {{the runs of a range of indices are not pairs of increasing numbers}}
func.func @runs_overlap(%y: tensor<4x4xi32> {sg.index_ranges = [#sg.index_range<row 3 at [0, 2, 1, 3]>]}) {
  return
}

// -----

// expected-error @+1 {{has argument 0, but a range of indices ends at element 2 of rows of 1}}
func.func @runs_outside(%y: tensor<4xi32> {sg.index_ranges = [#sg.index_range<class 3 at [0, 2]>]}) {
  return
}

// -----

// expected-error @+1 {{has argument 0, but ranges of classes and rows are for tensors of i32 or i64, ranges of probabilities for floating-point numbers}}
func.func @ranges_of_numbers(%y: tensor<4xf32> {sg.index_ranges = [#sg.index_range<class 3 at [0, 1]>]}) {
  return
}

// -----

func.func @ignores_no_i32(%x: tensor<2x3xf32>, %y: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @+2 {{ignore_index is 4294967296, which is not an i32, as labels are}}
  // expected-error @+1 {{failed to infer returned types}}
  %l, %lse = sg.cross_entropy %x, %y {ignore_index = 4294967296 : i64}
    : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %l : tensor<2xf32>
}
