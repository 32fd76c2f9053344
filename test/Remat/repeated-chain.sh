# A model of that many tanh of 64 numbers, which are then repeated in 4096 rows.
awk -v n="$1" 'BEGIN {
  few = "tensor<64xf32>"; t = "tensor<4096x64xf32>"
  printf "sg.variable @w : %s {role = #sg.role<parameter>, " \
         "init = #sg.init<ones>}\n", few
  printf "func.func @f(%%x: %s {sg.name = \"x\"}) -> (tensor<f32> " \
         "{sg.binding = #sg.binding<loss>, sg.name = \"loss\"}) {\n", t
  printf "  %%y0 = sg.read @w : %s\n", few
  for (i = 1; i <= n; ++i)
    printf "  %%y%d = sg.tanh %%y%d : %s\n", i, i - 1, few
  printf "  %%b = sg.broadcast %%y%d dims [1] : %s -> %s\n", n, few, t
  printf "  %%m = sg.mul %%x, %%b : %s\n  %%m1 = sg.tanh %%m : %s\n", t, t
  printf "  %%m2 = sg.mul %%m1, %%m : %s\n", t
  printf "  %%l = sg.reduce_sum %%m2 dims [0, 1] : %s -> tensor<f32>\n", t
  print "  return %l : tensor<f32>\n}"
}'
