//===- Meaning.h - What a function and its program compute ------*- C++ -*-===//
//
// Both are run on symbols instead of numbers: a value is the text of the
// expression that made it. A program runs on bytes: reading a range that the
// last write to these bytes did not fill as a whole gives "garbage".
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_BRIDGE_MEANING_H
#define REPRISE_TEST_BRIDGE_MEANING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/Bridge/BuildProgram.h"
#include <map>
#include <string>

namespace reprise::test {

/// Expressions by name.
struct Meaning {
  std::map<std::string, std::string> results;
  std::map<std::string, std::string> variables; // after the step
  bool operator==(const Meaning &other) const {
    return results == other.results && variables == other.variables;
  }
};

Meaning meaningOf(mlir::func::FuncOp function);
Meaning meaningOf(rt_dialect::EntryOp entry);

std::ostream &operator<<(std::ostream &os, const Meaning &meaning);

/// Says 4 grains for every kernel, in-place pairs for kernels whose path
/// begins with "ew" wherever types agree, and for every library call a
/// workspace of 256 bytes.
class FakeTarget : public Target {
public:
  std::string device() const override { return "fake"; }
  std::string features() const override { return ""; }
  mlir::FailureOr<KernelTraits> kernelTraits(mlir::Block &body) override;
  mlir::FailureOr<rt::LibraryCallInfo>
  libraryCall(mlir::Operation *op, const rt::LibraryCallDesc &desc) override;
  mlir::FailureOr<std::vector<uint8_t>>
  compileKernels(llvm::ArrayRef<KernelSource>) override {
    return mlir::failure();
  }
  Machine machine() const override { return {}; }
  rt::Expected<rt::Roofline> measureRoofline() override {
    return rt::Roofline();
  }
  unsigned calls = 0;
};

/// A module and the program of its functions.
class Lowered {
public:
  /// Parses `source` and lowers it; `program` is null if that failed, and
  /// `diagnostics` says why.
  explicit Lowered(const std::string &source);
  rt_dialect::EntryOp entry(llvm::StringRef name);
  mlir::func::FuncOp function(llvm::StringRef name);
  /// Number of steps of a kind in an entry.
  template <typename OpTy> size_t count(llvm::StringRef name) {
    auto steps = entry(name).getBody().getOps<OpTy>();
    return std::distance(steps.begin(), steps.end());
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string diagnostics;
  FakeTarget target;
  rt_dialect::ProgramOp program;
};

} // namespace reprise::test

#endif // REPRISE_TEST_BRIDGE_MEANING_H
