//===- PlanCall.cpp - How the libraries would run a call ------------------===//
#include "CublasForm.h"
#include "CudnnPlan.h"
#include "Versions.h"
#include "reprise/Runtime/Cuda/Cuda.h"

namespace reprise::rt::cuda {

std::vector<rp_element_type> callElements(LibraryOp function) {
  bool isThere = size_t(function) < kLibraryFunctionCount &&
                 kLibraryFunctions[size_t(function)].takesEpilogues;
  return isThere ? productElements() : std::vector<rp_element_type>();
}

static Expected<LibraryCallInfo>
planConvolution(const DeviceDescription &description,
                const ConvolutionForm &form, const CallOptions &options) {
  Expected<CudnnDevice> device = describedDevice(description.properties);
  if (!device.ok())
    return device.status();
  CudnnChoice choice;
  choice.allowTf32 = options.allowTf32;
  Expected<CudnnPlan> plan = chooseCudnnPlan(*device, form, choice);
  if (!plan.ok())
    return plan.status();
  return LibraryCallInfo{plan->workspaceBytes(), plan->name()};
}

static Expected<LibraryCallInfo>
planProduct(const DeviceDescription &description, const ProductForm &form,
            const CallOptions &options) {
  if (std::optional<ConvolutionForm> convolution = asConvolution(form)) {
    Expected<LibraryCallInfo> info =
        planConvolution(description, *convolution, options);
    // What cuDNN lacks, as another type of the result, cuBLASLt has.
    bool isLacking = !info.ok() && info.status().code() == RP_UNAVAILABLE &&
                     !cudnnVersion().empty();
    if (!isLacking)
      return info;
  }
  if (cublasLtVersion().empty())
    return Status::error(RP_UNAVAILABLE,
                         "no cuBLASLt, which this product needs; install the "
                         "CUDA toolkit's cuBLAS");
  bool isTf32 = options.allowTf32 && form.a.type == RP_F32;
  return LibraryCallInfo{kCublasPlannedBytes,
                         isTf32 ? kCublasTf32Name : kCublasName};
}

Expected<LibraryCallInfo> planCall(const DeviceDescription &description,
                                   const LibraryCallDesc &desc,
                                   const CallOptions &options) {
  REPRISE_RETURN_IF_ERROR(verifyLibraryCall(desc));
  if (callElements(desc.op).empty())
    return Status::error(RP_UNAVAILABLE, std::string(functionOf(desc).name) +
                                             " is not there on GPUs");
  if (desc.op != LibraryOp::MatMul) {
    Expected<ConvolutionForm> form = convolutionForm(desc);
    if (!form.ok())
      return form.status();
    return planConvolution(description, *form, options);
  }
  Expected<ProductForm> form = productForm(desc);
  if (!form.ok())
    return form.status();
  return planProduct(description, *form, options);
}

std::string libraryVersion() {
  std::string cudnn = cudnnVersion(), cublas = cublasLtVersion();
  if (cudnn.empty() || cublas.empty())
    return "";
  return cudnn + ", " + cublas;
}

} // namespace reprise::rt::cuda
