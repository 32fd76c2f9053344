//===- CompiledRun.h - A model compiled and stepped -------------*- C++ -*-===//
#ifndef REPRISE_TEST_ENDTOEND_COMPILEDRUN_H
#define REPRISE_TEST_ENDTOEND_COMPILEDRUN_H

#include "reprise/Passes/Pipelines.h"
#include "reprise/Reference/Evaluator.h"
#include <map>
#include <string>
#include <vector>

namespace reprise::end_to_end {

/// Loads the compiler's dialects, with reference models of their ops.
void loadDialects(mlir::MLIRContext &context);

/// Shows no warnings: modes may find fewer cuts than they were asked for.
void hideWarnings(mlir::MLIRContext &context);

/// Bytes of a tensor as the runtime takes and gives them.
using Bytes = std::vector<uint8_t>;
using ByteStore = std::map<std::string, Bytes>;

Bytes toBytes(const reference::Tensor &tensor);
reference::Tensor fromBytes(mlir::RankedTensorType type, const Bytes &bytes);

struct CompiledRun {
  std::vector<ByteStore> variables; // after each step
  std::vector<ByteStore> outputs;   // of each step, the loss among them
  std::vector<float> losses;
  size_t predictedPeak = 0;
  size_t measuredPeak = 0; // the highest end of what steps were given
  size_t changedPeak = 0;  // the highest byte that changed, see MemoryCheck
};

/// What a message calls a compilation, and how it is done.
struct Variant {
  std::string label;
  CompileOptions options;
};

/// Of a training step for trainingTarget(), with the little effort that a small
/// model's plan takes.
CompileOptions trainingOptions();

/// "cpu:native", unless somebody sets another one.
std::string &trainingTarget();

/// The type that kept values are rounded to, of whatever size.
LossyKept &trainingLossyKept();

/// The same of a random graph. A third of the seeds clip gradients, in all
/// modes and norms, with Nesterov's momentum and weights alone decaying, a
/// third run two micro-batches. A quarter of the seeds, and those of kept
/// graphs (from a million on), run on two threads, which wait for each other
/// most of the time where tests run beside each other; the others on one.
CompileOptions trainingOptions(uint64_t seed);

/// Computes library ops in f32 whose types the library of trainingTarget() does
/// not take, as mixed precision does it: a processor without AVX-512 refuses
/// bf16 otherwise.
void widenCalls(mlir::ModuleOp model);

/// Whether each program is made a second time, without locations, and must come
/// out the same; see StrippedLocations.h.
enum class Twin { None, Stripped };

/// The artifact of a clone of `model` for each variant. Their kernels are
/// compiled together, because most of them are equal and compiling takes longer
/// than all the rest. Returns "LABEL: does not compile: ..." or "".
std::string compileVariants(mlir::ModuleOp model,
                            const std::vector<Variant> &variants,
                            std::vector<Bytes> &files, Twin twin = Twin::None);

/// The artifact of a clone of `model` in each mode: one of
/// sg-assign-checkpointing, or "budget=K/N", a budget K parts of N of the way
/// from the smallest one to the bytes without recomputation, or "host=K/N",
/// that budget with host memory.
std::string compileModes(mlir::ModuleOp model,
                         const std::vector<std::string> &modes,
                         const CompileOptions &options,
                         std::vector<Bytes> &files, Twin twin = Twin::None);

/// The steps of an artifact that copy to host memory.
size_t countOffloads(const Bytes &file);

/// Runs `steps` steps of an artifact with dead buffers poisoned and its memory
/// checked. Returns what went wrong, or "".
std::string runArtifact(const Bytes &file, const ByteStore &variables,
                        const ByteStore &inputs, unsigned steps,
                        CompiledRun &run);

/// Runs a step of each artifact in turn, in one session that switches from one
/// to the next. Fills no peaks. Returns what went wrong, or "".
std::string runSchedule(const std::vector<const Bytes *> &files,
                        const ByteStore &variables, const ByteStore &inputs,
                        CompiledRun &run);

} // namespace reprise::end_to_end

#endif // REPRISE_TEST_ENDTOEND_COMPILEDRUN_H
