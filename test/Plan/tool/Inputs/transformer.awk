# A training step of n transformer layers of 22 ops, forward and backward, as
# 400 GFLOP/s and 35 GB/s would run them: awk -v n=12 -f transformer.awk
function value(name, bytes, storage) {
  values = values (values ? ",\n " : "") "{\"name\": \"" name "\", \"bytes\": " \
    bytes (storage ? ", \"storage\": \"" storage "\"" : "") "}"
}
function op(name, ins, bytes, ms, storage,   list) {
  list = ins
  gsub(" ", "\", \"", list)
  ops = ops (ops ? ",\n " : "") "{\"name\": \"f_" name "\", \"inputs\": [\"" list \
    "\"], \"outputs\": [\"" name "\"], \"cost_ms\": " ms phase "}"
  value(name, bytes, storage)
}
function moved(bytes) { return bytes / 35e6 }
function product(columns) { return 2 * T * D * columns / 4e8 }
BEGIN {
  T = 512; D = 768; B = T * D * 4; A = 12 * T * T * 4
  value("x", B, "input")
  h = "x"
  for (l = 0; l < n; ++l) {
    p = "l" l "_"
    op(p "n1", h, B, moved(2 * B))
    op(p "q", p "n1", 3 * B, product(3 * D))
    op(p "s", p "q", A, product(T))
    op(p "a", p "s", A, moved(2 * A))
    op(p "o", p "a " p "q", B, product(T))
    op(p "p", p "o", B, product(D))
    op(p "r1", p "p " h, B, moved(3 * B))
    op(p "n2", p "r1", B, moved(2 * B))
    op(p "f", p "n2", 4 * B, product(4 * D))
    op(p "g", p "f", 4 * B, moved(8 * B))
    op(p "r2", p "g " p "r1", B, product(4 * D))
    h = p "r2"
  }
  op("dh", h, B, moved(2 * B))
  g = "dh"
  phase = ", \"phase\": \"backward\""
  for (l = n - 1; l >= 0; --l) {
    p = "l" l "_"
    from = l ? "l" (l - 1) "_r2" : "x"
    op(p "dg", g " " p "g", 4 * B, 2 * product(4 * D))
    op(p "df", p "dg " p "f", 4 * B, moved(12 * B))
    op(p "dn2", p "df " p "n2", B, 2 * product(4 * D))
    op(p "dr", p "dn2 " p "r1", B, moved(3 * B))
    op(p "dr1", p "dr " g, B, moved(3 * B))
    op(p "do", p "dr1 " p "o", B, 2 * product(D))
    op(p "da", p "do " p "a " p "q", A, 2 * product(T))
    op(p "ds", p "da " p "a", A, moved(3 * A))
    op(p "dq", p "ds " p "q", 3 * B, 2 * product(T))
    op(p "dn1", p "dq " p "n1", B, 2 * product(3 * D))
    op(p "dh", p "dn1 " from " " p "dr1", B, moved(4 * B), l ? "" : "output")
    g = p "dh"
  }
  print "{\"version\": 1,\n\"values\": [" values "],\n\"ops\": [" ops "]}"
}
