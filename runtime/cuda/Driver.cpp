//===- Driver.cpp - What the cuda device asks of CUDA ---------------------===//
#include "Driver.h"

namespace reprise::rt::cuda {

Driver::~Driver() = default;

} // namespace reprise::rt::cuda
