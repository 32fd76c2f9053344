//===- StepKey.cpp - Keys of an artifact's steps --------------------------===//
#include "reprise/Bridge/Profile.h"
#include "reprise/Runtime/program_generated.h"

using namespace reprise;

using Views = flatbuffers::Vector<flatbuffers::Offset<rt::fb::View>>;

static rt::TensorDesc tensorOf(const rt::fb::View &view) {
  rt::TensorDesc tensor;
  // The two enums have the same numbers.
  tensor.type = static_cast<rp_element_type>(view.type());
  if (view.shape())
    tensor.shape.assign(view.shape()->begin(), view.shape()->end());
  return tensor;
}

static std::vector<rt::TensorDesc> tensorsOf(const Views *views) {
  std::vector<rt::TensorDesc> tensors;
  for (uint32_t i = 0; views && i < views->size(); ++i)
    tensors.push_back(tensorOf(*views->Get(i)));
  return tensors;
}

std::string reprise::profileKey(const rt::fb::Step &step) {
  std::vector<rt::TensorDesc> inputs, outputs;
  std::vector<int64_t> ints;
  if (const auto *call = step.action_as_LibraryCall()) {
    inputs = tensorsOf(call->inputs());
    outputs = tensorsOf(call->outputs());
    if (call->ints())
      ints.assign(call->ints()->begin(), call->ints()->end());
  } else if (const auto *launch = step.action_as_KernelLaunch()) {
    std::vector<bool> isWritten(launch->args() ? launch->args()->size() : 0);
    for (uint32_t i = 0; launch->writes() && i < launch->writes()->size(); ++i)
      isWritten[launch->writes()->Get(i)] = true;
    for (uint32_t i = 0; i < isWritten.size(); ++i)
      (isWritten[i] ? outputs : inputs)
          .push_back(tensorOf(*launch->args()->Get(i)));
  } else if (const auto *copy = step.action_as_Copy()) {
    inputs.push_back(tensorOf(*copy->source()));
    outputs.push_back(tensorOf(*copy->target()));
  }
  std::string name = step.name() ? step.name()->str() : std::string();
  return profileKey(name, inputs, outputs, ints, step.flops());
}
