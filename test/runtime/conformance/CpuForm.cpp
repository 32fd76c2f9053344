//===- CpuForm.cpp - Programs by hand for the processor -------------------===//
//
// The code image is the shared object built from kernels.c.
//
//===----------------------------------------------------------------------===//
#include "DeviceForm.h"
#include "reprise/Runtime/Cpu/Cpu.h"

#include <fstream>
#include <iterator>

using namespace reprise;
using namespace reprise::test;

namespace {
class CpuForm : public DeviceForm {
public:
  std::string device() const override { return "cpu"; }
  void describe(rt::fb::ProgramT &program) const override {
    program.device = "cpu";
    program.target = rt::hostTarget();
    program.library = rt::libraryVersion();
  }
  std::string symbol(const HandKernel &kernel) const override {
    return kernel.name;
  }
  uint64_t grains(const HandKernel &kernel) const override {
    return kernel.elements;
  }
  std::vector<uint8_t> code(const std::vector<HandKernel> &) const override {
    std::ifstream file(REPRISE_CONFORMANCE_KERNELS, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  rt::Expected<rt::LibraryCallInfo> plan(const rt::LibraryCallDesc &desc,
                                         unsigned threads) const override {
    return rt::queryLibraryCall(desc, threads);
  }
  uint32_t otherAlignment() const override { return 128; }
  std::vector<Foreign> foreign() const override;
};
} // namespace

/// The version with another instruction set at its end.
static std::string otherInstructionSet() {
  std::string have = rt::libraryVersion();
  return have.substr(0, have.rfind(' ') + 1) +
         (have.find("sse41") == have.npos ? "sse41" : "avx2");
}

std::vector<Foreign> CpuForm::foreign() const {
  std::string have = rt::libraryVersion(), other = otherInstructionSet();
  return {
      {"a feature that nothing has",
       [](auto &program) { program.target = "avx2,quantum"; },
       RP_INCOMPATIBLE,
       {"'quantum'", rt::hostTarget()}},
      {"an older library",
       [](auto &program) { program.library = "oneDNN 1.0.0 gomp"; },
       RP_INCOMPATIBLE,
       {"'oneDNN 1.0.0 gomp'", have}},
      // The library of a process generates code for one instruction set.
      {"another instruction set of the library",
       [other](auto &program) { program.library = other; },
       RP_INCOMPATIBLE,
       {"the artifact was compiled for '" + other + "'; this process uses '" +
        have + "' already; open the artifact in a process of its own"}},
      {"what is no code",
       [](auto &program) { program.code[0] = 0; },
       RP_DATA_LOSS,
       {"no code for them"}},
      {"code without the kernel",
       [](auto &program) { program.kernels[0] = "absent"; },
       RP_DATA_LOSS,
       {"the program's code has no kernel 'absent'"}}};
}

const DeviceForm &test::deviceForm() {
  static const CpuForm form;
  return form;
}
