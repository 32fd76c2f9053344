//===- DeviceCommand.cpp - reprise device ---------------------------------===//

#include "Command.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Driver/ModelSource.h"
#include "reprise/Program/ArtifactFile.h"
#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Target/Target.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

//===----------------------------------------------------------------------===//
// list
//===----------------------------------------------------------------------===//

namespace {
struct ListOptions {
  bool json = false;
};

/// A device of this build, which may not be usable here.
struct Listed {
  std::string name;
  rt::DeviceSummary summary;
  std::string missing; // the reason why it cannot be used; "": it can
};
} // namespace

static rt::Expected<rt::DeviceSummary> summarize(const std::string &name) {
  REPRISE_EXPECT(device, rt::openDevice(name));
  return (*device)->summary();
}

/// Appends the devices of that name: the first, and the numbered ones after it.
static void append(const std::string &name, std::vector<Listed> &devices) {
  constexpr int kMostNumbered = 64;
  auto first = summarize(name);
  devices.push_back({name, first.ok() ? *first : rt::DeviceSummary(),
                     first.ok() ? "" : first.status().message()});
  for (int number = 1; first.ok() && number < kMostNumbered; ++number) {
    std::string numbered = name + ":" + std::to_string(number);
    auto next = summarize(numbered);
    if (!next.ok())
      return;
    devices.push_back({numbered, *next, ""});
  }
}

static nlohmann::ordered_json jsonOf(const Listed &device) {
  nlohmann::ordered_json json = {{"device", device.name},
                                 {"usable", device.missing.empty()}};
  if (!device.missing.empty()) {
    json["missing"] = device.missing;
    return json;
  }
  json["name"] = device.summary.name;
  json["features"] = device.summary.features;
  json["library"] = device.summary.library;
  json["target"] = device.summary.target;
  for (const auto &[type, note] : device.summary.types)
    json["types"][type] = note;
  if (device.summary.totalBytes) {
    json["free_bytes"] = device.summary.freeBytes;
    json["memory_bytes"] = device.summary.totalBytes;
  }
  return json;
}

/// Adds a device's properties, or the reason why it cannot be used.
static void addLines(const Listed &device, text::Facts &lines) {
  const rt::DeviceSummary &summary = device.summary;
  if (!device.missing.empty()) {
    lines.add(device.name, "not here: " + device.missing);
    return;
  }
  std::string text = summary.name;
  if (summary.totalBytes)
    text += ", " + text::formatSize(summary.freeBytes) + " of " +
            text::formatSize(summary.totalBytes) + " free";
  lines.add(device.name, text);
  lines.add("  features", summary.features);
  lines.add("  library",
            summary.library.empty() ? "none is found" : summary.library);
  for (const auto &[type, note] : summary.types)
    lines.add("  " + type, note);
  lines.add("  compile for it with",
            summary.target.empty()
                ? "a description: reprise device describe " + device.name
                : "reprise compile --target " + summary.target);
}

static rt::Status list(const ListOptions &options) {
  std::vector<Listed> devices;
  for (const std::string &name : targetNames())
    append(name, devices);
  text::Facts lines;
  auto json = nlohmann::ordered_json::array();
  for (const Listed &device : devices) {
    addLines(device, lines);
    json.push_back(jsonOf(device));
  }
  return options.json ? printJson({{"devices", json}}) : print(lines.str());
}

static void addList(CLI::App &device, Invocation &invocation) {
  CLI::App *command = device.add_subcommand(
      "list", "Lists the devices, and what is missing to use the others");
  auto options = std::make_shared<ListOptions>();
  command->add_flag("--json", options->json, "Print JSON");
  addExamples(*command, "  reprise device list");
  onChosen(*command, invocation, [options] { return list(*options); });
}

//===----------------------------------------------------------------------===//
// describe
//===----------------------------------------------------------------------===//

namespace {
struct DescribeOptions {
  std::string device, output = "-";
  std::vector<std::string> calls;
};
} // namespace

static rt::Status describe(const DescribeOptions &options) {
  REPRISE_RETURN_IF_ERROR(checkOutput(options.output));
  std::vector<ArtifactFile> files;
  std::vector<const rt::fb::Program *> programs;
  for (const std::string &path : options.calls) {
    REPRISE_EXPECT(file, ArtifactFile::open(path));
    programs.push_back(&file->root());
    files.push_back(std::move(*file)); // its bytes keep their address
  }
  REPRISE_EXPECT(device, rt::openDevice(options.device));
  Activity activity("measuring " + options.device);
  REPRISE_EXPECT(text, (*device)->description(programs));
  return writeText(options.output, *text);
}

static void addDescribe(CLI::App &device, Invocation &invocation) {
  CLI::App *command = device.add_subcommand(
      "describe", "Writes the description of a local device, to compile for it "
                  "on another machine");
  auto options = std::make_shared<DescribeOptions>();
  command->add_option("device", options->device, "As cuda, or cuda:1")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "File to write (default: standard output)")
      ->check(writtenAs({".json"}), "");
  command->add_option(
      "--calls", options->calls,
      "Programs whose library calls are timed with every algorithm of the "
      "device; what is compiled with the description uses the fastest ones");
  addExamples(*command,
              "  reprise device describe cuda:0 -o h200.json\n"
              "  reprise compile resnet50 --target cuda:h200.json -o r50.rpx\n"
              "  reprise device describe cuda:0 --calls r50.rpx -o h200.json");
  onChosen(*command, invocation, [options] { return describe(*options); });
}

void driver::addDeviceCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "device", "Lists and describes the devices of this machine");
  command->require_subcommand(1);
  addExamples(*command, "  reprise device list\n"
                        "  reprise device describe cuda:0 -o gpu.json");
  addList(*command, invocation);
  addDescribe(*command, invocation);
}
