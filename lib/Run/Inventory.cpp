//===- Inventory.cpp - The files that a run uses --------------------------===//

#include "reprise/Run/Inventory.h"
#include "reprise/Console/Console.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Text/Size.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::driver;

std::string driver::describeBeside(const rt::SkippedRows &skipped) {
  constexpr size_t kMost = 6;
  std::vector<std::pair<std::string, uint64_t>> kinds(skipped.beside.begin(),
                                                      skipped.beside.end());
  std::stable_sort(
      kinds.begin(), kinds.end(),
      [](const auto &a, const auto &b) { return a.second > b.second; });
  std::string text;
  uint64_t rest = 0;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (i >= kMost)
      rest += kinds[i].second;
    else
      text += (i ? ", " : "") + text::formatInteger(kinds[i].second) + " " +
              rt::nameText(kinds[i].first);
  }
  return rest ? text + ", " + text::formatInteger(rest) + " others" : text;
}

static std::string describeFiles(uint64_t rows, const rt::SkippedRows &left) {
  std::string text = text::formatInteger(rows) + " images";
  if (left.count > 0)
    text += "; left out as damaged: " + text::formatInteger(left.count);
  if (!left.beside.empty())
    text += "; other files, left out: " + describeBeside(left);
  return text;
}

void driver::tellInventory(const rt::DataSpec &spec,
                           const rt::DataInventory &data) {
  if (data.classes > 0 && data.classes < data.programClasses)
    note("'" + rt::nameText(spec.source) + "' has " +
         std::to_string(data.classes) + " classes, but the model tells " +
         std::to_string(data.programClasses) +
         " apart; its other outputs have no examples (--classes " +
         std::to_string(data.classes) + " makes a model without them)");
  rt::DataTraits traits = rt::traitsOf(spec);
  if (!traits.anySize && !traits.hasFiles && data.leftOut == 0)
    return;
  std::string text = "data '" + rt::nameText(spec.source) +
                     "': " + describeFiles(data.rows, data.skipped);
  if (data.leftOut > 0)
    text += "; left out of each epoch of " + text::formatInteger(data.steps) +
            " full batches: " + text::formatInteger(data.leftOut) +
            (data.isShuffled ? ", others each time" : ", the same each time");
  note(text);
}

void driver::tellEvaluationFiles(const std::string &source,
                                 const rt::Dataset &data) {
  rt::SkippedRows left = data.skipped();
  if (left.count > 0 || !left.beside.empty())
    note("rows to evaluate of '" + rt::nameText(source) +
         "': " + describeFiles(data.size(), left));
}

void driver::warnOfSkipped(const rt::SkippedRows &skipped) {
  if (skipped.count > 0)
    warn("files that cannot be read or decoded and were left out: " +
         text::formatInteger(skipped.count) + ", the first of them '" +
         rt::nameText(skipped.first) + "'");
}

static std::string quotedList(const std::vector<std::string> &names) {
  constexpr size_t kMost = 4;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMost; ++i)
    text += (i ? ", '" : "'") + names[i] + "'";
  return names.size() <= kMost
             ? text
             : text + " and " + std::to_string(names.size() - kMost) + " more";
}

void driver::tellWeights(const rt::WeightsReport &report) {
  if (!report.kept.empty())
    note("the head begins anew: " + quotedList(report.kept));
  if (!report.resized.empty())
    note("interpolated to another image size: " + quotedList(report.resized));
  if (report.unexpected.empty())
    return;
  warn("the weights hold " + std::to_string(report.unexpected.size()) +
       " tensors that the model has no variable for, such as '" +
       report.unexpected.front() + "'");
}
