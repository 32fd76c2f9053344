//===- AttentionRowsLoops.h - Rows of scores --------------------*- C++ -*-===//
//
// Loops over vectors of 16 numbers, included once for each set of vector
// instructions (EachInstructionSet.h). Products and sums are not contracted,
// see CMakeLists.txt. The rest of a row is a vector of its own.
//
//===----------------------------------------------------------------------===//

namespace reprise::rt::REPRISE_VERSION {

static constexpr int64_t kLanes = 16;
using Floats = float __attribute__((vector_size(4 * kLanes)));
using Words = uint32_t __attribute__((vector_size(4 * kLanes)));
/// Lane numbers.
using Numbers = int32_t __attribute__((vector_size(4 * kLanes)));
static constexpr Numbers kNumbers = {0, 1, 2,  3,  4,  5,  6,  7,
                                     8, 9, 10, 11, 12, 13, 14, 15};
using Halves = uint16_t __attribute__((vector_size(2 * kLanes)));

template <typename Vector>
static REPRISE_INLINE Vector loadVector(const void *from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

/// Lane i of the result is lane numbers[i], modulo kLanes.
template <typename Vector, typename LaneNumbers>
static REPRISE_INLINE Vector shuffled(const Vector &lanes,
                                      const LaneNumbers &numbers) {
#ifdef __clang__
  return __builtin_shufflevector(lanes, numbers);
#else
  return __builtin_shuffle(lanes, numbers);
#endif
}

/// Rotates the lanes: those from `by` on, then the lanes before it.
static REPRISE_INLINE Floats turned(const Floats &lanes, int64_t by) {
  return shuffled(lanes, kNumbers + int32_t(by));
}
static REPRISE_INLINE Halves turned(const Halves &lanes, int64_t by) {
  Halves numbers = __builtin_convertvector(kNumbers + int32_t(by), Halves);
  return shuffled(lanes, numbers);
}

template <typename Vector>
static REPRISE_INLINE void storeVector(void *to, const Vector &vector) {
  std::memcpy(to, &vector, sizeof vector);
}

/// Loads the last `count` % kLanes of `count` numbers, which may end an array,
/// as the first lanes.
template <typename Vector, typename Number>
static REPRISE_INLINE Vector loadRest(const Number *from, int64_t count) {
  int64_t rest = count % kLanes;
  if (count >= kLanes)
    return turned(loadVector<Vector>(from + count - kLanes), kLanes - rest);
  Number numbers[kLanes] = {};
  for (int64_t l = 0; l < count; ++l)
    numbers[l] = from[l];
  return loadVector<Vector>(numbers);
}

/// Takes the lanes from `count` on from `others`.
static REPRISE_INLINE Floats firstOf(const Floats &lanes, int64_t count,
                                     const Floats &others) {
  return kNumbers < int32_t(count) ? lanes : others;
}

/// Adds the first `count` % kLanes lanes to the last ones of `count` numbers,
/// which may end an array.
static REPRISE_INLINE void addRest(float *to, int64_t count,
                                   const Floats &lanes) {
  int64_t rest = count % kLanes;
  if (count < kLanes) {
    for (int64_t l = 0; l < count; ++l)
      to[l] += lanes[l];
    return;
  }
  float *last = to + count - kLanes;
  Floats added = turned(firstOf(lanes, rest, Floats{}), rest);
  storeVector(last, loadVector<Floats>(last) + added);
}

/// Returns e^x within 2 units of the last place for x in [-87.3, 88.7]; 0
/// below, and NaN for NaN. x = n log 2 + r, and a polynomial in r (Moshier's
/// Cephes, expf).
static REPRISE_INLINE Floats exponential(const Floats &x) {
  constexpr float kLeast = -87.336544f, kMost = 88.722839f;
  Floats y = x > kMost ? Floats{} + kMost : x;
  // Holds n in the last bits of a number whose last bit is 1.
  constexpr float kShift = 12582912.0f;
  Floats shifted = y * 1.44269504088896341f + kShift;
  Floats n = shifted - kShift;
  Floats r = y - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  Floats p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r;
  p = p + 1.0f;
  Words bits = (loadVector<Words>(&shifted) + 127u) << 23;
  Floats value = p * loadVector<Floats>(&bits);
  return x < kLeast ? Floats{} : value;
}

/// Returns the larger, or y if one is NaN.
static REPRISE_INLINE Floats larger(const Floats &x, const Floats &y) {
  return x > y ? x : y;
}

/// Joins both halves of the lanes, then the halves of the result, down to one.
template <typename Join>
static REPRISE_INLINE float joined(Floats lanes, Join join) {
  lanes = join(lanes, shuffled(lanes, kNumbers ^ 8));
  lanes = join(lanes, shuffled(lanes, kNumbers ^ 4));
  lanes = join(lanes, shuffled(lanes, kNumbers ^ 2));
  lanes = join(lanes, shuffled(lanes, kNumbers ^ 1));
  return lanes[0];
}

static REPRISE_INLINE float total(const Floats &lanes) {
  return joined(lanes, [](const Floats &x, const Floats &y)
                           __attribute__((always_inline)) { return x + y; });
}

static REPRISE_INLINE float largest(const Floats &lanes) {
  return joined(lanes,
                [](const Floats &x, const Floats &y)
                    __attribute__((always_inline)) { return larger(x, y); });
}

template <bool hasBias>
static REPRISE_INLINE Floats scoresOf(const Floats &products,
                                      const Floats &bias, float scale) {
  return hasBias ? products * scale + bias : products * scale;
}

/// Replaces a row of products by scores; returns the largest.
template <bool hasBias>
static REPRISE_INLINE float scoreRow(float *x, const float *bias, float scale,
                                     int64_t count) {
  int64_t whole = count / kLanes * kLanes, rest = count - whole;
  Floats top = Floats{} - INFINITY;
  for (int64_t i = 0; i < whole; i += kLanes) {
    Floats added = hasBias ? loadVector<Floats>(bias + i) : Floats{};
    Floats scores = scoresOf<hasBias>(loadVector<Floats>(x + i), added, scale);
    storeVector(x + i, scores);
    top = larger(scores, top);
  }
  if (rest) {
    Floats added = hasBias ? loadRest<Floats>(bias, count) : Floats{};
    Floats behind = loadVector<Floats>(x + whole);
    Floats scores = scoresOf<hasBias>(behind, added, scale);
    storeVector(x + whole, firstOf(scores, rest, behind));
    top = larger(firstOf(scores, rest, top), top);
  }
  return largest(top);
}

/// Replaces a row of scores by their exponentials; returns the sum.
static REPRISE_INLINE float exponentialRow(float *x, float maximum,
                                           int64_t count) {
  int64_t whole = count / kLanes * kLanes, rest = count - whole;
  Floats sums = {};
  for (int64_t i = 0; i < whole; i += kLanes) {
    Floats e = exponential(loadVector<Floats>(x + i) - maximum);
    storeVector(x + i, e);
    sums += e;
  }
  if (rest) {
    Floats behind = loadVector<Floats>(x + whole);
    Floats e = exponential(behind - maximum);
    storeVector(x + whole, firstOf(e, rest, behind));
    sums += firstOf(e, rest, Floats{});
  }
  return total(sums);
}

static REPRISE_INLINE void scaleRow(float *x, float factor, int64_t count) {
  int64_t whole = count / kLanes * kLanes, rest = count - whole;
  for (int64_t i = 0; i < whole; i += kLanes)
    storeVector(x + i, loadVector<Floats>(x + i) * factor);
  if (rest) {
    Floats behind = loadVector<Floats>(x + whole);
    storeVector(x + whole, firstOf(behind * factor, rest, behind));
  }
}

/// Rounds like toHalf.
static REPRISE_INLINE Halves rounded(const Floats &x) {
  Words words = loadVector<Words>(&x);
  Words up = (words + 0x7fffu + (words >> 16 & 1u)) >> 16;
  Words quiet = words >> 16 | 0x40u;
  return __builtin_convertvector(x == x ? up : quiet, Halves);
}

/// The same into bf16; numbers after the row are written too.
static REPRISE_INLINE void scaleRow(const float *x, float factor, uint16_t *to,
                                    int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes)
    storeVector(to + i, rounded(loadVector<Floats>(x + i) * factor));
}

/// Processes several rows together, to hide latency.
template <bool hasBias>
static REPRISE_INLINE void softmaxOf(const SoftmaxRows &all, int64_t count) {
  constexpr int64_t kTogether = 4;
  for (int64_t begin = 0; begin < all.rows; begin += kTogether) {
    int64_t rows = std::min(all.rows - begin, kTogether);
    float *x = all.products + begin * count, *lse = all.lse + begin;
    const float *bias = hasBias ? all.bias + begin * count : nullptr;
    float maximum[kTogether], sum[kTogether];
    for (int64_t r = 0; r < rows; ++r)
      maximum[r] =
          scoreRow<hasBias>(x + r * count, hasBias ? bias + r * count : nullptr,
                            all.scale, count);
    for (int64_t r = 0; r < rows; ++r)
      sum[r] = exponentialRow(x + r * count, maximum[r], count);
    for (int64_t r = 0; r < rows; ++r) {
      float share = 1.0f / sum[r];
      if (all.rounded)
        scaleRow(x + r * count, share, all.rounded + (begin + r) * count,
                 count);
      else
        scaleRow(x + r * count, share, count);
      lse[r] = std::log(sum[r]) + maximum[r];
    }
  }
}

void softmaxRows(const SoftmaxRows &rows, int64_t count) {
  if (rows.bias)
    softmaxOf<true>(rows, count);
  else
    softmaxOf<false>(rows, count);
}

/// Operands and results of one vector of a gradient's row.
struct GradientVector {
  Floats products, dp, bias, dbias, kept;
};

template <bool hasBias, bool drops>
static REPRISE_INLINE void differentiate(GradientVector &v,
                                         const GradientRow &row) {
  Floats scores = scoresOf<hasBias>(v.products, v.bias, row.scale);
  Floats p = exponential(scores - row.lse);
  Floats ds = p * ((drops ? v.kept * v.dp : v.dp) - row.delta);
  v.products = drops ? v.kept * p : p;
  if (hasBias)
    v.dbias += ds;
  v.dp = ds * row.scale;
}

template <bool hasBias, bool drops, bool rounds>
static REPRISE_INLINE void gradientOf(const GradientRow &row, int64_t count) {
  int64_t whole = count / kLanes * kLanes, rest = count - whole;
  GradientVector v = {};
  for (int64_t i = 0; i < whole; i += kLanes) {
    v.products = loadVector<Floats>(row.products + i);
    v.dp = loadVector<Floats>(row.dp + i);
    if (hasBias) {
      v.bias = loadVector<Floats>(row.bias + i);
      v.dbias = loadVector<Floats>(row.dbias + i);
    }
    if (drops)
      v.kept = loadVector<Floats>(row.kept + i);
    differentiate<hasBias, drops>(v, row);
    if (rounds) {
      storeVector(row.weights + i, rounded(v.products));
      storeVector(row.ds + i, rounded(v.dp));
    } else {
      storeVector(row.products + i, v.products);
      storeVector(row.dp + i, v.dp);
    }
    if (hasBias)
      storeVector(row.dbias + i, v.dbias);
  }
  if (!rest)
    return;
  Floats products = loadVector<Floats>(row.products + whole),
         dp = loadVector<Floats>(row.dp + whole);
  v.products = products;
  v.dp = dp;
  v.dbias = Floats{};
  if (hasBias)
    v.bias = loadRest<Floats>(row.bias, count);
  if (drops)
    v.kept = loadVector<Floats>(row.kept + whole);
  differentiate<hasBias, drops>(v, row);
  if (rounds) {
    storeVector(row.weights + whole, rounded(v.products));
    storeVector(row.ds + whole, rounded(v.dp));
  } else {
    storeVector(row.products + whole, firstOf(v.products, rest, products));
    storeVector(row.dp + whole, firstOf(v.dp, rest, dp));
  }
  if (hasBias)
    addRest(row.dbias, count, v.dbias);
}

template <bool hasBias, bool drops>
static REPRISE_INLINE void gradientOf(const GradientRow &row, int64_t count) {
  if (row.weights)
    gradientOf<hasBias, drops, true>(row, count);
  else
    gradientOf<hasBias, drops, false>(row, count);
}

void gradientRow(const GradientRow &row, int64_t count) {
  if (row.bias && row.kept)
    gradientOf<true, true>(row, count);
  else if (row.bias)
    gradientOf<true, false>(row, count);
  else if (row.kept)
    gradientOf<false, true>(row, count);
  else
    gradientOf<false, false>(row, count);
}

void multiplyRow(const float *factors, float *x, int64_t count) {
  int64_t whole = count / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes)
    storeVector(x + i,
                loadVector<Floats>(x + i) * loadVector<Floats>(factors + i));
  for (int64_t i = whole; i < count; ++i)
    x[i] *= factors[i];
}

static REPRISE_INLINE Floats widened(const Halves &halves) {
  Words words = __builtin_convertvector(halves, Words) << 16;
  return loadVector<Floats>(&words);
}
static REPRISE_INLINE Floats widened(const Floats &floats) { return floats; }

template <typename Vector, typename Number>
static REPRISE_INLINE float dot(const Number *x, const Number *y,
                                int64_t count) {
  int64_t whole = count / kLanes * kLanes, rest = count - whole;
  Floats sums = {};
  for (int64_t i = 0; i < whole; i += kLanes)
    sums +=
        widened(loadVector<Vector>(x + i)) * widened(loadVector<Vector>(y + i));
  if (rest)
    sums += firstOf(widened(loadRest<Vector>(x, count)) *
                        widened(loadRest<Vector>(y, count)),
                    rest, Floats{});
  return total(sums);
}

float dotRow(const float *x, const float *y, int64_t count) {
  return dot<Floats>(x, y, count);
}
float dotRow(const uint16_t *x, const uint16_t *y, int64_t count) {
  return dot<Halves>(x, y, count);
}

void addRow(const float *x, float *sum, int64_t count) {
  int64_t whole = count / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes)
    storeVector(sum + i,
                loadVector<Floats>(sum + i) + loadVector<Floats>(x + i));
  for (int64_t i = whole; i < count; ++i)
    sum[i] += x[i];
}

void roundRow(const float *from, uint16_t *to, int64_t count) {
  int64_t whole = count / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes)
    storeVector(to + i, rounded(loadVector<Floats>(from + i)));
  for (int64_t i = whole; i < count; ++i)
    to[i] = toHalf(from[i]);
}

} // namespace reprise::rt::REPRISE_VERSION
