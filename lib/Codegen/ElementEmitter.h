//===- ElementEmitter.h - Elements of a kernel and memory -------*- C++ -*-===//
//
// An ElementBuilder whose arguments lie in memory. Memory is accessed by
// explicit loads and stores of exactly the elements wanted, so arguments may
// overlap where analyzeKernel allows it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_CODEGEN_ELEMENTEMITTER_H
#define REPRISE_LIB_CODEGEN_ELEMENTEMITTER_H

#include "KernelSpace.h"

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

  /// How many lanes are loaded and stored from now on; the others hold zeros
  /// or values that do not matter.
  void setActiveLanes(int64_t lanes) { activeLanes = lanes; }
  int64_t getActiveLanes() const { return activeLanes; }
  /// A vector of i1 that is true for active lanes.
  mlir::Value laneMask();

  /// Says that an index is a multiple of `of`. Accesses at a position that is
  /// known to be a multiple are aligned to that many elements, up to 16 bytes;
  /// all where nothing is said, to one.
  void setMultiple(mlir::Value index, int64_t of) { multiples[index] = of; }

  /// Says that whole = high * extent + low: who wants these two side by side,
  /// in front of and along a dimension of `extent`, need not put them together.
  void setWhole(mlir::Value high, mlir::Value low, int64_t extent,
                mlir::Value whole) {
    wholes[{high, low}] = {extent, whole};
  }

  /// Says the only element that `value` has in the row at hand, or the vector
  /// of the columns at hand; what reads it there is not asked where.
  void setRowElement(mlir::Value value, mlir::Value element) {
    rowElements[value] = element;
  }
  /// Null where the value has no such element.
  mlir::Value rowElement(mlir::Value value) const {
    return rowElements.lookup(value);
  }
  /// Ends the row, or the columns.
  void forgetRow() { rowElements.clear(); }

  /// Says the element that an argument has at the index at hand, wherever it is
  /// asked for; null ends that.
  void setStaged(unsigned argument, mlir::Value element) {
    staged[argument] = element;
  }
  /// The element in memory.
  mlir::Value loadFromMemory(mlir::BlockArgument argument, const Index &index);

  const KernelSpace &space;

protected:
  mlir::Value load(mlir::BlockArgument argument, const Index &index) override;
  /// Elements of the row at hand as they were said; where loops are merged,
  /// what only broadcasts reads by the loop.
  mlir::Value emit(mlir::Operation *op, const Index &index) override;

private:
  mlir::Value addressOf(mlir::Value pointer, mlir::Type memoryType,
                        mlir::Value position);
  /// Asks for what the kernel will load of a large argument.
  void prefetch(mlir::BlockArgument argument, const Index &index,
                mlir::Value address);
  /// A power of two, at most 16, that is known to divide `value`.
  int64_t divisorOf(mlir::Value value);
  unsigned alignmentOf(mlir::Type stored, const Index &index,
                       mlir::Value position);
  /// As linear.
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

#endif // REPRISE_LIB_CODEGEN_ELEMENTEMITTER_H
