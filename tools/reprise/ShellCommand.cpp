//===- ShellCommand.cpp - reprise completion, reprise man -----------------===//

#include "CommandLine.h"
#include "Console.h"
#include "ShellHelp.h"

using namespace reprise;
using namespace reprise::tools;

static int end(const rt::Status &status) {
  return status.ok() ? int(kSuccess) : fail(status);
}

static rt::Status printCompletion(const CLI::App &app,
                                  const std::string &shell) {
  if (shell == "bash")
    return print(bashCompletion(app));
  if (shell == "zsh")
    return print(zshCompletion(app));
  if (shell == "fish")
    return print(fishCompletion(app));
  return misuse("the shell is '" + shell + "'; say bash, zsh or fish");
}

void tools::addShellCommands(CLI::App &app, Invocation &invocation) {
  CLI::App *completion = app.add_subcommand(
      "completion", "Prints a script that completes commands and options");
  auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash, zsh or fish")->required();
  addExamples(*completion, "  reprise completion bash > reprise.bash");
  completion->callback([&app, shell, &invocation] {
    invocation = [&app, shell] { return end(printCompletion(app, *shell)); };
  });
  CLI::App *man =
      app.add_subcommand("man", "Prints a manual page of all commands");
  addExamples(*man, "  reprise man > reprise.1");
  man->callback([&app, &invocation] {
    invocation = [&app] {
      return end(print(manualPage(app, "reprise " REPRISE_VERSION)));
    };
  });
}
