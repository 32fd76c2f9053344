//===- Pattern.cpp - Globs of names ---------------------------------------===//

#include "reprise/IR/Pattern.h"

using namespace mlir;

FailureOr<llvm::GlobPattern>
reprise::parsePattern(StringRef text,
                      llvm::function_ref<InFlightDiagnostic()> emitError) {
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(text);
  if (!glob)
    return emitError() << "'" << text << "' is not a pattern: "
                       << llvm::toString(glob.takeError());
  return std::move(*glob);
}
