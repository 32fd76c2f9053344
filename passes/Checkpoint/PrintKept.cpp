//===- PrintKept.cpp - List the values kept for the backward pass ---------===//
//
// Input:   a differentiated function.
// Output:  unchanged; a list on standard output.
// Method:  the values outside sg.backward that it reads; a module's result is
// followed
//          into the module to the op that computes it.
// Fails:   when the function is not differentiated.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Checkpoint.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"

namespace reprise {
#define GEN_PASS_DEF_SGPRINTKEPT
#include "reprise/Passes/CheckpointPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {
/// A kept value and the op that computes it, within its block.
struct Kept {
  Value value;  // of the function's block
  Value source; // within blocks
  std::string path;
};

class PrintKept : public reprise::impl::SgPrintKeptBase<PrintKept> {
  void runOnOperation() override {
    BackwardOp backward;
    getOperation().walk([&](BackwardOp op) { backward = op; });
    if (!backward) {
      getOperation().emitError() << "is not differentiated; nothing is kept";
      return signalPassFailure();
    }
    print(collect(backward));
    markAllAnalysesPreserved();
  }

  static SmallVector<Kept> collect(BackwardOp backward);
  void print(ArrayRef<Kept> values);
};
} // namespace

static Kept follow(Value value) {
  Kept kept = {value, value, ""};
  while (auto module = kept.source.getDefiningOp<SgModuleOp>()) {
    kept.path = module.getPath().str();
    unsigned index = cast<OpResult>(kept.source).getResultNumber();
    kept.source = module.getYield().getOperand(index);
  }
  return kept;
}

SmallVector<Kept> PrintKept::collect(BackwardOp backward) {
  llvm::SetVector<Value> kept;
  backward.getBody().walk([&](Operation *op) {
    if (op->getBlock() != &backward.getBody().front())
      return;
    for (Value operand : op->getOperands())
      if (!backward.getBody().isAncestor(operand.getParentRegion()) &&
          !isFree(operand))
        kept.insert(operand);
  });
  SmallVector<Kept> values;
  for (Value value : kept)
    values.push_back(follow(value));
  return values;
}

void PrintKept::print(ArrayRef<Kept> values) {
  raw_ostream &out = llvm::outs();
  out << "kept in @" << getOperation().getSymName() << ":\n";
  uint64_t total = 0;
  for (const Kept &kept : values) {
    uint64_t bytes = byteSize(kept.value.getType());
    total += bytes;
    Operation *op = kept.source.getDefiningOp();
    out << llvm::format("%12llu bytes  ",
                        static_cast<unsigned long long>(bytes))
        << kept.value.getType();
    if (!kept.path.empty())
      out << "  " << kept.path;
    out << "  " << (op ? op->getName().getStringRef() : StringRef("argument"));
    std::string source = sourceOf(kept.source.getLoc());
    if (!source.empty())
      out << "  (" << source << ")";
    out << '\n';
  }
  out << llvm::format("%12llu bytes in %zu values\n",
                      static_cast<unsigned long long>(total), values.size());
  out.flush();
}
