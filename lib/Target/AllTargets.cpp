//===- AllTargets.cpp - The targets of this build -------------------------===//
//
// One line a target; no other part of the compiler names one.
//
//===----------------------------------------------------------------------===//
#include "Cpu/CpuTarget.h"
#include "Cuda/CudaTarget.h"
#include "reprise/Target/Target.h"

void reprise::registerAllTargets() {
  registerCpuTarget();
  registerCudaTarget();
}
