//===- ZooTraining.h - Models of the zoo, trained ---------------*- C++ -*-===//
//
// Compiles small models of the zoo and trains them through the runtime's
// trainer, as `reprise train` does.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_ENDTOEND_ZOOTRAINING_H
#define REPRISE_TEST_ENDTOEND_ZOOTRAINING_H

#include "CompiledRun.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include "reprise/Zoo/Zoo.h"
#include <memory>
#include <ostream>

namespace reprise::end_to_end {

/// What a test calls a model, and how the zoo makes it.
struct ZooCase {
  const char *label;
  const char *model;
  zoo::ModelOptions options;
  MixedPrecision amp = MixedPrecision::None;
  /// AdamW with clipped gradients, by a recipe of transformers, in place of
  /// SGD.
  bool byRecipe = false;
  unsigned microBatches = 1;
  /// Threads of a team wait for each other, which takes most of the time where
  /// tests run beside each other: one model of each kind has two.
  unsigned threads = 2;
};

/// How a failed test names its case.
inline std::ostream &operator<<(std::ostream &stream, const ZooCase &zooCase) {
  return stream << zooCase.label;
}

/// A perceptron, a ResNet-18 of 32x32 images with 16 channels in its first
/// stage, and the same with dropout and two micro-batches a step.
std::vector<ZooCase> smallModels();

/// A Swin of images, one of volumes and a ConvNeXt, of all their blocks but few
/// channels, with stochastic depth, and a vision transformer with dropout.
std::vector<ZooCase> smallTransformers();

/// Each of these in f32, and in mixed precision with bf16 and with f16.
std::vector<ZooCase> transformersOfTypes();

/// Of these, a ResNet with dropout, a Swin and a ConvNeXt in mixed precision:
/// with bf16, which the processor's library takes, and with f16.
std::vector<ZooCase> mixedModels();

/// Loads the compiler's dialects with reference models, and keeps warnings to
/// itself: modes may find fewer cuts in small models than they were asked for.
void loadEverything(mlir::MLIRContext &context);

/// The model, or null after an error, which fails the test.
mlir::OwningOpRef<mlir::ModuleOp> buildCase(mlir::MLIRContext &context,
                                            const ZooCase &zooCase);

/// The model with half its channels for a batch of 64, whose activations
/// outweigh the variables, the gradients of filters and the workspace of calls,
/// on every processor: else a budget would have nothing to choose.
mlir::OwningOpRef<mlir::ModuleOp> buildLargeCase(mlir::MLIRContext &context,
                                                 ZooCase zooCase);

/// The options with which compileCase compiles a model in a mode.
CompileOptions optionsOf(const ZooCase &zooCase, const std::string &mode,
                         bool fuse = true,
                         const std::string &target = "cpu:native");

/// The artifact of a model in a mode; empty after an error, which fails the
/// test.
Bytes compileCase(mlir::MLIRContext &context, const ZooCase &zooCase,
                  const std::string &mode, bool fuse = true,
                  const std::string &target = "cpu:native");

/// An artifact, opened, with a session of its own on the device it is for.
class OpenProgram {
public:
  /// An error fails the test and leaves the backend null. With `poison` steps
  /// run one by one.
  explicit OpenProgram(const Bytes &artifact, bool poison = true);
  ~OpenProgram();
  OpenProgram(const OpenProgram &) = delete;
  OpenProgram &operator=(const OpenProgram &) = delete;

  rt::Backend &backend() const { return *session; }
  const rp_program *handle() const { return program; }
  explicit operator bool() const { return session != nullptr; }

  /// Every variable by name.
  ByteStore variables() const;

private:
  rp_program *program = nullptr;
  std::unique_ptr<rt::Backend> session;
};

/// Training on synthetic images up to `steps` steps, earlier runs included.
rt::TrainOptions trainOptions(uint64_t steps);

} // namespace reprise::end_to_end

#endif // REPRISE_TEST_ENDTOEND_ZOOTRAINING_H
