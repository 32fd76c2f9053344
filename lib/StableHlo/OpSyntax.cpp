//===- OpSyntax.cpp - The syntax of the ops -------------------------------===//
//
// Directives of assembly formats, and the formats of ops with regions. Output
// is what the StableHLO project prints.
//
//===----------------------------------------------------------------------===//
#include "Syntax.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::stablehlo;

using Operand = OpAsmParser::UnresolvedOperand;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Parses "T", which all of `types` are, or "(T, U) -> V".
static ParseResult parseOneOrAll(OpAsmParser &parser, ArrayRef<Type *> types) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  auto function = dyn_cast<FunctionType>(type);
  if (!function) {
    for (Type *each : types)
      *each = type;
    return success();
  }
  if (function.getNumInputs() + 1 != types.size() ||
      function.getNumResults() != 1)
    return parser.emitError(loc) << "expected " << types.size() - 1
                                 << " types of operands and one of a result";
  for (auto [each, input] : llvm::zip(types, function.getInputs()))
    *each = input;
  *types.back() = function.getResult(0);
  return success();
}

static void printOneOrAll(OpAsmPrinter &printer, ArrayRef<Type> types) {
  if (llvm::all_equal(types)) {
    printer << types.front();
    return;
  }
  printer << '(';
  llvm::interleaveComma(types.drop_back(), printer);
  printer << ") -> " << types.back();
}

static ParseResult parseSameTypes(OpAsmParser &parser, Type &a, Type &result) {
  return parseOneOrAll(parser, {&a, &result});
}
static ParseResult parseSameTypes(OpAsmParser &parser, Type &a, Type &b,
                                  Type &result) {
  return parseOneOrAll(parser, {&a, &b, &result});
}
static ParseResult parseSameTypes(OpAsmParser &parser, Type &a, Type &b,
                                  Type &c, Type &result) {
  return parseOneOrAll(parser, {&a, &b, &c, &result});
}
template <typename... Types>
static void printSameTypes(OpAsmPrinter &printer, Operation *, Types... types) {
  printOneOrAll(printer, {types...});
}

static ParseResult parseSelectTypes(OpAsmParser &parser, Type &pred, Type &a,
                                    Type &b, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types))
    return failure();
  auto function = dyn_cast<FunctionType>(types.front());
  if (types.size() == 2) {
    pred = types[0];
    a = b = result = types[1];
    return success();
  }
  if (types.size() != 1 || !function || function.getNumInputs() != 3 ||
      function.getNumResults() != 1)
    return parser.emitError(loc) << "expected the types of the condition and "
                                    "of what is selected";
  pred = function.getInput(0);
  a = function.getInput(1);
  b = function.getInput(2);
  result = function.getResult(0);
  return success();
}

static void printSelectTypes(OpAsmPrinter &printer, Operation *, Type pred,
                             Type a, Type b, Type result) {
  if (a == b && b == result)
    printer << pred << ", " << a;
  else
    printOneOrAll(printer, {pred, a, b, result});
}

/// Parses the type of the result, whose parts the operands are, or all types.
static ParseResult parseComplexTypes(OpAsmParser &parser, Type &real,
                                     Type &imaginary, Type &result) {
  if (parseOneOrAll(parser, {&real, &imaginary, &result}))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(result);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : nullptr;
  if (complex && real == result)
    real = imaginary = tensor.clone(complex.getElementType());
  return success();
}

static void printComplexTypes(OpAsmPrinter &printer, Operation *, Type real,
                              Type imaginary, Type result) {
  auto tensor = dyn_cast<RankedTensorType>(result);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : nullptr;
  if (complex && real == imaginary &&
      real == tensor.clone(complex.getElementType()))
    printer << result;
  else
    printOneOrAll(printer, {real, imaginary, result});
}

static ParseResult parsePairedTypes(OpAsmParser &parser,
                                    SmallVectorImpl<Type> &operands,
                                    SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  llvm::append_range(results, operands);
  return success();
}

static void printPairedTypes(OpAsmPrinter &printer, Operation *,
                             TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static ParseResult parseConstantValue(OpAsmParser &parser, ElementsAttr &value,
                                      Type &type) {
  if (parser.parseAttribute(value))
    return failure();
  type = value.getType();
  return success();
}

static void printConstantValue(OpAsmPrinter &printer, Operation *,
                               ElementsAttr value, Type) {
  printer << value;
}

static ParseResult parseI64List(OpAsmParser &parser, Attribute &list) {
  SmallVector<int64_t> numbers;
  if (parseIntegerList(parser, numbers))
    return failure();
  list = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  return success();
}

static void printI64List(OpAsmPrinter &printer, Operation *, Attribute list) {
  printIntegerList(printer, integersOf(list));
}

static ParseResult parseExponentMantissa(OpAsmParser &parser,
                                         IntegerAttr &exponent,
                                         IntegerAttr &mantissa) {
  StringRef format;
  SMLoc loc = parser.getCurrentLocation();
  int32_t exponentBits, mantissaBits;
  if (parser.parseKeyword(&format))
    return failure();
  StringRef rest = format;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.getAsInteger(10, mantissaBits))
    return parser.emitError(loc) << "expected a format such as e5m10";
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

static void printExponentMantissa(OpAsmPrinter &printer, Operation *,
                                  IntegerAttr exponent, IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

static ParseResult parseCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

static void printCallTarget(OpAsmPrinter &printer, Operation *,
                            StringAttr target) {
  printer.printSymbolName(target);
}

/// Parses "%a, %b, " in front of the keyword of an attribute.
static ParseResult
parseOperandsBeforeAttribute(OpAsmParser &parser,
                             SmallVectorImpl<Operand> &operands) {
  while (true) {
    Operand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value())
      return success();
    if (failed(*parsed) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

static void printOperandsBeforeAttribute(OpAsmPrinter &printer, Operation *,
                                         OperandRange operands) {
  for (Value operand : operands)
    printer << operand << ", ";
}

static ParseResult parseSliceRanges(OpAsmParser &parser, Attribute &starts,
                                    Attribute &limits, Attribute &strides) {
  SmallVector<int64_t> from, to, by;
  auto parseRange = [&]() -> ParseResult {
    by.push_back(1);
    if (parser.parseInteger(from.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(to.emplace_back()))
      return failure();
    return succeeded(parser.parseOptionalColon())
               ? parser.parseInteger(by.back())
               : success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(from);
  limits = builder.getDenseI64ArrayAttr(to);
  strides = builder.getDenseI64ArrayAttr(by);
  return success();
}

static void printSliceRanges(OpAsmPrinter &printer, Operation *,
                             Attribute starts, Attribute limits,
                             Attribute strides) {
  SmallVector<int64_t> from = integersOf(starts), to = integersOf(limits),
                       by = integersOf(strides);
  printer << '[';
  llvm::interleaveComma(llvm::seq<size_t>(0, from.size()), printer,
                        [&](size_t k) {
                          printer << from[k] << ':' << to[k];
                          if (by[k] != 1)
                            printer << ':' << by[k];
                        });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Parses "NAME = [0] x [1]" after NAME.
static ParseResult parseListPair(OpAsmParser &parser,
                                 SmallVectorImpl<int64_t> &lhs,
                                 SmallVectorImpl<int64_t> &rhs) {
  return failure(parser.parseEqual() || parseIntegerList(parser, lhs) ||
                 parser.parseKeyword("x") || parseIntegerList(parser, rhs));
}

static ParseResult parseDotDimensions(OpAsmParser &parser,
                                      DotDimensionNumbersAttr &numbers) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhs, rhs;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) &&
      (parseListPair(parser, lhsBatch, rhsBatch) || parser.parseComma()))
    return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parseListPair(parser, lhs, rhs))
    return failure();
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatch,
                                         rhsBatch, lhs, rhs);
  return success();
}

static void printDotDimensions(OpAsmPrinter &printer, Operation *,
                               DotDimensionNumbersAttr numbers) {
  auto printPair = [&](StringRef name, ArrayRef<int64_t> lhs,
                       ArrayRef<int64_t> rhs) {
    printer << name << " = ";
    printIntegerList(printer, lhs);
    printer << " x ";
    printIntegerList(printer, rhs);
  };
  if (!numbers.getLhsBatch().empty()) {
    printPair("batching_dims", numbers.getLhsBatch(), numbers.getRhsBatch());
    printer << ", ";
  }
  printPair("contracting_dims", numbers.getLhsContracting(),
            numbers.getRhsContracting());
}

static ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &config) {
  SmallVector<Attribute> precisions;
  auto parseOne = [&]() -> ParseResult {
    auto precision =
        dyn_cast_if_present<PrecisionAttr>(PrecisionAttr::parse(parser, {}));
    precisions.push_back(precision);
    return success(!!precision);
  };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  config = parser.getBuilder().getArrayAttr(precisions);
  return success();
}

static ParseResult parsePrecisionConfig(OpAsmParser &parser,
                                        ArrayAttr &config) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("precision") ||
                 parsePrecisions(parser, config));
}

static void printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                                 ArrayAttr config) {
  if (!config)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(config, printer, [&](Attribute precision) {
    if (auto known = dyn_cast<PrecisionAttr>(precision))
      printer << stringifyPrecision(known.getValue());
    else
      printer << precision;
  });
  printer << ']';
}

static ParseResult parsePrecisionAndAlgorithm(OpAsmParser &parser,
                                              ArrayAttr &config,
                                              DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    if (!config && succeeded(parser.parseOptionalKeyword("precision"))) {
      if (parsePrecisions(parser, config))
        return failure();
      continue;
    }
    if (algorithm || parser.parseKeyword("algorithm") || parser.parseEqual())
      return failure();
    algorithm = dyn_cast_if_present<DotAlgorithmAttr>(
        DotAlgorithmAttr::parse(parser, {}));
    if (!algorithm)
      return failure();
  }
  return success();
}

static void printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                       ArrayAttr config,
                                       DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, config);
  if (!algorithm)
    return;
  printer << ", algorithm = ";
  algorithm.print(printer);
}

static ParseResult parseConvNumbers(OpAsmParser &parser,
                                    ConvDimensionNumbersAttr &numbers) {
  return parseConvDimensions(parser, numbers);
}

static void printConvNumbers(OpAsmPrinter &printer, Operation *,
                             ConvDimensionNumbersAttr numbers) {
  printConvDimensions(printer, numbers);
}

/// Parses "[[1, 1], [0, 2]]" into elements of two columns.
static ParseResult parsePadding(OpAsmParser &parser, Attribute &padding) {
  SmallVector<int64_t> numbers;
  SMLoc loc = parser.getCurrentLocation();
  auto parsePair = [&] { return parseIntegerList(parser, numbers); };
  int64_t rows = 0;
  auto parseRow = [&]() -> ParseResult {
    if (parsePair() || int64_t(numbers.size()) != 2 * ++rows)
      return parser.emitError(loc) << "expected pairs of numbers";
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRow))
    return failure();
  padding = DenseIntElementsAttr::get(
      RankedTensorType::get({rows, 2}, parser.getBuilder().getI64Type()),
      numbers);
  return success();
}

static ParseResult parseFlags(OpAsmParser &parser, Attribute &list) {
  SmallVector<bool> flags;
  auto parseFlag = [&]() -> ParseResult {
    int64_t number = 0;
    if (succeeded(parser.parseOptionalKeyword("true")))
      number = 1;
    else if (failed(parser.parseOptionalKeyword("false")) &&
             parser.parseInteger(number))
      return failure();
    flags.push_back(number != 0);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseFlag))
    return failure();
  list = parser.getBuilder().getDenseBoolArrayAttr(flags);
  return success();
}

static ParseResult parseWindow(OpAsmParser &parser, Attribute &strides,
                               Attribute &padding, Attribute &lhsDilation,
                               Attribute &rhsDilation, Attribute &reversal) {
  std::pair<StringLiteral, Attribute *> members[] = {
      {"stride", &strides},
      {"pad", &padding},
      {"lhs_dilate", &lhsDilation},
      {"rhs_dilate", &rhsDilation},
      {"reverse", &reversal}};
  auto parseMember = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    for (auto [known, list] : members)
      if (name == known && !*list)
        return list == &padding    ? parsePadding(parser, *list)
               : list == &reversal ? parseFlags(parser, *list)
                                   : parseI64List(parser, *list);
    return parser.emitError(loc) << "unexpected '" << name << "'";
  };
  // The list may be empty, and the bracket behind it is the op's.
  SMLoc at = parser.getCurrentLocation();
  if (*at.getPointer() == '}')
    return success();
  return parser.parseCommaSeparatedList(parseMember);
}

static void printPadding(OpAsmPrinter &printer, Attribute padding) {
  SmallVector<int64_t> numbers = integersOf(padding);
  printer << '[';
  llvm::interleaveComma(
      llvm::seq<size_t>(0, numbers.size() / 2), printer, [&](size_t row) {
        printIntegerList(printer, ArrayRef(numbers).slice(2 * row, 2));
      });
  printer << ']';
}

static void printFlags(OpAsmPrinter &printer, Attribute list) {
  printer << '[';
  llvm::interleaveComma(integersOf(list), printer, [&](int64_t flag) {
    printer << (flag ? "true" : "false");
  });
  printer << ']';
}

static void printWindow(OpAsmPrinter &printer, Operation *, Attribute strides,
                        Attribute padding, Attribute lhsDilation,
                        Attribute rhsDilation, Attribute reversal) {
  StringRef separator = "";
  auto begin = [&](StringRef name, Attribute list) {
    if (list)
      printer << std::exchange(separator, ", ") << name << " = ";
    return !!list;
  };
  if (begin("stride", strides))
    printIntegerList(printer, integersOf(strides));
  if (begin("pad", padding))
    printPadding(printer, padding);
  if (begin("lhs_dilate", lhsDilation))
    printIntegerList(printer, integersOf(lhsDilation));
  if (begin("rhs_dilate", rhsDilation))
    printIntegerList(printer, integersOf(rhsDilation));
  if (begin("reverse", reversal))
    printFlags(printer, reversal);
}

#define GET_OP_CLASSES
#include "reprise/StableHlo/StableHloOps.cpp.inc"
