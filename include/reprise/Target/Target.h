//===- Target.h - What the compiler must know of a device -------*- C++ -*-===//
//
// The compiler's seam to a device; the runtime's is rt::Device. A target says
// how kernels are cut and compiled, what library calls need, and what a program
// records of it, so that a device can refuse what it cannot run. Nothing else
// in the compiler depends on which target it is.
//
// A new target implements this class in a folder of its own and registers its
// name; see docs/targets.md.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TARGET_TARGET_H
#define REPRISE_TARGET_TARGET_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "reprise/Limits.h"
#include "reprise/Runtime/Library.h"
#include "reprise/Runtime/Roofline.h"
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace reprise {

/// How a target cuts kernels. The order of every sum follows from it and from
/// the kernel's shape, so that it is the same on every device of the target.
struct KernelShape {
  /// Elements that one vector operation handles, a power of two: partial sums
  /// along the last dimension are kept for each lane.
  int64_t lanes = 16;
  /// Elements of the iteration space that one grain handles; a multiple of the
  /// lanes.
  int64_t grainElements = 8192;
  /// Elements in a row that one accumulator adds before it starts again; their
  /// sums are added in turn, which keeps the rounding of long sums small.
  int64_t sumBlock = 64;
  /// How many bytes ahead of what it loads a kernel asks for more of a large
  /// tensor; 0 where the device has other ways to hide how far memory is.
  int64_t prefetchBytes = 0;
  /// The address space of tensors, as LLVM numbers it for the device.
  unsigned addressSpace = 0;
};

/// What the planner must know of a compiled kernel.
struct KernelTraits {
  /// Independent parts; any split of [0, grains) gives the same bits.
  uint64_t grains = 1;
  /// (output, input): the output may be written over the input, because every
  /// element of the input is read only where that element is written.
  llvm::SmallVector<std::pair<unsigned, unsigned>> inPlace;
  /// Memory that it needs while it runs, given behind the outputs; its bytes
  /// are anything.
  uint64_t workspaceBytes = 0;
  /// Whether its arithmetic is products of 16 bits, and the part that it
  /// reaches of the rate of a library's.
  bool multipliesNarrow = false;
  double narrowRate = 1;
};

struct KernelSource {
  std::string symbol;
  mlir::Block *body;
};

/// The machine that times are of: what profiles and measured rates are kept by.
struct Machine {
  std::string processor;
  std::string library; // see Target::library
};

/// Of processors: three values as large, and small ones.
inline constexpr double kReadsOfCheapValues = 3.5;

class Target {
public:
  virtual ~Target();

  /// Holds what the process shares, as a library that is loaded once, to this
  /// target. To be called before anything else asks the target of calls or
  /// rates, which otherwise do it at the first question. Fails with
  /// RP_UNAVAILABLE where this machine cannot plan for the target.
  virtual rt::Status prepare() { return {}; }

  /// The runtime's name of the device: "cpu".
  virtual std::string device() const = 0;
  /// What code and calls need of the device, in the device's words; equal for
  /// equal programs. The device refuses a program that needs more than it has.
  virtual std::string features() const = 0;
  /// What else programs depend on that the text that made the target does not
  /// say, as the content of a file: equal for equal programs.
  virtual std::string content() const { return ""; }
  /// What the buffers of a program begin at multiples of; see isAlignment.
  virtual uint64_t alignment() const { return kAlignment; }
  /// Whether the device takes inputs of a step while another one runs, in bytes
  /// of the program beside those that the step reads.
  virtual bool stagesInputs() const { return false; }
  virtual KernelShape kernelShape() const { return {}; }

  /// Element types that kernels of this target load, compute with and store,
  /// and those that operands and results of a library function may have, but
  /// for seed and step of one that draws random numbers, which are i64. Every
  /// op of a plan is compared with them, by checkElements, before any kernel or
  /// call is looked at: an op that a type cannot run on is refused by its name.
  virtual std::vector<rp_element_type> kernelElements() const;
  virtual std::vector<rp_element_type>
  callElements(rt::LibraryOp function) const;

  /// Whether a kernel adds long columns by parts that run at once; else a sum
  /// is split in two kernels.
  virtual bool addsColumnsByParts() const { return false; }
  /// Whether kernels are as fast as their memory: what is read twice or stored
  /// is time.
  virtual bool bytesAreTime() const { return false; }
  /// Elements that computing a value again in its readers may read, as a
  /// multiple of its own, at no cost in time; see sg-recompute-cheap.
  virtual double readsOfCheapValues() const { return kReadsOfCheapValues; }
  /// Whether launching a kernel takes as long as running a small one: what then
  /// shares a launch waits for more than it would elsewhere.
  virtual bool sharesLaunches() const { return false; }
  /// Whether the library stores sums of operands of 16 bits as f32; else in the
  /// operands' type alone.
  virtual bool storesSums(rt::LibraryOp function) const { return true; }
  /// What the input channels of convolutions of such operands should be a
  /// multiple of, so that the library need not copy them.
  virtual int64_t channelMultiple(rp_element_type type) const { return 1; }
  /// Up to how many input channels convolutions of such operands should make of
  /// the points between two windows, so that strides become channels; 0: never.
  virtual int64_t stridesAsChannels(rp_element_type type) const { return 0; }
  /// Whether the library is slow at gradients for inputs of 1x1 filters with
  /// strides, of such operands.
  virtual bool avoidsSpreading(rp_element_type type) const { return false; }
  /// Whether the library adds a bias of that type to a product that it stores
  /// in another one; else kernels do.
  virtual bool takesBias(rp_element_type bias, rp_element_type stored) const {
    return true;
  }

  /// Whether two products of half the columns take as long as one, so that
  /// large hidden units of perceptrons are done in halves.
  virtual bool halvesHidden() const { return false; }
  /// Whether products of small matrices take less time than kernels that read a
  /// large result of a convolution again, so that batch norms spare it.
  virtual bool sparesNormOperands() const { return false; }

  /// Whether the library adds the result of such a call, in f32, to a tensor in
  /// that one's bytes.
  virtual bool addsInPlace(const rt::LibraryCallDesc &call) { return false; }

  /// Whether a kernel runs an op that other targets leave to their libraries,
  /// as attention by tiles: sg-form-kernels makes one of it then. Such a kernel
  /// multiplies at a part of the library's rate. Follows from the op alone,
  /// since its bits may.
  virtual bool runsAsKernel(mlir::Operation *op) const { return false; }
  /// Whether a kernel runs such an op together with the others in it. Its bits
  /// do not depend on them.
  virtual bool runsTogether(mlir::Block &kernel) const { return false; }

  /// Fails with a message at the op that no kernel can run.
  virtual mlir::FailureOr<KernelTraits> kernelTraits(mlir::Block &kernel) = 0;
  /// How the library would run the call that `op` makes. A failure has been
  /// reported at the op.
  virtual mlir::FailureOr<rt::LibraryCallInfo>
  libraryCall(mlir::Operation *op, const rt::LibraryCallDesc &desc) = 0;
  /// Name and version of the library whose workspaces were planned; programs
  /// that call it record it. "" where there is none.
  virtual std::string library() const { return ""; }

  /// Has compileKernels call `report`, on any thread, with the part of its work
  /// that is done, from 0 to 1. A target that compiles all kernels in one piece
  /// never calls it.
  void reportProgress(std::function<void(double)> report) {
    progress = std::move(report);
  }
  /// The code of `kernels`, in whatever form the device loads; it exports every
  /// symbol. Equal input gives equal bytes, on whatever machine.
  virtual mlir::FailureOr<std::vector<uint8_t>>
  compileKernels(llvm::ArrayRef<KernelSource> kernels) = 0;

  /// The machine at hand, if programs for this target run on it.
  virtual Machine machine() const = 0;
  /// Its rates. Fails with RP_UNAVAILABLE where they cannot be measured here.
  virtual rt::Expected<rt::Roofline> measureRoofline() = 0;
  /// The rates of a device that need not be here, as a description says; they
  /// are taken instead of measured ones.
  virtual std::optional<rt::Roofline> describedRoofline() const {
    return std::nullopt;
  }

protected:
  /// See reportProgress; empty where nobody asked.
  std::function<void(double)> progress;
};

/// Makes a target for programs on `threads` threads. Fails with
/// RP_INVALID_ARGUMENT and says what may be written.
using TargetFactory = std::function<rt::Expected<std::unique_ptr<Target>>(
    llvm::StringRef text, unsigned threads)>;

struct TargetEntry {
  /// Of TEXT, where users write NAME:TEXT.
  TargetFactory fromText;
  /// Of what Target::features gave, as programs record it.
  TargetFactory fromFeatures;
};

/// Adds the target of that name, or replaces it. Safe from any thread.
void registerTarget(llvm::StringRef name, TargetEntry entry);

/// The names, sorted.
std::vector<std::string> targetNames();

/// The target that "NAME:TEXT" says. Fails with RP_INVALID_ARGUMENT, naming
/// what there is.
rt::Expected<std::unique_ptr<Target>> createTarget(llvm::StringRef text,
                                                   unsigned threads);

/// The target of a program that records this device and these features.
rt::Expected<std::unique_ptr<Target>> createTargetOf(llvm::StringRef device,
                                                     llvm::StringRef features,
                                                     unsigned threads);

/// Registers every target of this build.
void registerAllTargets();

} // namespace reprise

#endif // REPRISE_TARGET_TARGET_H
