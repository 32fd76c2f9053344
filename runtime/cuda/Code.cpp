//===- Code.cpp - The code of a program for a GPU -------------------------===//
//
// A cubin runs on devices of its major architecture that are not older; PTX on
// all that are not older.
//
//===----------------------------------------------------------------------===//
#include "Code.h"
#include "reprise/Runtime/Cuda/cuda_code_generated.h"
#include "reprise/Runtime/Expect.h"

#include <map>

namespace reprise::rt::cuda {

static Status incompatible(const std::string &what,
                           const char *file = __builtin_FILE(),
                           int line = __builtin_LINE()) {
  return Status::error(RP_INCOMPATIBLE, what, file, line);
}

/// Returns the number of "sm_90", or -1. Its last digit is the minor one.
static int numberOf(const std::string &architecture) {
  int number = 0;
  if (architecture.rfind("sm_", 0) != 0 || architecture.size() > 6)
    return -1;
  for (char c : architecture.substr(3)) {
    if (c < '0' || c > '9')
      return -1;
    number = number * 10 + (c - '0');
  }
  return number >= 10 ? number : -1;
}

static Expected<const cuda_fb::Code *> verified(const fb::Program &program) {
  const auto *bytes = program.code();
  flatbuffers::Verifier verifier(bytes ? bytes->data() : nullptr,
                                 bytes ? bytes->size() : 0);
  bool isValid = bytes && cuda_fb::VerifyCodeBuffer(verifier);
  if (!isValid)
    return incompatible("the artifact's code is none for device 'cuda'");
  const cuda_fb::Code *code = cuda_fb::GetCode(bytes->data());
  if (!code->architecture() || !code->kernels())
    return incompatible("the artifact's code says no architecture or has no "
                        "kernels");
  return code;
}

/// Reads the number of threads of each of the program's kernels.
static Status readKernels(const fb::Program &program, const cuda_fb::Code &code,
                          Code &result) {
  constexpr uint32_t kMostThreads = 1024;
  std::map<std::string, uint32_t> threads;
  for (const cuda_fb::Kernel *kernel : *code.kernels())
    if (kernel->name())
      threads[kernel->name()->str()] = kernel->threads();
  for (const flatbuffers::String *name : *program.kernels()) {
    auto found = threads.find(name->str());
    if (found == threads.end())
      return incompatible("the artifact's code has no kernel '" + name->str() +
                          "'");
    if (found->second == 0 || found->second > kMostThreads)
      return incompatible("kernel '" + name->str() + "' has blocks of " +
                          std::to_string(found->second) + " threads");
    result.names.push_back(name->str());
    result.threads.push_back(found->second);
  }
  return {};
}

Expected<Code> readCode(const fb::Program &program,
                        const std::string &architecture) {
  REPRISE_EXPECT(code, verified(program));
  std::string needed = (*code)->architecture()->str();
  int needs = numberOf(needed), has = numberOf(architecture);
  bool isNewEnough = needs > 0 && has >= needs;
  if (!isNewEnough)
    return incompatible(
        "the artifact was compiled for devices of " + needed +
        " or newer, this one is of " + architecture +
        "; compile the model again with --target cuda:" + architecture);
  Code result;
  const auto *cubin = (*code)->cubin();
  bool takesCubin = cubin && cubin->size() && needs / 10 == has / 10;
  if (!takesCubin && !(*code)->ptx())
    return incompatible("the artifact has code for " + needed +
                        " alone, this device is of " + architecture);
  result.image = takesCubin ? static_cast<const void *>(cubin->data())
                            : (*code)->ptx()->c_str();
  result.bytes = takesCubin ? cubin->size() : (*code)->ptx()->size() + 1;
  REPRISE_RETURN_IF_ERROR(readKernels(program, **code, result));
  return result;
}

} // namespace reprise::rt::cuda
