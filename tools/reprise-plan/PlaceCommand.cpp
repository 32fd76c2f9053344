//===- PlaceCommand.cpp - reprise-plan place ------------------------------===//

#include "Command.h"
#include "reprise/PlanSearch/InputFile.h"
#include "reprise/PlanSearch/PlaceBuffers.h"
#include "reprise/PlanSearch/Problem.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"

using namespace reprise;
using namespace reprise::plan;
using namespace reprise::plan::search;
using namespace reprise::plan::tool;
using format::CsvBuffer;

namespace {
struct PlaceOptions {
  std::string buffers, capacity, output;
  double work = 1;
  bool json = false;
};
} // namespace

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

static rt::Status place(const PlaceOptions &options) {
  if (!options.output.empty())
    REPRISE_RETURN_IF_ERROR(driver::checkOutput(options.output));
  REPRISE_EXPECT(text, readInput(options.buffers));
  REPRISE_EXPECT(buffers,
                 format::readBuffers(inputName(options.buffers), *text));
  std::optional<uint64_t> capacity;
  if (!options.capacity.empty()) {
    REPRISE_EXPECT(bytes, text::parseSize(options.capacity));
    capacity = *bytes;
  }
  REPRISE_EXPECT(placed,
                 search::placeBuffers(*buffers, capacity, options.work));
  if (!options.output.empty())
    REPRISE_RETURN_IF_ERROR(driver::writeText(
        options.output,
        format::writeBuffers(*buffers, placed->placement.offsets)));
  if (options.output == "-")
    return {};
  return report(options, buffers->size(), placed->maxLive, placed->placement);
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
