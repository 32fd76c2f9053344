//===- JsonAnswer.cpp - Answers to --json ---------------------------------===//

#include "reprise/Console/JsonAnswer.h"
#include "reprise/Console/Console.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;
using nlohmann::ordered_json;

static constexpr int kVersion = 1;
static bool hasAnswered = false;

bool &driver::wantsJson() {
  static bool wanted = false;
  return wanted;
}

rt::Status driver::printJson(const ordered_json &answer) {
  hasAnswered = true;
  ordered_json whole = {{"version", kVersion}};
  whole.update(answer);
  // Names of files may contain invalid UTF-8.
  return print(
      whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

void driver::printJsonError(const std::string &message) {
  if (wantsJson() && !hasAnswered)
    (void)printJson(
        {{"error", message.empty() ? "see standard error" : message}});
}
