//===- Syntax.h - Parts of the syntax that ops and attributes share -------===//
#ifndef REPRISE_LIB_STABLEHLO_SYNTAX_H
#define REPRISE_LIB_STABLEHLO_SYNTAX_H

#include "reprise/StableHlo/StableHlo.h"

namespace reprise::stablehlo {

/// "[0, 1]".
mlir::ParseResult parseIntegerList(mlir::AsmParser &parser,
                                   llvm::SmallVectorImpl<int64_t> &numbers);
void printIntegerList(mlir::AsmPrinter &printer,
                      llvm::ArrayRef<int64_t> numbers);

/// "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]".
mlir::ParseResult parseConvDimensions(mlir::AsmParser &parser,
                                      ConvDimensionNumbersAttr &numbers);
void printConvDimensions(mlir::AsmPrinter &printer,
                         ConvDimensionNumbersAttr numbers);

} // namespace reprise::stablehlo

#endif // REPRISE_LIB_STABLEHLO_SYNTAX_H
