//===- SgRemat.h - Facts about sg ops for the planner -----------*- C++ -*-===//
//
// Private to lib/IR.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_IR_SGREMAT_H
#define REPRISE_LIB_IR_SGREMAT_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace reprise::sg {

/// Attaches the model of remat::RematOpInterface to the ops of sg.
void registerRematModels(mlir::MLIRContext *context);

} // namespace reprise::sg

#endif // REPRISE_LIB_IR_SGREMAT_H
