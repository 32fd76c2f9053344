# A chain of n ops. -v kind=matmul: every other one is a matrix product, which
# leaves kernels of one op; otherwise they could all be one kernel.
BEGIN {
  matrix = "tensor<8x16xf32>"
  print "module {"
  print "sg.variable @w : tensor<16x16xf32> {role = #sg.role<parameter>, " \
    "init = #sg.init<uniform, 1.0e-01 : f64>}"
  print "func.func @chain(%x: " matrix " {sg.name = \"x\"}) -> " \
    "(tensor<f32> {sg.name = \"loss\", sg.binding = #sg.binding<loss>}) {"
  print "%w = sg.read @w : tensor<16x16xf32>"
  print "%v0 = sg.matmul %x, %w : (" matrix ", tensor<16x16xf32>) -> " matrix
  for (i = 1; i <= n; ++i) {
    before = "%v" (i - 1)
    if (i % 2)
      print "%v" i " = sg.relu " before " : " matrix
    else if (kind == "matmul")
      print "%v" i " = sg.matmul " before ", %w : (" matrix \
        ", tensor<16x16xf32>) -> " matrix
    else
      print "%v" i " = sg.add " before ", %v0 : " matrix
  }
  print "%loss = sg.reduce_sum %v" n " dims [0, 1] : " matrix " -> tensor<f32>"
  print "return %loss : tensor<f32>\n}\n}"
}
