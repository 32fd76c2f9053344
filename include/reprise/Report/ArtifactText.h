//===- ArtifactText.h - An artifact as text and as JSON ---------*- C++ -*-===//
#ifndef REPRISE_REPORT_ARTIFACTTEXT_H
#define REPRISE_REPORT_ARTIFACTTEXT_H

#include "reprise/Program/ArtifactFile.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reprise::driver {

/// The lists that are shown besides the summary.
struct ArtifactParts {
  bool steps = false, variables = false, buffers = false;
};

/// Returns tables of an artifact's entries, bindings, budgets and `parts`.
std::string toText(const ArtifactFile &artifact, const ArtifactParts &parts);
/// Returns the same as JSON, with all variables.
nlohmann::ordered_json toJson(const ArtifactFile &artifact,
                              const ArtifactParts &parts);

} // namespace reprise::driver

#endif // REPRISE_REPORT_ARTIFACTTEXT_H
