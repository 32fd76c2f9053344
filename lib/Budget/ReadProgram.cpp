//===- ReadProgram.cpp - The facts of a program ---------------------------===//

#include "reprise/Budget/ReadProgram.h"
#include "reprise/Budget/Refusal.h"
#include "reprise/Console/Console.h"
#include "reprise/Program/ArtifactFile.h"
#include "reprise/Runtime/Expect.h"

using namespace reprise;
using namespace reprise::driver;

rt::Expected<ProgramFacts> driver::readProgram(const std::string &source,
                                               const ModelSettings &model,
                                               const CompileSettings &compile) {
  REPRISE_EXPECT(isCompiled, isArtifact(source));
  if (*isCompiled) {
    REPRISE_RETURN_IF_ERROR(refuseFlags(source, model, compile));
    REPRISE_EXPECT(artifact, ArtifactFile::open(source));
    return factsOf(*artifact);
  }
  REPRISE_EXPECT(request, readRequest(source, model, compile));
  Activity activity("planning " + source);
  Compiler compiler;
  REPRISE_RETURN_IF_ERROR(
      lowerRequest(compiler, *request, CompileLevel::Program));
  return compiler.facts();
}

rt::Status driver::noEntry(const std::string &source, const std::string &wanted,
                           const ProgramFacts &program) {
  std::string known;
  for (const EntryFacts &entry : program.entries)
    known += (known.empty() ? "" : ", ") + entry.name;
  return invalid("'" + source + "' has no entry '" + wanted +
                 "'; choose with --entry among: " + known);
}
