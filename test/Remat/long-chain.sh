# A model of that many layers: tanh(x w), each in a block of its own.
awk -v n="$1" 'BEGIN {
  t = "tensor<8x64xf32>"
  for (i = 0; i < n; ++i)
    printf "sg.variable @w%d : %s {role = #sg.role<parameter>, init = #sg.init<ones>}\n", i, t
  printf "func.func @f(%%x0: %s {sg.name = \"x\"}) -> (tensor<f32> " \
         "{sg.binding = #sg.binding<loss>, sg.name = \"loss\"}) {\n", t
  for (i = 0; i < n; ++i) {
    printf "  %%w%d = sg.read @w%d : %s\n", i, i, t
    printf "  %%x%d = sg.module \"l%d\" (%%a = %%x%d : %s, %%b = %%w%d : %s) " \
           "-> %s {\n", i + 1, i, i, t, i, t, t
    printf "    %%p = sg.mul %%a, %%b : %s\n    %%y = sg.tanh %%p : %s\n", t, t
    printf "    sg.yield %%y : %s\n  }\n", t
  }
  printf "  %%l = sg.reduce_sum %%x%d dims [0, 1] : %s -> tensor<f32>\n", n, t
  print "  return %l : tensor<f32>\n}"
}'
