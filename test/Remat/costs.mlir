// Where an op's milliseconds come from: two rates, or a profile.

// DEFINE: %{in} = %S/doc-sg-rematerialize.mlir
// DEFINE: %{remarks} = --mlir-disable-threading --remark-format=emitRemark \
// DEFINE:   --remarks-filter=sg-rematerialize -o /dev/null

// With the rates 1 and 1 the 66,560 bytes of "grow" take 0.06656 ms.
// RUN: reprise-opt %{in} %{remarks} --sg-rematerialize="budget-bytes=70000 gflops=1 gbytes-per-second=1" \
// RUN:   2>&1 | FileCheck %s --check-prefix=SLOW
// SLOW: recomputed{{.*}}grow{{.*}}milliseconds=6.656000e-02

// The profile lacks "widen" and "both", which are the lesser half of the time.
// RUN: echo '{"version": 1, "model": "m", "processor": "p", "threads": 3, "library": "l", "ops": [' > %t.json
// RUN: echo '{"key": "grow f32[256] -> f32[64,256] flops 0", "ms": 7.125, "count": 2},' >> %t.json
// RUN: echo '{"key": "sum f32[64,256] -> f32[256] flops 16384", "ms": 5, "count": 2}]}' >> %t.json
// RUN: reprise-opt %{in} %{remarks} --sg-rematerialize="budget-bytes=70000 profile=%t.json" \
// RUN:   2>&1 | FileCheck %s --check-prefix=MEASURED
// MEASURED: warning: {{.*}}the profile was taken elsewhere: processor 'p', not '{{.*}}', threads '3', not '2', library 'l', not '
// MEASURED: recomputed{{.*}}grow{{.*}}milliseconds=7.125

// RUN: echo '{"version": 1, "model": "m", "processor": "p", "threads": 3, "library": "l", "ops": []}' > %t.none.json
// RUN: not reprise-opt %{in} --sg-rematerialize="budget-bytes=70000 profile=%t.none.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: error: {{.*}}the profile (of 'm', 0 distinct ops) has 0 of the step's 5 ops, 0.0% of its time

// RUN: not reprise-opt %{in} --sg-rematerialize="knee gflops=0" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RATE
// RATE: gflops and gbytes-per-second must be above 0 and at most 1e9, not 0
// RUN: not reprise-opt %{in} --sg-rematerialize="knee gbytes-per-second=-3" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TRAFFIC
// TRAFFIC: must be above 0 and at most 1e9, not -3
// RUN: not reprise-opt %{in} --sg-rematerialize="knee profile=%t/missing" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FILE
// FILE: cannot read profile '{{.*}}missing'
