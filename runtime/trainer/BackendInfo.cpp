//===- BackendInfo.cpp - Descriptions of a program's tensors --------------===//
//
// Separate from SessionBackend.cpp, so that it links without the runtime.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Backend.h"

using namespace reprise::rt;

static const TensorInfo *findTensor(const std::vector<TensorInfo> &list,
                                    const std::string &name) {
  for (const TensorInfo &info : list)
    if (info.name == name)
      return &info;
  return nullptr;
}

static const TensorInfo *findTensor(const std::vector<TensorInfo> &list,
                                    rp_binding_role role) {
  for (const TensorInfo &info : list)
    if (info.binding == role)
      return &info;
  return nullptr;
}

const char *reprise::rt::bindingRoleName(rp_binding_role role) {
  static constexpr const char *names[] = {
      "data",   "label",  "learning_rate", "seed",     "step",     "loss",
      "logits", "metric", "nonfinite",     "gradient", "mix_ratio"};
  return names[size_t(role)];
}

const TensorInfo *EntryInfo::input(rp_binding_role role) const {
  return findTensor(inputs, role);
}

const TensorInfo *EntryInfo::output(rp_binding_role role) const {
  return findTensor(outputs, role);
}

const TensorInfo *EntryInfo::input(const std::string &name) const {
  return findTensor(inputs, name);
}

const TensorInfo *EntryInfo::output(const std::string &name) const {
  return findTensor(outputs, name);
}

Backend::~Backend() = default;

Expected<PlanMemory> Backend::planMemory(const std::string &entry) {
  return Status::error(RP_UNAVAILABLE,
                       "'" + model() + "' has no plan of its memory");
}

Status Backend::switchTo(const rp_program *) {
  return Status::error(RP_UNAVAILABLE,
                       "this backend cannot change its program");
}

Status Backend::setCommunicator(Communicator *) {
  return Status::error(RP_UNAVAILABLE,
                       "'" + model() + "' runs no steps of several ranks");
}

Status Backend::setProfile(bool profile) {
  return profile ? Status::error(RP_UNAVAILABLE,
                                 "'" + model() + "' does not time its steps")
                 : Status();
}

Expected<std::vector<rp_step_times>>
Backend::stepTimes(const std::string &entry) {
  return Status::error(RP_UNAVAILABLE,
                       "'" + model() + "' does not time its steps");
}

Expected<bool> Backend::runGuarded(const std::string &entry,
                                   const std::string &) {
  REPRISE_RETURN_IF_ERROR(run(entry));
  return false;
}

Expected<Backend::NonFinite> Backend::findNonFinite(const std::string &,
                                                    const std::string &) {
  return Status::error(RP_UNAVAILABLE,
                       "the values of '" + model() + "' cannot be looked at");
}
