//===- GpuForm.cpp - Programs by hand for GPUs ----------------------------===//
#include "GpuForm.h"
#include "CodeWith.h"
#include "reprise/Runtime/Device.h"

#include <cstdio>

using namespace reprise;
using namespace reprise::test;
using namespace reprise::gpu_test;

rt::Expected<rt::cuda::DeviceDescription> gpu_test::describeGpuHere() {
  auto device = rt::openDevice("cuda");
  if (!device.ok())
    return device.status();
  rt::Expected<std::string> text = (*device)->description({});
  if (!text.ok())
    return text.status();
  return rt::cuda::readDescription(*text);
}

int gpu_test::skipSuite(const rt::Status &status) {
  std::printf("SKIPPED: the suite of devices did not run on 'cuda': %s\n",
              status.message().c_str());
  return status.code() == RP_UNAVAILABLE ? 0 : 1;
}

void GpuForm::describe(rt::fb::ProgramT &program) const {
  program.device = "cuda";
  program.target = features();
  program.library = library();
}

std::string GpuForm::symbol(const HandKernel &kernel) const {
  return kernel.name + "_" + std::to_string(kernel.elements) + "_" +
         std::to_string(kernel.operands);
}

/// By FNV-1a of their symbols.
std::string GpuForm::recordOf(const std::vector<HandKernel> &kernels) const {
  uint64_t hash = 14695981039346656037u;
  for (const HandKernel &kernel : kernels)
    for (char c : symbol(kernel) + "\n")
      hash = (hash ^ uint8_t(c)) * 1099511628211u;
  char digits[24];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(hash));
  return digits;
}

std::vector<Foreign> GpuForm::foreign() const {
  return {{"a newer architecture",
           [](auto &program) {
             program.code = codeWith(program.code, [](auto &code) {
               code.architecture = "sm_999";
             });
           },
           RP_INCOMPATIBLE,
           {"for devices of sm_999 or newer", features()}},
          {"other libraries",
           [](auto &program) { program.library = "cuDNN 1.0.0"; },
           RP_INCOMPATIBLE,
           {"planned for cuDNN 1.0.0", library()}},
          {"what is no code",
           [](auto &program) { program.code[0] = program.code[1] = 0xFF; },
           RP_INCOMPATIBLE,
           {"the artifact's code is none for device 'cuda'"}},
          {"code without the kernel",
           [](auto &program) { program.kernels[0] = "absent"; },
           RP_INCOMPATIBLE,
           {"the artifact's code has no kernel 'absent'"}}};
}
