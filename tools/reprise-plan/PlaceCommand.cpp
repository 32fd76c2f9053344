//===- PlaceCommand.cpp - reprise-plan place ------------------------------===//

#include "Command.h"
#include "Input.h"
#include "Solving.h"
#include "reprise/PlanFormat/BuffersCsv.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <numeric>

using namespace reprise;
using namespace reprise::plan;
using namespace reprise::plan::tool;
using format::CsvBuffer;

namespace {
struct PlaceOptions {
  std::string buffers, capacity, output;
  double work = 1;
  bool json = false;
};
} // namespace

/// Returns the largest sum of bytes live at once, and its time.
static std::pair<uint64_t, uint64_t>
findMaxLive(const std::vector<CsvBuffer> &buffers) {
  std::vector<std::pair<uint64_t, size_t>> begins, ends;
  for (size_t i = 0; i < buffers.size(); ++i) {
    begins.push_back({buffers[i].lower, i});
    ends.push_back({buffers[i].upper, i});
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  uint64_t live = 0;
  std::pair<uint64_t, uint64_t> most = {0, 0};
  size_t gone = 0;
  for (auto [time, id] : begins) {
    for (; ends[gone].first <= time; ++gone)
      live -= buffers[ends[gone].second].size;
    live += buffers[id].size;
    if (live > most.first)
      most = {live, time};
  }
  return most;
}

/// Checks every pair that lives together, independent of the solver.
static std::string checkPlacement(const std::vector<CsvBuffer> &buffers,
                                  const Placement &placement) {
  std::vector<size_t> order(buffers.size()), live;
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].lower < buffers[b].lower;
  });
  for (size_t id : order) {
    const CsvBuffer &buffer = buffers[id];
    uint64_t begin = placement.offsets[id], end = begin + buffer.size;
    if (end > placement.height)
      return "buffer '" + buffer.id + "' ends past the height";
    live.erase(std::remove_if(live.begin(), live.end(),
                              [&](size_t other) {
                                return buffers[other].upper <= buffer.lower;
                              }),
               live.end());
    for (size_t other : live)
      if (placement.offsets[other] < end &&
          begin < placement.offsets[other] + buffers[other].size)
        return "buffers '" + buffer.id + "' and '" + buffers[other].id +
               "' overlap";
    live.push_back(id);
  }
  return "";
}

static rt::Status report(const PlaceOptions &options, size_t count,
                         uint64_t maxLive, const Placement &placement) {
  double lost = maxLive ? double(placement.height) / double(maxLive) - 1 : 0;
  if (options.json) {
    OrderedJson json = {{"buffers", count},
                        {"max_live_bytes", maxLive},
                        {"height_bytes", placement.height},
                        {"fragmentation", lost},
                        {"strategy", placement.strategy}};
    return driver::print(json.dump(2) + "\n");
  }
  text::Facts facts;
  facts.add("buffers:", std::to_string(count));
  facts.add("most live at once:", bothSizes(maxLive));
  facts.add("height:", bothSizes(placement.height));
  facts.add("fragmentation:", text::formatFixed(lost * 100, 3) + "%");
  facts.add("found by:", placement.strategy);
  return driver::print(facts.str());
}

static rt::Expected<Placement> place(const PlaceOptions &options,
                                     const std::vector<CsvBuffer> &buffers,
                                     uint64_t maxLive, uint64_t peakTime) {
  std::vector<Buffer> items = format::toBuffers(buffers);
  auto work = uint64_t(options.work * double(kPlacementWork));
  if (options.capacity.empty())
    return placeBuffers(items, maxLive, work);
  rt::Expected<uint64_t> capacity = text::parseSize(options.capacity);
  if (!capacity.ok())
    return capacity.status();
  if (maxLive > *capacity)
    return driver::invalid("capacity of " + bothSizes(*capacity) +
                           " cannot be met: " + bothSizes(maxLive) +
                           " are live at time " + std::to_string(peakTime));
  // More than placeBuffers needs for all of its heights.
  constexpr uint64_t patience = 8;
  FitResult fit = placeWithin(items, *capacity, work * patience);
  if (fit.outcome == FitOutcome::Impossible)
    return driver::invalid("capacity of " + bothSizes(*capacity) +
                           " cannot be met by any placement, although only " +
                           bothSizes(maxLive) + " are live at once");
  if (fit.outcome == FitOutcome::LimitReached)
    return driver::invalid("no placement within " + bothSizes(*capacity) +
                           " was found; the lowest one takes " +
                           bothSizes(fit.placement.height) +
                           "; --work searches longer");
  return std::move(fit.placement);
}

static rt::Status place(const PlaceOptions &options) {
  if (!options.output.empty())
    REPRISE_RETURN_IF_ERROR(driver::checkOutput(options.output));
  rt::Expected<std::string> text = readInput(options.buffers);
  if (!text.ok())
    return text.status();
  rt::Expected<std::vector<CsvBuffer>> buffers =
      format::readBuffers(inputName(options.buffers), *text);
  if (!buffers.ok())
    return buffers.status();
  auto [maxLive, peakTime] = findMaxLive(*buffers);
  rt::Expected<Placement> placement =
      place(options, *buffers, maxLive, peakTime);
  if (!placement.ok())
    return placement.status();
  if (std::string error = checkPlacement(*buffers, *placement); !error.empty())
    return rt::Status::error(
        RP_INTERNAL, "the placement is wrong, please report it: " + error);
  if (!options.output.empty())
    REPRISE_RETURN_IF_ERROR(driver::writeText(
        options.output, format::writeBuffers(*buffers, placement->offsets)));
  if (options.output == "-")
    return {};
  return report(options, buffers->size(), maxLive, *placement);
}

void plan::tool::addPlaceCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "place", "Finds offsets for buffers with sizes and lifetimes");
  auto options = std::make_shared<PlaceOptions>();
  command
      ->add_option("buffers", options->buffers,
                   "CSV with the columns id,lower,upper,size; a buffer lives "
                   "in [lower, upper); - for standard input")
      ->required();
  command->add_option("--capacity", options->capacity,
                      "Fail unless it fits these bytes: 1048576, 1MiB; without "
                      "it, the lowest placement found is taken");
  command
      ->add_option(
          "--work", options->work,
          "Effort of the search; 1 (default) is up to two minutes with "
          "a capacity, seconds without")
      ->check(CLI::Range(0.0, 1e6));
  command->add_option("-o,--output", options->output,
                      "File for the table with a column of offsets; - for "
                      "standard output, without the summary");
  command->add_flag("--json", options->json, "Print JSON");
  driver::addExamples(*command,
                      "  reprise-plan place buffers.csv -o placed.csv\n"
                      "  reprise-plan place buffers.csv --capacity 1MiB "
                      "--json");
  command->callback([options, &invocation] {
    invocation = [options] { return place(*options); };
  });
}
