//===- Cuda.h - GPUs and their libraries, without a GPU ---------*- C++ -*-===//
//
// What the compiler's target "cuda" asks: descriptions of devices that need not
// be here, and how cuDNN would run a call on one. The device makes the same
// plans again when it loads an artifact.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_CUDA_H
#define REPRISE_RUNTIME_CUDA_CUDA_H

#include "reprise/Runtime/Library.h"
#include "reprise/Runtime/Roofline.h"
#include "reprise/Runtime/Status.h"
#include <map>
#include <string>
#include <vector>

namespace reprise::rt::cuda {

/// A kind of GPU, as a file describes it.
struct DeviceDescription {
  std::string key;          // "h200"
  std::string name;         // "NVIDIA H200"
  std::string architecture; // "sm_90"
  std::string source;       // where the numbers are from; may be ""
  uint64_t memoryBytes = 0;
  Roofline roofline;
  /// JSON of what cuDNN asks of a device.
  std::string properties;
  /// By callText: how the device runs a call best, with its workspace there and
  /// its seconds, the operands not in the cache. What is not here is planned by
  /// the libraries' heuristics.
  std::map<std::string, LibraryCallInfo> calls;
  /// By which the calls were measured, as libraryVersion says it; "": none was.
  std::string callLibraries;
};

/// A call in words, equal exactly for calls that run the same code:
/// "conv2d 8x56x56x64xbf16 64x1x1x64xbf16 -> 8x56x56x64xbf16
/// [1,1,0,0,0,0,1,1,1]".
std::string callText(const LibraryCallDesc &desc);

/// Reads a description. Fails with RP_INVALID_ARGUMENT and says where.
Expected<DeviceDescription> readDescription(const std::string &json);
/// The text that readDescription reads.
std::string writeDescription(const DeviceDescription &description);

/// Keys of the descriptions that are part of the library, sorted.
std::vector<std::string> descriptionKeys();
/// Fails with RP_INVALID_ARGUMENT, naming those that there are.
Expected<DeviceDescription> describe(const std::string &key);

struct CallOptions {
  /// Whether products of f32 may round their operands to TF32.
  bool allowTf32 = false;
};

/// Element types of a library function's operands; none: it is not there.
std::vector<rp_element_type> callElements(LibraryOp function);

/// How the libraries would run a call on such a device: deterministic, with
/// sums in f32. `implementation` is what Driver::prepare takes. One that was
/// measured is taken as it was, unless options ask for TF32. Fails with
/// RP_INVALID_ARGUMENT on wrong shapes, and with RP_UNAVAILABLE where there is
/// no cuDNN, or none of its kernels will do.
Expected<LibraryCallInfo> planCall(const DeviceDescription &description,
                                   const LibraryCallDesc &desc,
                                   const CallOptions &options = {});

/// "cuDNN 9.19.0, cuBLASLt 13.1.0", or "" where they are not found.
std::string libraryVersion();

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDA_H
