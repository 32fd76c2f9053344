//===- Profile.h - Measured times of ops ------------------------*- C++ -*-===//
//
// What `reprise profile` writes and a plan's costs are taken from: for each
// distinct op the milliseconds it took. Ops are told apart by a key that the
// compiler computes for an op it plans and a tool for a step of an artifact.
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
    uint64_t count = 0; // steps that were timed
  };
  std::string model, processor, library;
  unsigned threads = 0;
  std::map<std::string, Entry> ops; // by key

  /// Fails with a message that names the file and, where the text is no JSON,
  /// line and column.
  static rt::Expected<Profile> read(const std::string &path);
  static rt::Expected<Profile> parse(const std::string &text,
                                     const std::string &path);
  std::string print() const;

  /// What of processor, threads and library is not as it would be for a
  /// program of `threads` threads on `machine`; empty when nothing is.
  std::string difference(const Machine &machine, unsigned threads) const;
};

/// What tells ops apart: ops of one key run the same code on the same shapes.
struct KeyedOp {
  std::string name; // of the step
  std::vector<rt::TensorDesc> inputs, outputs;
  uint64_t flops = 0;
  // Of a library call.
  std::vector<int64_t> ints = {};
  std::vector<double> floats = {};
  std::vector<rt::Epilogue> epilogues = {};
  /// The call's, as the program names it; null of what is none.
  const char *function = nullptr;
};
std::string profileKey(const KeyedOp &op);
/// Of a call whose one epilogue adds to a tensor in f32: the key of its product
/// alone, and what of the roofline's traffic it waits for the tensor. "" and 0
/// of all others.
std::string productKeyOf(const KeyedOp &op);
uint64_t waitedBytes(const KeyedOp &op);

/// "f32[8,16]".
std::string formatTensor(const rt::TensorDesc &tensor);

/// The same of a step of an artifact.
KeyedOp keyedOpOf(const rt::fb::Step &step);
std::string profileKey(const rt::fb::Step &step);

/// Whether a library computes with operands of 16 bits; see rt::Roofline. Of
/// the inputs of a call, none for what is no call; and of a step.
bool isNarrow(const std::vector<rt::TensorDesc> &inputs);
bool isNarrow(const rt::fb::Step &step);

} // namespace reprise

#endif // REPRISE_BRIDGE_PROFILE_H
