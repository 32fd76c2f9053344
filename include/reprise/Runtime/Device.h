//===- Device.h - The devices that run programs -----------------*- C++ -*-===//
//
// The boundary between the session, which knows inputs, variables and names,
// and a device, which knows memory, kernels and libraries. A new device
// implements these two classes in a folder of its own, registers its name, and
// passes test/runtime/conformance.
//
// A device is part of the executable, or in a shared library that is loaded
// when the device is requested: libreprise-device-NAME.so, searched for in the
// folders of REPRISE_DEVICE_PATH and then in the system's. It is written with
// REPRISE_EXPORT_DEVICE, and built with the headers of the runtime that loads
// it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_DEVICE_H
#define REPRISE_RUNTIME_DEVICE_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/reprise.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace reprise::rt {

namespace fb {
struct Program;
} // namespace fb

class Communicator;

/// A verified program on a device: its arena, zeroed and touched, its code and
/// its library calls. Offsets are bytes from the start of the arena and must be
/// inside it. Not thread safe.
class DeviceProgram {
public:
  virtual ~DeviceProgram();
  /// Returns true if `writeInput` does not change the arena's contents until
  /// the next run.
  virtual bool stagesInputs() const { return false; }
  /// Copies from and to the host; complete on return.
  virtual Status write(uint64_t offset, const void *data, uint64_t bytes) = 0;
  virtual Status read(uint64_t offset, void *data, uint64_t bytes) = 0;
  virtual Status fill(uint64_t offset, uint8_t byte, uint64_t bytes) = 0;
  /// Writes the input of that number for the next run of the entry; `data` has
  /// been read on return. `offset` is the input's offset.
  virtual Status writeInput(size_t entry, uint32_t input, uint64_t offset,
                            const void *data, uint64_t bytes);
  /// The same as write and read, but offsets count from the start of the guard
  /// before the arena, and reach to the end of the guard after it.
  virtual Status writeGuarded(uint64_t offset, const void *data,
                              uint64_t bytes) = 0;
  virtual Status readGuarded(uint64_t offset, void *data, uint64_t bytes) = 0;
  /// Runs steps [first, end) of entry number `entry`. A whole entry may still
  /// be running on return; calls of this class wait where they must, and the
  /// next one that waits returns the errors of the run, with the entry's name
  /// and the run's number. Allocates no tensor memory.
  virtual Status run(size_t entry, size_t first, size_t end) = 0;
  /// The same, and sets the steps' elements of `times`, which has one for each
  /// step of the entry, as rp_session_step_times says, in seconds since the
  /// call. By default one step after another, each of them waited for.
  virtual Status runTimed(size_t entry, size_t first, size_t end,
                          std::vector<rp_step_times> &times);
  /// Sets the ranks of collective calls, which outlive the program. All ranks
  /// call this at the same place, since it may wait for the others. Fails with
  /// RP_UNAVAILABLE on a device that makes no such calls.
  virtual Status setCommunicator(Communicator *ranks);
  /// The highest end of any memory passed to a step or a write so far.
  /// MemoryCheck finds the bytes that they changed.
  virtual uint64_t highWaterBytes() const = 0;
  /// Prepares another verified program of the device in the same memory, which
  /// then belongs to both: they take turns, and each finds the arena as the
  /// other left it. Keeps variables and constants of this program in place, and
  /// no other contents of the arena. Null if the device does not support it, or
  /// if the other needs more memory than there is.
  virtual Expected<std::unique_ptr<DeviceProgram>>
  prepareBeside(const fb::Program &other);
};

/// Memory of the host, in bytes, that a device takes for a program in addition
/// to its arena and its code: upper estimates.
struct HostBytes {
  uint64_t kept = 0;        // from the preparation on
  uint64_t duringCalls = 0; // allocated and freed by library calls
  /// True if the arena is memory of the host too.
  bool holdsArena = true;
};

/// A device's description in lists.
struct DeviceSummary {
  std::string name;     // "NVIDIA H200"
  std::string features; // as programs record them: "sm_90"
  std::string library;  // "cuDNN 9.19.0, cuBLASLt 13.1.0"
  /// The target that compiles for it, "cuda:h200"; "": it needs a description.
  std::string target;
  uint64_t freeBytes = 0, totalBytes = 0; // of its memory; 0: the host's
  /// Explains computation with an element type, if that is not obvious.
  struct TypeNote {
    std::string type, note;
  };
  std::vector<TypeNote> types = {};
};

class Device {
public:
  virtual ~Device();
  /// The name that programs record.
  virtual std::string name() const = 0;
  /// The default has the name alone.
  virtual Expected<DeviceSummary> summary();
  /// The description that its target needs to compile for it elsewhere, in the
  /// format that the target reads. May measure for some seconds, and take
  /// memory of the device meanwhile. Library calls of `programs`, which are
  /// verified, are measured in all ways the device has for them, so that
  /// programs compiled for the description run them in the best one. Fails with
  /// RP_UNAVAILABLE if its targets need none.
  virtual Expected<std::string>
  description(const std::vector<const fb::Program *> &programs);
  /// The estimate for a verified program of this device.
  virtual HostBytes hostBytes(const fb::Program &program) const = 0;
  /// `program` outlives the result. Fails with RP_INCOMPATIBLE if it was
  /// compiled for another processor or library. `guardBytes` are accessible
  /// before the arena and as many after it.
  virtual Expected<std::unique_ptr<DeviceProgram>>
  prepare(const fb::Program &program, uint64_t guardBytes) = 0;
};

/// Opens a device; `which` is the text after its name and a colon: "1" of
/// "cuda:1".
using DeviceOpener =
    std::function<Expected<std::unique_ptr<Device>>(const std::string &which)>;

/// Adds a device of this executable. Safe from any thread.
void registerDevice(const std::string &name, DeviceOpener open);

/// An object of this class registers a device before main.
struct DeviceRegistration {
  DeviceRegistration(const char *name, DeviceOpener open) {
    registerDevice(name, std::move(open));
  }
};

/// The registered devices, sorted.
std::vector<std::string> deviceNames();

/// Opens "NAME" or "NAME:WHICH", from a shared library if that name is not
/// registered. Fails with RP_UNAVAILABLE, naming the registered devices and why
/// the library could not be opened.
Expected<std::unique_ptr<Device>> openDevice(const std::string &name);

/// The export of a device's shared library. Equal revisions have equal classes.
struct DeviceLibrary {
  const char *revision;
  Expected<std::unique_ptr<Device>> (*open)(const std::string &which);
};
constexpr const char *kDeviceRevision = "reprise device 9";
constexpr const char *kDeviceLibrarySymbol = "repriseDeviceLibrary";

} // namespace reprise::rt

/// Makes the shared library that contains it the library of the device `open`.
#define REPRISE_EXPORT_DEVICE(open)                                            \
  extern "C" __attribute__((visibility("default")))                            \
  const ::reprise::rt::DeviceLibrary repriseDeviceLibrary = {                  \
      ::reprise::rt::kDeviceRevision, open}

#endif // REPRISE_RUNTIME_DEVICE_H
