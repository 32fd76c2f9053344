//===- FakeDialect.h - A dialect that joins the planner ---------*- C++ -*-===//
#ifndef REPRISE_TEST_FAKEDIALECT_H
#define REPRISE_TEST_FAKEDIALECT_H

#include "reprise/IR/Remat.h"

#include "FakeDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "FakeTypes.h.inc"
#define GET_OP_CLASSES
#include "FakeOps.h.inc"

#endif // REPRISE_TEST_FAKEDIALECT_H
