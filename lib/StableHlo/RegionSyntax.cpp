//===- RegionSyntax.cpp - The syntax of reduce and while ------------------===//
//
//   stablehlo.reduce(%x init: %c) applies stablehlo.add
//     across dimensions = [0] : (T, U) -> V
//   stablehlo.reduce(%x init: %c), (%y init: %d) across dimensions = [0] : ...
//     reducer(%a: U, %b: U) (%c: W, %d: W) { ... }
//   stablehlo.while(%i = %x, %j = %y) : T, U cond { ... } do { ... }
//
//===----------------------------------------------------------------------===//
#include "Syntax.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace reprise::stablehlo;

using Operand = OpAsmParser::UnresolvedOperand;

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

namespace {
/// The text in front of a reduce op's body.
struct ReduceHeader {
  SmallVector<Operand> inputs, inits;
  std::optional<OperationName> applied;
  FunctionType type;
  SMLoc loc;
};
} // namespace

static ParseResult parseReduceHeader(OpAsmParser &parser, ReduceHeader &header,
                                     OperationState &result) {
  header.loc = parser.getCurrentLocation();
  auto parsePair = [&] {
    return failure(parser.parseLParen() ||
                   parser.parseOperand(header.inputs.emplace_back()) ||
                   parser.parseKeyword("init") || parser.parseColon() ||
                   parser.parseOperand(header.inits.emplace_back()) ||
                   parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(parsePair))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    header.applied = *name;
  }
  SmallVector<int64_t> dimensions;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() || parseIntegerList(parser, dimensions) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(header.type))
    return failure();
  result.addAttribute("dimensions",
                      parser.getBuilder().getDenseI64ArrayAttr(dimensions));
  result.addTypes(header.type.getResults());
  SmallVector<Operand> operands(header.inputs);
  llvm::append_range(operands, header.inits);
  return parser.resolveOperands(operands, header.type.getInputs(), header.loc,
                                result.operands);
}

/// Makes the body of a reduce op that applies an op to two scalars.
static ParseResult makeBody(OpAsmParser &parser, const ReduceHeader &header,
                            OperationState &result) {
  auto init = header.inputs.size() == 1
                  ? dyn_cast<ShapedType>(result.operands.back().getType())
                  : nullptr;
  if (!init)
    return parser.emitError(header.loc)
           << "'applies' is for one input and an initial value of shaped type";
  Type scalar = RankedTensorType::get({}, init.getElementType());
  Location loc = parser.getEncodedSourceLoc(header.loc);
  Region *body = result.addRegion();
  Block &block = body->emplaceBlock();
  block.addArguments({scalar, scalar}, {loc, loc});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState state(loc, *header.applied);
  state.addOperands(block.getArguments());
  state.addTypes(scalar);
  if (auto registered = header.applied->getRegisteredInfo();
      registered && (registered->hasTrait<OpTrait::IsTerminator>() ||
                     !registered->hasTrait<OpTrait::ZeroRegions>()))
    return parser.emitError(header.loc) << "cannot apply " << *header.applied;
  Operation *applied = builder.create(state);
  ReturnOp::create(builder, loc, applied->getResults());
  return success();
}

/// Parses "reducer(%a: T, %b: T) (%c: U, %d: U) { ... }": a pair for each
/// input.
static ParseResult parseReducer(OpAsmParser &parser, size_t pairs,
                                OperationState &result) {
  SmallVector<OpAsmParser::Argument> first, second;
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t k = 0; k < pairs; ++k)
    if (parser.parseLParen() ||
        parser.parseArgument(first.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
  llvm::append_range(first, second);
  return parser.parseRegion(*result.addRegion(), first);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  ReduceHeader header;
  if (parseReduceHeader(parser, header, result))
    return failure();
  return header.applied ? makeBody(parser, header, result)
                        : parseReducer(parser, header.inputs.size(), result);
}

/// The op that the body applies to its two arguments, if that is all.
static Operation *appliedBy(ReduceOp op) {
  if (op.getInputs().size() != 1 || !llvm::hasSingleElement(op.getBody()))
    return nullptr;
  Block &block = op.getBody().front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return nullptr;
  Operation &applied = block.front();
  auto scalar = RankedTensorType::get(
      {}, getElementTypeOrSelf(op.getInitValues().front()));
  bool isPlain = applied.getOperands() == ValueRange(block.getArguments()) &&
                 applied.getResultTypes() == TypeRange(scalar) &&
                 llvm::all_of(block.getArgumentTypes(),
                              [&](Type type) { return type == scalar; }) &&
                 applied.getNumRegions() == 0 &&
                 applied.getAttrDictionary().empty();
  auto returned = dyn_cast<ReturnOp>(block.back());
  return isPlain && returned &&
                 returned.getOperands() == ValueRange(applied.getResults()) &&
                 returned->getAttrs().empty()
             ? &applied
             : nullptr;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleave(
      llvm::zip(getInputs(), getInitValues()), printer,
      [&](auto pair) {
        printer << std::get<0>(pair) << " init: " << std::get<1>(pair);
      },
      "), (");
  printer << ')';
  Operation *applied = appliedBy(*this);
  if (applied)
    printer << " applies " << applied->getName();
  printer << " across dimensions = ";
  printIntegerList(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (applied)
    return;
  printer.printNewline();
  printer << " reducer";
  Block &block = getBody().front();
  unsigned pairs = block.getNumArguments() / 2;
  for (unsigned k = 0; k < pairs; ++k) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(k));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(k + pairs));
    printer << ") ";
  }
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

/// Both regions have arguments of the same names, since each is a scope.
void WhileOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Operand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseAssignmentList(arguments, operands))
    return failure();
  SmallVector<Type> types;
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (parser.resolveOperands(operands, types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseKeyword("cond"))
    return failure();
  result.addTypes(types);
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  return failure(parser.parseRegion(*result.addRegion(), arguments) ||
                 parser.parseKeyword("do") ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperands()),
                        printer, [&](auto pair) {
                          printer << std::get<0>(pair) << " = "
                                  << std::get<1>(pair);
                        });
  printer << ')';
  if (!getOperands().empty())
    printer << " : " << getOperands().getTypes();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}
