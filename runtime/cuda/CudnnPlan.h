//===- CudnnPlan.h - How cuDNN runs a convolution ---------------*- C++ -*-===//
//
// A plan is one of cuDNN's engines with a choice for each of its knobs, and a
// name that says these: "cudnn eng28 k2=5 k18=1". The heuristics choose when a
// program is compiled; the device makes the plan again from the name alone.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_CUDNNPLAN_H
#define REPRISE_RUNTIME_CUDA_CUDNNPLAN_H

#include "CallForm.h"
#include <memory>

struct cudnnContext; // cuDNN's handle points to one

namespace reprise::rt::cuda {

class CudnnDescriptor;

/// What a plan is made for: a device that is described, or one that is here.
struct CudnnDevice {
  std::shared_ptr<const CudnnDescriptor> properties;
  cudnnContext *handle = nullptr;
};

/// By its properties, JSON as cuDNN takes it. Fails with RP_UNAVAILABLE where
/// there is no cuDNN, with RP_INVALID_ARGUMENT where it refuses them.
Expected<CudnnDevice> describedDevice(const std::string &properties);

class CudnnPlan {
public:
  const std::string &name() const { return label; }
  uint64_t workspaceBytes() const { return workspace; }
  /// Of a plan that was chosen.
  bool usesTensorCores() const { return onTensorCores; }
  /// cuDNN's own account of it.
  Expected<std::string> json() const;

private:
  friend class CudnnPlanner;
  friend class CudnnExecution;
  std::string label;
  uint64_t workspace = 0;
  bool onTensorCores = false;
  std::array<unsigned, 3> operands = {}; // of x, w and y
  /// The plan is the last one; it may refer to the others.
  std::vector<std::shared_ptr<CudnnDescriptor>> descriptors;
};

struct CudnnChoice {
  /// Whether products of f32 may round their operands to TF32.
  bool allowTf32 = false;
  /// A plan that takes more is chosen only where all take more.
  uint64_t workspaceCap = uint64_t(256) << 20;
};

/// The first plan of the heuristics that is deterministic, sums in f32 and
/// needs no compiler. Fails with RP_UNAVAILABLE where there is none.
Expected<CudnnPlan> chooseCudnnPlan(const CudnnDevice &device,
                                    const ConvolutionForm &form,
                                    const CudnnChoice &choice);

/// All that suit, without TF32, as chooseCudnnPlan looks at them; none where
/// cuDNN has none.
Expected<std::vector<LibraryCallInfo>>
listCudnnPlans(const CudnnDevice &device, const ConvolutionForm &form);

/// Whether a text could be the name of a plan: an engine, and knobs.
bool isCudnnName(const std::string &name);

/// Whether the workspace of such a plan may depend on what only the device's
/// driver knows, so that it can be another on another device of its kind.
bool splitsByDevice(const std::string &name, const ConvolutionForm &form);

/// The plan of that name, without heuristics. Fails with RP_INCOMPATIBLE where
/// this cuDNN has none for such a call.
Expected<CudnnPlan> rebuildCudnnPlan(const CudnnDevice &device,
                                     const ConvolutionForm &form,
                                     const std::string &name);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDNNPLAN_H
