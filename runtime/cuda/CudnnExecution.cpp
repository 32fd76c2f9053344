//===- CudnnExecution.cpp - Run cuDNN's plans -----------------------------===//
#include "CudnnExecution.h"
#include "CudnnGraph.h"
#include "reprise/Runtime/Expect.h"

namespace reprise::rt::cuda {

Expected<std::unique_ptr<CudnnExecution>> CudnnExecution::open() {
  REPRISE_EXPECT(library, cudnnFunctions());
  cudnnHandle_t handle = nullptr;
  REPRISE_RETURN_IF_ERROR(
      (*library)->check((*library)->cudnnCreate(&handle), "cudnnCreate"));
  return std::unique_ptr<CudnnExecution>(new CudnnExecution(handle));
}

CudnnExecution::~CudnnExecution() {
  if (Expected<const CudnnFunctions *> library = cudnnFunctions(); library.ok())
    (*library)->cudnnDestroy(handle);
}

static void *pointer(uint64_t address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

Status CudnnExecution::run(CUstream_st *stream, const CudnnPlan &plan,
                           const std::vector<uint64_t> &operands,
                           uint64_t workspace) {
  const CudnnFunctions &library = plan.descriptors.back()->library();
  REPRISE_RETURN_IF_ERROR(
      library.check(library.cudnnSetStream(handle, stream), "cudnnSetStream"));
  void *data[3];
  for (size_t i = 0; i < 3; ++i)
    data[i] = pointer(operands[plan.operands[i]]);
  void *scratch = pointer(workspace);
  CudnnDescriptor pack(library, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  REPRISE_RETURN_IF_ERROR(pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
                                   CUDNN_TYPE_INT64, 3, kTensorIds)
                              .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                                   CUDNN_TYPE_VOID_PTR, 3, data)
                              .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
                                   CUDNN_TYPE_VOID_PTR, 1, &scratch)
                              .finalize());
  return library.check(library.cudnnBackendExecute(
                           handle, plan.descriptors.back()->get(), pack.get()),
                       "cudnnBackendExecute");
}

} // namespace reprise::rt::cuda
