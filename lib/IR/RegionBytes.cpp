//===- RegionBytes.cpp - Bytes that the regions of an op make -------------===//
//
// Input:   an op of any dialect.
// Output:  the most bytes of values made in its regions that live at once.
// Method:  liveness in program order, one block at a time. Views share what
//          they view, results take over destinations that end there. One region
//          of the op runs at a time, and one iteration of a loop.
// Cost:    linear in the uses.
// Fails:   where the bytes of a result are not known.
//
//===----------------------------------------------------------------------===//
#include "reprise/IR/Remat.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::remat;

/// What the planner counts for a value.
static uint64_t storageBytes(uint64_t bytes) {
  return llvm::alignTo(bytes, 64);
}

namespace {
class BlockBytes {
public:
  /// `handsOver`: what the block yields is stored in results of its op.
  BlockBytes(Block &block, bool handsOver)
      : block(block), handsOver(handsOver) {}

  /// The most bytes that live at once.
  FailureOr<uint64_t> count() {
    for (Operation &op : block) {
      position[&op] = facts.size();
      if (op.hasTrait<OpTrait::ConstantLike>()) {
        facts.emplace_back();
        continue;
      }
      FailureOr<OpFacts> known = describeOp(&op);
      if (failed(known))
        return failure();
      facts.push_back(std::move(*known));
    }
    for (Operation &op : block)
      if (!op.hasTrait<OpTrait::ConstantLike>())
        add(&op);
    if (handsOver)
      handOver();
    return peak();
  }

private:
  struct Storage {
    uint64_t bytes;
    size_t first, last;
  };

  void add(Operation *op) {
    size_t at = position[op];
    if (std::optional<unsigned> source = facts[at].viewSource) {
      auto viewed = storageOf.find(op->getOperand(*source));
      if (viewed != storageOf.end())
        storageOf[op->getResult(0)] = size_t(viewed->second);
      return;
    }
    for (OpResult made : op->getResults())
      if (uint64_t bytes = facts[at].resultBytes[made.getResultNumber()])
        place(made, storageBytes(bytes), at);
  }

  /// Gives a result the storage of a destination that ends here, or its own.
  void place(OpResult made, uint64_t bytes, size_t at) {
    for (auto [result, operand] : facts[at].inPlace) {
      auto found = storageOf.find(made.getOwner()->getOperand(operand));
      if (result != made.getResultNumber() || found == storageOf.end())
        continue;
      size_t id = found->second;
      if (storages[id].bytes != bytes || storages[id].last != at)
        continue;
      storages[id].last = lastUse(made, at);
      storageOf[made] = id;
      return;
    }
    storageOf[made] = storages.size();
    storages.push_back({bytes, at, lastUse(made, at)});
  }

  /// Where the last op runs that reads `value`, made at `at`, or a view of it.
  size_t lastUse(Value value, size_t at) const {
    size_t last = at;
    for (OpOperand &use : value.getUses()) {
      Operation *user = block.findAncestorOpInBlock(*use.getOwner());
      if (!user)
        continue;
      size_t there = position.lookup(user);
      bool isView = user == use.getOwner() &&
                    facts[there].viewSource == use.getOperandNumber();
      last =
          std::max(last, isView ? lastUse(user->getResult(0), there) : there);
    }
    return last;
  }

  void handOver() {
    for (Value value : block.getTerminator()->getOperands())
      if (auto found = storageOf.find(value); found != storageOf.end()) {
        uint64_t &bytes = storages[found->second].bytes;
        bytes -=
            std::min(bytes, storageBytes(bytesOf(value.getType()).value_or(0)));
      }
  }

  uint64_t peak() const {
    std::vector<uint64_t> starts(facts.size() + 1), ends(starts);
    for (const Storage &storage : storages) {
      starts[storage.first] += storage.bytes;
      ends[storage.last + 1] += storage.bytes;
    }
    uint64_t live = 0, most = 0;
    for (size_t at = 0; at < facts.size(); ++at) {
      live += starts[at] - ends[at];
      most =
          std::max(most, llvm::SaturatingAdd(live, facts[at].workspaceBytes));
    }
    return most;
  }

  Block &block;
  bool handsOver;
  std::vector<OpFacts> facts; // by position
  llvm::DenseMap<Operation *, size_t> position;
  llvm::DenseMap<Value, size_t> storageOf;
  std::vector<Storage> storages;
};
} // namespace

FailureOr<uint64_t> remat::bytesMadeInside(Operation *op) {
  auto branches = dyn_cast<RegionBranchOpInterface>(op);
  bool handsOver = branches && !branches.hasLoop();
  uint64_t most = 0;
  for (Region &region : op->getRegions()) {
    // Blocks may hand values to each other: all of them count at once.
    uint64_t bytes = 0;
    for (Block &block : region) {
      FailureOr<uint64_t> made =
          BlockBytes(block, handsOver && region.hasOneBlock()).count();
      if (failed(made))
        return failure();
      bytes = llvm::SaturatingAdd(bytes, *made);
    }
    most = std::max(most, bytes);
  }
  return most;
}
