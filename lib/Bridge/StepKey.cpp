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

static void addCall(const rt::fb::LibraryCall &call, KeyedOp &op) {
  op.function = kLibraryFunctions[size_t(call.op())].name;
  op.inputs = tensorsOf(call.inputs());
  op.outputs = tensorsOf(call.outputs());
  if (call.ints())
    op.ints = rt::codeInts(
        LibraryOp(call.op()),
        std::vector<int64_t>(call.ints()->begin(), call.ints()->end()));
  if (call.floats())
    op.floats.assign(call.floats()->begin(), call.floats()->end());
  for (uint32_t i = 0; call.epilogues() && i < call.epilogues()->size(); ++i)
    op.epilogues.push_back(rt::Epilogue(call.epilogues()->Get(i)));
}

static void addLaunch(const rt::fb::KernelLaunch &launch, KeyedOp &op) {
  std::vector<bool> isWritten(launch.args() ? launch.args()->size() : 0);
  for (uint32_t i = 0; launch.writes() && i < launch.writes()->size(); ++i)
    isWritten[launch.writes()->Get(i)] = true;
  for (uint32_t i = 0; i < isWritten.size(); ++i)
    (isWritten[i] ? op.outputs : op.inputs)
        .push_back(tensorOf(*launch.args()->Get(i)));
}

KeyedOp reprise::keyedOpOf(const rt::fb::Step &step) {
  KeyedOp op{
      step.name() ? step.name()->str() : std::string(), {}, {}, step.flops()};
  if (const auto *call = step.action_as_LibraryCall()) {
    addCall(*call, op);
  } else if (const auto *launch = step.action_as_KernelLaunch()) {
    addLaunch(*launch, op);
  } else if (const auto *copy = step.action_as_Copy()) {
    op.inputs.push_back(tensorOf(*copy->source()));
    op.outputs.push_back(tensorOf(*copy->target()));
  } else if (const auto *offload = step.action_as_Offload()) {
    op.inputs.push_back(tensorOf(*offload->source()));
  } else if (const auto *fetch = step.action_as_Fetch()) {
    op.outputs.push_back(tensorOf(*fetch->target()));
  }
  return op;
}

std::string reprise::profileKey(const rt::fb::Step &step) {
  return profileKey(keyedOpOf(step));
}

bool reprise::isNarrow(const std::vector<rt::TensorDesc> &inputs) {
  return !inputs.empty() && rt::elementBytes(inputs.front().type) == 2;
}

bool reprise::isNarrow(const rt::fb::Step &step) {
  const auto *call = step.action_as_LibraryCall();
  return call && isNarrow(tensorsOf(call->inputs()));
}
