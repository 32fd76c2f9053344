//===- dialects.h - Precompiled: for what reads and writes Reprise's IR ---===//
#include "mlir.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "reprise/IR/Remat.h"
#include "reprise/IR/Rt.h"
#include "reprise/IR/Sg.h"
