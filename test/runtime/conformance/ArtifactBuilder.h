//===- ArtifactBuilder.h - Artifacts by hand --------------------*- C++ -*-===//
//
// Builds small programs without a compiler. Memory is laid out simply: every
// buffer has its own bytes, so that a test that wants sharing says so by
// changing `program` before it seals it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_RUNTIME_CONFORMANCE_ARTIFACTBUILDER_H
#define REPRISE_TEST_RUNTIME_CONFORMANCE_ARTIFACTBUILDER_H

#include "DeviceForm.h"
#include "reprise/Runtime/Library.h"
#include "reprise/Runtime/program_generated.h"
#include <string>
#include <vector>

namespace reprise::test {

namespace fb = rt::fb;
using Shape = std::vector<int64_t>;

/// A tensor of the program being built: a whole buffer.
struct Tensor {
  uint32_t buffer = 0;
  fb::ElementType type = fb::ElementType::F32;
  Shape shape;
};

/// Elements of a shape.
int64_t elements(const Shape &shape);

/// A library call with whole tensors as operands.
struct Call {
  LibraryOp op;
  std::vector<Tensor> inputs, outputs;
  std::vector<int64_t> ints = {};
  std::vector<double> floats = {};
  std::vector<rt::Epilogue> epilogues = {};
  /// What runs it, without a workspace. "": what the device's library says.
  std::string implementation = "";
};

/// One program with one entry, "step", for the device of deviceForm() where
/// program.device and program.alignment say nothing else. Add all fixed tensors
/// before others.
class ArtifactBuilder {
public:
  explicit ArtifactBuilder(unsigned threads = 2);

  Tensor variable(const std::string &name, const Shape &shape,
                  fb::InitKind init = fb::InitKind::Zeros, double value = 0,
                  fb::Role role = fb::Role::Parameter,
                  fb::ElementType type = fb::ElementType::F32);
  Tensor constant(const std::string &name, const Shape &shape,
                  const std::vector<float> &values);
  Tensor input(const std::string &name, const Shape &shape,
               fb::ElementType type = fb::ElementType::F32,
               fb::BindingRole role = fb::BindingRole::Data);
  Tensor activation(const std::string &name, const Shape &shape,
                    fb::ElementType type = fb::ElementType::F32);
  /// `variable` is a gradient's.
  void output(const std::string &name, const Tensor &tensor,
              fb::BindingRole role = fb::BindingRole::Data,
              const std::string &variable = "");

  void copy(const Tensor &source, const Tensor &target);
  /// `host` is an offset in host memory.
  void offload(const Tensor &source, uint64_t host);
  void fetch(uint64_t host, const Tensor &target);
  /// `writes` are indices of `args`.
  void launch(const std::string &kernel, const std::vector<Tensor> &args,
              const std::vector<uint32_t> &writes, uint64_t elements);
  /// Queries the library for implementation and workspace.
  rt::Status call(LibraryOp op, const std::vector<Tensor> &inputs,
                  const Tensor &output, const std::vector<int64_t> &ints) {
    return call({op, inputs, {output}, ints});
  }
  rt::Status call(const Call &call);

  /// Sets arena, lifetimes that follow from the steps, and the claimed peak.
  void finish();
  std::vector<uint8_t> payload() const;
  std::vector<uint8_t> seal() const;

  fb::ProgramT program;
  fb::EntryT &entry() { return *program.entries[0]; }
  fb::ViewT view(const Tensor &tensor) const;

private:
  uint32_t addBuffer(const std::string &name, fb::BufferKind kind,
                     uint64_t bytes);
  void addStep(const std::string &name, fb::ActionUnion action,
               const std::vector<Tensor> &touched);

  uint64_t top = 0;
  unsigned threads;
  std::vector<HandKernel> kernels; // the program's
};

} // namespace reprise::test

#endif // REPRISE_TEST_RUNTIME_CONFORMANCE_ARTIFACTBUILDER_H
