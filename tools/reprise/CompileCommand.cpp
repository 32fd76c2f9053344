//===- CompileCommand.cpp - reprise compile -------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "reprise/Budget/ModeAdvice.h"
#include "reprise/Budget/Refusal.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Console/TypedCommand.h"
#include "reprise/Driver/ProgramCache.h"
#include "reprise/Program/ArtifactFile.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct CompileCommandOptions {
  std::string source, output, level = "artifact";
  bool json = false, gradients = false, checkFinite = false, inference = false;
  ModelSettings model;
  CompileSettings compile;
};

struct Made {
  std::vector<uint8_t> bytes;
  bool isKept = false; // from an earlier compilation
};
} // namespace

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns "resnet50.rpx" in the current folder, for a model or
/// "dir/resnet50.mlir".
static std::string defaultOutput(const std::string &source) {
  llvm::StringRef name = llvm::StringRef(source).rsplit('/').second;
  if (name.empty())
    name = source;
  name.consume_back(".mlir");
  return name.str() + ".rpx";
}

static nlohmann::ordered_json toJson(const ProgramFacts &facts,
                                     const std::string &path, size_t kernels,
                                     uint64_t fileBytes, double seconds) {
  nlohmann::ordered_json json = {
      {"model", facts.model},       {"output", path},
      {"file_bytes", fileBytes},    {"checkpointing", facts.checkpointing},
      {"threads", facts.threads},   {"kernels", kernels},
      {"arena_bytes", facts.arena}, {"fixed_bytes", facts.fixed},
      {"compile_seconds", seconds}, {"entries", nlohmann::json::array()}};
  for (const EntryFacts &entry : facts.entries) {
    EntrySummary summary = summarize(facts, entry);
    json["entries"].push_back({{"name", entry.name},
                               {"steps", entry.steps.size()},
                               {"peak_bytes", summary.peak},
                               {"max_live_bytes", summary.maxLive},
                               {"kept_bytes", summary.kept},
                               {"base_flops", summary.baseFlops},
                               {"recomputed_flops", summary.recomputedFlops}});
  }
  return json;
}

static std::string describe(const BudgetFacts &facts) {
  std::string costs = facts.offloads
                          ? text::formatSize(facts.hostBytes) + " on the host"
                          : formatMilliseconds(facts.recomputeMilliseconds()) +
                                " recomputed per step (" +
                                formatMore(facts.recomputedShare()) + ")";
  return text::formatSize(facts.asked) + ", " + costs + ", at most " +
         text::formatFixed(facts.gap() * 100, 2) +
         "% more than any schedule needs";
}

static std::string toTable(const ProgramFacts &facts,
                           const std::optional<BudgetFacts> &budget,
                           const std::string &path, size_t kernels,
                           const Made &made, double seconds) {
  text::Facts lines;
  lines.add("model", facts.model + ", checkpointing " +
                         (facts.checkpointing.empty() ? "unknown"
                                                      : describeMode(facts)));
  lines.add("kernels", std::to_string(kernels) + " compiled, " +
                           std::to_string(facts.threads) + " threads");
  lines.add("arena", text::formatSize(facts.arena) + ", of which " +
                         text::formatSize(facts.fixed) +
                         " variables and constants");
  for (const EntryFacts &entry : facts.entries) {
    EntrySummary summary = summarize(facts, entry);
    std::string line = std::to_string(entry.steps.size()) + " steps, peak " +
                       text::formatSize(summary.peak);
    if (summary.recomputedFlops)
      line += ", " + text::formatPercent(summary.recomputedShare()) +
              " of the arithmetic recomputed";
    lines.add(entry.name, line);
  }
  if (budget)
    lines.add("budget", describe(*budget));
  lines.add("compiled", "in " + text::formatSeconds(seconds) +
                            (made.isKept ? ", taken from the cache" : ""));
  lines.add("written", path + ", " + text::formatSize(made.bytes.size()));
  return lines.str();
}

static rt::Status writeArtifact(const CompileCommandOptions &options,
                                const std::string &path, const Made &made,
                                double seconds) {
  const std::vector<uint8_t> &bytes = made.bytes;
  REPRISE_RETURN_IF_ERROR(rt::writeFile(path, bytes.data(), bytes.size()));
  REPRISE_EXPECT(artifact,
                 ArtifactFile::fromMemory(bytes.data(), bytes.size()));
  auto *kernels = artifact->root().kernels();
  size_t count = kernels ? kernels->size() : 0;
  ProgramFacts facts = factsOf(*artifact);
  std::optional<BudgetFacts> budget = budgetFactsOf(options.source, facts);
  if (!options.json)
    return print(toTable(facts, budget, path, count, made, seconds));
  nlohmann::ordered_json json =
      toJson(facts, path, count, bytes.size(), seconds);
  json["from_cache"] = made.isKept;
  if (budget)
    json["budget"] = toJson(*budget);
  return printJson(json);
}

static std::vector<std::string> readBy(const CompileCommandOptions &options) {
  std::vector<std::string> files = options.compile.files();
  files.push_back(fileOf(options.source));
  return files;
}

/// Compiles up to a level of IR and prints it.
static rt::Status compileToText(const CompileCommandOptions &options,
                                const ModelRequest &request,
                                CompileLevel level) {
  std::string path = options.output.empty() ? "-" : options.output;
  REPRISE_RETURN_IF_ERROR(checkOutput(path, readBy(options)));
  Compiler compiler;
  REPRISE_RETURN_IF_ERROR(lowerRequest(compiler, request, level));
  return writeText(path, compiler.print());
}

/// Takes the artifact of the same command from the cache, or compiles it if the
/// cache has none or a damaged one.
static rt::Expected<Made> makeArtifact(const ModelRequest &request) {
  REPRISE_EXPECT(cache, ProgramCache::ofUser());
  Compiler compiler;
  REPRISE_RETURN_IF_ERROR(compiler.load(request.source, request.model));
  std::string command = typedCommand()
                            .setTool("reprise")
                            .dropOption({"--output", "-o"})
                            .dropFlag("--json")
                            .dropFlag("--quiet")
                            .dropFlag("-q")
                            .dropFlag("--verbose")
                            .dropFlag("-v")
                            .str();
  REPRISE_EXPECT(name, ProgramCache::nameOf(request, compiler, command));
  constexpr auto kind = ProgramCache::Kind::Program;
  if (auto kept = cache->find(*name, kind)) {
    if (ArtifactFile::fromMemory(kept->data(), kept->size()).ok()) {
      compiler.warnOf(request.compile);
      return Made{std::move(*kept), /*isKept=*/true};
    }
    cache->drop(*name, kind);
  }
  REPRISE_RETURN_IF_ERROR(lowerLoaded(compiler, request, CompileLevel::Program,
                                      Advice::Alternatives));
  warnOfMode(request, compiler);
  REPRISE_EXPECT(bytes, compiler.emit(command));
  cache->keep(*name, kind, *bytes);
  return Made{std::move(*bytes)};
}

static rt::Status compileToArtifact(const CompileCommandOptions &options,
                                    const ModelRequest &request) {
  std::string path =
      options.output.empty() ? defaultOutput(options.source) : options.output;
  if (path == "-")
    return misuse("an artifact is not written to standard output; name a "
                  "file with -o");
  REPRISE_RETURN_IF_ERROR(checkOutput(path, readBy(options)));
  Clock::time_point start = Clock::now();
  std::optional<Made> made;
  {
    Activity activity("compiling " + options.source);
    REPRISE_EXPECT(compiled, makeArtifact(request));
    made = std::move(*compiled);
  }
  return writeArtifact(options, path, *made, secondsSince(start));
}

/// A program for inference has no training step.
static rt::Status checkInference(const CompileCommandOptions &options) {
  if (!options.inference)
    return {};
  if (options.level != "artifact" && options.level != "program")
    return misuse("--emit " + options.level +
                  " shows the training step, which --inference leaves out");
  if (options.gradients || options.checkFinite || options.compile.budget)
    return misuse("--gradients, --check-finite and --budget are for the "
                  "training step, which --inference leaves out");
  return {};
}

static rt::Status compile(const CompileCommandOptions &options) {
  REPRISE_RETURN_IF_ERROR(checkInference(options));
  REPRISE_EXPECT(request,
                 readRequest(options.source, options.model, options.compile));
  request->compile.emitGradients = options.gradients;
  request->compile.emitNonFinite = options.checkFinite;
  request->compile.training = !options.inference;
  if (options.level == "artifact")
    return compileToArtifact(options, *request);
  std::optional<CompileLevel> level = parseCompileLevel(options.level);
  if (!level)
    return misuse("--emit is '" + options.level +
                  "'; choose model, train, remat, program or artifact");
  return compileToText(options, *request, *level);
}

void driver::addCompileCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "compile", "Compiles a model into a training program (.rpx)");
  auto options = std::make_shared<CompileCommandOptions>();
  command
      ->add_option("model", options->source,
                   "A model of 'reprise zoo list', or a file of MLIR (.mlir)")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "File to write (default: MODEL.rpx; for other levels "
                   "standard output)")
      ->check(writtenAs({".rpx", ".mlir"}), "");
  command
      ->add_option("--emit", options->level,
                   "Stop at a level: model, train, remat, program, "
                   "artifact (default)")
      ->type_name("LEVEL");
  command->add_flag(
      "--check-finite", options->checkFinite,
      "Check the loss and all gradients of each step in the program; 'reprise "
      "train' ends the run if one is not finite");
  command->add_flag("--gradients", options->gradients,
                    "Make the program return its gradients, for 'reprise train "
                    "--dump-gradients'");
  command->add_flag("--inference", options->inference,
                    "Leave out the training step: a program of parameters and "
                    "running statistics for 'reprise predict' and 'eval'");
  command->add_flag("--json", options->json, "Print the summary as JSON");
  addModelOptions(*command, options->model);
  addCompileOptions(*command, options->compile);
  addExamples(*command, "  reprise compile resnet50 --batch 32 --checkpointing "
                        "segments=4 -o r50.rpx\n"
                        "  reprise compile model.mlir --emit remat");
  onChosen(*command, invocation, [options] { return compile(*options); });
}
