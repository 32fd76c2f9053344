//===- Demo.h - Ops of another dialect, as an example -----------*- C++ -*-===//
#ifndef REPRISE_TEST_OPS_DEMO_H
#define REPRISE_TEST_OPS_DEMO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Demo/DemoDialect.h.inc"
#define GET_OP_CLASSES
#include "Demo/DemoOps.h.inc"

#endif // REPRISE_TEST_OPS_DEMO_H
