//===- TrainCommand.cpp - reprise train -----------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Run/TrainingRun.h"

using namespace reprise;
using namespace reprise::driver;

void driver::addTrainCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "train", "Trains a model; a zoo's model takes image size, channels and "
               "classes from the data where they are not given");
  auto options = std::make_shared<TrainSettings>();
  addTrainOptions(*command, *options);
  addExamples(
      *command,
      "  reprise train resnet18 --data /usr/share/datasets/fashion-mnist "
      "--batch 128 \\\n"
      "    --epochs 1 --lr 0.05 --schedule cosine --weight-decay 5e-4 "
      "--checkpointing segments=4\n"
      "  reprise train r50.rpx --data synthetic --steps 20 --save "
      "s.safetensors");
  command->callback([options, &invocation] {
    invocation = [options] {
      rt::Status status = runTraining(*options);
      return status.ok() ? int(kSuccess)
                         : failTraining(*options, status, makeTraining);
    };
  });
}
