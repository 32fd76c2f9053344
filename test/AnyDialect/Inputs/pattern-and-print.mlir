// What the mains of these tests call: inputs, and results as bits.

#elements = affine_map<(i, j) -> (i, j)>

// Small numbers that differ from element to element.
func.func private @pattern(%m: index, %n: index, %seed: i64)
    -> tensor<?x?xf32> {
  %r = tensor.generate %m, %n {
  ^bb0(%i: index, %j: index):
    %seven = arith.constant 7 : i64
    %thirteen = arith.constant 13 : i64
    %modulus = arith.constant 23 : i64
    %middle = arith.constant 11 : i64
    %scale = arith.constant 0.03125 : f32
    %row = arith.index_cast %i : index to i64
    %column = arith.index_cast %j : index to i64
    %a = arith.muli %row, %seven : i64
    %b = arith.muli %column, %thirteen : i64
    %ab = arith.addi %a, %b : i64
    %abc = arith.addi %ab, %seed : i64
    %rest = arith.remsi %abc, %modulus : i64
    %centred = arith.subi %rest, %middle : i64
    %number = arith.sitofp %centred : i64 to f32
    %value = arith.mulf %number, %scale : f32
    tensor.yield %value : f32
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @printMemrefI32(%bits: tensor<*xi32>)

// Bits, so that equal text means equal numbers.
func.func private @print(%t: tensor<?x?xf32>) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %t, %i0 : tensor<?x?xf32>
  %n = tensor.dim %t, %i1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %bits = linalg.generic {indexing_maps = [#elements, #elements],
                          iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<?x?xf32>) outs(%empty : tensor<?x?xi32>) {
  ^bb0(%x: f32, %unused: i32):
    %y = arith.bitcast %x : f32 to i32
    linalg.yield %y : i32
  } -> tensor<?x?xi32>
  %any = tensor.cast %bits : tensor<?x?xi32> to tensor<*xi32>
  call @printMemrefI32(%any) : (tensor<*xi32>) -> ()
  return
}
