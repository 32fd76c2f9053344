//===- CudaTarget.h - An NVIDIA GPU as a target -----------------*- C++ -*-===//
//
// Kernels use PTX by LLVM and cubins by ptxas; library calls use cuDNN and
// cuBLASLt, planned for a device that need not be present. Private to
// lib/Target and its tests.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_TARGET_CUDA_CUDATARGET_H
#define REPRISE_LIB_TARGET_CUDA_CUDATARGET_H

#include "Kernels/GpuKernels.h"
#include "Ptx.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "reprise/Runtime/Cuda/Cuda.h"
#include "reprise/Target/Target.h"
#include <map>

namespace reprise {

/// Registers "cuda":
///
///   cuda:h200              a device with a built-in description; see
///                          rt::cuda::descriptionKeys
///   cuda:sm_90             the first described device of this architecture
///   cuda:FILE.json         a device as the file describes it
///   cuda:h200,tf32         the same, but products of f32 may round their
///                          operands to TF32
void registerCudaTarget();

class CudaTarget : public Target {
public:
  CudaTarget(rt::cuda::DeviceDescription description,
             rt::cuda::CallOptions options)
      : description(std::move(description)), options(options) {}

  rt::Status prepare() override;
  std::string device() const override { return "cuda"; }
  std::string features() const override { return description.architecture; }
  std::string content() const override {
    return rt::cuda::writeDescription(description);
  }

  std::vector<rp_element_type> callElements(LibraryOp function) const override;
  bool stagesInputs() const override { return true; }
  /// PCIe 5.0 x16 moves 64 GB/s in each direction; about 50 of them are left
  /// for copies of pinned memory.
  std::optional<HostLink> hostLink() const override {
    return HostLink{50e6, 10e-3};
  }
  /// cuDNN's convolutions do not share them.
  bool sharesLaunches() const override { return true; }
  bool addsColumnsByParts() const override { return true; }
  bool bytesAreTime() const override { return true; }
  double readsOfCheapValues() const override { return 1.5; }
  bool storesSums(LibraryOp function) const override {
    return function == LibraryOp::MatMul;
  }
  /// Tensor cores load 16 bytes of neighbours.
  int64_t channelMultiple(rp_element_type type) const override {
    return type == RP_BF16 || type == RP_F16 ? 8 : 1;
  }
  /// For images of three channels at strides of 2, whose channels would
  /// otherwise be mostly zeros (docs/benchmarks).
  int64_t stridesAsChannels(rp_element_type type) const override {
    return type == RP_BF16 || type == RP_F16 ? 16 : 0;
  }
  /// In f32, cuDNN takes up to a hundred times as long as for the points alone.
  bool avoidsSpreading(rp_element_type type) const override {
    return type == RP_F32;
  }
  /// cuBLASLt adds a bias of the type that it stores.
  bool takesBias(rp_element_type bias, rp_element_type stored) const override {
    return bias == stored;
  }
  bool runsAsKernel(mlir::Operation *op) const override;
  mlir::FailureOr<KernelTraits> kernelTraits(mlir::Block &kernel) override;
  mlir::FailureOr<rt::LibraryCallInfo>
  libraryCall(mlir::Operation *op, const rt::LibraryCallDesc &desc) override;
  std::string library() const override { return rt::cuda::libraryVersion(); }

  mlir::FailureOr<std::vector<uint8_t>>
  compileKernels(llvm::ArrayRef<KernelSource> kernels) override;
  /// Compiles functions with known_block_size like compileKernels; changes
  /// their module.
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
  /// Returns how the libraries would run a call.
  virtual rt::Expected<rt::LibraryCallInfo>
  planCall(const rt::LibraryCallDesc &desc);
  /// Returns the patterns by which expandMath rounds to bf16.
  virtual RoundingPatterns roundings() const {
    return populateRoundByInstruction;
  }
  struct Image {
    std::vector<uint8_t> cubin; // empty if there is none
    std::string ptx;
  };
  /// Returns the code of a module whose math has been expanded; changes the
  /// module.
  virtual mlir::FailureOr<Image> makeImage(mlir::gpu::GPUModuleOp module);

private:
  rt::cuda::DeviceDescription description;
  rt::cuda::CallOptions options;
  /// The library plans each distinct call once.
  std::map<std::vector<int64_t>, rt::Expected<rt::LibraryCallInfo>> answers;
};

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_CUDATARGET_H
