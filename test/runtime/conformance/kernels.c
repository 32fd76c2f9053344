/* Kernels of the conformance suite, with the signature of compiled ones. */
#include <stdint.h>

/* out = a * b[0] + c, one grain an element. */
void scale_add(void *const *args, int64_t begin, int64_t end) {
  const float *a = args[0], *b = args[1], *c = args[2];
  float *out = args[3];
  for (int64_t i = begin; i < end; ++i)
    out[i] = a[i] * b[0] + c[i];
}

/* counts[i] += 1: shows grains that run twice or not at all. */
void count(void *const *args, int64_t begin, int64_t end) {
  int32_t *counts = args[0];
  for (int64_t i = begin; i < end; ++i)
    counts[i] += 1;
}

/* parts[i] = begin of the range that grain i ran in. */
void partition(void *const *args, int64_t begin, int64_t end) {
  int64_t *parts = args[0];
  for (int64_t i = begin; i < end; ++i)
    parts[i] = begin;
}

void ones(void *const *args, int64_t begin, int64_t end) {
  float *out = args[0];
  for (int64_t i = begin; i < end; ++i)
    out[i] = 1.0f;
}

/* Writes the element before its result as well. */
void underrun(void *const *args, int64_t begin, int64_t end) {
  ones(args, begin - 1, end);
}

/* out[i] = a[i + 1], one element beyond a. */
void shift(void *const *args, int64_t begin, int64_t end) {
  const float *a = args[0];
  float *out = args[1];
  for (int64_t i = begin; i < end; ++i)
    out[i] = a[i + 1];
}
