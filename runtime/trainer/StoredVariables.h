//===- StoredVariables.h - Variables and the tensors of a file --*- C++ -*-===//
#ifndef REPRISE_TRAINER_STOREDVARIABLES_H
#define REPRISE_TRAINER_STOREDVARIABLES_H

#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <functional>

namespace reprise::rt {

/// Returns a variable as files hold it.
Expected<TensorToWrite> describeInFile(const TensorInfo &variable);

/// Returns false if one of the variable's numbers is not finite. `data` is in
/// the program's layout.
bool allFinite(const TensorInfo &variable, const uint8_t *data);

size_t largestBytes(const std::vector<TensorInfo> &variables);

/// Lists names for a message: at most eight, then the number of the others.
std::string listNames(const std::vector<std::string> &names);

/// A variable and a tensor of its name, of another shape or type.
struct Misfit {
  const TensorInfo *variable = nullptr;
  const TensorEntry *entry = nullptr;
  TensorToWrite wanted; // the variable in files
};

/// The correspondence of a file's tensors and a program's variables.
struct Match {
  std::vector<const TensorInfo *> present;
  std::vector<Misfit> misshapen;
  std::vector<const TensorInfo *> missing;
  std::vector<std::string> unexpected;

  std::vector<std::string> missingNames() const;
};

/// Matches the variables that `isWanted` accepts by their names with `suffix`.
/// If `mayWiden`, half precision fits f32. `variables` must outlive the result.
Expected<Match>
matchVariables(const std::vector<TensorInfo> &variables,
               const SafetensorsFile &file, bool mayWiden,
               const std::function<bool(const TensorInfo &)> &isWanted,
               std::string_view suffix = "");

/// Returns true for a tensor of a state that is not of a model: a variable of
/// an optimizer is a scalar, or named after its parameter.
bool isOfOptimizer(const SafetensorsHeader &header, const std::string &name);

/// Describes them for a message, eight at most.
std::string describeMisfits(const std::vector<Misfit> &misfits);

/// Says what to do about them, after a semicolon.
std::string adviceForMisfits(const std::vector<Misfit> &misfits);

/// Changes a stored tensor to the variable's shape in files.
using ChangeStored = std::function<void(const TensorInfo &variable,
                                        std::vector<uint8_t> &stored)>;

/// Loads matched variables, of which the file has tensors, named with `suffix`.
/// `change`, if any, is called on each after half precision was widened. Fails
/// at values that are not finite.
Status loadVariables(Backend &backend, const SafetensorsFile &file,
                     const std::vector<const TensorInfo *> &variables,
                     const ChangeStored &change = {},
                     std::string_view suffix = "");

} // namespace reprise::rt

#endif // REPRISE_TRAINER_STOREDVARIABLES_H
