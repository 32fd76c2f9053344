//===- DeclaredPrograms.cpp - Models in MLIR, trained ---------------------===//

#include "DeclaredPrograms.h"
#include "mlir/Parser/Parser.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <filesystem>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

const char *const end_to_end::kMatrixAndVector = R"(
  sg.variable @m : tensor<2x2xf32> {role = #sg.role<parameter>, init =
    #sg.init<elements, dense<[[1.0, -0.5], [0.25, 2.0]]> : tensor<2x2xf32>>}
  sg.variable @v : tensor<4xf32> {role = #sg.role<parameter>, init =
    #sg.init<elements, dense<[1.0, -0.5, 0.25, 2.0]> : tensor<4xf32>>}
  func.func @planes(%a: tensor<1x4xf32> {sg.name = "a"},
                    %b: tensor<1x4xf32> {sg.name = "b"})
      -> (tensor<f32> {sg.name = "height", sg.binding = #sg.binding<loss>}) {
    %m = sg.read @m : tensor<2x2xf32>
    %n = sg.reshape %m : tensor<2x2xf32> -> tensor<1x4xf32>
    %v = sg.read @v : tensor<4xf32>
    %w = sg.reshape %v : tensor<4xf32> -> tensor<1x4xf32>
    %t = sg.add %n, %w : tensor<1x4xf32>
    %s = sg.add %a, %b : tensor<1x4xf32>
    %p = sg.mul %t, %s : tensor<1x4xf32>
    %l = sg.reduce_sum %p dims [0, 1] : tensor<1x4xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
)";

std::vector<double> end_to_end::gradientAt(int t) {
  return {0.5 * (t + 1), -0.25, 1e-3 * (t % 2 ? -1 : 1), 0.0};
}

void DeclaredPrograms::SetUp() {
  DialectRegistry registry;
  registerAllTargets();
  registerPipelineDialects(registry);
  context.appendDialectRegistry(registry);
  std::string pattern =
      (std::filesystem::temp_directory_path() / "reprise-XXXXXX").string();
  folder = ::mkdtemp(pattern.data());
}

void DeclaredPrograms::TearDown() {
  close();
  std::filesystem::remove_all(folder);
}

void DeclaredPrograms::open(const char *text, const CompileOptions &options) {
  auto module = parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  auto bytes = compileModel(*module, options);
  ASSERT_TRUE(succeeded(bytes));
  rt::Status opened = rt::takeStatus(
      rp_program_from_memory(bytes->data(), bytes->size(), &program));
  ASSERT_TRUE(opened.ok()) << opened.message();
  auto session = rt::openSessionBackend(program, {"cpu", 1, 0, 0});
  ASSERT_TRUE(session.ok()) << session.status().message();
  backend = std::move(*session);
}

void DeclaredPrograms::close() {
  backend.reset();
  rp_program_close(program);
  program = nullptr;
}

void DeclaredPrograms::trainSteps(int steps) {
  writeRows(steps);
  rt::TrainOptions run;
  run.data.keepsOrder = true;
  run.data.source = folder + "/rows.safetensors";
  run.steps = steps;
  run.learningRate.base = 0.125;
  rt::Status status = rt::train(*backend, run).status();
  ASSERT_TRUE(status.ok()) << status.message();
}

void DeclaredPrograms::writeRows(int steps) {
  std::vector<std::vector<double>> gradients;
  for (int t = 0; t < steps; ++t)
    gradients.push_back(gradientAt(t));
  writeRows(gradients);
}

void DeclaredPrograms::writeRows(
    const std::vector<std::vector<double>> &gradients) {
  int64_t rows = gradients.size();
  rt::SafetensorsContent content;
  content.tensors = {{"a", rt::DType::F32, {rows, 4}},
                     {"b", rt::DType::F32, {rows, 4}}};
  auto source = [&](size_t index, void *data, size_t) {
    for (int64_t t = 0; t < rows; ++t)
      for (int i = 0; i < 4; ++i) // one row is all, the other what is missing
        static_cast<float *>(data)[4 * t + i] =
            index == 0 ? float(gradients[t][i]) : 0.0f;
    return rt::Status();
  };
  ASSERT_TRUE(
      rt::writeSafetensors(folder + "/rows.safetensors", content, source).ok());
}
