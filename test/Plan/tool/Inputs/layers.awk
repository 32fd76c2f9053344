# A training step of n layers, some of which read an earlier one as well.
# awk -v seed=1 -v n=20 -f gen.awk
function draw(most) { state = (state * 16807) % 2147483647; return state % most }
BEGIN {
  state = seed * 7919 + 1
  for (i = 0; i < 5; ++i) draw(2)
  values = "{\"name\": \"x\", \"bytes\": 4096, \"storage\": \"input\"}"
  for (i = 1; i <= n; ++i) {
    size[i] = 64 * (1 + draw(4096)); skip[i] = i > 3 && draw(3) == 0 ? i - 2 - draw(i - 3) : 0
    from = i == 1 ? "x" : "h" (i - 1)
    values = values ",\n {\"name\": \"h" i "\", \"bytes\": " size[i] "}"
    ops = ops (i > 1 ? ",\n " : "") "{\"name\": \"f" i "\", \"cost_ms\": " (1 + draw(1000)) / 100 ", \"inputs\": [\"" from "\"" (skip[i] ? ", \"h" skip[i] "\"" : "") "], \"outputs\": [\"h" i "\"]}"
  }
  before = "h" n
  for (i = n; i >= 1; --i) {
    last = i == 1
    values = values ",\n {\"name\": \"g" i "\", \"bytes\": " size[i] (last ? ", \"storage\": \"output\"" : "") "}"
    ops = ops ",\n {\"name\": \"b" i "\", \"cost_ms\": " (1 + draw(2000)) / 100 ", \"phase\": \"backward\", \"inputs\": [\"" (before) "\"" (before == "h" i ? "" : ", \"h" i "\"") (i > 1 ? ", \"h" (i - 1) "\"" : "") (skip[i] && skip[i] != i - 1 ? ", \"h" skip[i] "\"" : "") "], \"outputs\": [\"g" i "\"]}"
    before = "g" i
  }
  print "{\"version\": 1,\n\"values\": [" values "],\n\"ops\": [" ops "]}"
}
