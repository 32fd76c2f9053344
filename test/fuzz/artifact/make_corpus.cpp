//===- make_corpus.cpp - Valid payloads to begin fuzzing with -------------===//
//
//   make_corpus DIRECTORY
//
// Writes small programs that use every kind of step, buffer and initial value.
// Their code is 64 bytes that only look like ELF: the fuzzer never runs it.
//
//===----------------------------------------------------------------------===//
#include "../../runtime/conformance/ArtifactBuilder.h"
#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/OutputFile.h"

#include <cstdio>

using namespace reprise;
using namespace reprise::test;

static ArtifactBuilder smallest() {
  ArtifactBuilder b;
  b.finish();
  return b;
}

static ArtifactBuilder variables() {
  ArtifactBuilder b;
  b.variable("zeros", {4});
  b.variable("filter", {2, 3, 3, 1}, fb::InitKind::KaimingNormal);
  b.program.variables.back()->file_permutation = {0, 3, 1, 2};
  b.variable("seed", {1}, fb::InitKind::Zeros, 0, fb::Role::Seed,
             fb::ElementType::I64);
  b.variable("data", {2}, fb::InitKind::Elements);
  b.program.variables.back()->init_data.assign(8, 1);
  b.constant("c", {2}, {1, 2});
  b.finish();
  return b;
}

static ArtifactBuilder steps() {
  ArtifactBuilder b;
  Tensor v = b.variable("v", {1, 2, 2, 4});
  Tensor x = b.input("x", {1, 4, 4, 2}), w = b.input("w", {4, 3, 3, 2});
  Tensor y = b.activation("y", {1, 2, 2, 4});
  rt::Status status =
      b.call(LibraryOp::Conv2D, {x, w}, y, {1, 1, 0, 0, 0, 0, 1, 1, 1});
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  b.launch("count", {y, v}, {0}, 4);
  b.copy(y, v);
  b.input("kind", {2}, fb::ElementType::I32, fb::BindingRole::Label);
  b.output("y", y);
  b.output("dv", y, fb::BindingRole::Gradient, "v");
  b.finish();
  return b;
}

static ArtifactBuilder product() {
  ArtifactBuilder b;
  Tensor x = b.input("x", {2, 3, 4}), z = b.activation("z", {2, 3, 3});
  rt::Status status = b.call(LibraryOp::MatMul, {x, x}, z, {0, 1});
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  b.output("z", z);
  b.finish();
  return b;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus DIRECTORY\n");
    return 2;
  }
  ArtifactBuilder programs[] = {smallest(), variables(), steps(), product()};
  int number = 0;
  for (ArtifactBuilder &b : programs) {
    if (!b.program.code.empty())
      b.program.code.resize(64);
    std::vector<uint8_t> payload = b.payload();
    rt::Status status =
        rt::writeFile(std::string(argv[1]) + "/seed" + std::to_string(number++),
                      payload.data(), payload.size());
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 1;
    }
  }
  return 0;
}
