// Functions that check themselves: numbers of NumPy and PyTorch, and the known
// answers of Random123's generators.
// RUN: evaluate-stablehlo --checks %s | FileCheck %s
// CHECK: checked.mlir: 1 parts, 1 read, 1 round trips, 1 right, {{[0-9]+}} functions
// CHECK: 1 of 1 files are right

// Each function is seen to compare.
// RUN: sed 's/dense<\[true, true, true, false, true, false\]>/dense<true>/' %s > %t.order.mlir
// RUN: not evaluate-stablehlo --checks %t.order.mlir 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: 'stablehlo.custom_call' op finds 0 where 1 is expected, at element 3
// ORDER: 1 parts, 1 read, 1 round trips, 0 right, 0 functions
// ORDER: 0 of 1 files are right
// RUN: sed 's/max_ulp_difference = 3/max_ulp_difference = 2/' %s > %t.close.mlir
// RUN: not evaluate-stablehlo --checks %t.close.mlir 2>&1 | FileCheck %s --check-prefix=CLOSE
// CLOSE: finds 1.0{{.*}} where 1.00{{.*}} is expected
// RUN: sed 's/2579123966/2579123967/' %s > %t.bits.mlir
// RUN: not evaluate-stablehlo --checks %t.bits.mlir 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: finds 2579123966 where 2579123967 is expected, at element 1
// RUN: sed 's/add %x, %x/tad %x, %x/' %s > %t.unknown.mlir
// RUN: not evaluate-stablehlo --checks %t.unknown.mlir %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: 1 parts, 0 read, 0 round trips, 0 right, 0 functions
// UNKNOWN: 1 of 2 files are right

func.func @complex() {
  %a = stablehlo.constant dense<[(1.5, 2.0), (-0.25, 0.5), (3.0, -1.0)]> : tensor<3xcomplex<f64>>
  %b = stablehlo.constant dense<[(0.5, -1.0), (2.0, 1.5), (-1.0, -2.0)]> : tensor<3xcomplex<f64>>
  %add = stablehlo.add %a, %b : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %add, dense<[(2.0, 1.0), (1.75, 2.0), (2.0, -3.0)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %subtract = stablehlo.subtract %a, %b : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %subtract, dense<[(1.0, 3.0), (-2.25, -1.0), (4.0, 1.0)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %multiply = stablehlo.multiply %a, %b : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %multiply, dense<[(2.75, -0.5), (-1.25, 0.625), (-5.0, -5.0)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %divide = stablehlo.divide %a, %b : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %divide, dense<[(-1.0, 2.0), (0.04, 0.22), (-0.2, 1.4000000000000001)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %power = stablehlo.power %a, %b : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %power, dense<[(3.594107287041342, -1.7478830773544338), (-0.014752743089839518, -0.0008112154374286772), (-0.06623944074942793, -0.15238785647782152)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %negate = stablehlo.negate %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %negate, dense<[(-1.5, -2.0), (0.25, -0.5), (-3.0, 1.0)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %exponential = stablehlo.exponential %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %exponential, dense<[(-1.8650407290090891, 4.075188339491183), (0.683461986410032, 0.37337698488938337), (10.852261914197959, -16.901396535150095)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %log = stablehlo.log %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %log, dense<[(0.9162907318741551, 0.9272952180016122), (-0.5815754049028404, 2.0344439357957027), (1.151292546497023, -0.3217505543966422)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %sqrt = stablehlo.sqrt %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %sqrt, dense<[(1.4142135623730951, 0.7071067811865475), (0.39307568887871164, 0.6360098247570345), (1.755317301824428, -0.28484878459314106)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %rsqrt = stablehlo.rsqrt %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %rsqrt, dense<[(0.565685424949238, -0.28284271247461895), (0.7031551685082859, -1.1377289620115663), (0.5550800690066424, 0.09007709480450046)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %tanh = stablehlo.tanh %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %tanh, dense<[(1.0641443991765371, -0.08039101531016819), (-0.3124206925025888, 0.504500702698564), (1.0020549882458116, -0.004517137276658425)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %sine = stablehlo.sine %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %sine, dense<[(3.752771340479298, 0.2565539560904818), (-0.2789791283502615, 0.504895714387995), (0.21775955162215221, 1.1634403637032504)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %cosine = stablehlo.cosine %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %cosine, dense<[(0.26612719531354573, -3.6177750739401375), (1.0925708047319176, 0.12892104172809826), (-1.5276382501165433, 0.1658444019189788)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %logistic = stablehlo.logistic %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %logistic, dense<[(1.0498425829702442, 0.23480734041636897), (0.43383633031047436, 0.12557009641386466), (0.9721864932113107, -0.03966222740197834)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %exponential_minus_one = stablehlo.exponential_minus_one %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %exponential_minus_one, dense<[(-2.865040729009089, 4.075188339491183), (-0.31653801358996814, 0.37337698488938337), (9.852261914197959, -16.901396535150095)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %log_plus_one = stablehlo.log_plus_one %a : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %log_plus_one, dense<[(1.1636388527922086, 0.6747409422235526), (-0.1038196823891223, 0.5880026035475675), (1.416606672028108, -0.24497866312686414)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-12 : f64}
  %abs = stablehlo.abs %a : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  check.expect_almost_eq_const %abs, dense<[2.5, 0.5590169943749475, 3.1622776601683795]> : tensor<3xf64> {tolerance = 1.0e-12 : f64}
  %re = stablehlo.real %a : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %im = stablehlo.imag %a : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %back = stablehlo.complex %re, %im : tensor<3xcomplex<f64>>
  check.expect_eq %back, %a : tensor<3xcomplex<f64>>
  check.expect_eq_const %im, dense<[2.0, 0.5, -1.0]> : tensor<3xf64>
  return
}

func.func @complex_product() {
  %a = stablehlo.constant dense<[[(1.0, 2.0), (0.5, -1.0)]]> : tensor<1x2xcomplex<f32>>
  %b = stablehlo.constant dense<[[(2.0, 0.0)], [(0.0, 4.0)]]> : tensor<2x1xcomplex<f32>>
  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xcomplex<f32>>, tensor<2x1xcomplex<f32>>) -> tensor<1x1xcomplex<f32>>
  check.expect_eq_const %r, dense<(6.0, 6.0)> : tensor<1x1xcomplex<f32>>
  return
}

func.func @unsigned() {
  %a = stablehlo.constant dense<[250, 7, 128, 255]> : tensor<4xui8>
  %b = stablehlo.constant dense<[3, 200, 128, 0]> : tensor<4xui8>
  %add = stablehlo.add %a, %b : tensor<4xui8>
  check.expect_eq_const %add, dense<[253, 207, 0, 255]> : tensor<4xui8>
  %divide = stablehlo.divide %a, %b : tensor<4xui8>
  check.expect_eq_const %divide, dense<[83, 0, 1, 255]> : tensor<4xui8>
  %maximum = stablehlo.maximum %a, %b : tensor<4xui8>
  check.expect_eq_const %maximum, dense<[250, 200, 128, 255]> : tensor<4xui8>
  %minimum = stablehlo.minimum %a, %b : tensor<4xui8>
  check.expect_eq_const %minimum, dense<[3, 7, 128, 0]> : tensor<4xui8>
  %remainder = stablehlo.remainder %a, %b : tensor<4xui8>
  check.expect_eq_const %remainder, dense<[1, 7, 0, 255]> : tensor<4xui8>
  %power = stablehlo.power %a, %b : tensor<4xui8>
  check.expect_eq_const %power, dense<[40, 193, 0, 1]> : tensor<4xui8>
  %shift_right_logical = stablehlo.shift_right_logical %a, %b : tensor<4xui8>
  check.expect_eq_const %shift_right_logical, dense<[31, 0, 0, 255]> : tensor<4xui8>
  %subtract = stablehlo.subtract %a, %b : tensor<4xui8>
  check.expect_eq_const %subtract, dense<[247, 63, 0, 255]> : tensor<4xui8>
  %lo = stablehlo.constant dense<100> : tensor<ui8>
  %hi = stablehlo.constant dense<240> : tensor<ui8>
  %clamp = stablehlo.clamp %lo, %a, %hi : (tensor<ui8>, tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
  check.expect_eq_const %clamp, dense<[240, 100, 128, 240]> : tensor<4xui8>
  %wide = stablehlo.convert %a : (tensor<4xui8>) -> tensor<4xf32>
  check.expect_eq_const %wide, dense<[250.0, 7.0, 128.0, 255.0]> : tensor<4xf32>
  %real = stablehlo.constant dense<[-3.5, 300.0, 41.9, 0x7FC00000]> : tensor<4xf32>
  %narrow = stablehlo.convert %real : (tensor<4xf32>) -> tensor<4xui8>
  check.expect_eq_const %narrow, dense<[0, 255, 41, 0]> : tensor<4xui8>
  %signed = stablehlo.convert %real : (tensor<4xf32>) -> tensor<4xi8>
  check.expect_eq_const %signed, dense<[-3, 127, 41, 0]> : tensor<4xi8>
  return
}

func.func @integer_products() {
  %x = stablehlo.constant dense<[[[200], [3], [7]]]> : tensor<1x3x1xui8>
  %w = stablehlo.constant dense<[[[2]], [[100]]]> : tensor<2x1x1xui8>
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xui8>, tensor<2x1x1xui8>) -> tensor<1x2x1xui32>
  check.expect_eq_const %r, dense<[[[700], [706]]]> : tensor<1x2x1xui32>
  %m = stablehlo.constant dense<[[1, -2], [3, 4], [-5, 6]]> : tensor<3x2xi32>
  %v = stablehlo.constant dense<[10, -1]> : tensor<2xi32>
  %p = stablehlo.dot %m, %v : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<3xi32>
  check.expect_eq_const %p, dense<[12, 26, -56]> : tensor<3xi32>
  return
}

func.func @orders() {
  %a = stablehlo.constant dense<[0xFFC00000, -1.0, -0.0, 0.0, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  %b = stablehlo.constant dense<[0xFF800000, 0x7FC00000, 0.0, 0.0, 0x7FC00000, 0xFFC00000]> : tensor<6xf32>
  %t = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %t, dense<[true, true, true, false, true, false]> : tensor<6xi1>
  %w = stablehlo.compare LT, %a, %b, WEAKORDER : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %w, dense<[false, true, false, false, true, false]> : tensor<6xi1>
  %f = stablehlo.compare LT, %a, %b, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %f, dense<[false, false, false, false, false, false]> : tensor<6xi1>
  return
}

func.func @sorted_with_companion() {
  %k = stablehlo.constant dense<[[5, 2, 9, 2], [0, 7, -4, 7]]> : tensor<2x4xi32>
  %v = stablehlo.constant dense<[[0.5, 1.5, 2.5, 3.5], [4.5, 5.5, 6.5, 7.5]]> : tensor<2x4xf32>
  %s:2 = "stablehlo.sort"(%k, %v) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x4xi32>, tensor<2x4xf32>) -> (tensor<2x4xi32>, tensor<2x4xf32>)
  check.expect_eq_const %s#0, dense<[[9, 5, 2, 2], [7, 7, 0, -4]]> : tensor<2x4xi32>
  check.expect_eq_const %s#1, dense<[[2.5, 0.5, 1.5, 3.5], [5.5, 7.5, 4.5, 6.5]]> : tensor<2x4xf32>
  return
}

func.func @largest() {
  %x = stablehlo.constant dense<[[3.0, 0x7FC00000, -1.0, 3.0, 8.0], [0.0, -0.0, 2.0, 0xFF800000, 1.0]]> : tensor<2x5xf32>
  %v, %i = chlo.top_k(%x, k = 3) : tensor<2x5xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  check.expect_eq_const %v, dense<[[0x7FC00000, 8.0, 3.0], [2.0, 1.0, 0.0]]> : tensor<2x3xf32>
  check.expect_eq_const %i, dense<[[1, 4, 0], [2, 4, 0]]> : tensor<2x3xi32>
  return
}

func.func @batch_norms() {
  %x = stablehlo.constant dense<[[[1.0, -2.5], [0.5, 3.0], [2.0, -1.0]], [[4.0, 0.25], [-3.0, 1.5], [0.75, 2.25]]]> : tensor<2x3x2xf64>
  %s = stablehlo.constant dense<[1.5, -0.5, 2.0]> : tensor<3xf64>
  %o = stablehlo.constant dense<[0.25, 1.0, -0.75]> : tensor<3xf64>
  %g = stablehlo.constant dense<[[[0.5, -1.0], [2.0, 0.25], [-0.75, 1.0]], [[1.5, 0.5], [-0.25, 3.0], [0.125, -2.0]]]> : tensor<2x3x2xf64>
  %y, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.125 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %y, dense<[[[0.45023151247677884, -1.7923614272631438], [1.0, 0.44098300562505266], [0.7485372985307106, -3.7470745970614203]], [[2.3724540322538554, -0.030324117467490336], [1.7826237921249264, 0.7763932022500212], [-1.1246343246326773, 1.1231716231633881]]]> : tensor<2x3x2xf64> {tolerance = 1.0e-12 : f64}
  check.expect_almost_eq_const %m, dense<[0.6875, 0.5, 1.0]> : tensor<3xf64> {tolerance = 1.0e-12 : f64}
  check.expect_almost_eq_const %v, dense<[5.35546875, 4.875, 1.65625]> : tensor<3xf64> {tolerance = 1.0e-12 : f64}
  %dx, %ds, %do = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 0.125 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x3x2xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %dx, dense<[[[0.006165360897360539, -0.1269607651456467], [-0.16770509831248423, 0.34938562148434216], [0.595635713505902, -0.11419774369285592]], [[-0.06279534247311672, 0.1835907467214029], [0.15931984339686003, -0.3410003665687179], [0.5184084623754814, -0.9998464321885275]]]> : tensor<2x3x2xf64> {tolerance = 1.0e-12 : f64}
  check.expect_almost_eq_const %ds, dense<[3.457330782099047, 2.0124611797498106, -3.957075053932657]> : tensor<3xf64> {tolerance = 1.0e-12 : f64}
  check.expect_almost_eq_const %do, dense<[1.5, 5.0, -1.625]> : tensor<3xf64> {tolerance = 1.0e-12 : f64}
  %rm = stablehlo.constant dense<[0.5, -1.0, 0.25]> : tensor<3xf64>
  %rv = stablehlo.constant dense<[2.0, 0.5, 1.0]> : tensor<3xf64>
  %i = "stablehlo.batch_norm_inference"(%x, %s, %o, %rm, %rv) <{epsilon = 0.125 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x2xf64>
  check.expect_almost_eq_const %i, dense<[[[0.7644957554275265, -2.8369745325651587], [0.051316701949486176, -1.5298221281347035], [2.549831645537222, -3.1070226039551585]], [[3.851470287992685, -0.007247877713763229], [2.264911064067352, -0.5811388300841898], [0.1928090415820634, 3.021236166328254]]]> : tensor<2x3x2xf64> {tolerance = 1.0e-12 : f64}
  return
}

func.func @threefry_zeros() {
  %s = stablehlo.constant dense<[0, 0]> : tensor<2xui64>
  %n, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  check.expect_eq_const %r, dense<[1797259609, 2579123966]> : tensor<2xui32>
  check.expect_eq_const %n, dense<[0, 1]> : tensor<2xui64>
  return
}

func.func @threefry_ones() {
  %s = stablehlo.constant dense<[18446744073709551615, 18446744073709551615]> : tensor<2xui64>
  %n, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  check.expect_eq_const %r, dense<[481924860, 3137350631]> : tensor<2xui32>
  check.expect_eq_const %n, dense<[18446744073709551615, 0]> : tensor<2xui64>
  return
}

func.func @threefry_pi() {
  %s = stablehlo.constant dense<[247824715720788526, 9629550131187509896]> : tensor<2xui64>
  %n, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  check.expect_eq_const %r, dense<[3297917596, 1212020640]> : tensor<2xui32>
  check.expect_eq_const %n, dense<[247824715720788526, 9629550131187509897]> : tensor<2xui64>
  return
}

func.func @philox_zeros() {
  %s = stablehlo.constant dense<[0, 0, 0]> : tensor<3xui64>
  %n, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  check.expect_eq_const %r, dense<[1713891541, 3781805453, 3159862348, 2600524760]> : tensor<4xui32>
  check.expect_eq_const %n, dense<[0, 1, 0]> : tensor<3xui64>
  return
}

func.func @philox_ones() {
  %s = stablehlo.constant dense<[18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<3xui64>
  %n, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  check.expect_eq_const %r, dense<[1083123565, 1103641358, 2718681030, 1834242557]> : tensor<4xui32>
  check.expect_eq_const %n, dense<[18446744073709551615, 0, 0]> : tensor<3xui64>
  return
}

func.func @philox_pi() {
  %s = stablehlo.constant dense<[2999170649027065890, 9629550131187509896, 247824715720788526]> : tensor<3xui64>
  %n, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  check.expect_eq_const %r, dense<[3513581065, 2499661035, 1342301216, 605187745]> : tensor<4xui32>
  check.expect_eq_const %n, dense<[2999170649027065890, 9629550131187509897, 247824715720788526]> : tensor<3xui64>
  return
}

func.func @wide_bits() {
  %s = stablehlo.constant dense<0> : tensor<2xui64>
  %n, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
  check.expect_eq_const %r, dense<11077253088097075545> : tensor<1xui64>
  return
}

func.func @bits() {
  %a = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
  %i = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2xi32>
  check.expect_eq_const %i, dense<[1069547520, -1073741824]> : tensor<2xi32>
  %b = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x4xui8>
  check.expect_eq_const %b, dense<[[0, 0, 192, 63], [0, 0, 0, 192]]> : tensor<2x4xui8>
  %back = stablehlo.bitcast_convert %b : (tensor<2x4xui8>) -> tensor<2xf32>
  check.expect_eq %back, %a : tensor<2xf32>
  return
}

func.func @cases() {
  %a = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %i0 = stablehlo.constant dense<1> : tensor<i32>
  %c0 = "stablehlo.case"(%i0) ({
    stablehlo.return %a : tensor<2xf32>
  }, {
    %n = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %n : tensor<2xf32>
  }, {
    %d = stablehlo.add %a, %a : tensor<2xf32>
    stablehlo.return %d : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  check.expect_eq_const %c0, dense<[-1.0, 2.0]> : tensor<2xf32>
  %i1 = stablehlo.constant dense<-7> : tensor<i32>
  %c1 = "stablehlo.case"(%i1) ({
    stablehlo.return %a : tensor<2xf32>
  }, {
    %n = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %n : tensor<2xf32>
  }, {
    %d = stablehlo.add %a, %a : tensor<2xf32>
    stablehlo.return %d : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  check.expect_eq_const %c1, dense<[2.0, -4.0]> : tensor<2xf32>
  %i2 = stablehlo.constant dense<3> : tensor<i32>
  %c2 = "stablehlo.case"(%i2) ({
    stablehlo.return %a : tensor<2xf32>
  }, {
    %n = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %n : tensor<2xf32>
  }, {
    %d = stablehlo.add %a, %a : tensor<2xf32>
    stablehlo.return %d : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  check.expect_eq_const %c2, dense<[2.0, -4.0]> : tensor<2xf32>
  return
}

func.func private @twice.impl(%x: tensor<3xi32>) -> tensor<3xi32> {
  %y = call @once(%x) : (tensor<3xi32>) -> tensor<3xi32>
  %z = call @once(%y) : (tensor<3xi32>) -> tensor<3xi32>
  return %z : tensor<3xi32>
}
func.func private @once(%x: tensor<3xi32>) -> tensor<3xi32> {
  %y = stablehlo.add %x, %x : tensor<3xi32>
  return %y : tensor<3xi32>
}
func.func @composites() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %y = stablehlo.composite "mine.twice" %x {composite_attributes = {count = 2 : i64}, decomposition = @twice.impl, version = 1 : i32} : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %y, dense<[4, 8, 12]> : tensor<3xi32>
  return
}

func.func @functions() {
  %x = stablehlo.constant dense<[0.3, 2.5, -1.75, 12.0]> : tensor<4xf64>
  %d = chlo.digamma %x : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %d, dense<[-3.502524222200133, 0.7031566406452431, -2.3226916286143604, 2.4426616799758123]> : tensor<4xf64> {tolerance = 1.0e-12 : f64}
  %l = chlo.lgamma %x : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %l, dense<[1.0957979948180756, 0.2846828704729192, 1.0160888092144358, 17.502307845873887]> : tensor<4xf64> {tolerance = 1.0e-12 : f64}
  %p = stablehlo.constant dense<[0.3, -0.95, 0.999999, 0.0]> : tensor<4xf64>
  %e = chlo.erf_inv %p : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %e, dense<[0.2724627147267544, -1.385903824349678, 3.458910737275499, 0.0]> : tensor<4xf64> {tolerance = 1.0e-12 : f64}
  return
}

func.func @tolerances() {
  %a = stablehlo.constant dense<1.0> : tensor<f16>
  %b = stablehlo.constant dense<1.002930> : tensor<f16>
  check.expect_close %a, %b, max_ulp_difference = 3 : tensor<f16>, tensor<f16>
  %eq = stablehlo.custom_call @check.eq(%a, %a) : (tensor<f16>, tensor<f16>) -> tensor<i1>
  check.expect_eq_const %eq, dense<true> : tensor<i1>
  return
}
