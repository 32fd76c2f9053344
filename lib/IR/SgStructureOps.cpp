//===- SgStructureOps.cpp - State and structure: syntax and rules ---------===//

#include "Verify.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

void SgDialect::registerOps() { registerSgDialectOperations(this); }

LogicalResult sg::verifyInGraph(Operation *op) {
  Block *block = op->getBlock();
  if (!block || !block->getParent())
    return success();
  if (!mayHaveSSADominance(*block->getParent()))
    return op->emitOpError() << "stands outside of a function";
  if (!block->isEntryBlock())
    return op->emitOpError()
           << "is after a branch; a static graph is one block";
  return success();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

RankedTensorType VariableOp::getTensorType() {
  return cast<RankedTensorType>(getType());
}

LogicalResult VariableOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat() || !hasSupportedShape(type))
    return emitOpError()
           << "needs a statically shaped tensor type of numbers, no encoding, "
              "extents of 1 to 2147483647 and below 2^48 bytes, but has "
           << getType();
  if (std::string reason = whyNotInitial(getInit(), getRole(), type);
      !reason.empty())
    return emitOpError() << reason;
  std::optional<ArrayRef<int32_t>> permutation = getFilePermutation();
  if (!permutation)
    return success();
  llvm::SmallSet<int32_t, 4> seen;
  for (int32_t d : *permutation)
    if (d < 0 || d >= type.getRank() || !seen.insert(d).second)
      return emitOpError() << "file_permutation is not a permutation of "
                           << type.getRank() << " dimensions";
  if (static_cast<int64_t>(permutation->size()) != type.getRank())
    return emitOpError() << "file_permutation has " << permutation->size()
                         << " entries for " << type.getRank() << " dimensions";
  return success();
}

LogicalResult sg::verifyVariable(Operation *op, FlatSymbolRefAttr symbol,
                                 Type type, SymbolTableCollection &tables) {
  auto variable = tables.lookupNearestSymbolFrom<VariableOp>(op, symbol);
  if (!variable)
    return op->emitOpError() << "names no sg.variable: " << symbol;
  if (type && variable.getType() != type) {
    InFlightDiagnostic error = op->emitOpError()
                               << "has type " << type << ", but " << symbol
                               << " has type " << variable.getType();
    error.attachNote(variable.getLoc()) << "declared here";
    return error;
  }
  return success();
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariable(*this, getVariableAttr(), getResult().getType(),
                        tables);
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariable(*this, getVariableAttr(), getValue().getType(), tables);
}

LogicalResult BackwardOp::verifySymbolUses(SymbolTableCollection &tables) {
  for (auto [symbol, gradient] : llvm::zip_equal(
           getParameters().getAsRange<FlatSymbolRefAttr>(), getGradients()))
    if (failed(verifyVariable(*this, symbol, gradient.getType(), tables)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// op ::= string `(` (%arg = %operand : type),* `)` (`->` types)?
///        (`attributes` dict)? region
static ParseResult parseBlockOp(OpAsmParser &parser, OperationState &result) {
  StringAttr path;
  if (parser.parseAttribute(path, "path", result.attributes))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parseInput = [&]() -> ParseResult {
    auto &argument = arguments.emplace_back();
    return failure(parser.parseArgument(argument) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(argument.type));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput))
    return failure();
  SmallVector<Type> types;
  for (OpAsmParser::Argument &argument : arguments)
    types.push_back(argument.type);
  if (parser.resolveOperands(operands, types, loc, result.operands) ||
      parser.parseOptionalArrowTypeList(result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  return parser.parseRegion(*result.addRegion(), arguments);
}

static void printBlockOp(OpAsmPrinter &printer, Operation *op, StringRef path,
                         ArrayRef<StringRef> elided) {
  printer << ' ';
  printer.printAttributeWithoutType(StringAttr::get(op->getContext(), path));
  printer << " (";
  llvm::interleaveComma(
      llvm::zip_equal(op->getRegion(0).getArguments(), op->getOperands()),
      printer, [&](auto pair) {
        auto [argument, operand] = pair;
        printer << argument << " = " << operand << " : " << operand.getType();
      });
  printer << ')';
  printer.printOptionalArrowTypeList(op->getResultTypes());
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), elided);
  printer << ' ';
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

static LogicalResult verifyBlockOp(Operation *op) {
  Block &body = op->getRegion(0).front();
  if (body.getArgumentTypes() != op->getOperandTypes())
    return op->emitOpError()
           << "has " << op->getNumOperands()
           << " inputs whose types differ from its body's arguments";
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return op->emitOpError() << "must end with sg.yield";
  if (yield.getOperandTypes() == op->getResultTypes())
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "has results (" << op->getResultTypes()
                             << ") that differ from what it yields";
  error.attachNote(yield.getLoc())
      << "yields (" << yield.getOperandTypes() << ")";
  return error;
}

ParseResult sg::BlockOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parseBlockOp(parser, result))
    return failure();
  ensureTerminator(*result.regions[0], parser.getBuilder(), result.location);
  return success();
}

void sg::BlockOp::print(OpAsmPrinter &printer) {
  SmallVector<StringRef> elided = {"path"};
  if (getPhase() == Phase::Forward)
    elided.push_back("phase");
  if (getResiduals() == 0)
    elided.push_back("residuals");
  printBlockOp(printer, *this, getPath(), elided);
}

LogicalResult sg::BlockOp::verify() {
  if (getResiduals() > getNumResults())
    return emitOpError() << "claims " << static_cast<int64_t>(getResiduals())
                         << " residuals among its " << getNumResults()
                         << " results";
  return verifyBlockOp(*this);
}

YieldOp sg::BlockOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parseBlockOp(parser, result))
    return failure();
  ensureTerminator(*result.regions[0], parser.getBuilder(), result.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printBlockOp(printer, *this, getPath(), {"path"});
}

LogicalResult KernelOp::verify() { return verifyBlockOp(*this); }

LogicalResult BackwardOp::verify() {
  if (getParameters().size() != getNumResults())
    return emitOpError() << "names " << getParameters().size()
                         << " parameters for " << getNumResults()
                         << " gradients";
  Operation *yield = getBody().front().getTerminator();
  if (yield->getOperandTypes() != getResultTypes())
    return emitOpError() << "has gradients (" << getResultTypes()
                         << ") that differ from what it yields";
  return success();
}

LogicalResult BarrierOp::verify() {
  if (getInputs().getTypes() != getResultTypes())
    return emitOpError() << "has results that differ from its inputs";
  return success();
}
