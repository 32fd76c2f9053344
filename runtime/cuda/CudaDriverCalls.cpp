//===- CudaDriverCalls.cpp - Library calls on a GPU -----------------------===//
#include "CublasForm.h"
#include "CudaDriver.h"
#include "reprise/Runtime/Expect.h"

namespace reprise::rt::cuda {

static Status tooMuchWorkspace(const std::string &implementation,
                               uint64_t needed, uint64_t planned,
                               const char *file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
  return Status::error(RP_INCOMPATIBLE,
                       "'" + implementation + "' needs a workspace of " +
                           std::to_string(needed) +
                           " bytes on this device; the program was planned "
                           "with " +
                           std::to_string(planned),
                       file, line);
}

Status CudaDriver::openCudnn() {
  if (cudnn)
    return {};
  REPRISE_EXPECT(opened, CudnnExecution::open());
  cudnn = std::move(*opened);
  return {};
}

Status CudaDriver::prepareConvolution(const ConvolutionForm &form,
                                      const std::string &implementation,
                                      PreparedCall &prepared) {
  REPRISE_RETURN_IF_ERROR(openCudnn());
  Expected<CudnnPlan> plan =
      rebuildCudnnPlan(cudnn->device(), form, implementation);
  auto fits = [&] {
    return plan.ok() && plan->workspaceBytes() <= prepared.workspaceBytes;
  };
  if (!fits() && prepared.mayAdapt)
    plan = chooseCudnnPlan(cudnn->device(), form,
                           {/*allowTf32=*/false, prepared.workspaceBytes});
  if (!plan.ok())
    return plan.status();
  if (!fits())
    return tooMuchWorkspace(plan->name(), plan->workspaceBytes(),
                            prepared.workspaceBytes);
  prepared.plan = std::move(*plan);
  return {};
}

Status CudaDriver::prepareProduct(const ProductForm &form,
                                  const std::string &implementation,
                                  PreparedCall &prepared) {
  bool isTf32 = implementation == kCublasTf32Name;
  if (!isTf32 && implementation != kCublasName) {
    std::optional<ConvolutionForm> convolution = asConvolution(form);
    if (!convolution)
      return Status::error(RP_INCOMPATIBLE, "no kernel for this product is "
                                            "called '" +
                                                implementation + "'");
    return prepareConvolution(*convolution, implementation, prepared);
  }
  if (prepared.workspaceBytes < kCublasPlannedBytes)
    return tooMuchWorkspace(implementation, kCublasPlannedBytes,
                            prepared.workspaceBytes);
  if (!cublas) {
    REPRISE_EXPECT(opened, CublasContext::open());
    cublas = std::move(*opened);
  }
  // The cap, not the given bytes: the same algorithm whatever the planner gave.
  REPRISE_EXPECT(product, CublasProduct::make(*cublas, form, isTf32,
                                              kCublasWorkspaceBytes));
  prepared.product = std::move(*product);
  return {};
}

Status CudaDriver::prepareCall(const LibraryCallDesc &desc,
                               const std::string &implementation,
                               PreparedCall &prepared) {
  REPRISE_EXPECT(forms, formsOf(desc));
  bool isProduct =
      implementation == kCublasName || implementation == kCublasTf32Name;
  if (forms->product && (isProduct || desc.op == LibraryOp::MatMul))
    return prepareProduct(*forms->product, implementation, prepared);
  if (isProduct)
    return Status::error(RP_INCOMPATIBLE,
                         "this convolution is no product for '" +
                             implementation + "'");
  return prepareConvolution(*forms->convolution, implementation, prepared);
}

Expected<std::vector<LibraryCallInfo>>
CudaDriver::implementations(const LibraryCallDesc &desc) {
  Context context(*this, "look for a call's implementations");
  REPRISE_RETURN_IF_ERROR(context.status());
  REPRISE_RETURN_IF_ERROR(verifyLibraryCall(desc));
  REPRISE_EXPECT(forms, formsOf(desc));
  std::vector<LibraryCallInfo> result;
  if (forms->product)
    result.push_back({kCublasPlannedBytes, kCublasName});
  if (!forms->convolution)
    return result;
  REPRISE_RETURN_IF_ERROR(openCudnn());
  REPRISE_EXPECT(plans, listCudnnPlans(cudnn->device(), *forms->convolution));
  result.insert(result.end(), plans->begin(), plans->end());
  return result;
}

Expected<Call> CudaDriver::prepare(const LibraryCallDesc &desc,
                                   const std::string &implementation,
                                   uint64_t workspaceBytes, bool mayAdapt) {
  Context context(*this, "prepare a call");
  REPRISE_RETURN_IF_ERROR(context.status());
  REPRISE_RETURN_IF_ERROR(verifyLibraryCall(desc));
  PreparedCall prepared;
  prepared.operands = desc.inputs.size() + desc.outputs.size();
  prepared.workspaceBytes = workspaceBytes;
  prepared.mayAdapt = mayAdapt;
  REPRISE_RETURN_IF_ERROR(prepareCall(desc, implementation, prepared));
  calls.push_back(std::move(prepared));
  return Call(calls.size() - 1);
}

static Status checkAddresses(const std::vector<Address> &operands,
                             size_t expected, Address workspace) {
  if (operands.size() != expected)
    return Status::error(RP_INVALID_ARGUMENT,
                         "a call of " + std::to_string(expected) +
                             " operands is given " +
                             std::to_string(operands.size()));
  for (size_t i = 0; i < operands.size(); ++i)
    if (!operands[i] || operands[i] % kOperandAlignment)
      return Status::error(
          RP_INVALID_ARGUMENT,
          "operand " + std::to_string(i) + " of a library call begins at " +
              std::to_string(operands[i]) + ", which is not a multiple of " +
              std::to_string(kOperandAlignment));
  if (workspace % kOperandAlignment)
    return Status::error(RP_INVALID_ARGUMENT,
                         "the workspace of a library call begins at " +
                             std::to_string(workspace) +
                             ", which is not a multiple of " +
                             std::to_string(kOperandAlignment));
  return {};
}

Status CudaDriver::call(Stream stream, Call call,
                        const std::vector<Address> &operands, Address workspace,
                        const std::vector<Touch> &) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  PreparedCall &prepared = calls[size_t(call)];
  REPRISE_RETURN_IF_ERROR(
      checkAddresses(operands, prepared.operands, workspace));
  if (!workspace && prepared.workspaceBytes)
    return Status::error(RP_INVALID_ARGUMENT,
                         "a library call with a workspace of " +
                             std::to_string(prepared.workspaceBytes) +
                             " bytes is given none");
  CUstream s = streams[size_t(stream)];
  return prepared.plan ? cudnn->run(s, *prepared.plan, operands, workspace)
                       : prepared.product->run(s, operands, workspace);
}

} // namespace reprise::rt::cuda
