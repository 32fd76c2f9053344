//===- ParsedOptions.h - The options of a parser ----------------*- C++ -*-===//
#ifndef REPRISE_COMMANDLINE_PARSEDOPTIONS_H
#define REPRISE_COMMANDLINE_PARSEDOPTIONS_H

#include "reprise/Console/GivenOptions.h"
#include <CLI/CLI.hpp>

namespace reprise::driver {

/// The options of a command of CLI11, which must outlive this.
class ParsedOptions final : public GivenOptions {
public:
  explicit ParsedOptions(CLI::App &command) : command(command) {}

  bool knows(const std::string &option) const override;
  std::vector<std::string> valuesOf(const std::string &option) const override;
  bool isOn(const std::string &option) const override;
  std::vector<std::string> namesIn(const std::string &group) const override;
  std::string groupOf(const std::string &option) const override;
  std::string set(const std::string &option,
                  const std::vector<std::string> &values) override;

private:
  CLI::App &command;
};

} // namespace reprise::driver

#endif // REPRISE_COMMANDLINE_PARSEDOPTIONS_H
