//===- Terms.h - Shared enums in textual IR ---------------------*- C++ -*-===//
#ifndef REPRISE_IR_TERMS_H
#define REPRISE_IR_TERMS_H

#include "mlir/IR/OpImplementation.h"
#include "reprise/ProgramTerms.h"

namespace reprise {

/// Parses the name of one of the first `count` values of an enum. Fails, with
/// an error that lists them, at any other word.
template <typename Enum>
mlir::FailureOr<Enum> parseTerm(mlir::AsmParser &parser,
                                size_t count = kCountOf<Enum>) {
  llvm::SMLoc at = parser.getCurrentLocation();
  std::string word;
  if (parser.parseKeywordOrString(&word))
    return mlir::failure();
  std::optional<Enum> term = termOf<Enum>(word);
  if (term && size_t(*term) < count)
    return *term;
  mlir::InFlightDiagnostic error = parser.emitError(at)
                                   << "'" << word << "' is none of those known";
  llvm::StringRef separator = ": ";
  for (size_t number = 0; number < count; ++number) {
    llvm::StringRef name = termName(Enum(number));
    if (name.empty())
      continue;
    error << separator << name;
    separator = ", ";
  }
  return error;
}

} // namespace reprise

#endif // REPRISE_IR_TERMS_H
