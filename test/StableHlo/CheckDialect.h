//===- CheckDialect.h - Ops that compare numbers ----------------*- C++ -*-===//
#ifndef REPRISE_TEST_STABLEHLO_CHECKDIALECT_H
#define REPRISE_TEST_STABLEHLO_CHECKDIALECT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"

namespace reprise::check {

/// The comparisons of the StableHLO project's tests, such as
/// `check.expect_eq_const %x, dense<1> : tensor<i32>`. Its ops have no
/// definitions: they only exist between parsing and `lowerChecks`.
class CheckDialect : public mlir::Dialect {
public:
  explicit CheckDialect(mlir::MLIRContext *context);
  static llvm::StringRef getDialectNamespace() { return "check"; }
  std::optional<ParseOpHook>
  getParseOperationHook(llvm::StringRef name) const override;
};

/// Replaces the ops of the dialect by calls of `stablehlo.custom_call`.
void lowerChecks(mlir::ModuleOp module);

} // namespace reprise::check

#endif // REPRISE_TEST_STABLEHLO_CHECKDIALECT_H
