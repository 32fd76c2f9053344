//===- LibraryFunctions.h - Forms of library functions ----------*- C++ -*-===//
//
// The functions of numerical libraries that a program may call, and the
// epilogues of a call: how many inputs, outputs and numbers each takes. Their
// results are documented at `LibraryCall` in runtime/schemas/program.fbs.
// Depends on the C++ standard library only, so that every layer may include it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIBRARYFUNCTIONS_H
#define REPRISE_LIBRARYFUNCTIONS_H

#include "reprise/ProgramTerms.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace reprise {

/// A function of a library.
enum class LibraryOp : uint8_t {
  Conv2D,
  Conv2DInputGrad,
  Conv2DFilterGrad,
  MatMul,
  RmsNorm,
  Attention,
  AttentionGrad,
  Conv3D,
  Conv3DInputGrad,
  Conv3DFilterGrad,
  AllReduce,
  AllGather,
  ReduceScatter,
  GatherShards,
  TakeShard
};

/// The maximum number of tensors that one AllReduce sums.
constexpr unsigned kMaxSummed = 256;

/// Inputs that determine the random numbers of a call: seed and step.
constexpr size_t kCountersOfDraw = 2;

struct LibraryFunction {
  const char *name; // as rt.call and LibraryOpInterface write it
  unsigned inputs, outputs, ints, floats;
  bool takesEpilogues;
  /// After `inputs` and `outputs`, in a call that has them.
  unsigned optionalInputs = 0, optionalOutputs = 0;
  /// True if a call may draw random numbers: it has one more int, their stream,
  /// one more float, a probability, and, as its last inputs, seed and step.
  bool mayDraw = false;
  /// True for a function that all ranks of a run call together. Its ints are
  /// the number of ranks and the call's number among those of a step.
  bool isCollective = false;
  /// The input that the first result may overwrite without an epilogue; the
  /// next one may overwrite the next input, and so on.
  std::optional<unsigned> overwritten = {};

  constexpr bool draws(size_t intCount) const {
    return mayDraw && intCount == ints + 1;
  }
  constexpr size_t counters(size_t intCount) const {
    return draws(intCount) ? kCountersOfDraw : 0;
  }
  constexpr bool takes(size_t inputCount, size_t outputCount,
                       size_t intCount) const {
    size_t least = inputs + counters(intCount);
    return inputCount >= least && inputCount <= least + optionalInputs &&
           outputCount >= outputs && outputCount <= outputs + optionalOutputs;
  }
  constexpr bool takesNumbers(size_t intCount, size_t floatCount) const {
    return draws(intCount) ? floatCount == floats + 1
                           : intCount == ints && floatCount == floats;
  }
};

/// Indexed by LibraryOp.
constexpr LibraryFunction kLibraryFunctions[] = {
    {"conv2d", 2, 1, 9, 0, true},
    {"conv2d_input_grad", 2, 1, 9, 0, true},
    {"conv2d_filter_grad", 2, 1, 9, 0, true},
    {"matmul", 2, 1, 2, 0, true},
    {"rms_norm", 2, 2, 0, 1, false},
    {"attention", 1, 2, 0, 1, false, 1, 0, true},
    {"attention_grad", 4, 1, 0, 1, false, 1, 1, true},
    {"conv3d", 2, 1, 13, 0, true},
    {"conv3d_input_grad", 2, 1, 13, 0, true},
    {"conv3d_filter_grad", 2, 1, 13, 0, true},
    {"all_reduce", 1, 1, 2, 0, false, kMaxSummed - 1, kMaxSummed - 1, false,
     true, 0},
    {"all_gather", 1, 1, 2, 0, false, 0, 0, false, true},
    {"reduce_scatter", 1, 1, 2, 0, false, 0, 0, false, true},
    {"gather_shards", 1, 1, 2, 0, false, 0, 0, false, true},
    {"take_shard", 1, 1, 2, 0, false, 0, 0, false, true},
};
constexpr size_t kLibraryFunctionCount =
    sizeof(kLibraryFunctions) / sizeof(kLibraryFunctions[0]);

static_assert(size_t(LibraryOp::TakeShard) + 1 == kLibraryFunctionCount);

/// Operations that a call applies to its function's result.
enum class LibraryEpilogue : uint8_t { Bias, Relu, Add };

struct LibraryEpilogueForm {
  const char *name; // as rt.call writes it
  unsigned inputs;  // after the function's
};

/// Indexed by LibraryEpilogue.
constexpr LibraryEpilogueForm kLibraryEpilogues[] = {
    {"bias", 1},
    {"relu", 0},
    {"add", 1},
};
constexpr size_t kLibraryEpilogueCount =
    sizeof(kLibraryEpilogues) / sizeof(kLibraryEpilogues[0]);

template <typename Form, size_t count>
constexpr std::array<const char *, count> namesOf(const Form (&forms)[count]) {
  std::array<const char *, count> names = {};
  for (size_t k = 0; k < count; ++k)
    names[k] = forms[k].name;
  return names;
}

template <> struct TermNames<LibraryOp> {
  static constexpr auto names = namesOf(kLibraryFunctions);
};
template <> struct TermNames<LibraryEpilogue> {
  static constexpr auto names = namesOf(kLibraryEpilogues);
};

/// The maximum number of a call's epilogues.
constexpr size_t kMaxEpilogues = 8;

/// The number of inputs of a call of `function` with these epilogues, each of
/// which is known, without the optional ones and those of a draw.
template <typename Epilogues>
constexpr size_t libraryInputCount(const LibraryFunction &function,
                                   const Epilogues &epilogues) {
  size_t count = function.inputs;
  for (auto epilogue : epilogues)
    count += kLibraryEpilogues[size_t(epilogue)].inputs;
  return count;
}

/// The number of the input that the first result of a call may overwrite: the
/// function's, or the operand of an addition that is the first epilogue. Result
/// k may overwrite the k-th input after it. A device refuses calls that it
/// cannot run in place.
template <typename Epilogues>
constexpr std::optional<unsigned> addendOf(const LibraryFunction &function,
                                           const Epilogues &epilogues) {
  if (epilogues.begin() == epilogues.end() ||
      LibraryEpilogue(*epilogues.begin()) != LibraryEpilogue::Add)
    return function.overwritten;
  return function.inputs;
}

} // namespace reprise

#endif // REPRISE_LIBRARYFUNCTIONS_H
