//===- CheckGraphTest.cpp - Every rule of checkGraph has a case -----------===//
#include "GraphBuilder.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace reprise::plan;
using namespace reprise::plan::test;

namespace {

/// x (op 0) -> y (op 1, may be in place) -> v, a view of y (op 2).
class CheckGraph : public testing::Test {
protected:
  CheckGraph() {
    x = b.make("x", {}, 64);
    y = b.make("y", {x}, 64);
    b.allowInPlace(0);
    v = b.view("v", y, 64);
    EXPECT_EQ(checkGraph(b.graph), "");
  }
  void expectError(const std::string &part) {
    std::string error = checkGraph(b.graph);
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  GraphBuilder b;
  ValueId x, y, v;
};

} // namespace

TEST_F(CheckGraph, AcceptsTheEmptyGraph) { EXPECT_EQ(checkGraph({}), ""); }

TEST_F(CheckGraph, InputOutOfRange) {
  b.graph.ops[1].inputs[0] = 9;
  expectError("op 1 'y' refers to value 9 of 3");
}

TEST_F(CheckGraph, OutputOutOfRange) {
  b.graph.ops[1].outputs[0] = kNone;
  expectError("op 1 'y' refers to value");
}

TEST_F(CheckGraph, AfterOutOfRange) {
  b.graph.ops[1].after = {7};
  expectError("op 1 'y' comes after op 7 of 3");
}

TEST_F(CheckGraph, ProducerOutOfRange) {
  b.graph.values[x].producer = 3;
  expectError("has producer 3 of 3");
}

TEST_F(CheckGraph, ViewOutOfRange) {
  b.graph.values[v].viewOf = 3;
  expectError("is a view of value 3 of 3");
}

TEST_F(CheckGraph, ProducedTwice) {
  b.graph.ops[1].outputs.push_back(x);
  expectError("value 0 'x' is produced twice");
}

TEST_F(CheckGraph, OutputOfAnotherOp) {
  b.graph.ops[0].outputs.push_back(v);
  expectError("value 2 'v' is an output of op 0 'x' but names another");
}

TEST_F(CheckGraph, NotAnOutputOfItsProducer) {
  b.graph.ops[2].outputs.clear();
  expectError("value 2 'v' is not an output of its producer");
}

TEST_F(CheckGraph, ViewCycle) {
  b.graph.values[y].viewOf = v;
  expectError("is a view of itself");
}

TEST_F(CheckGraph, ViewLargerThanItsBase) {
  b.graph.values[v].bytes = 65;
  expectError("value 2 'v' of 65 bytes views a value of 64 bytes");
}

TEST_F(CheckGraph, InputWithProducer) {
  b.graph.values[x].storage = StorageClass::Input;
  expectError("value 0 'x' is an input of the step but has a producer");
}

TEST_F(CheckGraph, TemporaryWithoutProducer) {
  b.graph.values.push_back(Value());
  expectError("value 3 '' has no producer");
}

TEST_F(CheckGraph, FixedViewOfTemporary) {
  b.graph.values[v].storage = StorageClass::Fixed;
  expectError("value 2 'v' is fixed but views a value that is not");
}

TEST_F(CheckGraph, BytesOverflow) {
  b.graph.values[x].bytes = UINT64_MAX;
  expectError("value 0 'x' takes the graph past 2^56 bytes");
  b.graph.values[x].bytes = uint64_t(1) << 55;
  b.graph.ops[1].workspaceBytes = uint64_t(1) << 55;
  expectError("workspace of op 1 'y' takes the graph past 2^56 bytes");
}

TEST_F(CheckGraph, InPlaceOutOfRange) {
  b.graph.ops[1].inPlace = {{0, 1}};
  expectError("op 1 'y' may write output 0 over input 1");
}

TEST_F(CheckGraph, UseBeforeProducer) {
  b.graph.ops[0].inputs = {y};
  expectError("op 0 'x' uses value 1 'y', which is produced at op 1");
}

TEST_F(CheckGraph, ViewBeforeItsBase) {
  b.graph.ops[0].outputs = {x};
  b.graph.values[x].viewOf = v;
  b.graph.values[v].viewOf = kNone;
  expectError("op 0 'x' uses value 2 'v'");
}

TEST_F(CheckGraph, OverwritesWhatItMay) {
  b.graph.ops[1].overwrites = {99};
  expectError("op 1 'y' refers to value 99");
  b.graph.ops[1].overwrites = {x};
  expectError("op 1 'y' overwrites a value but is not marked to run once");
  b.graph.ops[1].runsOnce = true;
  expectError("op 1 'y' overwrites value 0 'x', which is not fixed");
}

TEST_F(CheckGraph, CostsAreTimes) {
  b.graph.ops[1].cost = -1;
  expectError("op 1 'y' costs -1.000000 milliseconds");
  b.graph.ops[1].cost = std::nan("");
  expectError("op 1 'y' costs");
  b.graph.ops[1].cost = 1e300;
  expectError("op 1 'y' takes the graph past 10^9 milliseconds");
}

TEST_F(CheckGraph, AfterALaterOp) {
  b.graph.ops[1].after = {1};
  expectError("op 1 'y' must come after op 1");
}
