//===- FirstSteps.cpp - The steps that clones repeat ----------------------===//
//
// Input:   a problem and the order of its ops.
// Output:  see FirstSteps.h.
// Method:  value numbering: ops of equal code on equal values have equal
//          results. Views and barriers change no value, so that roots are
//          numbered; their types are part of an op's operands.
// Cost:    n log n in the ops.
//
//===----------------------------------------------------------------------===//
#include "FirstSteps.h"

using namespace mlir;
using namespace reprise;
using plan::kNone;
using plan::OpId;
using plan::ValueId;

namespace {
class Numbering {
public:
  Numbering(const PlanProblem &problem, KernelTable &kernels)
      : problem(problem), kernels(kernels),
        numbers(problem.graph.values.size()) {
    for (ValueId id = 0; id < numbers.size(); ++id) {
      bool isFixed = problem.fixedRange[id] != kNone;
      numbers[id] = isFixed ? Number{Fixed, problem.fixedRange[id], 0}
                            : Number{Made, kNone, id};
    }
  }

  /// The first op that computed the same as `id`, perhaps itself.
  OpId add(OpId id) {
    const plan::Op &op = problem.graph.ops[id];
    // The elements are the operand's, wherever they are.
    if (problem.ops[id].hostCopy != PlannedOp::HostCopy::None) {
      numbers[op.outputs.front()] = numbers[problem.rootOf(op.inputs.front())];
      return id;
    }
    OpId first = seen.try_emplace(keyOf(id), id).first->second;
    for (auto [k, output] : llvm::enumerate(op.outputs))
      numbers[output] = {Made, first, static_cast<uint32_t>(k)};
    return first;
  }

private:
  /// A range of fixed storage as it was before the step, or output `which` of
  /// an op; without an op (kNone) an input of the step.
  enum Kind : uint32_t { Fixed, Made };
  struct Number {
    Kind kind;
    uint32_t of, which;
  };
  /// Only looked up, never iterated: the order of pointers does not matter.
  using Key = std::vector<std::uintptr_t>;

  static std::uintptr_t pointer(const void *opaque) {
    return reinterpret_cast<std::uintptr_t>(opaque);
  }

  Key keyOf(OpId id) {
    const PlannedOp &op = problem.ops[id];
    Key key;
    if (op.isCopy) {
      key.push_back(0);
    } else if (auto kernel = dyn_cast<sg::KernelOp>(op.op)) {
      key.push_back(pointer(kernels.symbolOf(kernel).getAsOpaquePointer()));
    } else {
      key.push_back(pointer(op.op->getName().getAsOpaquePointer()));
      for (int64_t number : rt::libraryCallKey(op.call))
        key.push_back(static_cast<std::uintptr_t>(number));
    }
    for (ValueId input : problem.graph.ops[id].inputs) {
      const Number &number = numbers[problem.rootOf(input)];
      key.insert(key.end(),
                 {number.kind, number.of, number.which,
                  pointer(problem.types[input].getAsOpaquePointer())});
    }
    for (ValueId output : problem.graph.ops[id].outputs)
      key.push_back(pointer(problem.types[output].getAsOpaquePointer()));
    return key;
  }

  const PlanProblem &problem;
  KernelTable &kernels;
  std::vector<Number> numbers; // by ValueId
  std::map<Key, OpId> seen;
};
} // namespace

std::vector<uint32_t> reprise::findFirstSteps(const PlanProblem &problem,
                                              const plan::Schedule &schedule,
                                              KernelTable &kernels) {
  Numbering numbering(problem, kernels);
  std::vector<uint32_t> stepOf(problem.ops.size(), kNone);
  std::vector<uint32_t> firstStep(problem.ops.size(), kNone);
  for (auto [number, id] : llvm::enumerate(schedule.order)) {
    OpId first = numbering.add(id);
    stepOf[id] = number;
    if (first != id && problem.ops[id].phase == Phase::Recompute)
      firstStep[id] = stepOf[first];
  }
  return firstStep;
}
