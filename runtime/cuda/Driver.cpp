//===- Driver.cpp - The cuda device's interface to CUDA -------------------===//
#include "Driver.h"

namespace reprise::rt::cuda {

Driver::~Driver() = default;

} // namespace reprise::rt::cuda
