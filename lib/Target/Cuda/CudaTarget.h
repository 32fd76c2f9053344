//===- CudaTarget.h - A GPU of NVIDIA as a target ---------------*- C++ -*-===//
//
// PTX by LLVM and cubin by ptxas for kernels, cuDNN and cuBLASLt for library
// calls, planned for a device that need not be here. Private to lib/Target and
// its tests.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_TARGET_CUDA_CUDATARGET_H
#define REPRISE_LIB_TARGET_CUDA_CUDATARGET_H

#include "Ptx.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "reprise/Codegen/GpuKernels.h"
#include "reprise/Runtime/Cuda/Cuda.h"
#include "reprise/Target/Target.h"
#include <map>

namespace reprise {

/// Registers "cuda":
///
///   cuda:h200              a device that is described here; see
///                          rt::cuda::descriptionKeys
///   cuda:sm_90             the first that is described with this architecture
///   cuda:FILE.json         a device as the file describes it
///   cuda:h200,tf32         the same, where products of f32 may round their
///                          operands to TF32
///   cuda:h200,kernel-products
///                          kernels compute products where memory takes longer
///                          for them than tensor cores, with what stands around
void registerCudaTarget();

class CudaTarget : public Target {
public:
  CudaTarget(rt::cuda::DeviceDescription description,
             rt::cuda::CallOptions options, bool multiplies = false)
      : description(std::move(description)), options(options),
        multiplies(multiplies) {}

  rt::Status prepare() override;
  std::string device() const override { return "cuda"; }
  std::string features() const override { return description.architecture; }
  std::string content() const override {
    return rt::cuda::writeDescription(description);
  }

  std::vector<rp_element_type>
  callElements(rt::LibraryOp function) const override {
    return rt::cuda::callElements(function);
  }
  bool stagesInputs() const override { return true; }
  /// cuDNN's convolutions do not.
  bool sharesLaunches() const override { return true; }
  bool addsColumnsByParts() const override { return true; }
  bool bytesAreTime() const override { return true; }
  double readsOfCheapValues() const override { return 1.5; }
  bool storesSums(rt::LibraryOp function) const override {
    return function == rt::LibraryOp::MatMul;
  }
  /// Tensor cores take 16 bytes of neighbours.
  int64_t channelMultiple(rp_element_type type) const override {
    return type == RP_BF16 || type == RP_F16 ? 8 : 1;
  }
  /// Images of three channels at strides of 2: their channels would be mostly
  /// zeros else (docs/benchmarks).
  int64_t stridesAsChannels(rp_element_type type) const override {
    return type == RP_BF16 || type == RP_F16 ? 16 : 0;
  }
  /// In f32 cuDNN takes up to a hundred times as long as for the points alone.
  bool avoidsSpreading(rp_element_type type) const override {
    return type == RP_F32;
  }
  /// cuBLASLt adds a bias of the type that it stores.
  bool takesBias(rp_element_type bias, rp_element_type stored) const override {
    return bias == stored;
  }
  bool runsAsKernel(mlir::Operation *op) const override;
  bool runsTogether(mlir::Block &kernel) const override {
    return runsGpuProduct(kernel);
  }
  mlir::FailureOr<KernelTraits> kernelTraits(mlir::Block &kernel) override;
  mlir::FailureOr<rt::LibraryCallInfo>
  libraryCall(mlir::Operation *op, const rt::LibraryCallDesc &desc) override;
  std::string library() const override { return rt::cuda::libraryVersion(); }

  mlir::FailureOr<std::vector<uint8_t>>
  compileKernels(llvm::ArrayRef<KernelSource> kernels) override;
  /// What compileKernels makes of functions with known_block_size, whose module
  /// is changed.
  mlir::FailureOr<std::vector<uint8_t>>
  compileModule(mlir::gpu::GPUModuleOp module);

  Machine machine() const override {
    return {description.name, rt::cuda::libraryVersion()};
  }
  rt::Expected<rt::Roofline> measureRoofline() override {
    return description.roofline;
  }
  std::optional<rt::Roofline> describedRoofline() const override {
    return description.roofline;
  }

protected:
  /// How the libraries would run a call.
  virtual rt::Expected<rt::LibraryCallInfo>
  planCall(const rt::LibraryCallDesc &desc);
  /// What expandMath rounds to bf16 by.
  virtual RoundingPatterns roundings() const {
    return populateRoundByInstruction;
  }
  struct Image {
    std::vector<uint8_t> cubin; // empty: there is none
    std::string ptx;
  };
  /// The code of a module whose math has been expanded; changes the module.
  virtual mlir::FailureOr<Image> makeImage(mlir::gpu::GPUModuleOp module);

private:
  struct Answer {
    rt::LibraryCallInfo info;
    std::string error;
  };
  rt::cuda::DeviceDescription description;
  rt::cuda::CallOptions options;
  /// Whether kernels compute products.
  bool multiplies;
  /// Each distinct call is asked once.
  std::map<std::vector<int64_t>, Answer> answers;
};

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_CUDATARGET_H
