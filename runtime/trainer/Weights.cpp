//===- Weights.cpp - Initial variables from a file ------------------------===//
//
// Input:   a safetensors file with parameters and running statistics by name.
// Output:  the session's variables of these roles.
// Method:  every variable is loaded, resized (position tables), kept (the head,
//          if requested) or wrong; everything wrong is told at once. Only then
//          variables are written.
//
//===----------------------------------------------------------------------===//
#include "PositionTables.h"
#include "StoredVariables.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/State.h"
#include <algorithm>
#include <cstring>
#include <map>

using namespace reprise::rt;

/// Returns a hint if a missing name is present after a prefix such as
/// "module.".
static std::string prefixHint(const std::vector<std::string> &missing,
                              const std::vector<std::string> &unexpected) {
  for (const std::string &there : unexpected)
    for (const std::string &name : missing) {
      size_t size = there.size() - std::min(name.size(), there.size());
      if (size < 2 || there[size - 1] != '.' || there.substr(size) != name)
        continue;
      std::string prefix = there.substr(0, size);
      return "; its names begin with '" + prefix + "': take that away ('" +
             there + "' is '" + name + "' here)";
    }
  return "";
}

static bool isBatchCounter(const std::string &name) {
  static const std::string suffix = "num_batches_tracked";
  return name.size() >= suffix.size() &&
         name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of a program that its variables depend on; 0 if unknown.
struct ProgramSizes {
  int64_t classes = 0, height = 0, width = 0;
};
} // namespace

static ProgramSizes sizesOf(const Backend &backend) {
  ProgramSizes sizes;
  for (const char *name : {"train_step", "eval_step"}) {
    const EntryInfo *entry = backend.entry(name);
    if (!entry)
      continue;
    const TensorInfo *logits = entry->output(RP_BINDING_LOGITS);
    if (logits && !logits->shape.empty())
      sizes.classes = logits->shape.back();
    const TensorInfo *image = entry->input(RP_BINDING_DATA);
    if (image && image->shape.size() == 4) {
      sizes.height = image->shape[1];
      sizes.width = image->shape[2];
    }
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// The head
//===----------------------------------------------------------------------===//

/// Returns the one number that the tensor has in place of the program's number
/// of classes; 0 if it differs otherwise.
static int64_t storedClasses(const Misfit &misfit, int64_t classes) {
  const std::vector<int64_t> &wanted = misfit.wanted.shape,
                             &stored = misfit.entry->shape;
  int64_t count = 0;
  if (wanted.size() != stored.size())
    return 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == stored[i])
      continue;
    if (wanted[i] != classes || (count && stored[i] != count))
      return 0;
    count = stored[i];
  }
  return count;
}

/// Returns the number of classes of the weights if all misfits are of the head;
/// otherwise 0.
static int64_t otherClasses(const std::vector<Misfit> &misfits,
                            int64_t classes) {
  int64_t all = 0;
  for (const Misfit &misfit : misfits) {
    int64_t count = storedClasses(misfit, classes);
    if (count == 0 || (all && count != all))
      return 0;
    all = count;
  }
  return all;
}

/// Moves the head's variables to `report`.
static Status keepHead(const std::string &path, int64_t classes, Match &found,
                       WeightsReport &report) {
  if (classes == 0)
    return Status::error(RP_INVALID_ARGUMENT,
                         "the program has no logits, so that its head is not "
                         "known; leave out --new-head");
  if (otherClasses(found.misshapen, classes)) {
    for (const Misfit &misfit : found.misshapen)
      report.kept.push_back(misfit.variable->name);
    found.misshapen.clear();
  }
  auto isOfHead = [&](const TensorInfo *variable) {
    return variable->role == RP_PARAMETER && variable->shape.size() <= 2 &&
           std::count(variable->shape.begin(), variable->shape.end(), classes);
  };
  auto rest = std::stable_partition(found.missing.begin(), found.missing.end(),
                                    isOfHead);
  for (auto it = found.missing.begin(); it != rest; ++it)
    report.kept.push_back((*it)->name);
  found.missing.erase(found.missing.begin(), rest);
  return Status();
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static Status refuse(const SafetensorsFile &file, const Match &found,
                     const ProgramSizes &sizes, const WeightsReport &report) {
  std::string text = "'" + file.path() + "'";
  std::vector<std::string> missing = found.missingNames();
  auto model = file.header().metadata.find("model"); // states have it
  if (model != file.header().metadata.end() && !model->second.empty() &&
      !(missing.empty() && report.unexpected.empty()))
    text += ", weights of '" + model->second + "',";
  if (!missing.empty())
    text += " lacks " + std::to_string(missing.size()) +
            " tensors of the program: " + listNames(missing);
  if (!report.unexpected.empty())
    text += std::string(missing.empty() ? "" : ";") + " also has " +
            listNames(report.unexpected);
  text += prefixHint(missing, report.unexpected);
  if (!found.misshapen.empty())
    text += std::string(missing.empty() && report.unexpected.empty() ? ": "
                                                                     : "; ") +
            describeMisfits(found.misshapen);
  if (found.misshapen.empty())
    return Status::error(RP_INVALID_ARGUMENT, text);
  int64_t others =
      missing.empty() ? otherClasses(found.misshapen, sizes.classes) : 0;
  text += others ? "; only the head differs, of " + std::to_string(others) +
                       " classes there and " + std::to_string(sizes.classes) +
                       " here: give the model as many (--classes " +
                       std::to_string(others) +
                       "), or let its head begin anew with --new-head"
                 : adviceForMisfits(found.misshapen);
  return Status::error(RP_INVALID_ARGUMENT, text);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Moves the tables that can be resized to the present variables.
static std::map<std::string, TableResize>
takeTables(const ProgramSizes &sizes, Match &found, WeightsReport &report) {
  std::map<std::string, TableResize> tables;
  auto isTable = [&](const Misfit &misfit) {
    std::optional<TableResize> resize;
    if (misfit.variable->type == RP_F32 && misfit.entry->type != DType::F64 &&
        misfit.variable->filePermutation.empty())
      resize = findTableResize(misfit.variable->name, misfit.entry->shape,
                               misfit.wanted.shape, sizes.height, sizes.width);
    if (!resize)
      return false;
    tables[misfit.variable->name] = *resize;
    report.resized.push_back(misfit.variable->name);
    found.present.push_back(misfit.variable);
    return true;
  };
  auto &misfits = found.misshapen;
  misfits.erase(std::remove_if(misfits.begin(), misfits.end(), isTable),
                misfits.end());
  return tables;
}

static Status loadMatched(Backend &backend, const SafetensorsFile &file,
                          const Match &found,
                          const std::map<std::string, TableResize> &tables) {
  auto resize = [&](const TensorInfo &variable, std::vector<uint8_t> &stored) {
    auto table = tables.find(variable.name);
    if (table == tables.end())
      return;
    std::vector<float> from(stored.size() / sizeof(float));
    std::memcpy(from.data(), stored.data(), from.size() * sizeof(float));
    std::vector<float> resized = resizeTable(table->second, from.data());
    std::memcpy(stored.data(), resized.data(), variable.bytes);
  };
  return loadVariables(backend, file, found.present, resize);
}

Expected<WeightsReport>
reprise::rt::loadWeights(Backend &backend, const std::string &path, Head head) {
  REPRISE_EXPECT(file, SafetensorsFile::open(path));
  if (file->header().metadata.count("digest"))
    REPRISE_RETURN_IF_ERROR(file->verifyDigest());
  Expected<Match> found = matchVariables(
      backend.variables(), *file, /*mayWiden=*/true, [](const TensorInfo &v) {
        return v.role == RP_PARAMETER || v.role == RP_RUNNING_STATISTICS;
      });
  if (!found.ok())
    return found.status();
  ProgramSizes sizes = sizesOf(backend);
  WeightsReport report;
  for (const std::string &name : found->unexpected)
    if (!isBatchCounter(name) && !isOfOptimizer(file->header(), name))
      report.unexpected.push_back(name);
  auto tables = takeTables(sizes, *found, report);
  if (head == Head::Kept)
    REPRISE_RETURN_IF_ERROR(keepHead(path, sizes.classes, *found, report));
  if (!found->missing.empty() || !found->misshapen.empty())
    return refuse(*file, *found, sizes, report);
  REPRISE_RETURN_IF_ERROR(loadMatched(backend, *file, *found, tables));
  report.loaded = found->present.size();
  REPRISE_EXPECT(names, readClassNames(path));
  report.classNames = std::move(*names);
  return report;
}
