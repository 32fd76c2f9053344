//===- Device.h - What executes the steps of a program ----------*- C++ -*-===//
//
// The seam between the session, which knows inputs, variables and names, and
// a device, which knows memory, kernels and libraries. A new device implements
// these two classes and passes test/conformance.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_DEVICE_H
#define REPRISE_RUNTIME_DEVICE_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace reprise::rt {

namespace fb {
struct Program;
} // namespace fb

/// A verified program on a device: its arena, zeroed and touched, its code and
/// its library calls. Offsets are bytes from the start of the arena and must
/// lie inside it. Not thread safe.
class DeviceProgram {
public:
  virtual ~DeviceProgram();
  /// Copies from and to the host; done when they return.
  virtual Status write(uint64_t offset, const void *data, uint64_t bytes) = 0;
  virtual Status read(uint64_t offset, void *data, uint64_t bytes) = 0;
  virtual Status fill(uint64_t offset, uint8_t byte, uint64_t bytes) = 0;
  /// As write and read, but offsets count from the start of the guard before
  /// the arena, and reach to the end of the guard behind it.
  virtual Status writeGuarded(uint64_t offset, const void *data,
                              uint64_t bytes) = 0;
  virtual Status readGuarded(uint64_t offset, void *data, uint64_t bytes) = 0;
  /// Runs steps [first, end) of entry number `entry`; done when it returns.
  /// Allocates no tensor memory.
  virtual Status run(size_t entry, size_t first, size_t end) = 0;
  /// The highest end of any memory that a step or a write was given so far.
  /// What they made of it is MemoryCheck's to say.
  virtual uint64_t highWaterBytes() const = 0;
};

class Device {
public:
  virtual ~Device();
  virtual std::string name() const = 0;
  /// `program` outlives the result. Fails with RP_INCOMPATIBLE if it was
  /// compiled for another processor or library. `guardBytes` are accessible
  /// before the arena and as many behind it.
  virtual Expected<std::unique_ptr<DeviceProgram>>
  prepare(const fb::Program &program, uint64_t guardBytes) = 0;
};

/// The devices this process can open, best first.
std::vector<std::string> deviceNames();

/// Fails with RP_UNAVAILABLE, naming the devices there are.
Expected<std::unique_ptr<Device>> openDevice(const std::string &name);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_DEVICE_H
