//===- JsonAnswer.h - Answers to --json -------------------------*- C++ -*-===//
//
// Every answer is one object that begins with "version", the number of the
// format. Lists are members of it. A refusal has its reason in "error", with
// the known facts as other members.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CONSOLE_JSONANSWER_H
#define REPRISE_CONSOLE_JSONANSWER_H

#include "reprise/Runtime/Status.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reprise::driver {

/// Set before work begins if the user asked for JSON.
bool &wantsJson();

/// Prints the members of `answer`, an object, after the version.
rt::Status printJson(const nlohmann::ordered_json &answer);

/// Prints the error alone, if JSON is requested and no answer was printed.
void printJsonError(const std::string &message);

} // namespace reprise::driver

#endif // REPRISE_CONSOLE_JSONANSWER_H
