//===- SgOps.td - All ops of the sg dialect -----------------*- tablegen -*-===//
#ifndef REPRISE_IR_SGOPS
#define REPRISE_IR_SGOPS

include "reprise/IR/Sg/Ops/Activation.td"
include "reprise/IR/Sg/Ops/Attention.td"
include "reprise/IR/Sg/Ops/Collective.td"
include "reprise/IR/Sg/Ops/Constant.td"
include "reprise/IR/Sg/Ops/Convolution.td"
include "reprise/IR/Sg/Ops/Elementwise.td"
include "reprise/IR/Sg/Ops/Gather.td"
include "reprise/IR/Sg/Ops/HostMemory.td"
include "reprise/IR/Sg/Ops/Loss.td"
include "reprise/IR/Sg/Ops/Movement.td"
include "reprise/IR/Sg/Ops/Normalization.td"
include "reprise/IR/Sg/Ops/Pooling.td"
include "reprise/IR/Sg/Ops/Product.td"
include "reprise/IR/Sg/Ops/Random.td"
include "reprise/IR/Sg/Ops/Reduction.td"
include "reprise/IR/Sg/Ops/Structure.td"

#endif // REPRISE_IR_SGOPS
