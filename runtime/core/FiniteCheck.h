//===- FiniteCheck.h - Origins of values that are not finite ----*- C++ -*-===//
//
// The check runs an entry step by step and surveys every floating-point operand
// and result. Infinity may be intended: exp(100) of f32 is infinite, and
// 1 / (1 + exp(100)) is 0. The search therefore begins at a value that must be
// finite and follows operands that are not finite back to their origin.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CORE_FINITECHECK_H
#define REPRISE_RUNTIME_CORE_FINITECHECK_H

#include "NumberSurvey.h"
#include "StepViews.h"
#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/reprise.h"
#include <map>

namespace reprise::rt {

class FiniteCheck {
public:
  /// Checks entry number `entry`; `device` holds its inputs.
  FiniteCheck(const fb::Program &program, size_t entry, DeviceProgram &device);

  /// Runs the steps of the entry and stops after the one that makes output
  /// number `output` if that is not finite. Otherwise looks for a gradient or a
  /// new value of a variable that is not, then for any value after the forward
  /// pass. Variables keep the values that the steps gave them.
  Status run(uint32_t output);

  rp_origin origin() const { return found; }
  /// The finding as a clause of a message; empty for RP_ORIGIN_NONE.
  const std::string &text() const { return story; }

private:
  /// A result that is not finite, as its step wrote it.
  struct Finding {
    uint32_t step;
    const fb::View *view;
    NumberSurvey numbers;
    /// All operands of the step together, and those that are not finite.
    NumberSurvey operands;
    std::vector<const fb::View *> badOperands;
    bool isOfMask;
  };

  Expected<NumberSurvey> look(const fb::View &view);
  Status runStep(uint32_t step);
  bool isMask(const fb::View &view) const;
  bool isOfMask(const Finding &finding) const;
  bool isKept(const fb::View &view) const;
  std::optional<size_t> findTarget(const fb::View &output) const;
  /// Indices of the findings that may be an operand of `reader`.
  std::vector<size_t> makersOf(const Finding &reader,
                               const fb::View &operand) const;
  void trace(size_t target);
  bool isInput(const fb::View &view) const;
  bool isConstant(const fb::View &view) const;
  const fb::Binding *inputOf(const fb::View &view) const;
  const fb::Variable *variableOf(const fb::View &view) const;
  bool usesHalf() const;
  void tell(const Finding &finding);
  void tellSource(const fb::View &view);

  const fb::Program &program;
  const fb::Entry &entry;
  size_t number;
  DeviceProgram &device;
  std::vector<uint8_t> bytes; // of the last view surveyed
  std::vector<Finding> findings;
  /// Surveys of values that exist before the entry runs, by buffer.
  std::map<uint32_t, NumberSurvey> sources;
  rp_origin found = RP_ORIGIN_NONE;
  std::string story;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_FINITECHECK_H
