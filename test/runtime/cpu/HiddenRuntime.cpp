//===- HiddenRuntime.cpp - A runtime that the library cannot see ----------===//
//
// Linked into a shared library that shows nothing of what it is made of.
//
//===----------------------------------------------------------------------===//
#include "HiddenRuntime.h"
#include "../conformance/ArtifactBuilder.h"
#include "../conformance/SessionHandle.h"
#include "reprise/Runtime/Cpu/Cpu.h"

using namespace reprise;

static const test::Shape kImage = {8, 56, 56, 8}, kFilter = {8, 3, 3, 8};
static const std::vector<int64_t> kInts = {1, 1, 1, 1, 1, 1, 1, 1, 1};

std::string test::openHidden() {
  ArtifactBuilder b(2);
  Tensor x = b.input("x", kImage), dy = b.input("dy", kImage);
  Tensor dw = b.activation("dw", kFilter);
  rt::Status status = b.call(LibraryOp::Conv2DFilterGrad, {x, dy}, dw, kInts);
  if (!status.ok())
    return status.message();
  b.output("dw", dw);
  b.finish();
  SessionHandle s;
  return s.open(b.seal(), {"cpu", 0, 0, 0}).message;
}

unsigned long test::workspaceHidden(unsigned threads) {
  rt::LibraryCallDesc desc = {LibraryOp::Conv2DFilterGrad,
                              {{RP_F32, kImage, {}}, {RP_F32, kImage, {}}},
                              {{RP_F32, kFilter, {}}},
                              kInts};
  auto info = rt::queryLibraryCall(desc, threads);
  return info.ok() ? info->workspaceBytes : 0;
}
