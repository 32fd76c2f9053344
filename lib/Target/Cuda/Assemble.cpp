//===- Assemble.cpp - PTX to a cubin --------------------------------------===//
//
// Input:   PTX and an architecture.
// Output:  the cubin, and the registers, shared memory and spills of each
//          function.
// Method:  ptxas, on files in a separate folder within the system's temporary
//          one. Equal input gives equal bytes.
// Fails:   with the assembler's message if it rejects the code. A missing or
//          old toolkit or a full disk is a warning.
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"
#include "reprise/Target/TemporaryFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace reprise;
using llvm::StringRef;

/// Returns "" if there is none.
static std::string assemblerOf(StringRef toolkit) {
  llvm::SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "bin", "ptxas");
  return llvm::sys::fs::can_execute(path) ? path.str().str() : "";
}

/// Returns the assembler of the toolkit that CUDA_PATH names, of the PATH, or
/// of the usual folder; "" if there is none.
static std::string findAssembler() {
  if (const char *toolkit = std::getenv("CUDA_PATH"))
    if (std::string named = assemblerOf(toolkit); !named.empty())
      return named;
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  return assemblerOf("/usr/local/cuda");
}

/// Returns true if it rejects the language or the architecture, not the code.
static bool isTooOld(StringRef log) {
  return log.contains("Unsupported .version") ||
         log.contains("is not defined for option 'gpu-name'");
}

/// Returns the text of a file, "" if it cannot be read.
static std::string readText(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

static bool writeText(StringRef path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error)
    return false;
  out << text;
  out.close();
  bool failed = out.has_error();
  out.clear_error();
  return !failed;
}

/// Returns the number before `unit`, or 0.
static uint64_t numberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  uint64_t number = 0;
  StringRef before = line.take_front(end).rtrim();
  before = before.take_back(before.size() -
                            (before.find_last_not_of("0123456789") + 1));
  return before.getAsInteger(10, number) ? 0 : number;
}

/// Parses lines of `ptxas -v`: "Compiling entry function 'NAME' for ...", then
/// "... bytes spill stores, ... bytes spill loads", "Used N registers, ...".
static std::vector<PtxUse> readUses(StringRef log) {
  std::vector<PtxUse> uses;
  llvm::SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    if (line.contains("Compiling entry function")) {
      uses.emplace_back().function =
          line.split('\'').second.split('\'').first.str();
      continue;
    }
    if (uses.empty())
      continue;
    PtxUse &use = uses.back();
    use.spilledBytes += numberBefore(line, " bytes spill stores") +
                        numberBefore(line, " bytes spill loads");
    use.registers += numberBefore(line, " registers");
    use.sharedBytes += numberBefore(line, " bytes smem");
  }
  return uses;
}

mlir::FailureOr<std::optional<Cubin>>
reprise::assemble(mlir::Location loc, const std::string &ptx,
                  StringRef architecture) {
  auto unavailable = [&](const llvm::Twine &why) {
    mlir::emitWarning(loc) << why
                           << "; the program holds PTX alone, which the driver "
                              "compiles whenever it is loaded";
    return std::optional<Cubin>();
  };
  std::string assembler = findAssembler();
  if (assembler.empty())
    return unavailable(
        "no ptxas: install the CUDA toolkit, or say by CUDA_PATH "
        "where it is");
  TemporaryFolder folder("reprise-ptx");
  if (!folder.error().empty())
    return unavailable(folder.error());
  std::string source = folder.pathOf("kernels.ptx"),
              code = folder.pathOf("kernels.cubin"), log = folder.pathOf("log");
  if (!writeText(source, ptx))
    return unavailable("cannot write " + source);
  std::string arch = "-arch=" + architecture.str();
  StringRef arguments[] = {assembler, arch, "-fmad=false", "-v",
                           source,    "-o", code};
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  if (llvm::sys::ExecuteAndWait(assembler, arguments, std::nullopt,
                                redirects)) {
    std::string said = StringRef(readText(log)).trim().str();
    if (isTooOld(said))
      return unavailable(llvm::Twine("'") + assembler + "' is too old for " +
                         architecture + " (" + said +
                         "); set CUDA_PATH to a newer toolkit");
    return mlir::emitError(loc) << "ptxas fails: " << said;
  }
  std::string bytes = readText(code);
  return std::optional(
      Cubin{{bytes.begin(), bytes.end()}, readUses(readText(log))});
}
