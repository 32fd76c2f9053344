//===- StrippedLocations.cpp - Compiling without locations ----------------===//

#include "StrippedLocations.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace reprise;

void end_to_end::stripLocations(Operation *op) {
  Location unknown = UnknownLoc::get(op->getContext());
  op->walk([&](Operation *at) {
    at->setLoc(unknown);
    for (Region &region : at->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(unknown);
  });
}

namespace {
class Stripper : public PassInstrumentation {
  void runBeforePass(Pass *, Operation *op) override {
    end_to_end::stripLocations(op);
  }
  void runAfterPass(Pass *, Operation *op) override {
    end_to_end::stripLocations(op);
  }
};
} // namespace

CompileOptions end_to_end::withoutLocations(CompileOptions options) {
  auto before = options.configure;
  options.configure = [before](PassManager &manager) {
    if (before)
      before(manager);
    manager.addInstrumentation(std::make_unique<Stripper>());
  };
  return options;
}

static std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

std::string end_to_end::compareStripped(mlir::ModuleOp model,
                                        mlir::ModuleOp program,
                                        const CompileOptions &options) {
  OwningOpRef<mlir::ModuleOp> clone = model.clone();
  if (failed(
          lowerModel(*clone, withoutLocations(options), CompileLevel::Program)))
    return "does not compile without locations";
  std::string expected = textOf(program), got = textOf(*clone);
  if (expected == got)
    return "";
  SmallVector<StringRef> lines, others;
  StringRef(expected).split(lines, '\n');
  StringRef(got).split(others, '\n');
  size_t at = 0;
  while (at < std::min(lines.size(), others.size()) && lines[at] == others[at])
    ++at;
  auto line = [&](ArrayRef<StringRef> of) {
    return at < of.size() ? of[at].trim().str() : std::string("nothing");
  };
  return "is another program without locations: line " +
         std::to_string(at + 1) + " is '" + line(others) + "' instead of '" +
         line(lines) + "'";
}
