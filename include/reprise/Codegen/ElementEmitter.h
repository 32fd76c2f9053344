//===- ElementEmitter.h - A kernel's elements in memory ---------*- C++ -*-===//
//
// An ElementBuilder whose arguments are in memory. Explicit loads and stores
// access exactly the requested elements, so arguments may overlap where
// analyzeKernel allows it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CODEGEN_ELEMENTEMITTER_H
#define REPRISE_CODEGEN_ELEMENTEMITTER_H

#include "reprise/Codegen/KernelSpace.h"

namespace reprise {

class ElementEmitter : public ElementBuilder {
public:
  /// `pointers`: one for each argument, then one for each yielded value.
  ElementEmitter(mlir::OpBuilder &builder, mlir::Location loc,
                 const KernelSpace &space, llvm::ArrayRef<mlir::Value> pointers)
      : ElementBuilder(builder, loc, space.target.lanes), space(space),
        pointers(pointers), activeLanes(allLanes()) {}

  /// Writes `element`, of the type that evaluate returns, to the memory of
  /// pointers[pointer].
  void store(unsigned pointer, mlir::Type type, mlir::Value element,
             const Index &index);

  /// Sets the number of lanes that are loaded and stored from now on; the
  /// others hold zeros or values without meaning.
  void setActiveLanes(int64_t lanes) { activeLanes = lanes; }
  int64_t getActiveLanes() const { return activeLanes; }
  /// Returns a vector of i1 that is true for active lanes.
  mlir::Value laneMask();

  /// Records that an index is a multiple of `of`. An access at a position known
  /// to be a multiple is aligned to that many elements, up to 16 bytes; any
  /// other access to one element.
  void setMultiple(mlir::Value index, int64_t of) { multiples[index] = of; }

  /// Records that whole = high * extent + low, so that a use of `high` and
  /// `low` as neighbouring indices, before and along a dimension of `extent`,
  /// need not combine them again.
  void setWhole(mlir::Value high, mlir::Value low, int64_t extent,
                mlir::Value whole) {
    wholes[{high, low}] = {extent, whole};
  }

  /// Records the only element that `value` has in the current row, or the
  /// vector of the current columns; its readers there use it whatever their
  /// index.
  void setRowElement(mlir::Value value, mlir::Value element) {
    rowElements[value] = element;
  }
  /// Returns null if the value has no such element.
  mlir::Value rowElement(mlir::Value value) const {
    return rowElements.lookup(value);
  }
  /// Discards the elements recorded for the current row or columns.
  void forgetRow() { rowElements.clear(); }

  /// Sets the element of an argument at the current index, used for every read
  /// of it; null ends that.
  void setStaged(unsigned argument, mlir::Value element) {
    staged[argument] = element;
  }
  /// Loads the element from memory.
  mlir::Value loadFromMemory(mlir::BlockArgument argument, const Index &index);

  const KernelSpace &space;

protected:
  mlir::Value load(mlir::BlockArgument argument, const Index &index) override;
  /// Returns recorded elements of the current row; where loops are merged,
  /// evaluates ops that only broadcast by loop.
  mlir::Value emit(mlir::Operation *op, const Index &index) override;

private:
  mlir::Value addressOf(mlir::Value pointer, mlir::Type memoryType,
                        mlir::Value position);
  /// Prefetches the elements of a large argument that the kernel will load.
  void prefetch(mlir::BlockArgument argument, const Index &index,
                mlir::Value address);
  /// Returns a power of two, at most 16, that is known to divide `value`.
  int64_t divisorOf(mlir::Value value);
  unsigned alignmentOf(mlir::Type stored, const Index &index,
                       mlir::Value position);
  /// The same as `linear`.
  mlir::Value positionOf(const Index &index);
  Index mergedOperandIndex(IndexMapOpInterface op, const Index &index) const;

  llvm::ArrayRef<mlir::Value> pointers;
  int64_t activeLanes;
  llvm::DenseMap<mlir::Value, int64_t> multiples;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>,
                 std::pair<int64_t, mlir::Value>>
      wholes;
  llvm::DenseMap<mlir::Value, mlir::Value> rowElements;
  llvm::DenseMap<unsigned, mlir::Value> staged;
};

} // namespace reprise

#endif // REPRISE_CODEGEN_ELEMENTEMITTER_H
