//===- CpuLibrary.cpp - A simulated GPU's library calls -------------------===//
#include "CpuLibrary.h"
#include "../../runtime/cpu/ThreadScope.h"
#include "llvm/ADT/APFloat.h"
#include <cstring>

using namespace reprise;
using namespace reprise::gpu_test;
using rt::Expected;
using rt::Status;

Expected<rt::LibraryCallInfo>
gpu_test::simulatedCall(const rt::LibraryCallDesc &desc) {
  REPRISE_RETURN_IF_ERROR(rt::verifyLibraryCall(desc));
  rt::LibraryCallInfo info;
  info.implementation = "simulated";
  // Some calls have none.
  info.workspaceBytes = desc.outputs[0].shape.back() % 3 * 1000;
  return info;
}

static rt::LibraryCallDesc widened(rt::LibraryCallDesc desc) {
  for (rt::TensorDesc &t : desc.inputs)
    t.type = RP_F32;
  for (rt::TensorDesc &t : desc.outputs)
    t.type = RP_F32;
  return desc;
}

/// From the first to behind the last.
static size_t elementsOf(const rt::TensorDesc &t) {
  size_t dense = 1, spanned = 1;
  for (size_t d = 0; d < t.shape.size(); ++d) {
    dense *= size_t(t.shape[d]);
    if (!t.strides.empty())
      spanned += size_t(t.shape[d] - 1) * size_t(t.strides[d]);
  }
  return t.strides.empty() ? dense : spanned;
}

static const llvm::fltSemantics &formatOf(rp_element_type type) {
  return type == RP_BF16 ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
}

static float widen(uint16_t bits, rp_element_type type) {
  llvm::APFloat number(formatOf(type), llvm::APInt(16, bits));
  bool lossy = false;
  number.convert(llvm::APFloat::IEEEsingle(),
                 llvm::APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToFloat();
}

static uint16_t narrow(float x, rp_element_type type) {
  llvm::APFloat number(x);
  bool lossy = false;
  number.convert(formatOf(type), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return uint16_t(number.bitcastToAPInt().getZExtValue());
}

namespace {
/// An operand in f32, where it is or widened.
class Wide {
public:
  Wide(const rt::TensorDesc &desc, uint64_t address)
      : type(desc.type), narrowed(reinterpret_cast<uint16_t *>(address)) {
    if (type == RP_F32)
      return;
    for (size_t i = 0, n = elementsOf(desc); i < n; ++i)
      numbers.push_back(widen(narrowed[i], type));
  }
  void *data() {
    return type == RP_F32 ? static_cast<void *>(narrowed) : numbers.data();
  }
  void store() {
    for (size_t i = 0; i < numbers.size(); ++i)
      narrowed[i] = narrow(numbers[i], type);
  }

private:
  rp_element_type type;
  uint16_t *narrowed;
  std::vector<float> numbers;
};
} // namespace

Expected<std::unique_ptr<CpuLibrary>> CpuLibrary::create() {
  Expected<std::unique_ptr<rt::Team>> team = rt::Team::create(1);
  if (!team.ok())
    return team.status();
  return std::unique_ptr<CpuLibrary>(new CpuLibrary(std::move(*team)));
}

Status CpuLibrary::prepare(const rt::LibraryCallDesc &desc) {
  return cache.get(widened(desc)).status();
}

Status CpuLibrary::run(const rt::LibraryCallDesc &desc,
                       const std::vector<uint64_t> &operands) {
  Expected<const rt::LibraryCache::Entry *> entry = cache.get(widened(desc));
  if (!entry.ok())
    return entry.status();
  std::vector<Wide> inputs, outputs;
  rt::LibraryOperands bound;
  for (size_t i = 0; i < desc.inputs.size(); ++i)
    inputs.emplace_back(desc.inputs[i], operands[i]);
  for (size_t i = 0; i < desc.outputs.size(); ++i)
    outputs.emplace_back(desc.outputs[i], operands[desc.inputs.size() + i]);
  for (Wide &each : inputs)
    bound.inputs.push_back(each.data());
  for (Wide &each : outputs)
    bound.outputs.push_back(each.data());
  constexpr size_t alignment = 64;
  std::vector<char> workspace((*entry)->plan.info.workspaceBytes + alignment);
  auto at = reinterpret_cast<uintptr_t>(workspace.data());
  bound.workspace =
      reinterpret_cast<void *>((at + alignment - 1) / alignment * alignment);
  rt::ThreadScope scope(*team);
  REPRISE_RETURN_IF_ERROR(
      rt::BoundLibraryCall((*entry)->plan, (*entry)->code, bound)
          .run(stream, *team, /*ranks=*/nullptr));
  for (Wide &each : outputs)
    each.store();
  return scope.status();
}
