//===- CudaForm.cpp - Programs by hand for a GPU --------------------------===//
//
// Kernels are gpu.func with the sizes of one launch, which the compiler's
// target makes code of; plans of library calls are those of the libraries.
//
//===----------------------------------------------------------------------===//
#include "CudaForm.h"
#include "../../lib/Target/Cuda/CudaTarget.h"
#include "../../lib/Target/Cuda/Kernels/GpuKernels.h"
#include "../../lib/Target/Cuda/Ptx.h"
#include "GpuForm.h"
#include "Program.h"
#include "SimulatedTarget.h"
#include "mlir/Parser/Parser.h"
#include "reprise/LibraryFunctions.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;
using gpu_test::load;
using gpu_test::store;

namespace {
class CudaForm : public gpu_test::GpuForm {
public:
  std::vector<uint8_t>
  code(const std::vector<HandKernel> &kernels) const override;
  rt::Expected<rt::LibraryCallInfo> plan(const rt::LibraryCallDesc &desc,
                                         unsigned) const override;
  bool choosesByEpilogues() const override;

protected:
  std::string features() const override { return target().features(); }
  std::string library() const override { return target().library(); }

private:
  std::string function(const HandKernel &kernel) const;
  std::vector<uint8_t> compile(const std::vector<HandKernel> &kernels,
                               CudaTarget &by) const;
  /// When the first test asks: by then it is known which GPU it is for.
  CudaTarget &target() const;
  mutable std::unique_ptr<CudaTarget> made;
};
} // namespace

/// Of the GPU that is here; none: it is simulated.
static std::optional<rt::cuda::DeviceDescription> gpuHere;
/// Where code is recorded, and for what; "": nowhere.
static std::string recordFolder;
static rt::cuda::DeviceDescription recordedGpu;

void gpu_test::buildForGpu(rt::cuda::DeviceDescription description) {
  gpuHere = std::move(description);
}

void gpu_test::recordCode(const std::string &folder,
                          rt::cuda::DeviceDescription description) {
  recordFolder = folder;
  recordedGpu = std::move(description);
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

std::vector<uint8_t> CudaForm::compile(const std::vector<HandKernel> &kernels,
                                       CudaTarget &by) const {
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
      by.compileModule(*module->getOps<gpu::GPUModuleOp>().begin());
  if (succeeded(code))
    return *code;
  ADD_FAILURE() << "kernels are not compiled";
  return {};
}

std::vector<uint8_t>
CudaForm::code(const std::vector<HandKernel> &kernels) const {
  if (!recordFolder.empty()) {
    CudaTarget described(recordedGpu, rt::cuda::CallOptions());
    std::vector<uint8_t> real = compile(kernels, described);
    std::ofstream out(recordFolder + "/" + recordOf(kernels), std::ios::binary);
    out.write(reinterpret_cast<const char *>(real.data()),
              std::streamsize(real.size()));
    if (!out.flush())
      ADD_FAILURE() << "code cannot be written to " << recordFolder;
  }
  return compile(kernels, target());
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

const DeviceForm &test::deviceForm() {
  static const CudaForm form;
  return form;
}
