//===- LinkImage.cpp - Linking objects into a shared object ---------------===//
//
// lld works on files: the objects go into a temporary directory that is always
// removed. lld keeps global state, so one link runs at a time.
//
//===----------------------------------------------------------------------===//

#include "MachineCode.h"
#include "lld/Common/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include "reprise/Target/TemporaryFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace reprise;

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult writeFile(StringRef path, ArrayRef<char> bytes,
                               EmitError emitError) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (!code) {
    stream.write(bytes.data(), bytes.size());
    stream.close();
    code = stream.error();
  }
  if (!code)
    return success();
  stream.clear_error();
  InFlightDiagnostic error = emitError();
  error << "cannot write '" << path << "': " << code.message();
  if (code == std::errc::file_too_large)
    error << "; raise 'ulimit -f'";
  return error;
}

static LogicalResult runLinker(ArrayRef<std::string> inputs,
                               const std::string &output, EmitError emitError) {
  SmallVector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "--build-id=none",
                                         "--hash-style=gnu",
                                         "--threads=1",
                                         "-O1",
                                         "-z",
                                         "separate-code",
                                         "-z",
                                         "noexecstack",
                                         "-z",
                                         "relro",
                                         "-s",
                                         "-o",
                                         output.c_str()};
  for (const std::string &input : inputs)
    arguments.push_back(input.c_str());
  static std::mutex oneLink;
  std::lock_guard<std::mutex> guard(oneLink);
  std::string said;
  llvm::raw_string_ostream stream(said);
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return success();
  return emitError() << (said.empty() ? "the linker failed without a message"
                                      : said);
}

FailureOr<std::vector<uint8_t>>
reprise::linkSharedObject(ArrayRef<ObjectFile> objects, Location loc) {
  auto emitError = [&] {
    return mlir::emitError(loc) << "kernels cannot be linked: ";
  };
  TemporaryFolder folder("reprise-kernels");
  if (!folder.error().empty())
    return emitError() << folder.error();
  SmallVector<std::string> inputs;
  for (auto [i, object] : llvm::enumerate(objects)) {
    inputs.push_back(folder.pathOf("part" + std::to_string(i) + ".o"));
    if (failed(writeFile(inputs.back(), object, emitError)))
      return failure();
  }
  std::string output = folder.pathOf("kernels.so");
  if (failed(runLinker(inputs, output, emitError)))
    return failure();
  auto image = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!image)
    return emitError() << "cannot read the result: "
                       << image.getError().message();
  StringRef bytes = (*image)->getBuffer();
  return std::vector<uint8_t>(bytes.bytes_begin(), bytes.bytes_end());
}
