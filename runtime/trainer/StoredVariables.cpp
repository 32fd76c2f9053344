//===- StoredVariables.cpp - Variables and the tensors of a file ----------===//
#include "StoredVariables.h"
#include "HalfPrecision.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/FileLayout.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

using namespace reprise::rt;

/// Checks saved f32 and f64 as numbers; half precision variables by the bits of
/// their exponent.
bool reprise::rt::allFinite(const TensorInfo &variable, const uint8_t *data) {
  auto every = [&](auto sample, auto isFinite) {
    for (size_t i = 0; i + sizeof sample <= variable.bytes;
         i += sizeof sample) {
      std::memcpy(&sample, data + i, sizeof sample);
      if (!isFinite(sample))
        return false;
    }
    return true;
  };
  switch (variable.type) {
  case RP_F32:
    return every(float(), [](float v) { return std::isfinite(v); });
  case RP_F64:
    return every(double(), [](double v) { return std::isfinite(v); });
  case RP_F16:
    return every(uint16_t(), [](uint16_t v) { return (v & 0x7C00) != 0x7C00; });
  case RP_BF16:
    return every(uint16_t(), [](uint16_t v) { return (v & 0x7F80) != 0x7F80; });
  default:
    return true;
  }
}

size_t reprise::rt::largestBytes(const std::vector<TensorInfo> &variables) {
  size_t largest = 0;
  for (const TensorInfo &variable : variables)
    largest = std::max(largest, variable.bytes);
  return largest;
}

Expected<TensorToWrite>
reprise::rt::describeInFile(const TensorInfo &variable) {
  REPRISE_EXPECT(shape, fileShape(variable));
  return TensorToWrite{variable.name, dtypeOf(variable.type), *shape};
}

/// Lists names for a message: at most eight, then the number of the others.
std::string reprise::rt::listNames(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < 8; ++i)
    text += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > 8)
    text += " and " + std::to_string(names.size() - 8) + " more";
  return text;
}

/// Returns true if every number of one type is also one of the other.
static bool isWidened(DType from, DType to) {
  return (from == DType::F16 || from == DType::BF16) && to == DType::F32;
}

static bool fits(const TensorToWrite &wanted, const TensorEntry &entry,
                 bool mayWiden) {
  return wanted.shape == entry.shape &&
         (wanted.type == entry.type ||
          (mayWiden && isWidened(entry.type, wanted.type)));
}

std::vector<std::string> Match::missingNames() const {
  std::vector<std::string> names;
  for (const TensorInfo *variable : missing)
    names.push_back(variable->name);
  return names;
}

Expected<Match> reprise::rt::matchVariables(
    const std::vector<TensorInfo> &variables, const SafetensorsFile &file,
    bool mayWiden, const std::function<bool(const TensorInfo &)> &isWanted,
    std::string_view suffix) {
  Match result;
  std::map<std::string, const TensorInfo *> byName;
  for (const TensorInfo &variable : variables) {
    byName[variable.name] = &variable;
    if (!isWanted(variable))
      continue;
    REPRISE_EXPECT(wanted, describeInFile(variable));
    const TensorEntry *entry =
        file.header().find(std::string(variable.name).append(suffix));
    if (!entry)
      result.missing.push_back(&variable);
    else if (!fits(*wanted, *entry, mayWiden))
      result.misshapen.push_back({&variable, entry, std::move(*wanted)});
    else
      result.present.push_back(&variable);
  }
  for (const TensorEntry &entry : file.header().tensors)
    if (!byName.count(entry.name))
      result.unexpected.push_back(entry.name);
  return result;
}

bool reprise::rt::isOfOptimizer(const SafetensorsHeader &header,
                                const std::string &name) {
  auto format = header.metadata.find("format");
  if (format == header.metadata.end() || format->second != "reprise-state")
    return false;
  size_t dot = name.rfind('.');
  return header.find(name)->shape.empty() ||
         (dot != std::string::npos && header.find(name.substr(0, dot)));
}

std::string reprise::rt::describeMisfits(const std::vector<Misfit> &misfits) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < misfits.size() && i < kMost; ++i) {
    const auto &[variable, entry, wanted] = misfits[i];
    text += std::string(i ? ", " : "") + "tensor '" + entry->name + "' is " +
            dtypeName(entry->type) + " of shape " + formatShape(entry->shape) +
            ", but the program's variable is " + dtypeName(wanted.type) +
            " of shape " + formatShape(wanted.shape);
  }
  if (misfits.size() > kMost)
    text += " and " + std::to_string(misfits.size() - kMost) + " more";
  return text;
}

std::string reprise::rt::adviceForMisfits(const std::vector<Misfit> &misfits) {
  bool isOfType =
      std::all_of(misfits.begin(), misfits.end(), [](const Misfit &misfit) {
        return misfit.wanted.shape == misfit.entry->shape;
      });
  return isOfType
             ? "; convert it to the variable's type"
             : "; give the model the options that it had (of the zoo: "
               "--image, --frames, --channels, --classes, --width, --stem)";
}

Status
reprise::rt::loadVariables(Backend &backend, const SafetensorsFile &file,
                           const std::vector<const TensorInfo *> &variables,
                           const ChangeStored &change,
                           std::string_view suffix) {
  std::vector<uint8_t> stored, program;
  stored.reserve(largestBytes(backend.variables()));
  program.reserve(largestBytes(backend.variables()));
  for (const TensorInfo *variable : variables) {
    const TensorEntry &entry =
        *file.header().find(std::string(variable->name).append(suffix));
    bool widens = entry.type != dtypeOf(variable->type);
    stored.resize(std::max<size_t>(
        {stored.size(), variable->bytes, entry.bytes() * (widens ? 2 : 1)}));
    program.resize(std::max(program.size(), variable->bytes));
    REPRISE_RETURN_IF_ERROR(file.read(entry, stored.data()));
    if (widens)
      widenHalves(entry.type == DType::BF16, entry.bytes() / 2, stored.data());
    if (change)
      change(*variable, stored);
    fromFileLayout(*variable, stored.data(), program.data());
    if (!allFinite(*variable, program.data()))
      return Status::error(RP_INVALID_ARGUMENT,
                           "'" + file.path() + "': tensor '" + entry.name +
                               "' holds values that are not finite (nan or "
                               "infinity); begin from a file of a run that did "
                               "not diverge");
    REPRISE_RETURN_IF_ERROR(
        backend.writeVariable(variable->name, program.data(), variable->bytes));
  }
  return Status();
}
