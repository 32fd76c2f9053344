//===- MutateText.h - Mutations that keep text well-formed ------*- C++ -*-===//
#ifndef REPRISE_FUZZ_MUTATETEXT_H
#define REPRISE_FUZZ_MUTATETEXT_H

#include <random>
#include <string>

namespace reprise::fuzz {

using Random = std::minstd_rand;

/// Changes textual IR at one place, so that it often still parses.
void mutateText(std::string &text, Random &random);

} // namespace reprise::fuzz

#endif // REPRISE_FUZZ_MUTATETEXT_H
