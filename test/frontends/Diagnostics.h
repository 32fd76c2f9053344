//===- Diagnostics.h - Collecting a context's errors ------------*- C++ -*-===//
#ifndef REPRISE_TEST_FRONTENDS_DIAGNOSTICS_H
#define REPRISE_TEST_FRONTENDS_DIAGNOSTICS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace reprise::test {

/// While it lives, takes a context's diagnostics, one a line: "LOCATION: TEXT".
class CollectedDiagnostics {
public:
  explicit CollectedDiagnostics(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          llvm::raw_string_ostream stream(text);
          if (auto name =
                  llvm::dyn_cast<mlir::NameLoc>(diagnostic.getLocation()))
            stream << name.getName().strref() << ": ";
          stream << diagnostic << "\n";
          return mlir::success();
        }) {}

  const std::string &get() const { return text; }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace reprise::test

#endif // REPRISE_TEST_FRONTENDS_DIAGNOSTICS_H
