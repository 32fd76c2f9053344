//===- Cuda.h - GPUs and their libraries, without a GPU ---------*- C++ -*-===//
//
// The queries of the compiler's target "cuda": descriptions of devices that
// need not be present, and how cuDNN would run a call on one. The device
// repeats the same planning when it loads an artifact.
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
  std::string source;       // the source of the numbers; may be ""
  uint64_t memoryBytes = 0;
  Roofline roofline;
  /// JSON of the device properties that cuDNN queries.
  std::string properties;
  /// The fastest way to run each call on the device, by callText, with its
  /// workspace and its seconds, the operands not in the cache. Other calls are
  /// planned by the libraries' heuristics.
  std::map<std::string, LibraryCallInfo> calls;
  /// The libraries the calls were measured with, in the form of libraryVersion;
  /// "": none was.
  std::string callLibraries;
};

/// A call as text, equal exactly for calls that run the same code: "conv2d
/// 8x56x56x64xbf16 64x1x1x64xbf16 -> 8x56x56x64xbf16 [1,1,0,0,0,0,1,1,1]".
std::string callText(const LibraryCallDesc &desc);

/// Reads a description. Fails with RP_INVALID_ARGUMENT and the position.
Expected<DeviceDescription> readDescription(const std::string &json);
/// The text that readDescription reads.
std::string writeDescription(const DeviceDescription &description);

/// Keys of the descriptions that are built into the library, sorted.
std::vector<std::string> descriptionKeys();
/// Fails with RP_INVALID_ARGUMENT and the names of the known descriptions.
Expected<DeviceDescription> describe(const std::string &key);

struct CallOptions {
  /// True if products of f32 may round their operands to TF32.
  bool allowTf32 = false;
};

/// Element types of a library function's operands; empty: it is not available.
std::vector<rp_element_type> callElements(LibraryOp function);

/// Plans a call for such a device: deterministic, with sums in f32.
/// `implementation` is the input of Driver::prepare. A measured call is used as
/// measured, unless options request TF32. Fails with RP_INVALID_ARGUMENT on
/// wrong shapes, and with RP_UNAVAILABLE if cuDNN is missing, or none of its
/// kernels is suitable.
Expected<LibraryCallInfo> planCall(const DeviceDescription &description,
                                   const LibraryCallDesc &desc,
                                   const CallOptions &options = {});

/// Returns what a collective call needs on any GPU, for which no library is
/// asked. Fails with RP_INVALID_ARGUMENT on wrong shapes.
Expected<LibraryCallInfo> planRankCall(const LibraryCallDesc &desc);

/// "cuDNN 9.19.0, cuBLASLt 13.1.0", or "" if they are not found.
std::string libraryVersion();

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDA_H
