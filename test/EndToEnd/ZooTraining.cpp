//===- ZooTraining.cpp - Models of the zoo, trained -----------------------===//

#include "ZooTraining.h"
#include "mlir/IR/Diagnostics.h"
#include "reprise/Passes/Pipelines.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

static ZooCase smallResNet(const char *label, double dropout) {
  ZooCase resnet{label, "resnet18", {}};
  resnet.options.batch = 4;
  resnet.options.height = resnet.options.width = 32;
  resnet.options.baseWidth = 16;
  resnet.options.classes = 10;
  resnet.options.dropout = dropout;
  return resnet;
}

std::vector<ZooCase> end_to_end::smallModels() {
  ZooCase parts = smallResNet("ResNet18Dropout", 0.25);
  parts.microBatches = 2;
  parts.threads = 1;
  return {{"Mlp", "mlp", {}}, smallResNet("ResNet18", 0.0), parts};
}

std::vector<ZooCase> end_to_end::smallTransformers() {
  std::vector<ZooCase> cases = {
      {"Swin", "swin_t", {}},
      {"Swin3D", "swin3d_t", {}},
      {"ViT", "vit_b_16", {}},
      {"ConvNeXt", "convnext_tiny", {}, MixedPrecision::None, true}};
  for (ZooCase &each : cases) {
    each.options.batch = 2;
    each.options.height = each.options.width = 32;
    each.options.baseWidth = 12;
    each.options.classes = 10;
  }
  cases[1].options.frames = 4;
  cases[2].options.patch = 8;
  cases[2].options.baseWidth = 24;
  cases[2].options.dropout = 0.1;
  for (unsigned attends : {0, 2})
    cases[attends].options.attentionDropout = 0.1;
  for (unsigned alone : {0, 1, 3})
    cases[alone].threads = 1;
  return cases;
}

std::vector<ZooCase> end_to_end::transformersOfTypes() {
  std::vector<ZooCase> all;
  for (MixedPrecision amp :
       {MixedPrecision::None, MixedPrecision::BF16, MixedPrecision::F16})
    for (ZooCase each : smallTransformers()) {
      each.amp = amp;
      all.push_back(each);
    }
  return all;
}

std::vector<ZooCase> end_to_end::mixedModels() {
  ZooCase resnet = smallResNet("ResNet18Bf16", 0.25);
  resnet.amp = MixedPrecision::BF16;
  resnet.threads = 1;
  ZooCase swin = smallTransformers()[0];
  swin.label = "SwinF16";
  swin.amp = MixedPrecision::F16;
  ZooCase convnext = smallTransformers()[3];
  convnext.label = "ConvNeXtBf16";
  convnext.amp = MixedPrecision::BF16;
  convnext.threads = 2;
  return {resnet, swin, convnext};
}

void end_to_end::loadEverything(MLIRContext &context) {
  loadDialects(context);
  context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      ADD_FAILURE() << diagnostic.str();
    return success();
  });
}

OwningOpRef<mlir::ModuleOp> end_to_end::buildCase(MLIRContext &context,
                                                  const ZooCase &zooCase) {
  return zoo::buildModel(context, zooCase.model, zooCase.options);
}

OwningOpRef<mlir::ModuleOp> end_to_end::buildLargeCase(MLIRContext &context,
                                                       ZooCase zooCase) {
  zooCase.options.batch = 64;
  if (zooCase.options.baseWidth)
    *zooCase.options.baseWidth /= 2;
  return buildCase(context, zooCase);
}

CompileOptions end_to_end::optionsOf(const ZooCase &zooCase,
                                     const std::string &mode, bool fuse,
                                     const std::string &target) {
  CompileOptions options;
  options.target = TargetName::parse(target);
  options.checkpointing = *parseCheckpointing(mode);
  options.fuse = fuse;
  options.amp = zooCase.amp;
  options.evaluation = false;
  options.optimizer.values["weight-decay"] = 5e-4;
  options.microBatches = zooCase.microBatches;
  options.threads = zooCase.threads;
  if (zooCase.byRecipe) {
    options.optimizer.kind = OptimizerKind::AdamW;
    options.optimizer.values["norm-bias-weight-decay"] = 0;
    options.clipping.norm = 1;
  }
  return options;
}

Bytes end_to_end::compileCase(MLIRContext &context, const ZooCase &zooCase,
                              const std::string &mode, bool fuse,
                              const std::string &target) {
  OwningOpRef<mlir::ModuleOp> model = buildCase(context, zooCase);
  if (!model)
    return {};
  auto file = compileModel(*model, optionsOf(zooCase, mode, fuse, target));
  return succeeded(file) ? *file : Bytes();
}

OpenProgram::OpenProgram(const Bytes &artifact, bool poison) {
  rt::Status opened = rt::takeStatus(
      rp_program_from_memory(artifact.data(), artifact.size(), &program));
  if (!opened.ok()) {
    ADD_FAILURE() << opened.message();
    return;
  }
  auto created = rt::openSessionBackend(program, {/*device=*/nullptr, poison,
                                                  /*profile=*/0,
                                                  /*check_memory=*/0});
  if (created.ok())
    session = std::move(*created);
  else
    ADD_FAILURE() << created.status().message();
}

OpenProgram::~OpenProgram() {
  session.reset();
  if (program)
    rp_program_close(program);
}

ByteStore OpenProgram::variables() const {
  ByteStore values;
  for (const rt::TensorInfo &variable : session->variables()) {
    Bytes &bytes = values[variable.name];
    bytes.resize(variable.bytes);
    rt::Status read =
        session->readVariable(variable.name, bytes.data(), bytes.size());
    EXPECT_TRUE(read.ok()) << read.message();
  }
  return values;
}

rt::TrainOptions end_to_end::trainOptions(uint64_t steps) {
  rt::TrainOptions options;
  options.data.source = "synthetic";
  options.data.syntheticSize = 512;
  options.steps = steps;
  options.learningRate.base = 0.02;
  options.seed = 20;
  return options;
}
