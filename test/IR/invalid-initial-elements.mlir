// RUN: reprise-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{has initial elements of type tensor<3xf32>, but is of type tensor<2xf32>}}
sg.variable @w : tensor<2xf32> {role = #sg.role<parameter>, init = #sg.init<elements, dense<0.0> : tensor<3xf32>>}

// -----

// expected-error @+1 {{is a seed, which a run sets, so that it has no initial elements}}
sg.variable @w : tensor<i64> {role = #sg.role<seed>, init = #sg.init<elements, dense<3> : tensor<i64>>}

// -----

// expected-error @+1 {{init elements needs them as dense<...> or dense_resource<...>}}
sg.variable @w : tensor<2xf32> {role = #sg.role<parameter>, init = #sg.init<elements>}

// -----

// expected-error @+1 {{init elements needs them as dense<...> or dense_resource<...>}}
sg.variable @w : tensor<2xf32> {role = #sg.role<parameter>, init = #sg.init<elements, 1.0 : f64>}

// -----

// expected-error @+1 {{init zeros has no value}}
sg.variable @w : tensor<2xf32> {role = #sg.role<parameter>, init = #sg.init<zeros, dense<0.0> : tensor<2xf32>>}

// -----

// expected-error @+1 {{init constant needs a value}}
sg.variable @w : tensor<2xf32> {role = #sg.role<parameter>, init = #sg.init<constant, dense<0.0> : tensor<2xf32>>}

// -----

// expected-error @+1 {{needs 8 bytes of initial elements, but its resource 'short' has 4}}
sg.variable @w : tensor<2xf32> {role = #sg.role<parameter>, init = #sg.init<elements, dense_resource<short> : tensor<2xf32>>}
{-#
  dialect_resources: {
    builtin: {
      short: "0x040000000000803F"
    }
  }
#-}

// -----

// expected-error @+1 {{has initial elements of i1 in a resource; write them as dense<...>}}
sg.variable @w : tensor<8xi1> {role = #sg.role<parameter>, init = #sg.init<elements, dense_resource<bits> : tensor<8xi1>>}
{-#
  dialect_resources: {
    builtin: {
      bits: "0x010000000101010101010101"
    }
  }
#-}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 64 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  rt.buffer 0 "w" parameter at 0 size 8
  // expected-error @+1 {{has initial elements of type tensor<3xf32>, but is of type tensor<2xf32>}}
  rt.variable "w" <0 + 0 : tensor<2xf32>> {role = #sg.role<parameter>, init = #sg.init<elements, dense<0.0> : tensor<3xf32>>}
}
