//===- ArtifactText.cpp - An artifact as text and as JSON -----------------===//

#include "reprise/Report/ArtifactText.h"
#include "reprise/LibraryFunctions.h"
#include "reprise/Program/BudgetFacts.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;
namespace fb = reprise::rt::fb;
using Json = nlohmann::ordered_json;

template <typename T> static size_t count(const T *vector) {
  return vector ? vector->size() : 0;
}

static std::string textOf(const flatbuffers::String *text) {
  return text ? text->str() : std::string();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static const fb::Buffer &bufferOf(const fb::Program &program,
                                  const fb::Entry *entry,
                                  const fb::View &view) {
  size_t fixed = count(program.buffers());
  if (view.buffer() < fixed)
    return *program.buffers()->Get(view.buffer());
  return *entry->buffers()->Get(uint32_t(view.buffer() - fixed));
}

static std::string typeText(const fb::View &view) {
  std::string text;
  for (size_t i = 0; i < count(view.shape()); ++i)
    text += std::to_string(view.shape()->Get(uint32_t(i))) + "x";
  std::string element = fb::EnumNameElementType(view.type());
  for (char &c : element)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return text + element;
}

/// A view with its place in the arena.
static Json viewJson(const fb::Program &program, const fb::Entry *entry,
                     const fb::View &view) {
  const fb::Buffer &buffer = bufferOf(program, entry, view);
  return {{"buffer", textOf(buffer.name())},
          {"offset", buffer.offset() + view.offset()},
          {"type", typeText(view)}};
}

namespace {
struct StepViews {
  std::vector<const fb::View *> reads, writes;
  const fb::View *workspace = nullptr;
};
} // namespace

static StepViews viewsOf(const fb::Step &step) {
  StepViews views;
  if (const fb::LibraryCall *call = step.action_as_LibraryCall()) {
    for (uint32_t i = 0; i < count(call->inputs()); ++i)
      views.reads.push_back(call->inputs()->Get(i));
    for (uint32_t i = 0; i < count(call->outputs()); ++i)
      views.writes.push_back(call->outputs()->Get(i));
    views.workspace = call->workspace();
  } else if (const fb::KernelLaunch *launch = step.action_as_KernelLaunch()) {
    for (uint32_t i = 0; i < count(launch->args()); ++i) {
      bool written = false;
      for (uint32_t j = 0; j < count(launch->writes()); ++j)
        written |= launch->writes()->Get(j) == i;
      (written ? views.writes : views.reads).push_back(launch->args()->Get(i));
    }
  } else if (const fb::Copy *copy = step.action_as_Copy()) {
    views.reads.push_back(copy->source());
    views.writes.push_back(copy->target());
  } else if (const fb::Offload *offload = step.action_as_Offload()) {
    views.reads.push_back(offload->source());
  } else if (const fb::Fetch *fetch = step.action_as_Fetch()) {
    views.writes.push_back(fetch->target());
  }
  return views;
}

/// Returns the kernels that run a step: the library's, or ours.
static std::string implementationOf(const fb::Program &program,
                                    const fb::Step &step) {
  if (const fb::LibraryCall *call = step.action_as_LibraryCall())
    return textOf(call->implementation());
  if (const fb::KernelLaunch *launch = step.action_as_KernelLaunch())
    return textOf(program.kernels()->Get(launch->kernel()));
  if (step.action_as_Copy())
    return "copy";
  return step.action_as_Offload() ? "to host memory" : "from host memory";
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static std::string summaryText(const ArtifactFile &artifact,
                               const ProgramFacts &facts) {
  const fb::Program &program = artifact.root();
  text::Facts lines;
  lines.add("model", facts.model);
  lines.add("checkpointing",
            facts.checkpointing.empty() ? "unknown" : describeMode(facts));
  lines.add("made by", facts.producer);
  if (!facts.command.empty())
    lines.add("command", facts.command);
  lines.add("device", facts.device);
  lines.add("target",
            facts.target.empty() ? "nothing beyond its basis" : facts.target);
  lines.add("library", facts.library.empty() ? "none" : facts.library);
  lines.add("threads", std::to_string(facts.threads));
  lines.add("file", text::formatSize(artifact.fileBytes()) + ", of which " +
                        text::formatSize(count(program.code())) +
                        " machine code");
  lines.add("digest", artifact.digest() + ", correct");
  lines.add("arena", text::formatSize(facts.arena) + " (" +
                         text::formatInteger(facts.arena) + " bytes)");
  lines.add("fixed",
            text::formatSize(facts.fixed) + " in " +
                std::to_string(count(program.variables())) + " variables and " +
                std::to_string(count(program.constants())) + " constants");
  lines.add("kernels", std::to_string(count(program.kernels())));
  return lines.str();
}

static std::string entryTable(const ProgramFacts &facts) {
  text::Table table({{"entry", text::Align::Left},
                     {"steps"},
                     {"library"},
                     {"kernel"},
                     {"copy"},
                     {"buffers"},
                     {"kept"},
                     {"peak"},
                     {"placement"},
                     {"recomputed"}});
  for (const EntryFacts &entry : facts.entries) {
    size_t calls = 0, kernels = 0, copies = 0; // to and from the host as well
    for (const StepFacts &step : entry.steps)
      ++(step.action == StepAction::LibraryCall ? calls
         : step.action == StepAction::Kernel    ? kernels
                                                : copies);
    EntrySummary summary = summarize(facts, entry);
    table.add({entry.name, std::to_string(entry.steps.size()),
               std::to_string(calls), std::to_string(kernels),
               std::to_string(copies), std::to_string(entry.buffers.size()),
               text::formatSize(summary.kept), text::formatSize(summary.peak),
               text::formatFixed(summary.placementRatio(), 4),
               text::formatPercent(summary.recomputedShare())});
  }
  return table.str();
}

static std::string bindingTable(const fb::Program &program) {
  text::Table table({{"entry", text::Align::Left},
                     {"", text::Align::Left},
                     {"name", text::Align::Left},
                     {"type", text::Align::Left},
                     {"offset"}});
  for (uint32_t i = 0; i < count(program.entries()); ++i) {
    const fb::Entry &entry = *program.entries()->Get(i);
    auto add = [&](const char *side, auto *bindings) {
      for (uint32_t j = 0; j < count(bindings); ++j) {
        const fb::Binding &binding = *bindings->Get(j);
        const fb::Buffer &buffer = bufferOf(program, &entry, *binding.view());
        table.add({textOf(entry.name()), side, textOf(binding.name()),
                   typeText(*binding.view()),
                   std::to_string(buffer.offset() + binding.view()->offset())});
      }
    };
    add("input", entry.inputs());
    add("output", entry.outputs());
  }
  return table.str();
}

static std::string variableTable(const fb::Program &program) {
  text::Table table({{"variable", text::Align::Left},
                     {"role", text::Align::Left},
                     {"type", text::Align::Left},
                     {"initially", text::Align::Left},
                     {"bytes"},
                     {"offset"}});
  for (uint32_t i = 0; i < count(program.variables()); ++i) {
    const fb::Variable &variable = *program.variables()->Get(i);
    const fb::Buffer &buffer = bufferOf(program, nullptr, *variable.view());
    table.add({textOf(variable.name()), fb::EnumNameRole(variable.role()),
               typeText(*variable.view()),
               fb::EnumNameInitKind(variable.init()),
               std::to_string(buffer.size()),
               std::to_string(buffer.offset() + variable.view()->offset())});
  }
  return table.str();
}

static std::string offsets(const fb::Program &program, const fb::Entry &entry,
                           const std::vector<const fb::View *> &views) {
  std::string text;
  for (const fb::View *view : views)
    text += (text.empty() ? "" : ",") +
            std::to_string(bufferOf(program, &entry, *view).offset() +
                           view->offset());
  return text.empty() ? "-" : text;
}

static std::string stepTable(const fb::Program &program,
                             const fb::Entry &entry) {
  text::Table table({{"step"},
                     {"op", text::Align::Left},
                     {"module", text::Align::Left},
                     {"phase", text::Align::Left},
                     {"flops"},
                     {"bytes"},
                     {"ms"},
                     {"again"},
                     {"reads at", text::Align::Left},
                     {"writes at", text::Align::Left},
                     {"workspace", text::Align::Left},
                     {"by", text::Align::Left}});
  for (uint32_t i = 0; i < count(entry.steps()); ++i) {
    const fb::Step &step = *entry.steps()->Get(i);
    StepViews views = viewsOf(step);
    std::vector<const fb::View *> workspace;
    if (views.workspace)
      workspace.push_back(views.workspace);
    table.add({std::to_string(i), textOf(step.name()), textOf(step.module_()),
               termName(Phase(step.phase())), std::to_string(step.flops()),
               std::to_string(step.bytes()),
               text::formatFixed(millisecondsOf(step.picoseconds()), 3),
               step.clone_of() < 0 ? "" : std::to_string(step.clone_of()),
               offsets(program, entry, views.reads),
               offsets(program, entry, views.writes),
               offsets(program, entry, workspace),
               implementationOf(program, step)});
  }
  return table.str();
}

static std::string bufferTable(const std::vector<BufferFacts> &buffers) {
  text::Table table({{"buffer", text::Align::Left},
                     {"kind", text::Align::Left},
                     {"offset"},
                     {"bytes"},
                     {"first"},
                     {"last"},
                     {"because", text::Align::Left}});
  for (const BufferFacts &buffer : buffers)
    table.add({buffer.name, kindName(buffer.kind),
               std::to_string(buffer.offset), std::to_string(buffer.size),
               std::to_string(buffer.firstStep),
               std::to_string(buffer.lastStep), termName(buffer.reason)});
  return table.str();
}

std::string driver::toText(const ArtifactFile &artifact,
                           const ArtifactParts &parts) {
  ProgramFacts facts = factsOf(artifact);
  const fb::Program &program = artifact.root();
  std::string text = summaryText(artifact, facts) + "\n" + entryTable(facts) +
                     "\n" + bindingTable(program);
  for (const EntryFacts &entry : facts.entries)
    if (auto budget = budgetFactsOf(facts.model, facts, entry))
      text += "\nbudget of " + entry.name + "\n" + driver::toText(*budget);
  if (parts.variables)
    text += "\n" + variableTable(program);
  for (uint32_t i = 0; i < facts.entries.size(); ++i) {
    const EntryFacts &entry = facts.entries[i];
    if (parts.steps)
      text += "\nsteps of " + entry.name + "\n" +
              stepTable(program, *program.entries()->Get(i));
    if (parts.buffers)
      text += "\nbuffers of " + entry.name + "\n" + bufferTable(entry.buffers);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Returns the parameters of a library call.
static Json callJson(const fb::LibraryCall &call) {
  Json json = {{"function", kLibraryFunctions[size_t(call.op())].name}};
  for (uint32_t i = 0; i < count(call.ints()); ++i)
    json["ints"].push_back(call.ints()->Get(i));
  for (uint32_t i = 0; i < count(call.floats()); ++i)
    json["floats"].push_back(call.floats()->Get(i));
  for (uint32_t i = 0; i < count(call.epilogues()); ++i)
    json["epilogues"].push_back(
        kLibraryEpilogues[size_t(call.epilogues()->Get(i))].name);
  return json;
}

static Json stepJson(const fb::Program &program, const fb::Entry &entry,
                     const fb::Step &step) {
  StepViews views = viewsOf(step);
  Json reads = Json::array(), writes = Json::array();
  for (const fb::View *view : views.reads)
    reads.push_back(viewJson(program, &entry, *view));
  for (const fb::View *view : views.writes)
    writes.push_back(viewJson(program, &entry, *view));
  Json json = {{"op", textOf(step.name())},
               {"module", textOf(step.module_())},
               {"location", textOf(step.location())},
               {"phase", termName(Phase(step.phase()))},
               {"by", implementationOf(program, step)},
               {"flops", step.flops()},
               {"bytes", step.bytes()},
               {"milliseconds", millisecondsOf(step.picoseconds())},
               {"reads", std::move(reads)},
               {"writes", std::move(writes)}};
  if (step.clone_of() >= 0)
    json["again"] = step.clone_of();
  if (step.asked())
    json["asked"] = true;
  if (const fb::LibraryCall *call = step.action_as_LibraryCall())
    json["call"] = callJson(*call);
  if (views.workspace)
    json["workspace"] = viewJson(program, &entry, *views.workspace);
  return json;
}

static Json entryJson(const ArtifactParts &parts, const fb::Program &program,
                      const fb::Entry &entry, const ProgramFacts &all,
                      const EntryFacts &facts) {
  EntrySummary summary = summarize(all, facts);
  Json json = {{"name", facts.name},
               {"steps", facts.steps.size()},
               {"buffers", facts.buffers.size()},
               {"kept_bytes", summary.kept},
               {"peak_bytes", summary.peak},
               {"max_live_bytes", summary.maxLive},
               {"peak_step", peakStep(facts)},
               {"base_flops", summary.baseFlops},
               {"recomputed_flops", summary.recomputedFlops}};
  auto bindings = [&](auto *vector) {
    Json list = Json::array();
    for (uint32_t j = 0; j < count(vector); ++j) {
      Json view = viewJson(program, &entry, *vector->Get(j)->view());
      view["name"] = textOf(vector->Get(j)->name());
      list.push_back(std::move(view));
    }
    return list;
  };
  json["inputs"] = bindings(entry.inputs());
  json["outputs"] = bindings(entry.outputs());
  for (uint32_t j = 0; parts.steps && j < count(entry.steps()); ++j)
    json["step_list"].push_back(
        stepJson(program, entry, *entry.steps()->Get(j)));
  if (parts.buffers)
    for (const BufferFacts &buffer : facts.buffers)
      json["buffer_list"].push_back({{"name", buffer.name},
                                     {"kind", kindName(buffer.kind)},
                                     {"offset", buffer.offset},
                                     {"bytes", buffer.size},
                                     {"first_step", buffer.firstStep},
                                     {"last_step", buffer.lastStep},
                                     {"because", termName(buffer.reason)}});
  if (auto budget = budgetFactsOf(program.model()->str(), all, facts))
    json["budget"] = driver::toJson(*budget);
  return json;
}

static Json variableJson(const fb::Program &program,
                         const fb::Variable &variable) {
  Json json = viewJson(program, nullptr, *variable.view());
  json["name"] = textOf(variable.name());
  json["role"] = fb::EnumNameRole(variable.role());
  json["init"] = fb::EnumNameInitKind(variable.init());
  return json;
}

Json driver::toJson(const ArtifactFile &artifact, const ArtifactParts &parts) {
  const fb::Program &program = artifact.root();
  ProgramFacts facts = factsOf(artifact);
  Json json = {{"model", facts.model},
               {"checkpointing", facts.checkpointing},
               {"producer", facts.producer},
               {"device", facts.device},
               {"target", facts.target},
               {"library", facts.library},
               {"threads", facts.threads},
               {"file_bytes", artifact.fileBytes()},
               {"code_bytes", count(program.code())},
               {"digest", artifact.digest()},
               {"arena_bytes", facts.arena},
               {"fixed_bytes", facts.fixed},
               {"kernels", count(program.kernels())},
               {"constants", count(program.constants())},
               {"entries", Json::array()}};
  for (uint32_t i = 0; i < facts.entries.size(); ++i)
    json["entries"].push_back(entryJson(
        parts, program, *program.entries()->Get(i), facts, facts.entries[i]));
  json["variables"] = Json::array();
  for (uint32_t i = 0; i < count(program.variables()); ++i)
    json["variables"].push_back(
        variableJson(program, *program.variables()->Get(i)));
  return json;
}
