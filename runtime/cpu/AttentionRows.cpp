//===- AttentionRows.cpp - Rows of scores ---------------------------------===//
#include "AttentionRows.h"
#include "Bf16.h"
#include "InstructionSets.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#define REPRISE_LOOPS "AttentionRowsLoops.h"
#include "EachInstructionSet.h"

namespace reprise::rt {

void softmaxRows(const SoftmaxRows &rows, int64_t count) {
  REPRISE_DISPATCH(softmaxRows, rows, count);
}

void gradientRow(const GradientRow &row, int64_t count) {
  REPRISE_DISPATCH(gradientRow, row, count);
}

void multiplyRow(const float *factors, float *x, int64_t count) {
  REPRISE_DISPATCH(multiplyRow, factors, x, count);
}

float dotRow(const float *x, const float *y, int64_t count) {
  REPRISE_DISPATCH(dotRow, x, y, count);
}

float dotRow(const uint16_t *x, const uint16_t *y, int64_t count) {
  REPRISE_DISPATCH(dotRow, x, y, count);
}

void addRow(const float *x, float *sum, int64_t count) {
  REPRISE_DISPATCH(addRow, x, sum, count);
}

void roundRow(const float *from, uint16_t *to, int64_t count) {
  REPRISE_DISPATCH(roundRow, from, to, count);
}

} // namespace reprise::rt
