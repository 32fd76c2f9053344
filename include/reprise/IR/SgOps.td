//===- SgOps.td - All ops of the sg dialect -----------------*- tablegen -*-===//
#ifndef REPRISE_IR_SGOPS
#define REPRISE_IR_SGOPS

include "reprise/IR/SgStructureOps.td"
include "reprise/IR/SgPointwiseOps.td"
include "reprise/IR/SgShapeOps.td"
include "reprise/IR/SgNnOps.td"
include "reprise/IR/SgTransformerOps.td"

#endif // REPRISE_IR_SGOPS
