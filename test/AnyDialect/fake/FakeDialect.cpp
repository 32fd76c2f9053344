//===- FakeDialect.cpp - What fake ops answer to the planner --------------===//
#include "FakeDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fake;
using reprise::remat::Execution;
using reprise::remat::InPlacePair;

#include "FakeDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "FakeTypes.cpp.inc"
#define GET_OP_CLASSES
#include "FakeOps.cpp.inc"

void FakeDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "FakeTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "FakeOps.cpp.inc"
      >();
}

static uint64_t bytesOf(Value value) {
  return cast<BlockType>(value.getType()).getBytes();
}

//===----------------------------------------------------------------------===//
// What every op says: the bytes of the dialect's own type
//===----------------------------------------------------------------------===//

std::optional<uint64_t> AttentionOp::getRematBytes(unsigned) {
  return bytesOf(getResult());
}
std::optional<uint64_t> GatherOp::getRematBytes(unsigned) {
  return bytesOf(getResult());
}
std::optional<uint64_t> RelayoutOp::getRematBytes(unsigned) {
  return bytesOf(getResult());
}
std::optional<uint64_t> ScaleOp::getRematBytes(unsigned) {
  return bytesOf(getResult());
}
std::optional<uint64_t> DropoutOp::getRematBytes(unsigned) {
  return bytesOf(getResult());
}
std::optional<uint64_t> GradOp::getRematBytes(unsigned) {
  return bytesOf(getResult());
}
std::optional<uint64_t> ClaimOp::getRematBytes(unsigned) {
  return bytesOf(getResult());
}

//===----------------------------------------------------------------------===//
// What single ops say
//===----------------------------------------------------------------------===//

uint64_t AttentionOp::getRematWorkspaceBytes() {
  return 2 * bytesOf(getResult());
}

uint64_t AttentionOp::getRematFlops() { return 1000 * bytesOf(getResult()); }

std::optional<double> GatherOp::getRematMilliseconds() { return 3.0; }

Execution GatherOp::getRematExecution() { return Execution::Once; }

std::optional<unsigned> RelayoutOp::getRematViewSource() { return 0; }

SmallVector<InPlacePair> ScaleOp::getRematInPlacePairs() { return {{0, 0}}; }

std::optional<reprise::Phase> GradOp::getRematPhase() {
  return reprise::Phase::Backward;
}

std::optional<double> ClaimOp::getRematMilliseconds() {
  return getMilliseconds().convertToDouble();
}

Execution ClaimOp::getRematExecution() { return Execution(getExecution()); }

uint64_t ClaimOp::getRematWorkspaceBytes() { return getWorkspace(); }

std::optional<unsigned> ClaimOp::getRematViewSource() { return getView(); }

SmallVector<InPlacePair> ClaimOp::getRematInPlacePairs() {
  if (auto pair = getInPlace())
    return {{unsigned((*pair)[0]), unsigned((*pair)[1])}};
  return {};
}

std::optional<reprise::Phase> ClaimOp::getRematPhase() {
  std::optional<uint32_t> phase = getPhase();
  return phase ? std::optional(reprise::Phase(*phase)) : std::nullopt;
}
