//===- CudnnPlan.h - Choose cuDNN's plan of a convolution -------*- C++ -*-===//
//
// A plan is one of cuDNN's engines with a choice for each of its knobs, and a
// name with these: "cudnn eng28 k2=5 k18=1". The heuristics choose when a
// program is compiled; the device rebuilds the plan from the name alone.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_CUDNNPLAN_H
#define REPRISE_RUNTIME_CUDA_CUDNNPLAN_H

#include "CallForm.h"
#include <memory>

struct cudnnContext; // cuDNN's handle points to one

namespace reprise::rt::cuda {

class CudnnDescriptor;

/// The device of a plan: a described one, or one of this machine.
struct CudnnDevice {
  std::shared_ptr<const CudnnDescriptor> properties;
  cudnnContext *handle = nullptr;
};

/// Returns the device of given properties, in cuDNN's JSON. Fails with
/// RP_UNAVAILABLE without cuDNN, with RP_INVALID_ARGUMENT if cuDNN rejects
/// them.
Expected<CudnnDevice> describedDevice(const std::string &properties);

class CudnnPlan {
public:
  const std::string &name() const { return label; }
  uint64_t workspaceBytes() const { return workspace; }
  /// Returns true if the plan uses tensor cores; for plans that were chosen.
  bool usesTensorCores() const { return onTensorCores; }
  /// Returns cuDNN's own description of the plan.
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
  /// True if products of f32 may round their operands to TF32.
  bool allowTf32 = false;
  /// A plan with a larger workspace is chosen only if all have larger ones.
  uint64_t workspaceCap = uint64_t(256) << 20;
};

/// Returns the first plan of the heuristics that is deterministic, sums in f32
/// and needs no compiler. Fails with RP_UNAVAILABLE if there is none.
Expected<CudnnPlan> chooseCudnnPlan(const CudnnDevice &device,
                                    const ConvolutionForm &form,
                                    const CudnnChoice &choice);

/// Returns all suitable plans without TF32, in the order of chooseCudnnPlan;
/// none if cuDNN has none.
Expected<std::vector<LibraryCallInfo>>
listCudnnPlans(const CudnnDevice &device, const ConvolutionForm &form);

/// Returns true if a text could be the name of a plan: an engine, and knobs.
bool isCudnnName(const std::string &name);

/// Returns true if the workspace of such a plan may depend on facts that only
/// the device's driver knows, so that it may differ on another device of the
/// same kind.
bool splitsByDevice(const std::string &name, const ConvolutionForm &form);

/// Rebuilds the plan of that name, without heuristics. Fails with
/// RP_INCOMPATIBLE if this cuDNN has none for such a call.
Expected<CudnnPlan> rebuildCudnnPlan(const CudnnDevice &device,
                                     const ConvolutionForm &form,
                                     const std::string &name);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDNNPLAN_H
