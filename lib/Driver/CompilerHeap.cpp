//===- CompilerHeap.cpp - Compilers of this process -----------------------===//

#include "reprise/Driver/CompilerHeap.h"

#include <atomic>

using namespace reprise::driver;

static std::atomic<int> compilers = 0;

CompilerHeap::CompilerHeap() { ++compilers; }
CompilerHeap::~CompilerHeap() { --compilers; }

bool CompilerHeap::isInUse() {
  return compilers.load(std::memory_order_relaxed) > 0;
}
