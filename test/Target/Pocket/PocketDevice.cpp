//===- PocketDevice.cpp - A device in a shared library, as an example -----===//
//
// What a newcomer writes for the runtime's side of a new device: it copies and
// runs kernels on the calling thread, and its library has one function, of two
// results and a number. Built as libreprise-device-pocket.so, it is found in
// REPRISE_DEVICE_PATH.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/core/Views.h"
#include "reprise/Limits.h"
#include "reprise/Runtime/Device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace reprise;
using namespace reprise::rt;

namespace {

using Kernel = void (*)(void *const *, int64_t, int64_t);

class PocketProgram : public DeviceProgram {
public:
  PocketProgram(const fb::Program &program, uint64_t guard)
      : program(program), guard(guard),
        memory(program.arena_bytes() + 2 * guard),
        highWater(program.fixed_bytes()) {}
  ~PocketProgram() override {
    if (code)
      ::dlclose(code);
  }
  Status load();

  Status write(uint64_t offset, const void *data, uint64_t bytes) override {
    highWater = std::max(highWater, offset + bytes);
    return writeGuarded(offset + guard, data, bytes);
  }
  Status read(uint64_t offset, void *data, uint64_t bytes) override {
    return readGuarded(offset + guard, data, bytes);
  }
  Status fill(uint64_t offset, uint8_t byte, uint64_t bytes) override {
    std::memset(at(offset), byte, bytes);
    return {};
  }
  Status writeGuarded(uint64_t offset, const void *data,
                      uint64_t bytes) override {
    std::memcpy(memory.data() + offset, data, bytes);
    return {};
  }
  Status readGuarded(uint64_t offset, void *data, uint64_t bytes) override {
    std::memcpy(data, memory.data() + offset, bytes);
    return {};
  }
  Status run(size_t entry, size_t first, size_t end) override;
  void rmsNorm(const fb::Entry &entry, const fb::LibraryCall &call);
  uint64_t highWaterBytes() const override { return highWater; }

private:
  uint8_t *at(uint64_t offset) { return memory.data() + guard + offset; }
  void *resolve(const fb::Entry &entry, const fb::View &view) {
    uint64_t offset = arenaOffset(program, &entry, view);
    highWater = std::max(highWater, offset + *viewBytes(view));
    return at(offset);
  }

  const fb::Program &program;
  uint64_t guard;
  std::vector<uint8_t> memory;
  uint64_t highWater;
  void *code = nullptr;
  std::vector<Kernel> kernels;
};

class PocketDevice : public Device {
public:
  std::string name() const override { return "pocket"; }
  HostBytes hostBytes(const fb::Program &) const override { return {}; }
  Expected<std::unique_ptr<DeviceProgram>>
  prepare(const fb::Program &program, uint64_t guardBytes) override;
};

} // namespace

Status PocketProgram::load() {
  if (!program.kernels() || program.kernels()->size() == 0)
    return {};
  int file = ::memfd_create("pocket", MFD_CLOEXEC);
  const fb::Program &p = program;
  bool isWhole = file >= 0 && ::write(file, p.code()->data(),
                                      p.code()->size()) == p.code()->size();
  std::string path = "/proc/self/fd/" + std::to_string(file);
  code = isWhole ? ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  ::close(file);
  for (const flatbuffers::String *name : *program.kernels()) {
    void *symbol = code ? ::dlsym(code, name->c_str()) : nullptr;
    if (!symbol)
      return Status::error(RP_INCOMPATIBLE, "the pocket computer finds no "
                                            "kernel '" +
                                                name->str() + "'");
    kernels.push_back(reinterpret_cast<Kernel>(symbol));
  }
  return {};
}

void PocketProgram::rmsNorm(const fb::Entry &entry,
                            const fb::LibraryCall &call) {
  LibraryCallDesc desc = describe(call);
  auto at = [&](const fb::View *view) {
    return static_cast<float *>(resolve(entry, *view));
  };
  const float *x = at(call.inputs()->Get(0)),
              *gamma = at(call.inputs()->Get(1));
  float *y = at(call.outputs()->Get(0)), *rstd = at(call.outputs()->Get(1));
  int64_t channels = desc.inputs[0].shape.back(), rows = 1;
  for (int64_t extent : desc.outputs[1].shape)
    rows *= extent;
  for (int64_t row = 0; row < rows; ++row, x += channels, y += channels) {
    double squares = 0;
    for (int64_t c = 0; c < channels; ++c)
      squares += double(x[c]) * x[c];
    double epsilon = desc.floats[0];
    rstd[row] = float(1 / std::sqrt(squares / double(channels) + epsilon));
    for (int64_t c = 0; c < channels; ++c)
      y[c] = x[c] * rstd[row] * gamma[c];
  }
}

Status PocketProgram::run(size_t entry, size_t first, size_t end) {
  const fb::Entry &e = *program.entries()->Get(uint32_t(entry));
  for (size_t i = first; i < end; ++i) {
    const fb::Step &step = *e.steps()->Get(uint32_t(i));
    if (const fb::Copy *copy = step.action_as_Copy()) {
      void *target = resolve(e, *copy->target());
      std::memmove(target, resolve(e, *copy->source()),
                   *viewBytes(*copy->source()));
    } else if (const fb::KernelLaunch *launch = step.action_as_KernelLaunch()) {
      std::vector<void *> args;
      for (const fb::View *view : *launch->args())
        args.push_back(resolve(e, *view));
      kernels[launch->kernel()](args.data(), 0, int64_t(launch->grains()));
    } else {
      rmsNorm(e, *step.action_as_LibraryCall());
    }
  }
  return {};
}

Expected<std::unique_ptr<DeviceProgram>>
PocketDevice::prepare(const fb::Program &program, uint64_t guardBytes) {
  std::string lacking;
  forEachCall(program, [&](const fb::LibraryCall &call) {
    LibraryCallDesc desc = describe(call);
    if (desc.op != LibraryOp::RmsNorm || desc.inputs[0].type != RP_F32)
      lacking = functionOf(desc).name;
  });
  if (!lacking.empty())
    return Status::error(RP_INCOMPATIBLE,
                         "the pocket computer has no " + lacking);
  auto prepared = std::make_unique<PocketProgram>(program, guardBytes);
  REPRISE_RETURN_IF_ERROR(prepared->load());
  return std::unique_ptr<DeviceProgram>(std::move(prepared));
}

static Expected<std::unique_ptr<Device>> openPocket(const std::string &which) {
  if (!which.empty())
    return Status::error(
        RP_UNAVAILABLE, "there is one pocket computer, and no '" + which + "'");
  return std::unique_ptr<Device>(std::make_unique<PocketDevice>());
}

REPRISE_EXPORT_DEVICE(openPocket);
