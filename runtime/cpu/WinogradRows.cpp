//===- WinogradRows.cpp - Transforms of windows, by channels --------------===//
#include "WinogradRows.h"
#include "InstructionSets.h"

#include <cstring>

#define REPRISE_LOOPS "WinogradRowsLoops.h"
#include "EachInstructionSet.h"

namespace reprise::rt {

void transformImage(const float *const *pixels, int row, WinogradForm to,
                    int64_t channels) {
  REPRISE_DISPATCH(transformImage, pixels, row, to, channels);
}

void transformCotangent(const float *const *pixels, int row, WinogradForm to,
                        int64_t channels) {
  REPRISE_DISPATCH(transformCotangent, pixels, row, to, channels);
}

void transformBack(WinogradForm from, bool adds, float *const *pixels,
                   int64_t channels) {
  REPRISE_DISPATCH(transformBack, from, adds, pixels, channels);
}

void transformFilters(const float *filters, int64_t count, int64_t inputs,
                      int64_t outputs, WinogradForm to) {
  REPRISE_DISPATCH(transformFilters, filters, count, inputs, outputs, to);
}

void transformTurned(const float *filter, int64_t inputs, WinogradForm to) {
  REPRISE_DISPATCH(transformTurned, filter, inputs, to);
}

void transformFilterBack(WinogradForm from, int64_t inputs, float *filter) {
  REPRISE_DISPATCH(transformFilterBack, from, inputs, filter);
}

} // namespace reprise::rt
