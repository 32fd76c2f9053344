//===- Target.h - The compiler's interface to a device ----------*- C++ -*-===//
//
// The compiler's interface to a device; the runtime's is rt::Device. A target
// defines how kernels are divided and compiled, the requirements of library
// calls, and the features that a program records, so that a device can refuse
// what it cannot run. Nothing else in the compiler depends on the target.
//
// Failures that concern an op are diagnostics at it. Texts that name a target
// and the rates of a machine exist before any IR: their failures are values of
// the runtime.
//
// A new target implements this class in a folder of its own and registers its
// name; see docs/targets.md.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TARGET_TARGET_H
#define REPRISE_TARGET_TARGET_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "reprise/Codegen/KernelShape.h"
#include "reprise/HostLink.h"
#include "reprise/Limits.h"
#include "reprise/Runtime/Library.h"
#include "reprise/Runtime/Roofline.h"
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace reprise {

struct KernelSource {
  std::string symbol;
  mlir::Block *body;
};

/// The machine that times belong to: the key of profiles and measured rates.
struct Machine {
  std::string processor;
  std::string library; // see Target::library
};

/// The default, for processors: three values of the same size, and small ones.
inline constexpr double kReadsOfCheapValues = 3.5;

class Target {
public:
  virtual ~Target();

  /// Limits process-wide state, as a library that is loaded once, to this
  /// target. Call it before any query for calls or rates, which otherwise do it
  /// at the first query. Fails with RP_UNAVAILABLE if this machine cannot plan
  /// for the target.
  virtual rt::Status prepare() { return {}; }

  /// The runtime's name of the device: "cpu".
  virtual std::string device() const = 0;
  /// The device features that code and calls need, in the device's words; equal
  /// for equal programs. The device refuses a program that needs more than it
  /// has.
  virtual std::string features() const = 0;
  /// Further content that programs depend on and the target's text does not
  /// contain, as the content of a file: equal for equal programs.
  virtual std::string content() const { return ""; }
  /// The alignment of a program's buffers; see isAlignment.
  virtual uint64_t alignment() const { return kAlignment; }
  /// Returns true if the device accepts inputs of a step while another one
  /// runs, in bytes of the program separate from those that the step reads.
  virtual bool stagesInputs() const { return false; }
  virtual KernelShape kernelShape() const { return {}; }
  /// The link between the device and host memory, as far as it is known before
  /// the program runs; nothing if programs do not copy there.
  virtual std::optional<HostLink> hostLink() const { return std::nullopt; }

  /// Element types that kernels of this target load, compute with and store,
  /// and those that operands and results of a library function may have, except
  /// seed and step of one that draws random numbers, which are i64.
  /// checkElements compares every op of a plan with them before any kernel or
  /// call is examined: an op that does not support a type is refused by its
  /// name.
  virtual std::vector<rp_element_type> kernelElements() const;
  virtual std::vector<rp_element_type> callElements(LibraryOp function) const;

  /// Returns true if a kernel adds long columns in parts that run concurrently;
  /// else a sum is split into two kernels.
  virtual bool addsColumnsByParts() const { return false; }
  /// Returns true if kernels are bound by memory: values that are read twice or
  /// stored cost time.
  virtual bool bytesAreTime() const { return false; }
  /// The number of elements that recomputing a value in its readers may read,
  /// as a multiple of its own, at no cost in time; see sg-recompute-cheap.
  virtual double readsOfCheapValues() const { return kReadsOfCheapValues; }
  /// Returns true if launching a kernel takes as long as running a small one:
  /// combining ops in one launch then pays off even if they wait longer.
  virtual bool sharesLaunches() const { return false; }
  /// Returns true if the library stores sums of 16-bit operands as f32;
  /// otherwise only in the operands' type.
  virtual bool storesSums(LibraryOp function) const { return true; }
  /// The number that input channels of convolutions of such operands should be
  /// a multiple of, so that the library need not copy them.
  virtual int64_t channelMultiple(rp_element_type type) const { return 1; }
  /// The most input channels for which convolutions of such operands should
  /// turn the points between two windows into channels, so that they lose their
  /// strides; 0: never.
  virtual int64_t stridesAsChannels(rp_element_type type) const { return 0; }
  /// Returns true if the library is slow at gradients for inputs of 1x1 filters
  /// with strides, of such operands.
  virtual bool avoidsSpreading(rp_element_type type) const { return false; }
  /// Returns true if the library adds a bias of that type to a product that it
  /// stores in another one; else kernels do.
  virtual bool takesBias(rp_element_type bias, rp_element_type stored) const {
    return true;
  }

  /// Returns true if two products of half the columns take as long as one, so
  /// that large hidden units of perceptrons are computed in halves.
  virtual bool halvesHidden() const { return false; }
  /// Returns true if products of small matrices take less time than kernels
  /// that read a convolution's large result again, so that batch norms avoid
  /// reading it.
  virtual bool sparesNormOperands() const { return false; }

  /// Returns true if the library adds the result of such a call, in f32, to a
  /// tensor in place.
  virtual bool addsInPlace(const rt::LibraryCallDesc &call) { return false; }

  /// Returns true if a kernel runs an op that other targets leave to their
  /// libraries, as attention by tiles: sg-form-kernels then forms a kernel of
  /// it. Such a kernel multiplies at a part of the library's rate. Depends on
  /// the op alone, since its bits may.
  virtual bool runsAsKernel(mlir::Operation *op) const { return false; }

  /// Fails with a message at the op that no kernel can run.
  virtual mlir::FailureOr<KernelTraits> kernelTraits(mlir::Block &kernel) = 0;
  /// The library's plan for the call that `op` becomes. A failure has been
  /// reported at the op.
  virtual mlir::FailureOr<rt::LibraryCallInfo>
  libraryCall(mlir::Operation *op, const rt::LibraryCallDesc &desc) = 0;
  /// Name and version of the library whose workspaces were planned; programs
  /// that call it record it. "" if there is none.
  virtual std::string library() const { return ""; }

  /// Sets `report`, which compileKernels calls, on any thread, with the
  /// completed share of its work, from 0 to 1. A target that compiles all
  /// kernels in one piece never calls it.
  void reportProgress(std::function<void(double)> report) {
    progress = std::move(report);
  }
  /// The code of `kernels`, in the format that the device loads; it exports
  /// every symbol. Equal input gives equal bytes on every machine.
  virtual mlir::FailureOr<std::vector<uint8_t>>
  compileKernels(llvm::ArrayRef<KernelSource> kernels) = 0;

  /// This machine, if programs for this target run on it.
  virtual Machine machine() const = 0;
  /// The machine's rates. Fails with RP_UNAVAILABLE if they cannot be measured
  /// here.
  virtual rt::Expected<rt::Roofline> measureRoofline() = 0;
  /// The rates from the description of a device that need not be present; they
  /// replace measured ones.
  virtual std::optional<rt::Roofline> describedRoofline() const {
    return std::nullopt;
  }

protected:
  /// The library's answer for `op`; a refusal is reported at it.
  static mlir::FailureOr<rt::LibraryCallInfo>
  reportAnswer(mlir::Operation *op,
               const rt::Expected<rt::LibraryCallInfo> &answer);

  /// See reportProgress; empty if it was not called.
  std::function<void(double)> progress;
};

/// Creates a target for programs on `threads` threads. Fails with
/// RP_INVALID_ARGUMENT and the valid texts.
using TargetFactory = std::function<rt::Expected<std::unique_ptr<Target>>(
    llvm::StringRef text, unsigned threads)>;

struct TargetEntry {
  /// Creates it from TEXT, where users write NAME:TEXT.
  TargetFactory fromText;
  /// Creates it from the result of Target::features, as programs record it.
  TargetFactory fromFeatures;
};

/// Adds the target of that name, or replaces it. Safe from any thread.
void registerTarget(llvm::StringRef name, TargetEntry entry);

/// The registered names, sorted.
std::vector<std::string> targetNames();

/// A target as users write it, "DEVICE:DESCRIPTION".
struct TargetName {
  std::string device = "cpu";
  std::string description = "native"; // which the device's target reads

  static TargetName parse(llvm::StringRef text);
  std::string text() const;
};

/// Fails with RP_INVALID_ARGUMENT and the registered names.
rt::Expected<std::unique_ptr<Target>> createTarget(const TargetName &name,
                                                   unsigned threads);

/// Creates a target like createTarget, for passes: reports a failure as an
/// error of `op`.
mlir::FailureOr<std::unique_ptr<Target>> createTargetFor(mlir::Operation *op,
                                                         const TargetName &name,
                                                         unsigned threads = 1);
/// Creates the target that a pass's option names, in the same way.
mlir::FailureOr<std::unique_ptr<Target>> createTargetFor(mlir::Operation *op,
                                                         llvm::StringRef text,
                                                         unsigned threads = 1);

/// The target of a program that records this device and these features.
rt::Expected<std::unique_ptr<Target>> createTargetOf(llvm::StringRef device,
                                                     llvm::StringRef features,
                                                     unsigned threads);

/// Registers every target of this build.
void registerAllTargets();

} // namespace reprise

#endif // REPRISE_TARGET_TARGET_H
