//===- TrainingTerms.h - Choices of a training step -------------*- C++ -*-===//
//
// The enums of a training step's settings, each with the names that options,
// recipes and states use. Depends on the C++ standard library only, so that
// every layer may include it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TRAININGTERMS_H
#define REPRISE_TRAININGTERMS_H

#include "reprise/ProgramTerms.h"
#include <string>
#include <vector>

namespace reprise {

/// The optimizers; see Optimizers.def.
enum class OptimizerKind : uint8_t {
#define OPTIMIZER(KIND, NAME) KIND,
#include "reprise/Optimizers.def"
#undef OPTIMIZER
};
inline constexpr OptimizerKind kDefaultOptimizer{};

/// The types of products in a mixed-precision step; see sg-autocast.
enum class MixedPrecision : uint8_t { None, BF16, F16 };

/// The type that values kept for the backward pass are rounded to; see
/// sg-round-kept.
enum class LossyKept : uint8_t { None, BF16, FP8 };

/// The form of attention; see sg-choose-attention.
enum class AttentionChoice : uint8_t { Auto, Tiled, Stored };

/// The limit that the norm of all gradients together is clipped to, with the
/// names of United Perception's grad_clipper.
enum class ClipMode : uint8_t {
  PreDefined,   // a given norm
  Average,      // a multiple of the mean norm of the earlier steps
  MovingAverage // a multiple of a moving average of their norms
};

/// The norm of gradients that clipping limits.
enum class NormType : uint8_t { One, Two, Infinity };

template <> struct TermNames<OptimizerKind> {
  static constexpr const char *names[] = {
#define OPTIMIZER(KIND, NAME) #NAME,
#include "reprise/Optimizers.def"
#undef OPTIMIZER
  };
};
template <> struct TermNames<MixedPrecision> {
  static constexpr const char *names[] = {"none", "bf16", "f16"};
};
template <> struct TermNames<LossyKept> {
  static constexpr const char *names[] = {"none", "bf16", "fp8"};
};
template <> struct TermNames<AttentionChoice> {
  static constexpr const char *names[] = {"auto", "tiled", "stored"};
};
template <> struct TermNames<ClipMode> {
  static constexpr const char *names[] = {"pre_defined", "average",
                                          "moving_average"};
};
template <> struct TermNames<NormType> {
  static constexpr const char *names[] = {"1", "2", "inf"};
};

/// Returns the names of an enum's values.
template <typename Enum> std::vector<std::string> termNames() {
  return {std::begin(TermNames<Enum>::names), std::end(TermNames<Enum>::names)};
}

/// Returns a list such as "1, 2 or inf" for a message.
template <typename Enum> std::string listTerms(const char *last = " or ") {
  std::string text;
  for (size_t number = 0; number < kCountOf<Enum>; ++number) {
    bool isLast = number + 1 == kCountOf<Enum>;
    text += number == 0 ? "" : isLast ? last : ", ";
    text += TermNames<Enum>::names[number];
  }
  return text;
}

} // namespace reprise

#endif // REPRISE_TRAININGTERMS_H
