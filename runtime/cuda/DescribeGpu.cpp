//===- DescribeGpu.cpp - A description of this machine's GPU --------------===//
//
// Rates are measured, not from a data sheet: bytes read and written by a copy,
// and products of square matrices by the libraries that programs use, in f32
// and in bf16. The first run of each is not timed.
//
//===----------------------------------------------------------------------===//
#include "DescribeGpu.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <chrono>
#include <functional>

namespace reprise::rt::cuda {

namespace {
class Measurement {
public:
  Measurement(Driver &driver, const MeasuredWork &work)
      : driver(driver), work(work) {}
  Status prepare();
  /// Returns the bytes per second that copies read and write.
  Expected<double> copies();
  /// Returns the operations per second of products with operands of `type`.
  Expected<double> products(rp_element_type type);

private:
  Expected<double> secondsOf(const std::function<Status()> &once);

  Driver &driver;
  const MeasuredWork &work;
  Stream stream = {};
  Address memory = 0;
  uint64_t matrixBytes = 0;
};
} // namespace

/// The part of the driver's memory for the workspace of products.
static constexpr uint64_t kWorkspaceBytes = 33 << 20;

Status Measurement::prepare() {
  matrixBytes = uint64_t(work.matrix) * uint64_t(work.matrix) * sizeof(float);
  REPRISE_EXPECT(made, driver.createStream());
  stream = *made;
  uint64_t bytes =
      std::max(2 * work.copiedBytes, 3 * matrixBytes + kWorkspaceBytes);
  REPRISE_EXPECT(taken, driver.allocate(bytes));
  memory = *taken;
  return driver.fill(stream, memory, 0, bytes);
}

Expected<double> Measurement::secondsOf(const std::function<Status()> &once) {
  using Clock = std::chrono::steady_clock;
  REPRISE_RETURN_IF_ERROR(once());
  REPRISE_RETURN_IF_ERROR(driver.synchronize(stream));
  Clock::time_point start = Clock::now();
  for (unsigned i = 0; i < work.repeats; ++i)
    REPRISE_RETURN_IF_ERROR(once());
  REPRISE_RETURN_IF_ERROR(driver.synchronize(stream));
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return std::max(seconds, 1e-9) / work.repeats;
}

Expected<double> Measurement::copies() {
  Expected<double> seconds = secondsOf([&] {
    return driver.copy(stream, memory + work.copiedBytes, memory,
                       work.copiedBytes);
  });
  if (!seconds.ok())
    return seconds;
  return 2.0 * double(work.copiedBytes) / *seconds;
}

Expected<double> Measurement::products(rp_element_type type) {
  int64_t n = work.matrix;
  LibraryCallDesc desc{LibraryOp::MatMul,
                       {{type, {n, n}, {}}, {type, {n, n}, {}}},
                       {{type, {n, n}, {}}},
                       {0, /*transpose_b=*/1}};
  // The first is the one that programs are planned with.
  REPRISE_EXPECT(ways, driver.implementations(desc));
  if (ways->empty() || ways->front().workspaceBytes > kWorkspaceBytes)
    return Status::error(RP_UNAVAILABLE,
                         "the libraries have no product to measure");
  REPRISE_EXPECT(call, driver.prepare(desc, ways->front().implementation,
                                      ways->front().workspaceBytes,
                                      /*mayAdapt=*/false));
  std::vector<Address> operands;
  std::vector<Touch> touches;
  for (uint64_t i = 0; i < 3; ++i) {
    operands.push_back(memory + i * matrixBytes);
    touches.push_back({operands.back(), matrixBytes, i == 2});
  }
  Address workspace = memory + 3 * matrixBytes;
  touches.push_back({workspace, kWorkspaceBytes, true});
  Expected<double> seconds = secondsOf(
      [&] { return driver.call(stream, *call, operands, workspace, touches); });
  if (!seconds.ok())
    return seconds;
  return 2.0 * double(n) * double(n) * double(n) / *seconds;
}

/// Returns the key: "h200" for "NVIDIA H200", "a100-sxm4-80gb" for "NVIDIA
/// A100-SXM4-80GB".
static std::string keyOf(const std::string &name) {
  constexpr std::string_view maker = "NVIDIA ";
  std::string key;
  size_t from = name.rfind(maker, 0) == 0 ? maker.size() : 0;
  for (char c : name.substr(from)) {
    bool isUpper = c >= 'A' && c <= 'Z';
    bool isPlain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    key += isUpper ? char(c - 'A' + 'a') : isPlain ? c : '-';
  }
  return key.empty() ? "gpu" : key;
}

Expected<DeviceDescription> describeGpu(Driver &driver,
                                        const MeasuredWork &work) {
  REPRISE_EXPECT(facts, driver.facts());
  Measurement measurement(driver, work);
  REPRISE_RETURN_IF_ERROR(measurement.prepare());
  REPRISE_EXPECT(bytes, measurement.copies());
  REPRISE_EXPECT(wide, measurement.products(RP_F32));
  REPRISE_EXPECT(narrow, measurement.products(RP_BF16));
  DeviceDescription d;
  d.key = keyOf(facts->name);
  d.name = facts->name;
  d.architecture = facts->architecture;
  d.memoryBytes = facts->totalBytes;
  constexpr double giga = 1e9;
  d.roofline.gflops = *wide / giga;
  d.roofline.narrowGflops = *narrow / giga;
  d.roofline.gigabytesPerSecond = *bytes / giga;
  d.properties = facts->properties;
  std::string side = std::to_string(work.matrix);
  d.source = "rates: measured on the device by copies of " +
             std::to_string(work.copiedBytes >> 20) +
             " MiB and by products of " + side + "x" + side +
             " in f32 and bf16, with " +
             (facts->libraries.empty() ? "no library" : facts->libraries) +
             "; cudnn: read from the device by its driver";
  return d;
}

std::string describedKey(const DeviceFacts &facts) {
  std::string byArchitecture;
  for (const std::string &key : descriptionKeys()) {
    Expected<DeviceDescription> each = describe(key);
    if (!each.ok())
      continue;
    if (each->name == facts.name)
      return key;
    if (byArchitecture.empty() && each->architecture == facts.architecture)
      byArchitecture = key;
  }
  return byArchitecture;
}

} // namespace reprise::rt::cuda
