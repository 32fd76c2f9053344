//===- step_time.cpp - Time of an artifact's training step ----------------===//
//
// step_time FILE.rpx [STEPS [DEVICE]] runs train_step on constant random data
// and prints one JSON object: median, minimum and maximum of the step, its loss
// read, in milliseconds, the share of it in library calls (from a second,
// profiled run), predicted and measured bytes, the first and the last loss, and
// a digest of all variables at the end, which is equal for equal bits; of a
// device with memory of its own also how much less was free behind the first
// step than before the program was loaded: arena, code and what libraries took,
// and how much less behind the last step than behind the first. With
// 0 steps it runs one, and no profiled ones. With
// REPRISE_HOLD=SECONDS it waits at the end, so that others can see its memory;
// with REPRISE_STEP_TIMES=FILE it writes a line a step of the profiled run:
// milliseconds, kind and name; with REPRISE_LOSSES=FILE a loss a line; with
// REPRISE_DUMP=FOLDER the bytes of variables and inputs before the first step,
// each in a file of its name.
//
//===----------------------------------------------------------------------===//

#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/Philox.h"
#include "reprise/Runtime/program_generated.h"
#include "reprise/Runtime/reprise.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

constexpr const char *kEntry = "train_step";

void check(rp_status *status) {
  if (!status)
    return;
  std::fprintf(stderr, "error: %s (%s)\n", rp_status_message(status),
               rp_status_site(status));
  std::exit(1);
}

/// Deterministic numbers in [-1, 1), or labels below 10.
std::vector<uint8_t> makeInput(const rp_tensor_info &info) {
  std::vector<uint8_t> bytes(info.bytes);
  uint32_t state = 12345;
  auto next = [&] { return state = state * 1664525u + 1013904223u; };
  if (info.type == RP_F32) {
    auto *values = reinterpret_cast<float *>(bytes.data());
    bool rate = info.binding == RP_BINDING_LEARNING_RATE;
    for (size_t k = 0; k < info.bytes / 4; ++k)
      values[k] =
          rate ? 0.001f : static_cast<float>(next() >> 8) / 8388608.0f - 1.0f;
  } else if (info.type == RP_I32) {
    auto *values = reinterpret_cast<int32_t *>(bytes.data());
    for (size_t k = 0; k < info.bytes / 4; ++k)
      values[k] = static_cast<int32_t>((next() >> 16) % 10);
  }
  return bytes;
}

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

struct Session {
  rp_program *program = nullptr;
  rp_session *session = nullptr;

  Session(const std::vector<uint8_t> &file, bool profile, const char *device) {
    check(rp_program_from_memory(file.data(), file.size(), &program));
    rp_session_options options = {device, 0, profile, 0};
    check(rp_session_create(program, &options, &session));
    check(rp_session_initialize(session, 1));
    for (size_t k = 0; k < rp_program_input_count(program, kEntry); ++k) {
      rp_tensor_info info;
      check(rp_program_input(program, kEntry, k, &info));
      inputs.push_back({info.name, makeInput(info)});
    }
  }
  ~Session() {
    rp_session_destroy(session);
    rp_program_close(program);
  }

  /// Calls `visit` with the name and the bytes of each variable.
  template <typename Visit> void forEachVariable(Visit visit) const {
    for (size_t k = 0; k < rp_program_variable_count(program); ++k) {
      rp_tensor_info info;
      check(rp_program_variable(program, k, &info));
      std::vector<uint8_t> bytes(info.bytes);
      check(rp_session_read_variable(session, info.name, bytes.data(),
                                     bytes.size()));
      visit(info.name, bytes);
    }
  }

  /// The bytes of variables and inputs, each in a file of its name.
  void dump(const std::string &folder) const {
    auto write = [&](const std::string &name,
                     const std::vector<uint8_t> &bytes) {
      std::ofstream out(folder + "/" + name, std::ios::binary);
      out.write(reinterpret_cast<const char *>(bytes.data()),
                std::streamsize(bytes.size()));
    };
    for (const auto &[name, bytes] : inputs)
      write(name, bytes);
    forEachVariable(write);
  }

  double run() {
    for (auto &[name, data] : inputs)
      check(rp_session_set_input(session, kEntry, name.c_str(), data.data(),
                                 data.size()));
    auto start = std::chrono::steady_clock::now();
    check(rp_session_run(session, kEntry));
    // A device may return before it is done.
    check(rp_session_get_output(session, kEntry, "loss", &loss, sizeof loss));
    return milliseconds(std::chrono::steady_clock::now() - start);
  }

  /// FNV-1a of all variables.
  uint64_t digest() const {
    uint64_t hash = 14695981039346656037u;
    forEachVariable([&](const char *, const std::vector<uint8_t> &bytes) {
      for (uint8_t byte : bytes)
        hash = (hash ^ byte) * 1099511628211u;
    });
    return hash;
  }

  std::vector<std::pair<std::string, std::vector<uint8_t>>> inputs;
  float loss = 0;
};

const reprise::rt::fb::Entry *findEntry(const std::vector<uint8_t> &file) {
  const uint8_t *payload = nullptr;
  size_t size = 0;
  if (!reprise::rt::openContainer(file.data(), file.size(), &payload, &size)
           .ok())
    std::exit(1);
  for (const auto *entry : *reprise::rt::fb::GetProgram(payload)->entries())
    if (entry->name()->str() == kEntry)
      return entry;
  std::exit(1);
}

/// Milliseconds in library calls and in all steps, of one profiled run.
std::pair<double, double> profile(const std::vector<uint8_t> &file,
                                  const char *device) {
  Session session(file, true, device);
  for (int k = 0; k < 3; ++k)
    session.run();
  const auto *entry = findEntry(file);
  const char *path = std::getenv("REPRISE_STEP_TIMES");
  std::ofstream lines;
  if (path)
    lines.open(path);
  double library = 0, all = 0;
  for (unsigned k = 0; k < entry->steps()->size(); ++k) {
    double seconds = 0;
    check(rp_session_step_seconds(session.session, kEntry, k, &seconds));
    all += seconds;
    const auto *step = entry->steps()->Get(k);
    if (step->action_type() == reprise::rt::fb::Action::LibraryCall)
      library += seconds;
    lines << seconds * 1e3 << " "
          << reprise::rt::fb::EnumNameAction(step->action_type()) << " "
          << (step->name() ? step->name()->str() : "") << "\n";
  }
  return {library * 1e3, all * 1e3};
}

/// Of the device's own memory, beside a context of this process; 0: it has
/// none, or does not say.
uint64_t freeBytes(const char *device) {
  if (!device)
    return 0;
  auto opened = reprise::rt::openDevice(device);
  if (!opened.ok())
    return 0;
  auto summary = (*opened)->summary();
  return summary.ok() ? summary->freeBytes : 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: step_time FILE.rpx [STEPS [DEVICE]]\n");
    return 2;
  }
  int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  const char *device = argc > 3 ? argv[3] : nullptr; // null: the program's
  std::ifstream in(argv[1], std::ios::binary);
  std::vector<uint8_t> file{std::istreambuf_iterator<char>(in), {}};
  std::vector<double> times;
  rp_memory_stats memory;
  size_t predicted = 0, fixed = 0;
  float first = 0, last = 0;
  uint64_t digest = 0, taken = 0, later = 0;
  {
    uint64_t before = freeBytes(device);
    Session session(file, false, device);
    if (const char *folder = std::getenv("REPRISE_DUMP"))
      session.dump(folder);
    std::ofstream losses;
    if (const char *path = std::getenv("REPRISE_LOSSES"))
      losses.open(path);
    losses.precision(9);
    session.run();
    first = session.loss;
    losses << session.loss << "\n";
    uint64_t during = freeBytes(device);
    taken = before - std::min(before, during);
    for (int k = 0; k < steps; ++k) {
      times.push_back(session.run());
      losses << session.loss << "\n";
    }
    later = during - std::min(during, freeBytes(device));
    check(rp_session_memory(session.session, &memory));
    check(rp_program_peak_bytes(session.program, kEntry, &predicted));
    fixed = rp_program_fixed_bytes(session.program);
    last = session.loss;
    digest = session.digest();
    if (const char *seconds = std::getenv("REPRISE_HOLD"))
      std::this_thread::sleep_for(std::chrono::seconds(std::atoi(seconds)));
  }
  if (times.empty())
    times.push_back(0);
  std::sort(times.begin(), times.end());
  double library = 0, all = 0;
  if (steps > 0)
    std::tie(library, all) = profile(file, device);
  std::printf("{\"median_ms\": %.2f, \"min_ms\": %.2f, \"max_ms\": %.2f, "
              "\"library_ms\": %.2f, \"profiled_ms\": %.2f, "
              "\"fixed_bytes\": %zu, \"predicted_peak_bytes\": %zu, "
              "\"measured_peak_bytes\": %zu, \"device_bytes\": %llu, "
              "\"device_bytes_of_steps\": %llu, "
              "\"first_loss\": %.9g, "
              "\"last_loss\": %.9g, \"digest\": \"%016llx\"}\n",
              times[times.size() / 2], times.front(), times.back(), library,
              all, fixed, predicted, memory.high_water_bytes,
              static_cast<unsigned long long>(taken),
              static_cast<unsigned long long>(later), first, last,
              static_cast<unsigned long long>(digest));
  return 0;
}
