# n sums of a value with itself, of every other row of a matrix.
BEGIN {
  matrix = "tensor<4x16xf32>"
  print "module {"
  print "sg.variable @w : tensor<16x16xf32> {role = #sg.role<parameter>, " \
    "init = #sg.init<uniform, 1.0e-01 : f64>}"
  print "func.func @chain(%x: tensor<8x16xf32> {sg.name = \"x\"}) -> " \
    "(tensor<f32> {sg.name = \"loss\", sg.binding = #sg.binding<loss>}) {"
  print "%w = sg.read @w : tensor<16x16xf32>"
  print "%y = sg.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> " \
    "tensor<8x16xf32>"
  print "%v0 = sg.slice %y [0, 0] to [8, 16] by [2, 1] : tensor<8x16xf32> -> " matrix
  for (i = 1; i <= n; ++i)
    print "%v" i " = sg.add %v" (i - 1) ", %v" (i - 1) " : " matrix
  print "%loss = sg.reduce_sum %v" n " dims [0, 1] : " matrix " -> tensor<f32>"
  print "return %loss : tensor<f32>\n}\n}"
}
