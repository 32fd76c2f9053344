//===- MeasureOps.cpp - Time the ops of a program -------------------------===//

#include "reprise/Driver/MeasureOps.h"
#include "reprise/Runtime/Expect.h"
#include <chrono>

using namespace reprise;
using namespace reprise::driver;

static rt::Status take(rp_status *status) {
  if (!status)
    return {};
  rt::Status result =
      rt::Status::error(rp_status_code(status), rp_status_message(status));
  rp_status_free(status);
  return result;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Fills an input with numbers in [-1, 1), or labels below `classes`: the same
/// in each run.
static std::vector<uint8_t> makeInput(const rp_tensor_info &info,
                                      int64_t classes) {
  std::vector<uint8_t> bytes(info.bytes);
  uint32_t state = 12345;
  auto next = [&] { return state = state * 1664525u + 1013904223u; };
  if (info.type == RP_F32) {
    auto *values = reinterpret_cast<float *>(bytes.data());
    bool isRate = info.binding == RP_BINDING_LEARNING_RATE;
    for (size_t k = 0; k < info.bytes / 4; ++k)
      values[k] = isRate ? 0.001f : float(next() >> 8) / 8388608.0f - 1.0f;
  } else if (info.type == RP_I32) {
    auto *values = reinterpret_cast<int32_t *>(bytes.data());
    for (size_t k = 0; k < info.bytes / 4; ++k)
      values[k] = int32_t(int64_t(next() >> 16) % classes);
  }
  return bytes;
}

static int64_t classesOf(const rp_program *program, const char *entry) {
  for (size_t k = 0; k < rp_program_output_count(program, entry); ++k) {
    rp_tensor_info info;
    rp_status *status = rp_program_output(program, entry, k, &info);
    if (!status && info.binding == RP_BINDING_LOGITS)
      return std::max<int64_t>(1, info.shape[info.rank - 1]);
    rp_status_free(status);
  }
  return 1;
}

static double medianOf(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : times[times.size() / 2];
}

/// Sets all inputs and runs once; returns the milliseconds of the run.
static rt::Expected<double> runOnce(rp_program *program, rp_session *session,
                                    const char *entry) {
  using Clock = std::chrono::steady_clock;
  int64_t classes = classesOf(program, entry);
  for (size_t k = 0; k < rp_program_input_count(program, entry); ++k) {
    rp_tensor_info info;
    REPRISE_RETURN_IF_ERROR(take(rp_program_input(program, entry, k, &info)));
    std::vector<uint8_t> data = makeInput(info, classes);
    REPRISE_RETURN_IF_ERROR(take(rp_session_set_input(
        session, entry, info.name, data.data(), data.size())));
  }
  Clock::time_point start = Clock::now();
  REPRISE_RETURN_IF_ERROR(take(rp_session_run(session, entry)));
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

/// Runs once without counting, then `runs` times.
static rt::Status measure(rp_program *program, const char *entry, unsigned runs,
                          bool byStep, OpMeasurement &times) {
  rp_session *raw = nullptr;
  rp_session_options options = {nullptr, 0, byStep, 0};
  REPRISE_RETURN_IF_ERROR(take(rp_session_create(program, &options, &raw)));
  std::shared_ptr<rp_session> session(raw, rp_session_destroy);
  REPRISE_RETURN_IF_ERROR(take(rp_session_initialize(raw, 1)));
  std::vector<double> whole;
  std::vector<std::vector<double>> each(rp_session_step_count(raw, entry));
  for (unsigned run = 0; run <= runs; ++run) {
    REPRISE_EXPECT(time, runOnce(program, raw, entry));
    if (run == 0)
      continue;
    whole.push_back(*time);
    for (size_t k = 0; byStep && k < each.size(); ++k) {
      double seconds = 0;
      REPRISE_RETURN_IF_ERROR(
          take(rp_session_step_seconds(raw, entry, k, &seconds)));
      each[k].push_back(seconds * 1e3);
    }
  }
  if (!byStep)
    times.step = medianOf(whole);
  for (size_t k = 0; byStep && k < each.size(); ++k)
    times.steps.push_back(medianOf(each[k]));
  return {};
}

rt::Expected<OpMeasurement> driver::measureOps(const ArtifactFile &artifact,
                                               const std::string &entry,
                                               unsigned runs) {
  rp_program *raw = nullptr;
  REPRISE_RETURN_IF_ERROR(take(
      rp_program_from_memory(artifact.data(), artifact.fileBytes(), &raw)));
  std::shared_ptr<rp_program> program(raw, rp_program_close);
  OpMeasurement times;
  for (bool byStep : {false, true})
    REPRISE_RETURN_IF_ERROR(measure(raw, entry.c_str(), runs, byStep, times));
  return times;
}

Profile driver::makeProfile(const ArtifactFile &artifact,
                            const rt::fb::Entry &entry,
                            const OpMeasurement &times,
                            const Machine &machine) {
  Profile profile;
  profile.model = artifact.root().model()->str();
  profile.processor = machine.processor;
  profile.library = machine.library;
  profile.threads = artifact.root().threads();
  for (size_t k = 0; k < times.steps.size(); ++k) {
    Profile::Entry &op =
        profile.ops[profileKey(*entry.steps()->Get(uint32_t(k)))];
    op.milliseconds += times.steps[k];
    ++op.count;
  }
  for (auto &[key, op] : profile.ops)
    op.milliseconds /= double(op.count);
  return profile;
}

Prices driver::predict(const rt::fb::Entry &entry, const CostModel &costs) {
  std::vector<CostedOp> ops;
  for (uint32_t k = 0; entry.steps() && k < entry.steps()->size(); ++k) {
    const rt::fb::Step &step = *entry.steps()->Get(k);
    KeyedOp keyed = keyedOpOf(step);
    ops.push_back({profileKey(keyed), step.flops(), step.bytes(),
                   isNarrow(step), 0, productKeyOf(keyed), waitedBytes(keyed),
                   keyed.function != nullptr});
  }
  return costs.price(ops);
}
