//===- DeviceForm.h - Programs by hand for a device -------------*- C++ -*-===//
//
// What the suite must know of a device to build programs for it: its kernels
// and its library's plans, which come from the device's own compiler, and what
// it refuses. A binary of the suite is linked with one form, and runs on that
// device.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_RUNTIME_CONFORMANCE_DEVICEFORM_H
#define REPRISE_TEST_RUNTIME_CONFORMANCE_DEVICEFORM_H

#include "reprise/Runtime/Library.h"
#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/program_generated.h"
#include <functional>
#include <string>
#include <vector>

namespace reprise::test {

/// A kernel of kernels.c as one launch uses it.
struct HandKernel {
  std::string name;
  /// Of what it computes, one after another.
  uint64_t elements = 0;
  size_t operands = 0;
};

/// A change of a program that makes it one for another machine, and what the
/// device says then.
struct Foreign {
  std::string what;
  std::function<void(rt::fb::ProgramT &)> change;
  rp_code code = RP_INCOMPATIBLE;
  /// Parts of the message.
  std::vector<std::string> says;
};

class DeviceForm {
public:
  virtual ~DeviceForm() = default;
  /// As programs record it.
  virtual std::string device() const = 0;
  /// Sets device, target, library and alignment of an empty program.
  virtual void describe(rt::fb::ProgramT &program) const = 0;
  /// What the program calls the kernel, and the grains of its launch.
  virtual std::string symbol(const HandKernel &kernel) const = 0;
  virtual uint64_t grains(const HandKernel &kernel) const = 0;
  /// The code of a program with these. A kernel that the form lacks fails the
  /// test.
  virtual std::vector<uint8_t>
  code(const std::vector<HandKernel> &kernels) const = 0;
  /// Fails with RP_UNAVAILABLE for what the device's library lacks.
  virtual rt::Expected<rt::LibraryCallInfo>
  plan(const rt::LibraryCallDesc &desc, unsigned threads) const = 0;
  virtual bool hasAttention() const { return true; }
  /// Whether the library has some epilogues alone, as `plan` says, and other
  /// kernels for products with them.
  virtual bool choosesByEpilogues() const { return false; }
  /// An alignment of buffers that the device does not keep, above 64.
  virtual uint32_t otherAlignment() const = 0;
  /// Of a program with one kernel, "ones".
  virtual std::vector<Foreign> foreign() const = 0;
};

/// The form that this binary is linked with.
const DeviceForm &deviceForm();

} // namespace reprise::test

#endif // REPRISE_TEST_RUNTIME_CONFORMANCE_DEVICEFORM_H
