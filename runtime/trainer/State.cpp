//===- State.cpp - Saving and loading the variables of a run --------------===//
//
// Saving streams one variable at a time. Loading checks first (digest, names,
// types, shapes) and then writes; only the disk can fail then.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/State.h"
#include "Averages.h"
#include "PositionTables.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/FileLayout.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

using namespace reprise::rt;

static constexpr char kFormat[] = "reprise-state";
static constexpr char kVersion[] = "2";
static constexpr char kFirstVersion[] = "1";             // without settings
static constexpr char kSkippedSteps[] = "skipped_steps"; // 0 if missing
static constexpr char kRecipe[] = "recipe";
static constexpr char kModelOptions[] = "model_options";
static constexpr char kClassNames[] = "class_names"; // if the data has them
static constexpr char kSettingsPrefix[] = "course.";
static constexpr char kHookPrefix[] = "hook.";

/// Returns a float's bits, which restore it exactly.
static std::string floatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return std::to_string(bits);
}

/// Joins names by '/', with every byte other than printable ASCII, '%' and '/'
/// as %XX: a folder's name may not be UTF-8, which metadata must be.
static std::string joinNames(const std::vector<std::string> &names) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  for (const std::string &name : names) {
    if (&name != &names.front())
      text += '/';
    for (char c : name) {
      auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && byte < 0x7F && c != '%' && c != '/')
        text += c;
      else
        text += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return text;
}

/// Inverts joinNames; returns false for other text.
static bool splitNames(const std::string &text,
                       std::vector<std::string> &names) {
  names.assign(text.empty() ? 0 : 1, std::string());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') {
      names.emplace_back();
    } else if (text[i] == '%') {
      unsigned byte = 0;
      const char *digits = text.data() + i + 1;
      if (i + 2 >= text.size() ||
          std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
        return false;
      names.back() += char(byte);
      i += 2;
    } else {
      names.back() += text[i];
    }
  }
  return true;
}

static Metadata metadataOf(Backend &backend, const RunPosition &position) {
  Metadata m = {{"format", kFormat},
                {"version", kVersion},
                {"model", backend.model()},
                {"epoch", std::to_string(position.epoch)},
                {"step", std::to_string(position.step)},
                {"position", std::to_string(position.position)},
                {"seed", std::to_string(position.seed)},
                {"batch", std::to_string(position.batch)},
                {"images", std::to_string(position.images)}};
  if (position.skippedSteps)
    m[kSkippedSteps] = std::to_string(position.skippedSteps);
  if (position.normalization) {
    m["mean_bits"] = floatBits(position.normalization->mean);
    m["stddev_bits"] = floatBits(position.normalization->stddev);
  }
  if (!position.recipe.empty())
    m[kRecipe] = position.recipe;
  if (!position.modelOptions.empty())
    m[kModelOptions] = position.modelOptions;
  if (!position.classNames.empty())
    m[kClassNames] = joinNames(position.classNames);
  for (const auto &[name, value] : position.hooks)
    if (!value.empty())
      m[kHookPrefix + name] = value;
  for (const auto &[name, value] : position.runSettings)
    m[kSettingsPrefix + name] = value;
  return m;
}

/// Returns empty text if there is none.
static std::string readText(const SafetensorsFile &file, const char *key) {
  auto it = file.header().metadata.find(key);
  return it == file.header().metadata.end() ? std::string() : it->second;
}

static Status readNumber(const SafetensorsFile &file, const char *key,
                         uint64_t *number) {
  const std::string text = readText(file, key);
  uint64_t value = 0;
  bool good = !text.empty();
  for (char c : text)
    good = good && c >= '0' && c <= '9' &&
           !__builtin_mul_overflow(value, uint64_t(10), &value) &&
           !__builtin_add_overflow(value, uint64_t(c - '0'), &value);
  if (!good)
    return Status::error(
        RP_DATA_LOSS, "'" + file.path() + "' is not a state: its metadata '" +
                          key + "' are '" + text + "', not a number");
  *number = value;
  return Status();
}

static Status readFloat(const SafetensorsFile &file, const char *key,
                        float *number) {
  uint64_t wide = 0;
  REPRISE_RETURN_IF_ERROR(readNumber(file, key, &wide));
  uint32_t bits = uint32_t(wide);
  std::memcpy(number, &bits, sizeof bits);
  return Status();
}

/// Reads the metadata whose names begin with `prefix`, by the rest of the name.
static void readPrefixed(const SafetensorsFile &file, const std::string &prefix,
                         std::map<std::string, std::string> &into) {
  for (const auto &[key, value] : file.header().metadata)
    if (key.compare(0, prefix.size(), prefix) == 0)
      into[key.substr(prefix.size())] = value;
}

static Expected<std::vector<std::string>>
readNames(const SafetensorsFile &file) {
  std::vector<std::string> names;
  if (splitNames(readText(file, kClassNames), names))
    return names;
  return Status::error(RP_DATA_LOSS, "'" + file.path() +
                                         "' is not a state: its names of "
                                         "classes are '" +
                                         readText(file, kClassNames) + "'");
}

static Expected<RunPosition> readPosition(const SafetensorsFile &file) {
  if (readText(file, "format") != kFormat)
    return Status::error(RP_DATA_LOSS,
                         "'" + file.path() +
                             "' is not a training state; load weights of "
                             "another program with --weights");
  const std::string version = readText(file, "version");
  if (version != kVersion && version != kFirstVersion)
    return Status::error(
        RP_DATA_LOSS, "'" + file.path() + "' is a training state of version '" +
                          version + "', this is of version " + kVersion);
  REPRISE_RETURN_IF_ERROR(file.verifyDigest());
  RunPosition p;
  REPRISE_RETURN_IF_ERROR(readNumber(file, "epoch", &p.epoch));
  REPRISE_RETURN_IF_ERROR(readNumber(file, "step", &p.step));
  REPRISE_RETURN_IF_ERROR(readNumber(file, "position", &p.position));
  REPRISE_RETURN_IF_ERROR(readNumber(file, "seed", &p.seed));
  REPRISE_RETURN_IF_ERROR(readNumber(file, "batch", &p.batch));
  REPRISE_RETURN_IF_ERROR(readNumber(file, "images", &p.images));
  if (!readText(file, kSkippedSteps).empty())
    REPRISE_RETURN_IF_ERROR(readNumber(file, kSkippedSteps, &p.skippedSteps));
  if (p.skippedSteps > p.step)
    return Status::error(RP_DATA_LOSS, "'" + file.path() + "' skipped " +
                                           std::to_string(p.skippedSteps) +
                                           " of " + std::to_string(p.step) +
                                           " steps");
  if (!readText(file, "mean_bits").empty()) {
    Normalization n;
    REPRISE_RETURN_IF_ERROR(readFloat(file, "mean_bits", &n.mean));
    REPRISE_RETURN_IF_ERROR(readFloat(file, "stddev_bits", &n.stddev));
    p.normalization = n;
  }
  p.recipe = readText(file, kRecipe);
  p.modelOptions = readText(file, kModelOptions);
  REPRISE_EXPECT(names, readNames(file));
  p.classNames = std::move(*names);
  readPrefixed(file, kSettingsPrefix, p.runSettings);
  readPrefixed(file, kHookPrefix, p.hooks);
  return p;
}

static Expected<SafetensorsContent> contentOf(Backend &backend,
                                              const RunPosition &position) {
  SafetensorsContent content;
  content.metadata = metadataOf(backend, position);
  content.seal = Seal::Digest;
  for (const TensorInfo &variable : backend.variables()) {
    REPRISE_EXPECT(tensor, describeInFile(variable));
    content.tensors.push_back(std::move(*tensor));
  }
  return content;
}

Status reprise::rt::checkSavable(Backend &backend, const std::string &path,
                                 const RunPosition &position) {
  Expected<SafetensorsContent> content = contentOf(backend, position);
  return content.ok() ? checkSafetensors(path, *content) : content.status();
}

Status reprise::rt::saveState(Backend &backend, const std::string &path,
                              const RunPosition &position) {
  REPRISE_EXPECT(content, contentOf(backend, position));
  // Reserves the largest size at once: a vector that grows holds its bytes
  // twice.
  std::vector<uint8_t> program;
  program.reserve(largestBytes(backend.variables()));
  auto source = [&](size_t index, void *data, size_t bytes) -> Status {
    const TensorInfo &variable = backend.variables()[index];
    program.resize(std::max(program.size(), bytes));
    REPRISE_RETURN_IF_ERROR(
        backend.readVariable(variable.name, program.data(), bytes));
    if (!allFinite(variable, program.data()))
      return Status::error(RP_INVALID_ARGUMENT,
                           "variable '" + variable.name +
                               "' has values that are not finite "
                               "after step " +
                               std::to_string(position.step) + ", so '" + path +
                               "' was left as it was; lower the learning rate");
    toFileLayout(variable, program.data(), data);
    return Status();
  };
  return writeSafetensors(path, *content, source);
}

Expected<RunPosition> reprise::rt::readStatePosition(const std::string &path) {
  REPRISE_EXPECT(file, SafetensorsFile::open(path));
  return readPosition(*file);
}

Expected<std::vector<std::string>>
reprise::rt::readClassNames(const std::string &path) {
  REPRISE_EXPECT(file, SafetensorsFile::open(path));
  if (readText(*file, "format") != kFormat)
    return std::vector<std::string>();
  return readNames(*file);
}

/// Fails if tensors have another shape or type, or belong to another program.
static Status refuse(const SafetensorsFile &file, const Match &found) {
  if (!found.misshapen.empty())
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + file.path() +
                             "': " + describeMisfits(found.misshapen) +
                             adviceForMisfits(found.misshapen));
  if (found.missing.empty() && found.unexpected.empty())
    return Status();
  std::string text = "'" + file.path() +
                     "' is the state of another program ('" +
                     readText(file, "model") + "'): it ";
  if (!found.missing.empty())
    text += "lacks " + listNames(found.missingNames());
  if (!found.unexpected.empty())
    text += (found.missing.empty() ? "also has " : " and also has ") +
            listNames(found.unexpected);
  return Status::error(RP_INVALID_ARGUMENT, text);
}

Status reprise::rt::checkState(const std::string &path,
                               const std::vector<TensorInfo> &variables) {
  REPRISE_EXPECT(file, SafetensorsFile::open(path));
  REPRISE_EXPECT(found,
                 matchVariables(variables, *file, /*mayWiden=*/true,
                                [](const TensorInfo &) { return true; }));
  auto drop = [](auto &all, auto isLeft) {
    all.erase(std::remove_if(all.begin(), all.end(), isLeft), all.end());
  };
  drop(found->misshapen, [](const Misfit &misfit) {
    return findTableResize(misfit.variable->name, misfit.entry->shape,
                           misfit.wanted.shape, /*height=*/0, /*width=*/0)
        .has_value();
  });
  drop(found->unexpected, [&](const std::string &name) {
    return isOfOptimizer(file->header(), name);
  });
  return refuse(*file, *found);
}

Expected<RunPosition> reprise::rt::loadState(
    Backend &backend, const std::string &path,
    const std::function<void(const std::string &)> &onNotice) {
  REPRISE_EXPECT(file, SafetensorsFile::open(path));
  Expected<RunPosition> position = readPosition(*file);
  if (!position.ok())
    return position;
  REPRISE_EXPECT(found,
                 matchVariables(backend.variables(), *file, /*mayWiden=*/false,
                                [](const TensorInfo &) { return true; }));
  AveragesDiffer averages = forgiveAverages(backend, *file, *found);
  REPRISE_RETURN_IF_ERROR(refuse(*file, *found));
  REPRISE_RETURN_IF_ERROR(loadVariables(backend, *file, found->present));
  if (averages == AveragesDiffer::Missing)
    REPRISE_RETURN_IF_ERROR(beginAverages(backend));
  if (averages != AveragesDiffer::No && onNotice)
    onNotice("'" + path +
             (averages == AveragesDiffer::Missing
                  ? "' has no moving averages of the weights; they begin with "
                    "its weights"
                  : "' has moving averages of the weights, which this program "
                    "does not keep; they are dropped"));
  return position;
}

namespace {

/// A gradient's output, under the name of its variable.
struct Gradient {
  TensorInfo tensor;
  std::string output;
};

} // namespace

static std::vector<Gradient> gradientsOf(Backend &backend,
                                         const std::string &entry) {
  std::map<std::string, const TensorInfo *> variables;
  for (const TensorInfo &variable : backend.variables())
    variables[variable.name] = &variable;
  std::vector<Gradient> gradients;
  for (const TensorInfo &output : backend.entry(entry)->outputs) {
    if (output.binding != RP_BINDING_GRADIENT)
      continue;
    TensorInfo gradient = output;
    gradient.name = output.variable;
    auto variable = variables.find(gradient.name);
    if (variable != variables.end())
      gradient.filePermutation = variable->second->filePermutation;
    gradients.push_back({std::move(gradient), output.name});
  }
  return gradients;
}

static Expected<SafetensorsContent>
contentOf(const std::vector<Gradient> &gradients) {
  SafetensorsContent content;
  for (const Gradient &gradient : gradients) {
    REPRISE_EXPECT(tensor, describeInFile(gradient.tensor));
    content.tensors.push_back(std::move(*tensor));
  }
  return content;
}

Status reprise::rt::checkGradients(Backend &backend, const std::string &entry,
                                   const std::string &path) {
  std::vector<Gradient> gradients = gradientsOf(backend, entry);
  if (gradients.empty())
    return Status::error(RP_INVALID_ARGUMENT,
                         "entry '" + entry +
                             "' of the program gives no gradients; compile it "
                             "with gradients as outputs");
  Expected<SafetensorsContent> content = contentOf(gradients);
  return content.ok() ? checkSafetensors(path, *content) : content.status();
}

Status reprise::rt::writeGradients(Backend &backend, const std::string &entry,
                                   const std::string &path) {
  std::vector<Gradient> gradients = gradientsOf(backend, entry);
  REPRISE_EXPECT(content, contentOf(gradients));
  std::vector<uint8_t> program;
  auto source = [&](size_t index, void *data, size_t bytes) -> Status {
    program.resize(std::max(program.size(), bytes));
    REPRISE_RETURN_IF_ERROR(backend.getOutput(entry, gradients[index].output,
                                              program.data(), bytes));
    toFileLayout(gradients[index].tensor, program.data(), data);
    return Status();
  };
  return writeSafetensors(path, *content, source);
}
