//===- VerifyBinding.cpp - Check inputs and outputs of an entry -----------===//
//
// Checks their places, and that each tensor is valid for its role: callers that
// set and read them by role rely on it.
//
//===----------------------------------------------------------------------===//
#include "VerifyProgram.h"

#include <algorithm>
#include <array>

namespace reprise::rt {

static uint32_t rankOf(const fb::View &view) {
  return view.shape() ? view.shape()->size() : 0;
}

static bool isReal(const fb::View &view, uint32_t rank) {
  return rankOf(view) == rank && view.type() <= fb::ElementType::F64;
}

static bool isOf(const fb::View &view, fb::ElementType type, uint32_t rank) {
  return rankOf(view) == rank && view.type() == type;
}

/// Returns the requirement on a tensor of the role; null if the view meets it.
static const char *wanted(fb::BindingRole role, const fb::View &view) {
  switch (role) {
  case fb::BindingRole::Data:
  case fb::BindingRole::Gradient:
    return nullptr;
  case fb::BindingRole::Label:
    return isOf(view, fb::ElementType::I32, 1) ? nullptr : "a vector of I32";
  case fb::BindingRole::Seed:
  case fb::BindingRole::Step:
    return isOf(view, fb::ElementType::I64, 0) ? nullptr : "a scalar of I64";
  case fb::BindingRole::NonFinite:
    return isOf(view, fb::ElementType::I1, 0) ? nullptr : "a scalar of I1";
  case fb::BindingRole::LearningRate:
  case fb::BindingRole::MixRatio:
  case fb::BindingRole::Loss:
  case fb::BindingRole::Metric:
    return isReal(view, 0) ? nullptr : "a floating-point scalar";
  case fb::BindingRole::Logits:
    return isReal(view, 2) ? nullptr : "a floating-point matrix";
  }
  return "known";
}

static bool mayRepeat(fb::BindingRole role) {
  return role == fb::BindingRole::Data || role == fb::BindingRole::Metric ||
         role == fb::BindingRole::Gradient;
}

/// Checks that a gradient has the name and the shape of a variable.
Status ProgramVerifier::gradient(const fb::Binding &binding,
                                 const std::string &where) {
  bool isGradient = binding.role() == fb::BindingRole::Gradient;
  bool named = binding.variable() && binding.variable()->size() > 0;
  if (named != isGradient)
    return invalidProgram(where +
                          (named ? " names a variable, but is not a gradient"
                                 : " is the gradient of no variable"));
  if (!isGradient)
    return {};
  auto found = variablesByName.find(binding.variable()->string_view());
  if (found == variablesByName.end())
    return invalidProgram(where + " is the gradient of a variable that does "
                                  "not exist");
  if (!sameShape(*found->second->view(), *binding.view()))
    return invalidProgram(where + " has not the shape of its variable " +
                          quoted(found->second->name()));
  return {};
}

Status ProgramVerifier::role(const fb::Binding &binding, Direction direction,
                             const std::string &where) {
  fb::BindingRole role = binding.role();
  if (role > fb::BindingRole::MAX)
    return invalidProgram(where + " has unknown role " +
                          std::to_string(unsigned(role)));
  std::string name = fb::EnumNameBindingRole(role);
  bool ofInputs =
      role < fb::BindingRole::Loss || role == fb::BindingRole::MixRatio;
  if (role != fb::BindingRole::Data &&
      ofInputs != (direction == Direction::Input))
    return invalidProgram(where + " has the role " + name +
                          ", which is one of " +
                          (ofInputs ? "inputs" : "outputs"));
  const char *rule = wanted(role, *binding.view());
  if (rule)
    return invalidProgram(where + " has the role " + name + ", but is not " +
                          rule);
  return gradient(binding, where);
}

/// Checks that ranges of indices are of integers and within the rows of the
/// input.
static Status checkRanges(const fb::Binding &binding, bool isInput,
                          const std::string &where) {
  if (!binding.ranges() || binding.ranges()->size() == 0)
    return {};
  const fb::View &view = *binding.view();
  bool isInteger = view.type() == fb::ElementType::I32 ||
                   view.type() == fb::ElementType::I64;
  if (!isInput || rankOf(view) == 0)
    return invalidProgram(where + " has ranges of indices, but is no input "
                                  "with rows");
  uint64_t elements = 1;
  for (uint32_t d = 1; d < rankOf(view); ++d)
    elements *= uint64_t(view.shape()->Get(d));
  for (const fb::IndexRange *range : *binding.ranges()) {
    if (range->use() > fb::IndexUse::MAX || range->limit() <= 0)
      return invalidProgram(where + " has a range of indices of unknown use, "
                                    "or without a limit above 0");
    if (isInteger == (range->use() == fb::IndexUse::Probability))
      return invalidProgram(where + " has a range of indices that is not for "
                                    "its elements");
    int64_t last = -1;
    bool isGood = range->runs() && range->runs()->size() > 0 &&
                  range->runs()->size() % 2 == 0;
    for (uint32_t k = 0; isGood && k < range->runs()->size(); ++k) {
      isGood = range->runs()->Get(k) > last;
      last = range->runs()->Get(k);
    }
    if (!isGood || uint64_t(last) > elements)
      return invalidProgram(where +
                            " has a range of indices whose runs are "
                            "not within its rows of " +
                            std::to_string(elements) + " elements");
  }
  return {};
}

Status ProgramVerifier::bindings(const fb::Entry &entry,
                                 const Bindings *bindings,
                                 Direction direction) {
  if (!bindings)
    return {};
  bool isInput = direction == Direction::Input;
  const char *what = isInput ? "input" : "output";
  std::set<std::string_view> names;
  std::array<const fb::Binding *, size_t(fb::BindingRole::MAX) + 1> seen = {};
  for (const fb::Binding *binding : *bindings) {
    REPRISE_RETURN_IF_ERROR(uniqueName(binding->name(), what, names));
    std::string where = std::string(what) + " " + quoted(binding->name());
    REPRISE_RETURN_IF_ERROR(view(binding->view(), &entry, where, nullptr));
    if (!isDense(*binding->view()))
      return invalidProgram(where + " is not dense");
    REPRISE_RETURN_IF_ERROR(role(*binding, direction, where));
    REPRISE_RETURN_IF_ERROR(checkRanges(*binding, isInput, where));
    const fb::Binding *&other = seen[size_t(binding->role())];
    if (other && !mayRepeat(binding->role()))
      return invalidProgram(where + " and " + quoted(other->name()) +
                            " both have the role " +
                            fb::EnumNameBindingRole(binding->role()));
    other = binding;
    bool fixed = program.buffers() &&
                 binding->view()->buffer() < program.buffers()->size();
    const fb::Buffer &b = *bufferOf(program, &entry, *binding->view());
    uint32_t steps = entry.steps() ? entry.steps()->size() : 0;
    uint32_t last = std::max(steps, 1u) - 1;
    if (isInput && (fixed || b.first_step() != 0))
      return invalidProgram(where + " is not on a buffer of its entry that "
                                    "lives from the first step");
    if (!isInput && !fixed && b.last_step() != last)
      return invalidProgram(where + " is not on a buffer that lives to the "
                                    "last step");
  }
  return {};
}

} // namespace reprise::rt
