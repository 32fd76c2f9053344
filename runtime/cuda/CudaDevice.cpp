//===- CudaDevice.cpp - A GPU as a device ---------------------------------===//
#include "CudaDevice.h"
#include "../core/Views.h"
#include "CudaProgram.h"
#include "DescribeGpu.h"
#include "MeasureCalls.h"
#include "reprise/Runtime/Expect.h"

namespace reprise::rt::cuda {

namespace {
class CudaDevice : public Device {
public:
  CudaDevice(DriverOpener open, bool mayAdapt, const MeasuredWork &measured)
      : open(std::move(open)), mayAdapt(mayAdapt), measured(measured) {}
  std::string name() const override { return "cuda"; }
  Expected<DeviceSummary> summary() override;
  Expected<std::string>
  description(const std::vector<const fb::Program *> &programs) override;
  HostBytes hostBytes(const fb::Program &program) const override {
    uint64_t stagings = InputStaging::bufferOf(program) ? 2 : 1;
    return {stagings * Staging::kPieces * Staging::kPieceBytes +
                hostMemoryBytes(program),
            0,
            /*holdsArena=*/false};
  }
  Expected<std::unique_ptr<DeviceProgram>>
  prepare(const fb::Program &program, uint64_t guardBytes) override;

private:
  DriverOpener open;
  bool mayAdapt;
  MeasuredWork measured;
};
} // namespace

Expected<DeviceSummary> CudaDevice::summary() {
  REPRISE_EXPECT(driver, open());
  REPRISE_EXPECT(facts, (*driver)->facts());
  std::string key = describedKey(*facts);
  return DeviceSummary{facts->name,      facts->architecture,
                       facts->libraries, key.empty() ? "" : "cuda:" + key,
                       facts->freeBytes, facts->totalBytes};
}

Expected<std::string>
CudaDevice::description(const std::vector<const fb::Program *> &programs) {
  REPRISE_EXPECT(driver, open());
  REPRISE_EXPECT(description, describeGpu(**driver, measured));
  if (!programs.empty())
    REPRISE_RETURN_IF_ERROR(
        measureCalls(**driver, programs, measured, *description));
  return writeDescription(*description);
}

Expected<std::unique_ptr<DeviceProgram>>
CudaDevice::prepare(const fb::Program &program, uint64_t guardBytes) {
  auto site = std::make_shared<CudaSite>();
  site->guard = guardBytes;
  site->mayAdapt = mayAdapt;
  REPRISE_EXPECT(driver, open());
  site->driver = std::move(*driver);
  REPRISE_EXPECT(facts, site->driver->facts());
  site->facts = *facts;
  REPRISE_RETURN_IF_ERROR(checkProgram(program, *site));
  auto prepared = std::make_unique<CudaProgram>(program, std::move(site));
  REPRISE_RETURN_IF_ERROR(prepared->prepare());
  return std::unique_ptr<DeviceProgram>(std::move(prepared));
}

std::unique_ptr<Device> makeCudaDevice(DriverOpener open, bool mayAdapt,
                                       const MeasuredWork &measured) {
  return std::make_unique<CudaDevice>(std::move(open), mayAdapt, measured);
}

Expected<Which> readWhich(const std::string &which) {
  Which result;
  std::string number = which, adapt = "adapt";
  if (number.size() >= adapt.size() &&
      !number.compare(number.size() - adapt.size(), adapt.size(), adapt)) {
    result.mayAdapt = true;
    number.resize(number.size() - adapt.size());
    if (!number.empty() && number.back() == ',')
      number.pop_back();
  }
  constexpr size_t kDigits = 3;
  if (number.size() > kDigits ||
      number.find_first_not_of("0123456789") != std::string::npos)
    return Status::error(RP_UNAVAILABLE,
                         "there is no GPU '" + which +
                             "'; write cuda:0, cuda:1, ... or cuda:0,adapt");
  result.number = number.empty() ? 0 : unsigned(std::stoul(number));
  return result;
}

} // namespace reprise::rt::cuda
