//===- JsonAnswer.h - Answers to --json -------------------------*- C++ -*-===//
//
// Every answer is one object that begins with "version", the number of this
// form. A list of things is a member of it. What is refused says why in
// "error", with what is known beside it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_JSONANSWER_H
#define REPRISE_TOOLS_JSONANSWER_H

#include "reprise/Runtime/Status.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reprise::tools {

/// Whether the user asked for JSON; set before work begins.
bool &wantsJson();

/// Prints the members of `answer`, an object, behind the version.
rt::Status printJson(const nlohmann::ordered_json &answer);

/// Prints the error alone, where JSON is wanted and no answer was printed.
void printJsonError(const std::string &message);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_JSONANSWER_H
