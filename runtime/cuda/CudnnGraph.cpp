//===- CudnnGraph.cpp - A convolution as cuDNN's operation graph ----------===//
#include "CudnnGraph.h"

namespace reprise::rt::cuda {

static cudnnDataType_t dataType(rp_element_type type) {
  return type == RP_BF16  ? CUDNN_DATA_BFLOAT16
         : type == RP_F16 ? CUDNN_DATA_HALF
                          : CUDNN_DATA_FLOAT;
}

static Status describe(CudnnDescriptor &d, int64_t id,
                       const ConvolutionTensor &tensor) {
  cudnnDataType_t type = dataType(tensor.type);
  // The channels, the second dimension, are innermost.
  const std::vector<int64_t> &dims = tensor.dims;
  std::vector<int64_t> strides(dims.size(), 1);
  int64_t elements = dims[1];
  for (size_t d = dims.size(); d-- > 0;)
    if (d != 1) {
      strides[d] = elements;
      elements *= dims[d];
    }
  return d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type)
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, int64_t(kOperandAlignment))
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, int64_t(dims.size()),
           dims.data())
      .set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, int64_t(strides.size()),
           strides.data())
      .finalize();
}

static Status describe(CudnnDescriptor &d, const ConvolutionForm &form) {
  cudnnDataType_t sums = CUDNN_DATA_FLOAT;
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  auto setAll = [&](cudnnBackendAttributeName_t name,
                    const std::vector<int64_t> &values) {
    d.set(name, CUDNN_TYPE_INT64, int64_t(values.size()), values.data());
  };
  d.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &sums)
      .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1,
           &mode)
      .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t(form.strides.size()));
  setAll(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, form.padBefore);
  setAll(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, form.padAfter);
  setAll(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, form.strides);
  setAll(CUDNN_ATTR_CONVOLUTION_DILATIONS, form.dilations);
  return d.finalize();
}

namespace {
/// The names of an operation's parts.
struct OperationNames {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t x, w, y, convolution, alpha, beta;
};
} // namespace

static OperationNames namesOf(ConvolutionKind kind) {
  switch (kind) {
  case ConvolutionKind::Forward:
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  case ConvolutionKind::InputGrad:
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
  case ConvolutionKind::FilterGrad:
    break;
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
}

static Status build(const CudnnFunctions &library, cudnnHandle_t handle,
                    const ConvolutionForm &form, CudnnDescriptors &all) {
  auto make = [&](cudnnBackendDescriptorType_t type) -> CudnnDescriptor & {
    all.push_back(std::make_shared<CudnnDescriptor>(library, type));
    return *all.back();
  };
  CudnnDescriptor &x = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR),
                  &w = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR),
                  &y = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  REPRISE_RETURN_IF_ERROR(describe(x, kTensorIds[0], form.x));
  REPRISE_RETURN_IF_ERROR(describe(w, kTensorIds[1], form.w));
  REPRISE_RETURN_IF_ERROR(describe(y, kTensorIds[2], form.y));
  CudnnDescriptor &convolution = make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  REPRISE_RETURN_IF_ERROR(describe(convolution, form));
  OperationNames names = namesOf(form.kind);
  CudnnDescriptor &operation = make(names.operation);
  REPRISE_RETURN_IF_ERROR(operation.set(names.x, x)
                              .set(names.w, w)
                              .set(names.y, y)
                              .set(names.convolution, convolution)
                              .setFloat(names.alpha, 1)
                              .setFloat(names.beta, 0)
                              .finalize());
  CudnnDescriptor &graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  if (handle)
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  return graph.finalize();
}

Expected<CudnnDescriptors> convolutionGraph(const CudnnFunctions &library,
                                            cudnnHandle_t handle,
                                            const ConvolutionForm &form) {
  CudnnDescriptors all;
  Status status = build(library, handle, form, all);
  if (!status.ok())
    return Status::error(RP_UNAVAILABLE,
                         "cuDNN has no such operation: " + status.message());
  return all;
}

} // namespace reprise::rt::cuda
