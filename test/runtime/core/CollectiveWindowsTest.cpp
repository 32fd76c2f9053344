//===- CollectiveWindowsTest.cpp - How long calls of ranks may take -------===//
#include "reprise/Runtime/CollectiveWindows.h"
#include "../conformance/ArtifactBuilder.h"

#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

namespace {
/// A step of two ranks.
struct Step {
  ArtifactBuilder builder;
  Tensor w = builder.variable("w", {8});
  Tensor x = builder.input("x", {8}), other = builder.input("other", {8});
  Tensor sum = builder.activation("sum", {8}),
         copied = builder.activation("copied", {8});

  void reduce(const Tensor &from, const Tensor &to) {
    rt::Status status = builder.call(LibraryOp::AllReduce, {from}, to, {2, 0});
    EXPECT_EQ(status.message(), "");
  }
  std::vector<uint32_t> windows() {
    builder.finish();
    std::vector<uint8_t> bytes = builder.payload();
    const fb::Program &program =
        *flatbuffers::GetRoot<fb::Program>(bytes.data());
    return rt::collectiveWindows(program, *program.entries()->Get(0));
  }
  /// "begin-end" of each host copy.
  std::string hostWindows() {
    builder.finish();
    std::vector<uint8_t> bytes = builder.payload();
    const fb::Program &program =
        *flatbuffers::GetRoot<fb::Program>(bytes.data());
    std::string text;
    for (auto [begin, end] :
         rt::hostCopyWindows(program, *program.entries()->Get(0)))
      if (begin != end || begin != 0)
        text += std::to_string(begin) + "-" + std::to_string(end) + " ";
    return text;
  }
};
using Numbers = std::vector<uint32_t>;
} // namespace

TEST(CollectiveWindows, EndWhereTheResultIsRead) {
  Step step;
  step.reduce(step.x, step.sum);
  step.builder.copy(step.other, step.copied); // another buffer
  step.builder.copy(step.x, step.w);          // reads the operand
  step.builder.copy(step.sum, step.w);
  EXPECT_EQ(step.windows(), Numbers({3, 0, 0, 0}));
}

TEST(CollectiveWindows, EndWhereBytesAreWritten) {
  Step operand;
  operand.reduce(operand.x, operand.sum);
  operand.builder.copy(operand.other, operand.copied);
  operand.builder.copy(operand.other, operand.x);
  EXPECT_EQ(operand.windows(), Numbers({2, 0, 0}));
  Step result;
  result.reduce(result.x, result.sum);
  result.builder.copy(result.other, result.sum);
  EXPECT_EQ(result.windows(), Numbers({1, 0}));
  Step workspace;
  workspace.reduce(workspace.x, workspace.sum);
  workspace.builder.copy(workspace.other, workspace.copied);
  // The workspace is the buffer that the call has added.
  Tensor bytes = {workspace.copied.buffer + 1, fb::ElementType::F32, {8}};
  workspace.builder.copy(workspace.other, bytes);
  EXPECT_EQ(workspace.windows(), Numbers({2, 0, 0}));
}

TEST(CollectiveWindows, LastToTheEndAndOverlap) {
  Step step;
  step.reduce(step.x, step.sum);
  step.reduce(step.other, step.copied);
  step.builder.copy(step.copied, step.w);
  EXPECT_EQ(step.windows(), Numbers({3, 2, 0}));
}

TEST(CollectiveWindows, AreOfCollectivesOnly) {
  Step step;
  step.builder.copy(step.x, step.sum);
  EXPECT_EQ(step.windows(), Numbers({0}));
  Step empty;
  EXPECT_EQ(empty.windows(), Numbers());
}

TEST(HostCopyWindows, AnOffloadBeginsWhereItsValueIsWritten) {
  Step step;
  step.builder.copy(step.x, step.copied);
  step.builder.copy(step.copied, step.w);  // reads it
  step.builder.copy(step.other, step.sum); // another buffer
  step.builder.offload(step.copied, 0);
  EXPECT_EQ(step.hostWindows(), "1-3 ");
}

TEST(HostCopyWindows, AFetchEndsWhereItsBytesAreTouched) {
  Step step;
  step.builder.copy(step.x, step.copied);
  step.builder.offload(step.copied, 0);
  step.builder.fetch(0, step.sum);
  step.builder.copy(step.copied, step.w);
  step.builder.fetch(0, step.copied); // reads other bytes, writes these
  step.builder.copy(step.sum, step.w);
  EXPECT_EQ(step.hostWindows(), "1-1 2-5 4-6 ");
}

TEST(HostCopyWindows, WaitForCallsThatWriteTheValue) {
  Step step;
  step.reduce(step.x, step.sum); // runs beside the next ones
  step.builder.copy(step.other, step.w);
  step.builder.copy(step.sum, step.copied); // waits for it
  step.builder.offload(step.sum, 0);
  EXPECT_EQ(step.hostWindows(), "2-3 ");
}
