//===- CudaForm.cpp - Programs by hand for a GPU --------------------------===//
//
// Kernels are gpu.func with the sizes of one launch, which the compiler's
// target makes code of; plans of library calls are those of the libraries.
//
//===----------------------------------------------------------------------===//
#include "CudaForm.h"
#include "../../lib/Target/Cuda/CudaTarget.h"
#include "../../lib/Target/Cuda/Ptx.h"
#include "../runtime/conformance/DeviceForm.h"
#include "CodeWith.h"
#include "Program.h"
#include "SimulatedTarget.h"
#include "mlir/Parser/Parser.h"
#include "reprise/Codegen/GpuKernels.h"
#include "reprise/LibraryFunctions.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;
using gpu_test::load;
using gpu_test::store;

namespace {
class CudaForm : public DeviceForm {
public:
  std::string device() const override { return "cuda"; }
  void describe(rt::fb::ProgramT &program) const override {
    program.device = "cuda";
    program.target = target().features();
    program.library = target().library();
  }
  std::string symbol(const HandKernel &kernel) const override {
    return kernel.name + "_" + std::to_string(kernel.elements) + "_" +
           std::to_string(kernel.operands);
  }
  uint64_t grains(const HandKernel &kernel) const override {
    return (kernel.elements + kThreads - 1) / kThreads;
  }
  std::vector<uint8_t>
  code(const std::vector<HandKernel> &kernels) const override;
  rt::Expected<rt::LibraryCallInfo> plan(const rt::LibraryCallDesc &desc,
                                         unsigned) const override;
  bool hasAttention() const override { return false; }
  bool choosesByEpilogues() const override;
  uint32_t otherAlignment() const override { return 512; }
  std::vector<Foreign> foreign() const override;

private:
  static constexpr uint64_t kThreads = 64;
  std::string function(const HandKernel &kernel) const;
  /// When the first test asks: by then it is known which GPU it is for.
  CudaTarget &target() const;
  mutable std::unique_ptr<CudaTarget> made;
};
} // namespace

/// Of the GPU that is here; none: it is simulated.
static std::optional<rt::cuda::DeviceDescription> gpuHere;

void gpu_test::buildForGpu(rt::cuda::DeviceDescription description) {
  gpuHere = std::move(description);
}

CudaTarget &CudaForm::target() const {
  if (made)
    return *made;
  if (gpuHere)
    made = std::make_unique<CudaTarget>(*gpuHere, rt::cuda::CallOptions());
  else
    made = gpu_test::createSimulatedTarget();
  return *made;
}

/// The simulated one runs them on the processor.
bool CudaForm::choosesByEpilogues() const { return gpuHere.has_value(); }

/// What a thread does for element %i, as kernels.c; the last of %n has %last.
static std::string bodyOf(const std::string &name) {
  const std::string one = "%one = arith.constant 1.0 : f32\n";
  if (name == "scale_add")
    return load("%a", "%p0", "%i") + load("%b", "%p1", "%c0") +
           load("%c", "%p2", "%i") +
           "%ab = arith.mulf %a, %b : f32\n%r = arith.addf %ab, %c : f32\n" +
           store("%r", "%p3", "%i");
  if (name == "count")
    return load("%a", "%p0", "%i", "i32") +
           "%one = arith.constant 1 : i32\n"
           "%r = arith.addi %a, %one : i32\n" +
           store("%r", "%p0", "%i", "i32");
  if (name == "ones")
    return one + store("%one", "%p0", "%i");
  // The element before each, and the last one too.
  if (name == "underrun")
    return one + "%j = arith.subi %i, %c1 : index\n" +
           store("%one", "%p0", "%j") + "scf.if %last {\n%again = arith.addf " +
           "%one, %zero : f32\n" + store("%again", "%p0", "%i") + "}\n";
  if (name == "shift")
    return "%j = arith.addi %i, %c1 : index\n" + load("%a", "%p0", "%j") +
           store("%a", "%p1", "%i");
  return "";
}

std::string CudaForm::function(const HandKernel &kernel) const {
  std::string parameters, body = bodyOf(kernel.name);
  for (size_t i = 0; i < kernel.operands; ++i)
    parameters += (i ? ", %p" : "%p") + std::to_string(i) + ": !llvm.ptr";
  if (body.empty())
    ADD_FAILURE() << "no kernel '" << kernel.name << "' for a GPU";
  return "gpu.func @" + symbol(kernel) + "(" + parameters +
         ") kernel attributes {known_block_size = array<i32: " +
         std::to_string(kThreads) + ", 1, 1>, known_grid_size = array<i32: " +
         std::to_string(grains(kernel)) +
         ", 1, 1>} {\n%tid = gpu.thread_id x\n%bid = gpu.block_id x\n"
         "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
         "%zero = arith.constant 0.0 : f32\n"
         "%threads = arith.constant " +
         std::to_string(kThreads) + " : index\n%n = arith.constant " +
         std::to_string(kernel.elements) +
         " : index\n%begin = arith.muli %bid, %threads : index\n"
         "%i = arith.addi %begin, %tid : index\n"
         "%next = arith.addi %i, %c1 : index\n"
         "%last = arith.cmpi eq, %next, %n : index\n"
         "%inside = arith.cmpi ult, %i, %n : index\nscf.if %inside {\n" +
         body + "}\ngpu.return\n}\n";
}

std::vector<uint8_t>
CudaForm::code(const std::vector<HandKernel> &kernels) const {
  std::string text = "gpu.module @kernels {\n";
  for (const HandKernel &kernel : kernels)
    text += function(kernel);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadGpuDialects(context);
  loadPtxDialects(context);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text + "}\n", &context);
  if (!module) {
    ADD_FAILURE() << text;
    return {};
  }
  FailureOr<std::vector<uint8_t>> code =
      target().compileModule(*module->getOps<gpu::GPUModuleOp>().begin());
  if (succeeded(code))
    return *code;
  ADD_FAILURE() << "kernels are not compiled";
  return {};
}

rt::Expected<rt::LibraryCallInfo>
CudaForm::plan(const rt::LibraryCallDesc &desc, unsigned) const {
  if (gpuHere)
    return rt::cuda::planCall(*gpuHere, desc);
  REPRISE_RETURN_IF_ERROR(rt::verifyLibraryCall(desc));
  if (!rt::functionOf(desc).takesEpilogues)
    return rt::Status::error(RP_UNAVAILABLE,
                             std::string(rt::functionOf(desc).name) +
                                 " is not there on GPUs");
  return gpu_test::simulatedCall(desc);
}

std::vector<Foreign> CudaForm::foreign() const {
  return {{"a newer architecture",
           [](auto &program) {
             program.code = gpu_test::codeWith(program.code, [](auto &code) {
               code.architecture = "sm_999";
             });
           },
           RP_INCOMPATIBLE,
           {"for devices of sm_999 or newer", target().features()}},
          {"other libraries",
           [](auto &program) { program.library = "cuDNN 1.0.0"; },
           RP_INCOMPATIBLE,
           {"planned for cuDNN 1.0.0", target().library()}},
          {"what is no code",
           [](auto &program) { program.code[0] = program.code[1] = 0xFF; },
           RP_INCOMPATIBLE,
           {"the artifact's code is none for device 'cuda'"}},
          {"code without the kernel",
           [](auto &program) { program.kernels[0] = "absent"; },
           RP_INCOMPATIBLE,
           {"the artifact's code has no kernel 'absent'"}}};
}

const DeviceForm &test::deviceForm() {
  static const CudaForm form;
  return form;
}
