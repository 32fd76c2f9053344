//===- OnnxExport.cpp - Trained weights for an ONNX file ------------------===//

#include "reprise/Driver/OnnxExport.h"
#include "reprise/Console/Console.h"
#include "reprise/Onnx/Export.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace reprise;
using namespace reprise::driver;

/// Reads the tensors of f32. Scalars and tensors that are named after another
/// one may belong to the optimizer.
static rt::Expected<onnx::TrainedWeights> readWeights(const std::string &path) {
  auto file = rt::SafetensorsFile::open(path);
  if (!file.ok())
    return file.status();
  onnx::TrainedWeights weights;
  for (const rt::TensorEntry &entry : file->header().tensors) {
    if (entry.type != rt::DType::F32)
      continue;
    onnx::TrainedWeight weight{
        entry.shape, std::vector<float>(entry.bytes() / sizeof(float)), false};
    REPRISE_RETURN_IF_ERROR(file->read(entry, weight.elements.data()));
    size_t dot = entry.name.rfind('.');
    weight.isOptional =
        entry.shape.empty() || (dot != std::string::npos &&
                                file->header().find(entry.name.substr(0, dot)));
    weights[entry.name] = std::move(weight);
  }
  return weights;
}

/// Returns the path of a file of external data beside the copy.
static rt::Expected<std::string> placeOf(const std::string &location,
                                         const std::string &path,
                                         const std::string &output) {
  llvm::SmallString<128> place(llvm::sys::path::parent_path(output)),
      source(llvm::sys::path::parent_path(path));
  llvm::sys::path::append(place, location);
  llvm::sys::path::append(source, location);
  if (llvm::sys::fs::equivalent(place, source))
    return misuse("'" + path + "' keeps weights in '" + location +
                  "'; write the copy into another folder");
  std::error_code error =
      llvm::sys::fs::create_directories(llvm::sys::path::parent_path(place));
  if (error)
    return invalid("cannot create the folder of '" + place.str().str() +
                   "': " + error.message());
  return place.str().str();
}

rt::Status driver::exportOnnx(const std::string &path, const std::string &state,
                              const std::string &output) {
  REPRISE_RETURN_IF_ERROR(checkOutput(output, {path, state}));
  rt::Expected<onnx::TrainedWeights> weights = readWeights(state);
  if (!weights.ok())
    return weights.status();
  std::string error;
  auto exported = onnx::exportWeights(path, *weights, error);
  if (!exported)
    return invalid(error);
  if (exported->written == 0)
    return invalid("'" + state + "' holds no weight of '" + path + "'");
  for (const auto &[location, bytes] : exported->external) {
    rt::Expected<std::string> place = placeOf(location, path, output);
    if (!place.ok())
      return place.status();
    REPRISE_RETURN_IF_ERROR(writeText(*place, bytes));
  }
  REPRISE_RETURN_IF_ERROR(writeText(output, exported->model));
  return print(std::to_string(exported->written) + " weights of '" + state +
               "' written\n");
}
