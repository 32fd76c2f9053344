//===- SessionBackend.cpp - A session of the runtime as a backend ---------===//
//
// Names, types and shapes are copied out of the program once. Variables of
// which each rank holds a shard are whole to the trainer: a write takes the
// shard out of the whole, and a read of rank 0 collects the shards of all
// ranks.
//
//===----------------------------------------------------------------------===//
#include "Digest.h"
#include "reprise/Runtime/Communicator.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/RankWords.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace reprise::rt;

using Clock = std::chrono::steady_clock;

/// The entry that all ranks run together.
static const char *const kTrainStep = "train_step";

Status reprise::rt::takeStatus(rp_status *status) {
  if (!status)
    return Status();
  // The runtime's site becomes part of the message's place.
  std::string site = rp_status_site(status);
  size_t colon = site.rfind(':');
  int line = 0;
  if (colon != std::string::npos)
    for (char c : site.substr(colon + 1))
      if (c >= '0' && c <= '9' && line < 100000000)
        line = line * 10 + (c - '0');
  Status result =
      Status::error(rp_status_code(status), rp_status_message(status),
                    site.substr(0, colon).c_str(), line);
  rp_status_free(status);
  return result;
}

static TensorInfo convert(const rp_tensor_info &from) {
  TensorInfo info;
  info.name = from.name;
  info.type = from.type;
  if (from.rank > 0)
    info.shape.assign(from.shape, from.shape + from.rank);
  info.bytes = from.bytes;
  info.role = from.role;
  info.binding = from.binding;
  if (from.variable)
    info.variable = from.variable;
  if (from.whole_rank > 0) {
    size_t elements = 1, held = from.shape ? size_t(from.shape[0]) : 1;
    info.shape.assign(from.whole_shape, from.whole_shape + from.whole_rank);
    for (int64_t extent : info.shape)
      elements *= size_t(extent);
    info.shardBytes = from.bytes;
    info.bytes = from.bytes / held * elements;
  }
  if (from.file_permutation)
    info.filePermutation.assign(from.file_permutation,
                                from.file_permutation + info.shape.size());
  return info;
}

namespace {

class SessionBackend final : public Backend {
public:
  SessionBackend(const rp_program *program, rp_session *session,
                 rp_session *owned)
      : program(program), session(session), owned(owned) {}
  ~SessionBackend() override {
    if (owned)
      rp_session_destroy(owned);
  }
  /// Reads names and shapes of the program.
  Status describe();

  std::string model() const override { return rp_program_model(program); }
  std::map<std::string, std::string> settings() const override;
  const std::vector<TensorInfo> &variables() const override { return vars; }
  const EntryInfo *entry(const std::string &name) const override {
    for (const EntryInfo &entry : entries)
      if (entry.name == name)
        return &entry;
    return nullptr;
  }
  Expected<PlanMemory> planMemory(const std::string &entry) override;
  Status initialize(uint64_t seed) override {
    return takeStatus(rp_session_initialize(session, seed));
  }
  Status setInput(const std::string &entry, const std::string &name,
                  const void *data, size_t bytes) override {
    return takeStatus(rp_session_set_input(session, entry.c_str(), name.c_str(),
                                           data, bytes));
  }
  bool stagesInputs() const override {
    return rp_session_stages_inputs(session) != 0;
  }
  Status run(const std::string &entry) override {
    REPRISE_RETURN_IF_ERROR(tellWorking());
    return takeStatus(rp_session_run(session, entry.c_str()));
  }
  Expected<bool> runGuarded(const std::string &entry,
                            const std::string &output) override {
    int32_t stopped = 0;
    REPRISE_RETURN_IF_ERROR(takeStatus(rp_session_run_guarded(
        session, entry.c_str(), output.c_str(), &stopped)));
    othersWait = ranks && entry == kTrainStep;
    return stopped != 0;
  }
  Expected<NonFinite> findNonFinite(const std::string &entry,
                                    const std::string &output) override;
  Status getOutput(const std::string &entry, const std::string &name,
                   void *data, size_t bytes) override {
    return takeStatus(rp_session_get_output(session, entry.c_str(),
                                            name.c_str(), data, bytes));
  }
  Status readVariable(const std::string &name, void *data,
                      size_t bytes) override;
  Status writeVariable(const std::string &name, const void *data,
                       size_t bytes) override;
  std::string writtenDigest(const std::string &name) const override {
    auto found = written.find(name);
    return found == written.end() ? "" : found->second;
  }
  Expected<uint32_t> agree(uint32_t own) override;
  Expected<rp_memory_stats> memory() override {
    rp_memory_stats stats = {};
    REPRISE_RETURN_IF_ERROR(takeStatus(rp_session_memory(session, &stats)));
    return stats;
  }
  Status switchTo(const rp_program *next) override;
  Status setCommunicator(Communicator *wanted) override {
    ranks = wanted;
    return takeStatus(rp_session_set_communicator(session, wanted));
  }
  Status setProfile(bool profile) override {
    return takeStatus(rp_session_set_profile(session, profile));
  }
  Expected<std::vector<rp_step_times>>
  stepTimes(const std::string &entry) override;

private:
  Status describeEntry(const char *name);
  /// Returns the variable, if this rank holds a shard of it; else null.
  const TensorInfo *findSharded(const std::string &name) const;
  Status checkShards(const TensorInfo &variable, size_t bytes) const;
  Status collectShard(const TensorInfo &variable, void *whole);
  Expected<std::vector<uint32_t>> exchangeWords(uint32_t own);
  Status tellWorking();

  const rp_program *program;
  rp_session *session;
  rp_session *owned; // null if the caller owns the session
  Communicator *ranks = nullptr;
  bool othersWait = false; // for rank 0, in `agree`
  Clock::time_point lastWord;
  std::vector<TensorInfo> vars;
  std::vector<EntryInfo> entries;
  std::map<std::string, std::string> written; // digests by variable
};

} // namespace

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

const TensorInfo *SessionBackend::findSharded(const std::string &name) const {
  for (const TensorInfo &variable : vars)
    if (variable.name == name && variable.shardBytes)
      return &variable;
  return nullptr;
}

Status SessionBackend::checkShards(const TensorInfo &variable,
                                   size_t bytes) const {
  size_t count = ranks ? ranks->size() : 0;
  if (bytes == variable.bytes && count * variable.shardBytes >= bytes)
    return {};
  return Status::error(RP_INVALID_ARGUMENT,
                       "variable '" + variable.name + "' of " +
                           std::to_string(variable.bytes) + " bytes is in " +
                           std::to_string(count) + " shards of " +
                           std::to_string(variable.shardBytes) + "; " +
                           std::to_string(bytes) + " bytes were given");
}

/// Sends this rank's shard to rank 0, which receives `whole`.
Status SessionBackend::collectShard(const TensorInfo &variable, void *whole) {
  std::vector<char> shard(variable.shardBytes);
  REPRISE_RETURN_IF_ERROR(takeStatus(rp_session_read_variable(
      session, variable.name.c_str(), shard.data(), shard.size())));
  return ranks->collect(shard.data(), {variable.bytes, variable.shardBytes},
                        whole, Patience::Step);
}

Status SessionBackend::readVariable(const std::string &name, void *data,
                                    size_t bytes) {
  const TensorInfo *sharded = findSharded(name);
  REPRISE_RETURN_IF_ERROR(tellWorking());
  if (!sharded)
    return takeStatus(
        rp_session_read_variable(session, name.c_str(), data, bytes));
  REPRISE_RETURN_IF_ERROR(checkShards(*sharded, bytes));
  if (ranks->rank() != 0 || !othersWait)
    return Status::error(RP_INVALID_ARGUMENT,
                         "variable '" + name +
                             "' is in shards, which rank 0 reads between two "
                             "steps");
  uint32_t number = uint32_t(sharded - vars.data());
  REPRISE_RETURN_IF_ERROR(
      exchangeWords(rank_word::kReadVariable + number).status());
  return collectShard(*sharded, data);
}

Status SessionBackend::writeVariable(const std::string &name, const void *data,
                                     size_t bytes) {
  const TensorInfo *sharded = findSharded(name);
  if (!sharded)
    return takeStatus(
        rp_session_write_variable(session, name.c_str(), data, bytes));
  REPRISE_RETURN_IF_ERROR(checkShards(*sharded, bytes));
  Digest digest;
  digest.add(data, bytes);
  written[name] = digest.hex();
  Shards shards = {bytes, sharded->shardBytes};
  std::vector<char> shard(sharded->shardBytes); // 0 behind the last element
  std::memcpy(shard.data(),
              static_cast<const char *>(data) + shards.begin(ranks->rank()),
              shards.size(ranks->rank()));
  return takeStatus(rp_session_write_variable(session, name.c_str(),
                                              shard.data(), shard.size()));
}

//===----------------------------------------------------------------------===//
// Between two steps
//===----------------------------------------------------------------------===//

Expected<std::vector<uint32_t>> SessionBackend::exchangeWords(uint32_t own) {
  std::vector<uint32_t> all(ranks->size(), own);
  REPRISE_RETURN_IF_ERROR(ranks->gather(
      all.data(), {all.size() * sizeof own, sizeof own}, Patience::Step));
  lastWord = Clock::now();
  return all;
}

/// Lets the others know that rank 0 does not hang, a few times in the time that
/// they wait.
Status SessionBackend::tellWorking() {
  if (!othersWait || ranks->rank() != 0 ||
      std::chrono::duration<double>(Clock::now() - lastWord).count() <
          ranks->timeoutSeconds() / 4)
    return {};
  return exchangeWords(rank_word::kWorking).status();
}

Expected<uint32_t> SessionBackend::agree(uint32_t own) {
  if (!ranks)
    return own;
  for (;;) {
    REPRISE_EXPECT(all, exchangeWords(own));
    uint32_t first = all->front();
    if (ranks->rank() == 0 || first < rank_word::kWorking) {
      uint32_t word = *std::max_element(all->begin(), all->end());
      othersWait = word != rank_word::kGoOn && word != rank_word::kEnd;
      return word;
    }
    if (first >= rank_word::kReadVariable)
      REPRISE_RETURN_IF_ERROR(
          collectShard(vars[first - rank_word::kReadVariable], nullptr));
  }
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The compiler's note names the optimizer and the compiled model; another
/// compiler may omit it.
std::map<std::string, std::string> SessionBackend::settings() const {
  RunSettings runSettings;
  runSettings["threads"] = std::to_string(rp_program_threads(program));
  auto note =
      nlohmann::json::parse(rp_program_plan_note(program), nullptr, false);
  if (!note.is_object() || !note.contains("training") ||
      !note["training"].is_object())
    return runSettings;
  for (const auto &[name, value] : note["training"].items())
    if (value.is_number())
      runSettings[name] = settingNumber(value.get<double>());
    else if (value.is_string())
      runSettings[name] = value.get<std::string>();
  auto digest = runSettings.find("model");
  if (digest != runSettings.end())
    digest->second = model() + " (" + digest->second + ")";
  return runSettings;
}

/// Reads the ranges of an input's integers.
static Status readRanges(const rp_program *program, const char *entry,
                         size_t input, std::vector<IndexRange> &ranges) {
  size_t count = rp_program_index_range_count(program, entry, input);
  for (size_t i = 0; i < count; ++i) {
    rp_index_range from = {};
    REPRISE_RETURN_IF_ERROR(
        takeStatus(rp_program_index_range(program, entry, input, i, &from)));
    IndexRange &range = ranges.emplace_back();
    range.use = from.use;
    range.limit = from.limit;
    if (from.has_ignored)
      range.ignored = from.ignored;
    for (size_t k = 0; k < from.run_numbers; k += 2)
      range.runs.emplace_back(size_t(from.runs[k]), size_t(from.runs[k + 1]));
  }
  return {};
}

Status SessionBackend::describeEntry(const char *name) {
  if (!rp_program_has_entry(program, name))
    return Status();
  EntryInfo entry;
  entry.name = name;
  rp_tensor_info info = {};
  for (size_t i = 0, n = rp_program_input_count(program, name); i < n; ++i) {
    REPRISE_RETURN_IF_ERROR(
        takeStatus(rp_program_input(program, name, i, &info)));
    entry.inputs.push_back(convert(info));
    entry.inputs.back().filePermutation.clear();
    REPRISE_RETURN_IF_ERROR(
        readRanges(program, name, i, entry.inputs.back().ranges));
  }
  for (size_t i = 0, n = rp_program_output_count(program, name); i < n; ++i) {
    REPRISE_RETURN_IF_ERROR(
        takeStatus(rp_program_output(program, name, i, &info)));
    entry.outputs.push_back(convert(info));
    entry.outputs.back().filePermutation.clear();
  }
  REPRISE_RETURN_IF_ERROR(
      takeStatus(rp_program_peak_bytes(program, name, &entry.peakBytes)));
  entries.push_back(std::move(entry));
  return Status();
}

Expected<PlanMemory> SessionBackend::planMemory(const std::string &entry) {
  PlanMemory plan;
  size_t peak = 0, budget = 0;
  REPRISE_RETURN_IF_ERROR(
      takeStatus(rp_program_peak_bytes(program, entry.c_str(), &peak)));
  REPRISE_RETURN_IF_ERROR(
      takeStatus(rp_program_budget_bytes(program, entry.c_str(), &budget)));
  plan.checkpointing = rp_program_checkpointing(program);
  plan.peakBytes = peak;
  plan.budgetBytes = budget;
  plan.steps.resize(rp_program_step_count(program, entry.c_str()));
  REPRISE_RETURN_IF_ERROR(takeStatus(rp_program_step_memory(
      program, entry.c_str(), plan.steps.data(), plan.steps.size())));
  return plan;
}

Expected<std::vector<rp_step_times>>
SessionBackend::stepTimes(const std::string &entry) {
  std::vector<rp_step_times> all(rp_session_step_count(session, entry.c_str()));
  for (size_t step = 0; step < all.size(); ++step)
    REPRISE_RETURN_IF_ERROR(takeStatus(
        rp_session_step_times(session, entry.c_str(), step, &all[step])));
  return all;
}

Expected<Backend::NonFinite>
SessionBackend::findNonFinite(const std::string &entry,
                              const std::string &output) {
  NonFinite found;
  const char *text = "";
  REPRISE_RETURN_IF_ERROR(takeStatus(rp_session_find_nonfinite(
      session, entry.c_str(), output.c_str(), &found.origin, &text)));
  found.text = text;
  return found;
}

Status SessionBackend::describe() {
  vars.clear();
  entries.clear();
  for (size_t i = 0, n = rp_program_variable_count(program); i < n; ++i) {
    rp_tensor_info info = {};
    REPRISE_RETURN_IF_ERROR(takeStatus(rp_program_variable(program, i, &info)));
    vars.push_back(convert(info));
  }
  REPRISE_RETURN_IF_ERROR(describeEntry(kTrainStep));
  return describeEntry("eval_step");
}

Status SessionBackend::switchTo(const rp_program *next) {
  REPRISE_RETURN_IF_ERROR(takeStatus(rp_session_switch(session, next)));
  program = next;
  return describe();
}

Expected<std::unique_ptr<Backend>>
reprise::rt::wrapSession(const rp_program *program, rp_session *session) {
  auto backend = std::make_unique<SessionBackend>(program, session, nullptr);
  REPRISE_RETURN_IF_ERROR(backend->describe());
  return std::unique_ptr<Backend>(std::move(backend));
}

Expected<std::unique_ptr<Backend>>
reprise::rt::openSessionBackend(const rp_program *program,
                                const rp_session_options &options) {
  rp_session *session = nullptr;
  REPRISE_RETURN_IF_ERROR(
      takeStatus(rp_session_create(program, &options, &session)));
  auto backend = std::make_unique<SessionBackend>(program, session, session);
  REPRISE_RETURN_IF_ERROR(backend->describe());
  return std::unique_ptr<Backend>(std::move(backend));
}
