//===- Rates.td - Rates of a machine as options -------------*- tablegen -*-===//
//
// The options of passes that model times: the members of rt::Roofline.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_RATES
#define REPRISE_PASSES_RATES

include "mlir/Pass/PassBase.td"

defvar Gflops = Option<"gflops", "gflops", "double", "400",
  "arithmetic that the machine does, in GFLOP/s">;
defvar NarrowGflops = Option<"narrowGflops", "narrow-gflops", "double", "0",
  "the same for library calls on bf16 and f16, in GFLOP/s; 0: as on others">;
defvar GbytesPerSecond = Option<"gbytesPerSecond", "gbytes-per-second",
  "double", "35", "bytes that the machine moves, in GB/s">;

defvar MachineRates = [Gflops, NarrowGflops, GbytesPerSecond];
// The rates of a machine without a library.
defvar WideRates = [Gflops, GbytesPerSecond];

#endif // REPRISE_PASSES_RATES
