//===- PlanCall.cpp - Plan calls of the libraries -------------------------===//
#include "CublasForm.h"
#include "CudnnPlan.h"
#include "Versions.h"
#include "reprise/Runtime/Cuda/Cuda.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

namespace reprise::rt::cuda {

std::vector<rp_element_type> callElements(LibraryOp function) {
  bool isThere = size_t(function) < kLibraryFunctionCount &&
                 kLibraryFunctions[size_t(function)].takesEpilogues;
  return isThere ? productElements() : std::vector<rp_element_type>();
}

/// Returns the bytes for partial sums. Kernels of clusters split a sum by the
/// number of clusters that the device runs at once, which cuDNN queries from
/// its driver: without one it assumes less, and another device of the kind may
/// run more. Partial sums are at most a tile of 128 by 256 numbers for each of
/// the multiprocessors, and some flags.
static uint64_t splitBytes(const DeviceDescription &description) {
  nlohmann::json properties = nlohmann::json::parse(
      description.properties, nullptr, /*allow_exceptions=*/false);
  constexpr uint64_t tile = 128 * 256 * sizeof(float), flags = 64 << 10;
  constexpr uint64_t hopper = 132;
  uint64_t multiprocessors = hopper;
  if (properties.is_object())
    if (auto it = properties.find("multiProcessorCount");
        it != properties.end() && it->is_number_unsigned())
      multiprocessors = std::min<uint64_t>(it->get<uint64_t>(), 1 << 16);
  return multiprocessors * tile + flags;
}

/// Plans by cuBLASLt, even if cuDNN has the product as a 1x1 convolution: on an
/// H100 the choices of cuDNN's heuristics are as good for most products of
/// bf16, but up to 30 times slower for long sums and several times slower in
/// f32 (docs/benchmarks).
static Expected<LibraryCallInfo> planProduct(const ProductForm &form,
                                             const CallOptions &options) {
  if (cublasLtVersion().empty())
    return Status::error(RP_UNAVAILABLE,
                         "no cuBLASLt, which products need; install the CUDA "
                         "toolkit's cuBLAS");
  bool isTf32 = options.allowTf32 && form.a.type == RP_F32;
  return LibraryCallInfo{kCublasPlannedBytes,
                         isTf32 ? kCublasTf32Name : kCublasName};
}

/// Returns true for more elements than cuDNN's kernels for tensor cores count
/// in 32 bits.
static bool isLong(const ConvolutionForm &form) {
  constexpr int64_t most = INT32_MAX;
  auto elements = [](const ConvolutionTensor &t) {
    return std::accumulate(t.dims.begin(), t.dims.end(), int64_t(1),
                           std::multiplies<>());
  };
  return elements(form.x) > most || elements(form.w) > most ||
         elements(form.y) > most;
}

/// Gradients of filters of longer tensors in 16 bits only have a kernel without
/// tensor cores (cuDNN 9.19): they run as products where possible, and are
/// otherwise priced like f32.
static Expected<LibraryCallInfo>
planConvolution(const DeviceDescription &description, const CallForms &forms,
                const CallOptions &options) {
  const ConvolutionForm &form = *forms.convolution;
  REPRISE_EXPECT(device, describedDevice(description.properties));
  CudnnChoice choice;
  choice.allowTf32 = options.allowTf32;
  REPRISE_EXPECT(plan, chooseCudnnPlan(*device, form, choice));
  bool isOneByOne = form.x.type != RP_F32 && !plan->usesTensorCores();
  if (isOneByOne && forms.product && isLong(form))
    return planProduct(*forms.product, options);
  LibraryCallInfo info;
  info.implementation = plan->name();
  info.workspaceBytes = plan->workspaceBytes();
  if (splitsByDevice(plan->name(), form))
    info.workspaceBytes =
        std::max(info.workspaceBytes, splitBytes(description));
  const Roofline &roofline = description.roofline;
  if (isOneByOne && roofline.narrowGflops > 0)
    info.arithmetic = roofline.narrowGflops / roofline.gflops;
  return info;
}

/// Returns null if there is none that the options allow.
static const LibraryCallInfo *findMeasured(const DeviceDescription &description,
                                           const LibraryCallDesc &desc,
                                           const CallOptions &options) {
  auto found = description.calls.find(callText(desc));
  bool isRounded = options.allowTf32 && desc.inputs[0].type == RP_F32;
  return found == description.calls.end() || isRounded ? nullptr
                                                       : &found->second;
}

/// Checks that the libraries could run a call as a description states.
static Status checkMeasured(const DeviceDescription &description,
                            const CallForms &forms,
                            const LibraryCallInfo &measured) {
  auto wrong = [&](const std::string &what) {
    return Status::error(RP_INVALID_ARGUMENT,
                         "calls of '" + description.key + "' were measured " +
                             what + "; describe the device again");
  };
  if (description.callLibraries != libraryVersion())
    return wrong("with " + description.callLibraries + ", here is " +
                 libraryVersion());
  if (measured.implementation == kCublasName) {
    if (forms.product && measured.workspaceBytes >= kCublasPlannedBytes)
      return {};
    return wrong("as '" + measured.implementation + "' with " +
                 std::to_string(measured.workspaceBytes) +
                 " bytes, which this call is not");
  }
  // cuDNN has some engines only on the device itself, which rejects other
  // names.
  if (forms.convolution && isCudnnName(measured.implementation))
    return {};
  return wrong("as '" + measured.implementation +
               "', which is not a kernel's name for such a call");
}

Expected<LibraryCallInfo> planCall(const DeviceDescription &description,
                                   const LibraryCallDesc &desc,
                                   const CallOptions &options) {
  REPRISE_RETURN_IF_ERROR(verifyLibraryCall(desc));
  REPRISE_EXPECT(forms, formsOf(desc));
  if (const LibraryCallInfo *measured =
          findMeasured(description, desc, options)) {
    REPRISE_RETURN_IF_ERROR(checkMeasured(description, *forms, *measured));
    LibraryCallInfo info = *measured;
    // Only gradients of filters, among the measured calls, had other workspaces
    // on another device.
    bool isLong = forms->convolution &&
                  forms->convolution->kind == ConvolutionKind::FilterGrad;
    if (isLong && splitsByDevice(info.implementation, *forms->convolution))
      info.workspaceBytes =
          std::max(info.workspaceBytes, splitBytes(description));
    return info;
  }
  // cuDNN runs 16-bit convolutions as fast, with a smaller workspace.
  bool isProduct = desc.op == LibraryOp::MatMul ||
                   (forms->product && forms->product->a.type == RP_F32);
  if (isProduct)
    return planProduct(*forms->product, options);
  return planConvolution(description, *forms, options);
}

std::string libraryVersion() {
  std::string cudnn = cudnnVersion(), cublas = cublasLtVersion();
  if (cudnn.empty() || cublas.empty())
    return "";
  return cudnn + ", " + cublas;
}

} // namespace reprise::rt::cuda
