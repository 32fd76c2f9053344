//===- Averages.cpp - Moving averages of variables ------------------------===//
#include "Averages.h"
#include "reprise/Averages.h"
#include "reprise/Runtime/Expect.h"
#include <algorithm>

using namespace reprise::rt;

static bool isAveraged(const TensorInfo &variable) {
  return variable.role == RP_PARAMETER ||
         variable.role == RP_RUNNING_STATISTICS;
}

/// Returns the variable that `average` is the average of; null if it is none.
static const TensorInfo *averagedBy(const Backend &backend,
                                    const TensorInfo &average) {
  std::string_view name = reprise::averagedName(average.name);
  if (average.role != RP_OPTIMIZER_STATE || name.empty())
    return nullptr;
  for (const TensorInfo &variable : backend.variables())
    if (variable.name == name && isAveraged(variable) &&
        variable.bytes == average.bytes)
      return &variable;
  return nullptr;
}

static bool isAverage(const SafetensorsFile &file, const std::string &name) {
  std::string_view averaged = reprise::averagedName(name);
  return !averaged.empty() && file.header().find(std::string(averaged));
}

bool reprise::rt::keepsAverages(const Backend &backend) {
  const auto &variables = backend.variables();
  return std::any_of(variables.begin(), variables.end(),
                     [&](const TensorInfo &variable) {
                       return averagedBy(backend, variable) != nullptr;
                     });
}

bool reprise::rt::storesAverages(const SafetensorsFile &file) {
  const auto &tensors = file.header().tensors;
  return std::any_of(
      tensors.begin(), tensors.end(),
      [&](const TensorEntry &tensor) { return isAverage(file, tensor.name); });
}

Status reprise::rt::beginAverages(Backend &backend) {
  std::vector<uint8_t> bytes;
  for (const TensorInfo &average : backend.variables()) {
    const TensorInfo *from = averagedBy(backend, average);
    if (!from)
      continue;
    bytes.resize(from->bytes);
    REPRISE_RETURN_IF_ERROR(
        backend.readVariable(from->name, bytes.data(), bytes.size()));
    REPRISE_RETURN_IF_ERROR(
        backend.writeVariable(average.name, bytes.data(), bytes.size()));
  }
  return Status();
}

Status reprise::rt::takeAverages(Backend &backend,
                                 const SafetensorsFile &file) {
  REPRISE_EXPECT(found,
                 matchVariables(backend.variables(), file, /*mayWiden=*/false,
                                isAveraged, reprise::kAverageSuffix));
  if (!found->misshapen.empty())
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + file.path() +
                             "': " + describeMisfits(found->misshapen) +
                             adviceForMisfits(found->misshapen));
  return loadVariables(backend, file, found->present, {},
                       reprise::kAverageSuffix);
}

AveragesDiffer reprise::rt::forgiveAverages(const Backend &backend,
                                            const SafetensorsFile &file,
                                            Match &found) {
  bool stores = storesAverages(file), keeps = keepsAverages(backend);
  if (stores == keeps)
    return AveragesDiffer::No;
  auto &missing = found.missing;
  auto &unexpected = found.unexpected;
  if (keeps)
    missing.erase(std::remove_if(missing.begin(), missing.end(),
                                 [&](const TensorInfo *variable) {
                                   return averagedBy(backend, *variable);
                                 }),
                  missing.end());
  else
    unexpected.erase(std::remove_if(unexpected.begin(), unexpected.end(),
                                    [&](const std::string &name) {
                                      return isAverage(file, name);
                                    }),
                     unexpected.end());
  return keeps ? AveragesDiffer::Missing : AveragesDiffer::Unexpected;
}
