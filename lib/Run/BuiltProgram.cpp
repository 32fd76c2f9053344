//===- BuiltProgram.cpp - A program opened for runs -----------------------===//

#include "reprise/Run/BuiltProgram.h"
#include "reprise/Console/Console.h"
#include "reprise/Program/ArtifactFile.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/HostProcessors.h"
#include "reprise/Runtime/Trainer/Backend.h"

using namespace reprise;
using namespace reprise::driver;

/// Takes a program, and its facts from `artifact` if requested.
template <typename Artifact>
static rt::Expected<BuiltProgram> take(rp_program *program, bool describes,
                                       Artifact artifact) {
  BuiltProgram built;
  built.program = std::shared_ptr<rp_program>(program, rp_program_close);
  if (!describes)
    return built;
  REPRISE_EXPECT(file, artifact());
  built.facts = std::make_shared<ProgramFacts>(factsOf(*file));
  return built;
}

rt::Expected<BuiltProgram> driver::openBytes(const std::vector<uint8_t> &bytes,
                                             bool describes) {
  rp_program *program = nullptr;
  REPRISE_RETURN_IF_ERROR(rt::takeStatus(
      rp_program_from_memory(bytes.data(), bytes.size(), &program)));
  return take(program, describes, [&] {
    return ArtifactFile::fromMemory(bytes.data(), bytes.size());
  });
}

/// Warns of an artifact with more threads than processors.
static void warnOfThreads(const rp_program *program, const std::string &path) {
  rt::ProcessorLimit limit = rt::usableProcessors();
  uint32_t threads = rp_program_threads(program);
  if (std::string(rp_program_device(program)) != "cpu" ||
      threads <= limit.processors)
    return;
  warn("'" + path + "' is compiled for " + std::to_string(threads) +
       " threads, but " + limit.name + " leaves this process " +
       std::to_string(limit.processors) +
       (limit.processors == 1 ? " processor" : " processors") +
       "; its steps are slower than planned: compile it with --threads " +
       std::to_string(limit.processors));
}

rt::Expected<BuiltProgram> driver::openFile(const std::string &path,
                                            bool describes) {
  rp_program *program = nullptr;
  REPRISE_RETURN_IF_ERROR(
      rt::takeStatus(rp_program_open(path.c_str(), &program)));
  warnOfThreads(program, path);
  return take(program, describes, [&] { return ArtifactFile::open(path); });
}
