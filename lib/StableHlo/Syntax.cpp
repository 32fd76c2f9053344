//===- Syntax.cpp - Parts of the syntax that ops and attributes share -----===//
#include "Syntax.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace reprise::stablehlo;

ParseResult
reprise::stablehlo::parseIntegerList(AsmParser &parser,
                                     SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(numbers.emplace_back());
  });
}

void reprise::stablehlo::printIntegerList(AsmPrinter &printer,
                                          ArrayRef<int64_t> numbers) {
  printer << '[';
  llvm::interleaveComma(numbers, printer);
  printer << ']';
}

namespace {
/// One of the three lists: the positions of two letters and of the numbers.
struct Layout {
  StringLiteral first, second;
  int64_t firstAt = -1, secondAt = -1;
  SmallVector<int64_t> spatial = {};
};
} // namespace

/// More dimensions of space than any array has.
static constexpr int64_t kMostSpatial = 64;

static ParseResult parseLayout(AsmParser &parser, Layout &layout) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> at; // by number
  int64_t position = 0;
  auto parseLetter = [&]() -> ParseResult {
    int64_t here = position++;
    if (succeeded(parser.parseOptionalKeyword(layout.first)))
      return std::exchange(layout.firstAt, here) < 0 ? success() : failure();
    if (succeeded(parser.parseOptionalKeyword(layout.second)))
      return std::exchange(layout.secondAt, here) < 0 ? success() : failure();
    int64_t number;
    if (parser.parseInteger(number))
      return failure();
    if (number < 0 || number >= kMostSpatial)
      return parser.emitError(loc) << "dimension of space out of range";
    at.resize(std::max<size_t>(at.size(), number + 1), -1);
    return std::exchange(at[number], here) < 0 ? success() : failure();
  };
  ParseResult parsed =
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseLetter);
  if (failed(parsed) || layout.firstAt < 0 || layout.secondAt < 0 ||
      llvm::is_contained(at, -1))
    return parser.emitError(loc)
           << "expected a list of '" << layout.first << "', '" << layout.second
           << "' and the dimensions of space, each once";
  layout.spatial = std::move(at);
  return success();
}

ParseResult
reprise::stablehlo::parseConvDimensions(AsmParser &parser,
                                        ConvDimensionNumbersAttr &numbers) {
  Layout input{"b", "f"}, kernel{"i", "o"}, output{"b", "f"};
  // "]x[" may be read as one word in front of the bracket.
  if (parseLayout(parser, input) || parser.parseKeyword("x") ||
      parseLayout(parser, kernel) || parser.parseArrow() ||
      parseLayout(parser, output))
    return failure();
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.firstAt, input.secondAt, input.spatial,
      kernel.firstAt, kernel.secondAt, kernel.spatial, output.firstAt,
      output.secondAt, output.spatial);
  return success();
}

static void printLayout(AsmPrinter &printer, StringRef first, int64_t firstAt,
                        StringRef second, int64_t secondAt,
                        ArrayRef<int64_t> spatial) {
  SmallVector<std::pair<int64_t, std::string>> letters = {
      {firstAt, first.str()}, {secondAt, second.str()}};
  for (auto [number, at] : llvm::enumerate(spatial))
    letters.push_back({at, std::to_string(number)});
  llvm::sort(letters);
  printer << '[';
  llvm::interleaveComma(llvm::make_second_range(letters), printer);
  printer << ']';
}

void reprise::stablehlo::printConvDimensions(AsmPrinter &printer,
                                             ConvDimensionNumbersAttr numbers) {
  printLayout(printer, "b", numbers.getInputBatch(), "f",
              numbers.getInputFeature(), numbers.getInputSpatial());
  printer << 'x';
  printLayout(printer, "i", numbers.getKernelInput(), "o",
              numbers.getKernelOutput(), numbers.getKernelSpatial());
  printer << "->";
  printLayout(printer, "b", numbers.getOutputBatch(), "f",
              numbers.getOutputFeature(), numbers.getOutputSpatial());
}
