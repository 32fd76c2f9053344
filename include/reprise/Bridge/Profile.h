//===- Profile.h - Measured times of ops ------------------------*- C++ -*-===//
//
// The file that `reprise profile` writes and plans take their costs from: the
// measured milliseconds of each distinct op. Ops are distinguished by a key
// that the compiler computes for an op it plans and a tool for a step of an
// artifact.
//
// As JSON:
//   {"version": 1, "model": "resnet50", "processor": "...", "threads": 2,
//    "library": "...",
//    "ops": [{"key": "relu f32[8,16] -> f32[8,16] flops 128",
//             "ms": 0.012, "count": 3}, ...]}
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BRIDGE_PROFILE_H
#define REPRISE_BRIDGE_PROFILE_H

#include "reprise/Target/Target.h"
#include <map>

namespace reprise::rt::fb {
struct Step;
} // namespace reprise::rt::fb

namespace reprise {

struct Profile {
  struct Entry {
    double milliseconds = 0;
    uint64_t count = 0; // steps measured
  };
  std::string model, processor, library;
  unsigned threads = 0;
  std::map<std::string, Entry> ops; // by key

  /// Fails with a message that names the file and, if the text is not JSON,
  /// line and column.
  static rt::Expected<Profile> read(const std::string &path);
  static rt::Expected<Profile> parse(const std::string &text,
                                     const std::string &path);
  std::string print() const;

  /// The processor, threads and library that differ from those of a program of
  /// `threads` threads on `machine`; empty if none does.
  std::string difference(const Machine &machine, unsigned threads) const;
};

/// The identity of an op: ops of one key run the same code on the same shapes.
struct KeyedOp {
  std::string name; // of the step
  std::vector<rt::TensorDesc> inputs, outputs;
  uint64_t flops = 0;
  // The parameters of a library call.
  std::vector<int64_t> ints = {};
  std::vector<double> floats = {};
  std::vector<rt::Epilogue> epilogues = {};
  /// The library call's function, as the program names it; null for other ops.
  const char *function = nullptr;
};
std::string profileKey(const KeyedOp &op);
/// The key of the product alone, for a call whose one epilogue adds to a tensor
/// in f32, and the part of the roofline's traffic spent waiting for the tensor.
/// "" and 0 for all others.
std::string productKeyOf(const KeyedOp &op);
uint64_t waitedBytes(const KeyedOp &op);

/// "f32[8,16]".
std::string formatTensor(const rt::TensorDesc &tensor);

/// The same for a step of an artifact.
KeyedOp keyedOpOf(const rt::fb::Step &step);
std::string profileKey(const rt::fb::Step &step);

/// Returns true if a library computes with operands of 16 bits; see
/// rt::Roofline. Takes the inputs of a call, or none if the op is not a call;
/// or a step.
bool isNarrow(const std::vector<rt::TensorDesc> &inputs);
bool isNarrow(const rt::fb::Step &step);

} // namespace reprise

#endif // REPRISE_BRIDGE_PROFILE_H
