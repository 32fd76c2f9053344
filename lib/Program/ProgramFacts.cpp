//===- ProgramFacts.cpp - Facts about a program ---------------------------===//

#include "reprise/Program/ProgramFacts.h"
#include "reprise/Kept.h"
#include <algorithm>
#include <map>

using namespace reprise;
using namespace reprise::driver;

std::string reprise::driver::kindName(BufferKind kind) {
  std::string name = termName(kind);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

const EntryFacts *ProgramFacts::entry(const std::string &name) const {
  for (const EntryFacts &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

const EntryFacts *ProgramFacts::certified() const {
  for (const EntryFacts &entry : entries)
    if (entry.certificate)
      return &entry;
  return nullptr;
}

double reprise::driver::millisecondsOf(uint64_t picoseconds) {
  return double(picoseconds) * 1e-9;
}

/// Returns the shape of the first tensor of a role; empty if there is none.
static std::vector<int64_t>
shapeOf(const ProgramFacts &program,
        std::vector<TensorFacts> EntryFacts::*tensors, rp_binding_role role) {
  for (const EntryFacts &entry : program.entries)
    for (const TensorFacts &tensor : entry.*tensors)
      if (tensor.role == role)
        return tensor.shape;
  return {};
}

int64_t ProgramFacts::batch() const {
  std::vector<int64_t> rows =
      shapeOf(*this, &EntryFacts::inputs, RP_BINDING_DATA);
  return rows.empty() ? 0 : rows.front();
}

std::string ProgramFacts::describeData() const {
  std::vector<int64_t> rows =
      shapeOf(*this, &EntryFacts::inputs, RP_BINDING_DATA);
  std::vector<int64_t> logits =
      shapeOf(*this, &EntryFacts::outputs, RP_BINDING_LOGITS);
  std::string text;
  for (size_t at = 1; at < rows.size(); ++at)
    text += (at > 1 ? "x" : "") + std::to_string(rows[at]);
  auto add = [&](const std::string &words) {
    text += (text.empty() ? "" : ", ") + words;
  };
  if (logits.size() > 1)
    add(std::to_string(logits.back()) + " classes");
  if (!rows.empty())
    add("batch " + std::to_string(rows.front()));
  return text;
}

EntrySummary reprise::driver::summarize(const ProgramFacts &program,
                                        const EntryFacts &entry) {
  EntrySummary summary;
  summary.fixed = program.fixed;
  summary.peak = entry.peak;
  summary.maxLive = entry.maxLive;
  summary.baseFlops = entry.baseFlops;
  summary.kept = entry.kept;
  for (const StepFacts &step : entry.steps) {
    if (step.phase == Phase::Recompute)
      summary.recomputedFlops += step.flops;
    if (step.phase != Phase::Forward || !step.unstored)
      continue;
    ++summary.tiled;
    summary.unstored += step.unstored;
  }
  return summary;
}

/// Returns the first `depth` names of a dotted path.
static std::string cutPath(const std::string &path, unsigned depth) {
  size_t at = 0;
  for (unsigned i = 0; i < depth; ++i) {
    at = path.find('.', at);
    if (at == std::string::npos)
      return path;
    ++at;
  }
  return depth ? path.substr(0, at - 1) : path;
}

std::vector<ModuleFacts> reprise::driver::byModule(const EntryFacts &entry,
                                                   unsigned depth) {
  std::vector<ModuleFacts> modules;
  std::map<std::string, size_t> numbers;
  auto moduleOf = [&](const std::string &path) -> ModuleFacts & {
    std::string cut = cutPath(path, depth);
    auto [it, isNew] = numbers.emplace(cut, modules.size());
    if (isNew) {
      modules.emplace_back();
      modules.back().module = cut;
    }
    return modules[it->second];
  };
  for (const StepFacts &step : entry.steps) {
    ModuleFacts &module = moduleOf(step.module);
    ++module.steps;
    module.flops[size_t(step.phase)] += step.flops;
    module.bytes[size_t(step.phase)] += step.bytes;
  }
  if (entry.steps.empty())
    return modules;
  uint32_t peak = uint32_t(peakStep(entry));
  for (const BufferFacts &buffer : entry.buffers) {
    uint32_t first =
        std::min<uint32_t>(buffer.firstStep, uint32_t(entry.steps.size() - 1));
    // Buffers from before the step belong to no module.
    bool isInput = buffer.kind == BufferKind::Input;
    ModuleFacts &module = moduleOf(isInput ? "" : entry.steps[first].module);
    if (isKeptAfter(entry.forwardSteps, buffer.firstStep, buffer.lastStep))
      module.kept += buffer.size;
    if (buffer.firstStep <= peak && peak <= buffer.lastStep)
      module.atPeak += buffer.size;
  }
  return modules;
}

std::vector<std::vector<uint64_t>>
reprise::driver::liveBytes(const EntryFacts &entry) {
  std::vector<std::vector<uint64_t>> live(
      entry.steps.size(), std::vector<uint64_t>(kCountOf<BufferKind>, 0));
  for (const BufferFacts &buffer : entry.buffers)
    for (size_t step = buffer.firstStep;
         step <= buffer.lastStep && step < live.size(); ++step)
      live[step][size_t(buffer.kind)] += buffer.size;
  return live;
}

size_t reprise::driver::peakStep(const EntryFacts &entry) {
  // Changes of the sum of live bytes; each buffer has few.
  std::vector<int64_t> change(entry.steps.size() + 1, 0);
  for (const BufferFacts &buffer : entry.buffers) {
    if (buffer.firstStep >= entry.steps.size())
      continue;
    change[buffer.firstStep] += int64_t(buffer.size);
    size_t after =
        std::min<size_t>(size_t(buffer.lastStep) + 1, entry.steps.size());
    change[after] -= int64_t(buffer.size);
  }
  int64_t live = 0, best = -1;
  size_t step = 0;
  for (size_t i = 0; i < entry.steps.size(); ++i)
    if ((live += change[i]) > best) {
      best = live;
      step = i;
    }
  return step;
}

std::vector<size_t> reprise::driver::atPeak(const EntryFacts &entry) {
  size_t peak = peakStep(entry);
  std::vector<size_t> found;
  for (size_t at = 0; at < entry.buffers.size(); ++at)
    if (entry.buffers[at].firstStep <= peak &&
        peak <= entry.buffers[at].lastStep)
      found.push_back(at);
  std::stable_sort(found.begin(), found.end(), [&](size_t a, size_t b) {
    return entry.buffers[a].size > entry.buffers[b].size;
  });
  return found;
}
