//===- ShellCommand.cpp - reprise help, completion and man ----------------===//

#include "Command.h"
#include "reprise/CheckpointingModes.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/CommandLine/ShellHelp.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/ModelSource.h"
#include "reprise/Run/RecipeKeys.h"

using namespace reprise;
using namespace reprise::driver;

/// Returns models of the zoo, checkpointing modes, and the choices of recipes.
static std::vector<std::string> valuesOf(const CLI::Option &option) {
  std::string name = option.get_name();
  if (name == "model" || name == "models") {
    std::vector<std::string> models;
    for (const zoo::ModelInfo &info : zoo::listModels())
      models.push_back(info.name);
    return models;
  }
  if (name == "--checkpointing")
    return exampleModes();
  if (name == "shell")
    return {"bash", "zsh", "fish"};
  static const recipe::Keys keys = allKeys();
  const recipe::Key *key = keys.findOption(name);
  return key ? key->choices : std::vector<std::string>();
}

static rt::Status printCompletion(const CLI::App &app,
                                  const std::string &shell) {
  auto values = [&app](const CLI::Option &option) {
    if (option.get_name() != "command")
      return valuesOf(option);
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands({}))
      names.push_back(command->get_name());
    return names;
  };
  if (shell == "bash")
    return print(bashCompletion(app, values));
  if (shell == "zsh")
    return print(zshCompletion(app, values));
  if (shell == "fish")
    return print(fishCompletion(app, values));
  return misuse("the shell is '" + shell + "'; choose bash, zsh or fish");
}

void driver::addShellCommands(CLI::App &app, Invocation &invocation) {
  CLI::App *completion = app.add_subcommand(
      "completion", "Prints a script that completes commands, options and "
                    "their values");
  auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash, zsh or fish")->required();
  addExamples(*completion, "  reprise completion bash > reprise.bash");
  onChosen(*completion, invocation,
           [&app, shell] { return printCompletion(app, *shell); });
  CLI::App *help = app.add_subcommand("help", "Shows the help of a command");
  auto words = std::make_shared<std::vector<std::string>>();
  help->add_option("command", *words, "As plan, or zoo list");
  addExamples(*help, "  reprise help plan\n  reprise help zoo list");
  onChosen(*help, invocation, [&app, words] {
    rt::Expected<std::string> text = helpOf(app, *words);
    return text.ok() ? print(*text) : text.status();
  });
  CLI::App *man =
      app.add_subcommand("man", "Prints a manual page of all commands");
  addExamples(*man, "  reprise man > reprise.1");
  onChosen(*man, invocation, [&app] {
    return print(manualPage(app, "reprise " REPRISE_VERSION));
  });
}
