// What the examples in C++ of docs/*.md stand in, those of the runtime: each
// takes the place of its EXAMPLE line (cpp.py).
#include "reprise/Runtime/Device.h"
#include <memory>
#include <string>

namespace reprise::rt {
Expected<std::unique_ptr<Device>> openCpuDevice(const std::string &which);

// EXAMPLE docs/targets.md 2
} // namespace reprise::rt
