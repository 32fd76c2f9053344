//===- FileModel.h - Tests of a model in a file -----------------*- C++ -*-===//
#ifndef REPRISE_TEST_ENDTOEND_FILEMODEL_H
#define REPRISE_TEST_ENDTOEND_FILEMODEL_H

#include "CompiledRun.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace reprise::end_to_end {

/// A test of a model of textual MLIR. Errors fail the test; `model` is null
/// after one of the parser.
class FileModel : public testing::Test {
protected:
  explicit FileModel(llvm::StringRef path) {
    loadDialects(context);
    context.getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
        ADD_FAILURE() << diagnostic.str();
      return mlir::success();
    });
    mlir::ParserConfig config(&context);
    model = mlir::parseSourceFile<mlir::ModuleOp>(path, config);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> model;
};

} // namespace reprise::end_to_end

#endif // REPRISE_TEST_ENDTOEND_FILEMODEL_H
