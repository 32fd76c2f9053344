//===- HeldInside.h - Bytes held while an op runs ---------------*- C++ -*-===//
#ifndef REPRISE_LIB_BRIDGE_HELDINSIDE_H
#define REPRISE_LIB_BRIDGE_HELDINSIDE_H

#include "reprise/Bridge/FunctionGraph.h"

namespace reprise {

/// Counts the bytes that ops hold in their regions and in the functions that
/// they call.
class HeldInside {
public:
  explicit HeldInside(const rt::Roofline &roofline) : roofline(roofline) {}

  /// The most bytes that are live at once inside `op`, without those it carries
  /// from iteration to iteration in place: of all its regions, or of the larger
  /// one if only one of them runs. Fails with an error at the op whose bytes
  /// are unknown.
  mlir::FailureOr<uint64_t> of(mlir::Operation *op);

private:
  mlir::FailureOr<uint64_t> ofCallee(mlir::Operation *call);
  mlir::FailureOr<uint64_t> ofRegion(mlir::Region &region);

  const rt::Roofline &roofline;
  /// Results by function; nothing while it is being examined.
  llvm::DenseMap<mlir::Operation *, std::optional<uint64_t>> callees;
};

/// One block as a graph. `carried` are arguments that have bytes from the
/// block's start on, in a storage that may be taken over.
mlir::FailureOr<FunctionGraph> buildBlockGraph(mlir::Block &block,
                                               mlir::ValueRange carried,
                                               const rt::Roofline &roofline,
                                               HeldInside &inside);

} // namespace reprise

#endif // REPRISE_LIB_BRIDGE_HELDINSIDE_H
