//===- FiniteCheck.cpp - Origins of values that are not finite ------------===//
//
// Cost:    a copy of every operand and result to the host, and a pass over it.
//
//===----------------------------------------------------------------------===//
#include "FiniteCheck.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace reprise::rt {

FiniteCheck::FiniteCheck(const fb::Program &program, size_t entry,
                         DeviceProgram &device)
    : program(program), entry(*program.entries()->Get(uint32_t(entry))),
      number(entry), device(device) {}

static uint32_t fixedBuffers(const fb::Program &program) {
  return program.buffers() ? program.buffers()->size() : 0;
}

//===----------------------------------------------------------------------===//
// Surveys of operands and results
//===----------------------------------------------------------------------===//

Expected<NumberSurvey> FiniteCheck::look(const fb::View &view) {
  bytes.resize(*viewBytes(view));
  REPRISE_RETURN_IF_ERROR(device.read(arenaOffset(program, &entry, view),
                                      bytes.data(), bytes.size()));
  return surveyNumbers(view, bytes.data());
}

static void addTo(NumberSurvey &all, const NumberSurvey &more) {
  all.elements += more.elements;
  all.nans += more.nans;
  all.infinities += more.infinities;
  all.least = std::min(all.least, more.least);
  all.largest = std::max(all.largest, more.largest);
}

std::vector<size_t> FiniteCheck::makersOf(const Finding &reader,
                                          const fb::View &operand) const {
  std::vector<size_t> makers;
  for (size_t i = 0; i < findings.size(); ++i)
    if (findings[i].step < reader.step &&
        findings[i].view->buffer() == operand.buffer())
      makers.push_back(i);
  return makers;
}

/// Returns true if a constant that is not finite holds infinity alone, as a
/// mask does.
bool FiniteCheck::isMask(const fb::View &view) const {
  return isConstant(view) && sources.at(view.buffer()).nans == 0;
}

/// Returns true if the infinities of a result come from constants alone, as in
/// a mask.
bool FiniteCheck::isOfMask(const Finding &finding) const {
  auto isFromMask = [&](const fb::View *operand) {
    std::vector<size_t> makers = makersOf(finding, *operand);
    if (makers.empty())
      return isMask(*operand);
    return std::all_of(makers.begin(), makers.end(),
                       [&](size_t maker) { return findings[maker].isOfMask; });
  };
  return finding.numbers.nans == 0 && !finding.badOperands.empty() &&
         std::all_of(finding.badOperands.begin(), finding.badOperands.end(),
                     isFromMask);
}

Status FiniteCheck::runStep(uint32_t step) {
  StepViews views = viewsOf(*entry.steps()->Get(step), program, entry);
  Finding common{step, nullptr, {}, {}, {}, false};
  for (const fb::View *view : views.reads) {
    if (!isFloatingPoint(view->type()) ||
        !holdsValues(program, entry, step, *view))
      continue;
    REPRISE_EXPECT(numbers, look(*view));
    addTo(common.operands, *numbers);
    if (numbers->isFinite())
      continue;
    common.badOperands.push_back(view);
    if (makersOf(common, *view).empty())
      sources.emplace(view->buffer(), *numbers);
  }
  REPRISE_RETURN_IF_ERROR(device.run(number, step, step + 1));
  for (const fb::View *view : views.results) {
    if (!isFloatingPoint(view->type()))
      continue;
    REPRISE_EXPECT(numbers, look(*view));
    if (numbers->isFinite())
      continue;
    Finding finding = common;
    finding.view = view;
    finding.numbers = *numbers;
    finding.isOfMask = isOfMask(finding);
    findings.push_back(std::move(finding));
  }
  return {};
}

Status FiniteCheck::run(uint32_t output) {
  const fb::View &wanted = *entry.outputs()->Get(output)->view();
  uint32_t steps = entry.steps() ? entry.steps()->size() : 0;
  std::optional<uint32_t> maker = lastWriter(program, entry, wanted);
  for (uint32_t step = 0; step < steps; ++step) {
    REPRISE_RETURN_IF_ERROR(runStep(step));
    if (step != maker || !isFloatingPoint(wanted.type()))
      continue;
    REPRISE_EXPECT(numbers, look(wanted));
    if (!numbers->isFinite())
      break;
  }
  std::optional<size_t> target = findTarget(wanted);
  if (target)
    trace(*target);
  return {};
}

//===----------------------------------------------------------------------===//
// Following operands
//===----------------------------------------------------------------------===//

/// Returns true if a view is on a variable or on a gradient that is an output.
bool FiniteCheck::isKept(const fb::View &view) const {
  if (view.buffer() < fixedBuffers(program))
    return true;
  return entry.outputs() &&
         std::any_of(entry.outputs()->begin(), entry.outputs()->end(),
                     [&](const fb::Binding *output) {
                       return output->role() == fb::BindingRole::Gradient &&
                              output->view()->buffer() == view.buffer();
                     });
}

std::optional<size_t> FiniteCheck::findTarget(const fb::View &output) const {
  for (size_t i = findings.size(); i-- > 0;)
    if (findings[i].view->buffer() == output.buffer())
      return i;
  for (size_t i = 0; i < findings.size(); ++i)
    if (isKept(*findings[i].view))
      return i;
  for (size_t i = 0; i < findings.size(); ++i)
    if (entry.steps()->Get(findings[i].step)->phase() != fb::Phase::Forward)
      return i;
  return std::nullopt;
}

/// Describes the first value on the way to the target: one that exists before
/// the entry runs, else the result of the earliest step. Masks count only where
/// nothing else is found.
void FiniteCheck::trace(size_t target) {
  std::vector<size_t> queue = {target};
  std::set<size_t> seen = {target};
  const fb::View *source = nullptr;
  for (size_t at = 0; at < queue.size(); ++at) {
    const Finding &finding = findings[queue[at]];
    for (const fb::View *operand : finding.badOperands) {
      std::vector<size_t> makers = makersOf(finding, *operand);
      bool isSource = makers.empty() && !isMask(*operand);
      if (isSource && (!source || isInput(*operand)))
        source = operand;
      for (size_t maker : makers)
        if (seen.insert(maker).second)
          queue.push_back(maker);
    }
  }
  if (source)
    return tellSource(*source);
  auto rank = [&](size_t i) {
    return std::make_pair(findings[i].isOfMask, findings[i].step);
  };
  tell(findings[*std::min_element(
      queue.begin(), queue.end(),
      [&](size_t a, size_t b) { return rank(a) < rank(b); })]);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string textOf(const flatbuffers::String *s) {
  return s ? s->str() : "";
}

static std::string textOf(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", number);
  return digits;
}

bool FiniteCheck::isInput(const fb::View &view) const {
  return inputOf(view) != nullptr;
}

const fb::Binding *FiniteCheck::inputOf(const fb::View &view) const {
  if (entry.inputs())
    for (const fb::Binding *input : *entry.inputs())
      if (input->view()->buffer() == view.buffer())
        return input;
  return nullptr;
}

const fb::Variable *FiniteCheck::variableOf(const fb::View &view) const {
  if (program.variables())
    for (const fb::Variable *variable : *program.variables())
      if (variable->view()->buffer() == view.buffer())
        return variable;
  return nullptr;
}

bool FiniteCheck::isConstant(const fb::View &view) const {
  return view.buffer() < fixedBuffers(program) && !variableOf(view);
}

void FiniteCheck::tellSource(const fb::View &view) {
  const NumberSurvey &numbers = sources.at(view.buffer());
  std::string name = textOf(bufferOf(program, &entry, view)->name());
  if (const fb::Binding *input = inputOf(view)) {
    found = RP_ORIGIN_INPUT;
    const fb::View &whole = *input->view();
    bool hasRows = whole.shape() && whole.shape()->size() > 1;
    uint64_t row =
        hasRows ? numbers.elements / uint64_t(whole.shape()->Get(0)) : 0;
    story = "input '" + textOf(input->name()) + "' holds " +
            numbers.describe() +
            (row ? ", first in row " + std::to_string(numbers.firstBad / row) +
                       " of the batch"
                 : "");
  } else if (const fb::Variable *variable = variableOf(view)) {
    found = RP_ORIGIN_VARIABLE;
    story = "variable '" + textOf(variable->name()) + "' holds " +
            numbers.describe() + " when the step begins";
  } else {
    found = isConstant(view) ? RP_ORIGIN_CONSTANT : RP_ORIGIN_STEP;
    story = (isConstant(view) ? "constant '" : "value '") + name + "' holds " +
            numbers.describe();
  }
}

/// Returns true if a step of the entry reads or writes f16.
bool FiniteCheck::usesHalf() const {
  auto isHalf = [](const fb::View *view) {
    return view->type() == fb::ElementType::F16;
  };
  for (const fb::Step *step : *entry.steps()) {
    StepViews views = viewsOf(*step, program, entry);
    if (std::any_of(views.reads.begin(), views.reads.end(), isHalf) ||
        std::any_of(views.results.begin(), views.results.end(), isHalf))
      return true;
  }
  return false;
}

void FiniteCheck::tell(const Finding &finding) {
  found = RP_ORIGIN_STEP;
  const fb::View &view = *finding.view;
  std::string type = elementName(rp_element_type(view.type()));
  const NumberSurvey &operands = finding.operands;
  story = "the first value that is not finite is '" +
          textOf(bufferOf(program, &entry, view)->name()) + "' (" + type +
          "), with " + finding.numbers.describe() + ", made by " +
          describeStep(entry, finding.step);
  std::string location = textOf(entry.steps()->Get(finding.step)->location());
  if (!location.empty())
    story += " at " + location;
  if (operands.least <= operands.largest)
    story += std::string(" of ") +
             (finding.badOperands.empty() ? "finite " : "") +
             "operands between " + textOf(operands.least) + " and " +
             textOf(operands.largest);
  if (finding.numbers.infinities || view.type() == fb::ElementType::F16)
    story +=
        "; " + type + " holds numbers up to " + textOf(largestOf(view.type()));
  // A fused kernel keeps some of its values in registers.
  if (finding.numbers.infinities && view.type() != fb::ElementType::F16 &&
      usesHalf())
    story += ", and f16, in which the step may compute, up to " +
             textOf(largestOf(fb::ElementType::F16));
}

} // namespace reprise::rt
