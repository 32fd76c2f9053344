//===- LibraryModels.cpp - Ops of sg as calls of a library ----------------===//

#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

/// "conv2d" for sg.conv2d; a tensor that it adds to belongs to an epilogue.
template <typename OpTy>
struct ConvModel : LibraryOpInterface::ExternalModel<ConvModel<OpTy>, OpTy> {
  static constexpr bool adds = std::is_same_v<OpTy, Conv2DInputGradAddOp>;

  StringRef getLibraryFunction(Operation *op) const {
    return adds ? "conv2d_input_grad" : op->getName().stripDialect();
  }
  SmallVector<int64_t> getLibraryParameters(Operation *op) const {
    auto conv = cast<OpTy>(op);
    SmallVector<int64_t> parameters;
    for (ArrayRef<int64_t> part :
         {conv.getStrides(), conv.getPadding(), conv.getDilation()})
      parameters.append(part.begin(), part.end());
    parameters.push_back(conv.getGroups());
    return parameters;
  }
  SmallVector<LibraryEpilogue> getLibraryEpilogues(Operation *) const {
    if (adds)
      return {LibraryEpilogue::Add};
    return {};
  }
};

/// A product's bias is an epilogue.
template <typename OpTy>
struct MatMulModel
    : LibraryOpInterface::ExternalModel<MatMulModel<OpTy>, OpTy> {
  StringRef getLibraryFunction(Operation *) const { return "matmul"; }
  SmallVector<int64_t> getLibraryParameters(Operation *op) const {
    auto matmul = cast<OpTy>(op);
    bool a = matmul.getTransposeA(), b = matmul.getTransposeB();
    return {a, b};
  }
  SmallVector<LibraryEpilogue> getLibraryEpilogues(Operation *) const {
    if (std::is_same_v<OpTy, MatMulBiasOp>)
      return {LibraryEpilogue::Bias};
    return {};
  }
};

/// "attention" for sg.attention.
template <typename OpTy>
struct AttentionModel
    : LibraryOpInterface::ExternalModel<AttentionModel<OpTy>, OpTy> {
  StringRef getLibraryFunction(Operation *op) const {
    return op->getName().stripDialect();
  }
  SmallVector<int64_t> getLibraryParameters(Operation *op) const {
    SmallVector<int64_t> parameters;
    if (std::optional<int64_t> stream = streamOf(op))
      parameters.push_back(*stream);
    return parameters;
  }
  SmallVector<double> getLibraryFloats(Operation *op) const {
    auto attention = cast<OpTy>(op);
    SmallVector<double> floats = {attention.getScale().convertToDouble()};
    if (std::optional<APFloat> probability = attention.getProbability())
      floats.push_back(probability->convertToDouble());
    return floats;
  }
};

} // namespace

void sg::registerLibraryModels(MLIRContext *context) {
  Conv2DOp::attachInterface<ConvModel<Conv2DOp>>(*context);
  Conv2DInputGradOp::attachInterface<ConvModel<Conv2DInputGradOp>>(*context);
  Conv2DInputGradAddOp::attachInterface<ConvModel<Conv2DInputGradAddOp>>(
      *context);
  Conv2DFilterGradOp::attachInterface<ConvModel<Conv2DFilterGradOp>>(*context);
  MatMulOp::attachInterface<MatMulModel<MatMulOp>>(*context);
  MatMulBiasOp::attachInterface<MatMulModel<MatMulBiasOp>>(*context);
  AttentionOp::attachInterface<AttentionModel<AttentionOp>>(*context);
  AttentionGradOp::attachInterface<AttentionModel<AttentionGradOp>>(*context);
}
