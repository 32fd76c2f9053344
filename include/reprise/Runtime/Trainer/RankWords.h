//===- RankWords.h - What ranks say between two steps -----------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_RANKWORDS_H
#define REPRISE_RUNTIME_TRAINER_RANKWORDS_H

#include <cstdint>

namespace reprise::rt {

/// The words of ranks before a step, which follows if all say GoOn: Hook and
/// Stop end the steps. Begin precedes the first step's, End ends the run.
/// Rank 0 says the others meanwhile: that it is still working, and the
/// variable, whose number is added, that it reads.
namespace rank_word {
constexpr uint32_t kGoOn = 0, kHook = 1, kStop = 2, kBegin = 3, kEnd = 4,
                   kWorking = 5, kReadVariable = 6;
} // namespace rank_word

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_RANKWORDS_H
