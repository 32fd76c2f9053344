//===- TextFrontend.cpp - Models of textual IR ----------------------------===//

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "reprise/NN/Frontend.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Text/Nesting.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace reprise;

/// Reads a file with the runtime's reader, whose messages give the reason of
/// failure. Returns null, with the reason in `error`, on failure.
static std::unique_ptr<llvm::MemoryBuffer> readText(const std::string &path,
                                                    std::string &error) {
  rt::Expected<rt::InputFile> file = rt::InputFile::open(path);
  if (!file.ok()) {
    error = file.status().message();
    return nullptr;
  }
  auto buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(file->size(), path);
  if (!buffer) {
    error = "no memory for '" + path + "'";
    return nullptr;
  }
  rt::Status read = file->readAt(0, buffer->getBufferStart(), file->size());
  error =
      read.ok()
          ? text::checkNesting(path, {buffer->getBufferStart(), file->size()})
          : read.message();
  return error.empty() ? std::move(buffer) : nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp>
frontend::loadText(const frontend::Source &source) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> text = readText(source.name, error);
  if (!text) {
    mlir::emitError(mlir::UnknownLoc::get(&source.context)) << error;
    return nullptr;
  }
  source.texts.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  return mlir::parseSourceFile<mlir::ModuleOp>(source.texts, &source.context);
}
