//===- Structure.cpp - Variables, blocks, kernels and marks ---------------===//

#include "../Models.h"
#include "../Verify.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "reprise/IR/KernelPasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include <algorithm>

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

RankedTensorType VariableOp::getWholeType() {
  std::optional<ArrayRef<int64_t>> whole = getWholeShape();
  return whole ? getTensorType().clone(*whole) : getTensorType();
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
  if (getWholeShape()) {
    RankedTensorType whole = getWholeType();
    if (!hasSupportedShape(whole) || type.getRank() != 1 ||
        type.getNumElements() > whole.getNumElements())
      return emitOpError() << "of type " << type << " is no shard of " << whole;
    type = whole;
  }
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
static ParseResult parseIsolatedOp(OpAsmParser &parser,
                                   OperationState &result) {
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

static void printIsolatedOp(OpAsmPrinter &printer, Operation *op,
                            StringRef path, ArrayRef<StringRef> elided) {
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

static LogicalResult verifyIsolatedOp(Operation *op) {
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

ParseResult SgModuleOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parseIsolatedOp(parser, result))
    return failure();
  ensureTerminator(*result.regions[0], parser.getBuilder(), result.location);
  return success();
}

void SgModuleOp::print(OpAsmPrinter &printer) {
  SmallVector<StringRef> elided = {"path"};
  if (getPhase() == Phase::Forward)
    elided.push_back("phase");
  if (getResiduals() == 0)
    elided.push_back("residuals");
  printIsolatedOp(printer, *this, getPath(), elided);
}

LogicalResult SgModuleOp::verify() {
  if (getResiduals() > getNumResults())
    return emitOpError() << "claims " << static_cast<int64_t>(getResiduals())
                         << " residuals among its " << getNumResults()
                         << " results";
  return verifyIsolatedOp(*this);
}

YieldOp SgModuleOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parseIsolatedOp(parser, result))
    return failure();
  ensureTerminator(*result.regions[0], parser.getBuilder(), result.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printIsolatedOp(printer, *this, getPath(), {"path"});
}

LogicalResult KernelOp::verify() { return verifyIsolatedOp(*this); }

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

//===----------------------------------------------------------------------===//
// Derivatives and statistics
//===----------------------------------------------------------------------===//

template <typename OpTy> static Value markAdjoint(OpTy, Emitter &, Value dy) {
  return dy;
}

/// Recomputes nothing: the only result is the kept one.
struct KeepStatistics
    : StatisticsOpInterface::ExternalModel<KeepStatistics, KeepOp> {
  SmallVector<unsigned> getStatistics(Operation *) const { return {0}; }

  SmallVector<Value> recompute(Operation *, OpBuilder &, ValueRange,
                               ValueRange) const {
    return {};
  }
};

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

static uint64_t flopsOf(Operation *op) {
  auto cost = dyn_cast<CostOpInterface>(op);
  return cost ? cost.getFlops() : 0;
}

/// The ops of a region, one after the other.
static uint64_t regionFlops(Operation *op) {
  uint64_t sum = 0;
  for (Operation &inner : op->getRegion(0).front())
    sum += flopsOf(&inner);
  return sum;
}

/// Operations of a pass, given `ofRow` and the arguments: each op once.
static uint64_t passFlops(Block &body, const KernelPass &pass,
                          const llvm::DenseSet<Operation *> &ofRow) {
  llvm::SmallSetVector<Operation *, 16> run(pass.reductions.begin(),
                                            pass.reductions.end());
  run.insert(pass.rowOps.begin(), pass.rowOps.end());
  for (unsigned i : pass.stored)
    if (Operation *op = body.getTerminator()->getOperand(i).getDefiningOp())
      run.insert(op);
  uint64_t sum = 0;
  for (size_t i = 0; i < run.size(); ++i) {
    sum += flopsOf(run[i]);
    for (Value operand : run[i]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && !ofRow.contains(op))
        run.insert(op);
  }
  return sum;
}

static uint64_t kernelFlops(Operation *op) {
  Block &body = op->getRegion(0).front();
  if (isa<AttentionGradOp>(body.front()))
    return attentionGradKernelFlops(&body.front());
  KernelPasses work = passesOf(body);
  if (work.passes.size() == 1)
    return regionFlops(op);
  llvm::DenseSet<Operation *> ofRow;
  for (const KernelPass &pass : work.passes) {
    ofRow.insert(pass.reductions.begin(), pass.reductions.end());
    ofRow.insert(pass.rowOps.begin(), pass.rowOps.end());
  }
  uint64_t sum = 0;
  for (const KernelPass &pass : work.passes)
    sum += passFlops(body, pass, ofRow);
  return sum;
}

/// The bytes that a kernel reads of an argument: all, unless the ops that move
/// its elements read fewer.
static uint64_t bytesRead(BlockArgument argument) {
  uint64_t most = elements(argument), sum = 0;
  for (Operation *user : argument.getUsers())
    sum += isa<IndexMapOpInterface>(user) ? elements(user->getResult(0)) : most;
  auto bytes = byteSize(argument.getType());
  return sum < most ? bytes * sum / most : bytes;
}

/// Each distinct operand once, up to the sum of its readers' bytes, and the
/// results.
static uint64_t kernelBytes(Operation *op) {
  llvm::SmallMapVector<Value, uint64_t, 4> read;
  for (BlockArgument argument : op->getRegion(0).getArguments()) {
    Value operand = op->getOperand(argument.getArgNumber());
    uint64_t &sum = read[operand];
    sum = std::min(sum + bytesRead(argument), byteSize(operand.getType()));
  }
  uint64_t sum = 0;
  for (auto &[operand, bytes] : read)
    sum += bytes;
  for (Value result : op->getResults())
    sum += byteSize(result.getType());
  return sum;
}

static uint64_t regionBytes(Operation *op) {
  uint64_t sum = 0;
  for (Operation &inner : op->getRegion(0).front())
    if (auto cost = dyn_cast<CostOpInterface>(inner))
      sum += cost.getBytes();
  return sum;
}

/// A kernel moves its inputs and results only, and reduces if an op in it does.
struct KernelCostModel
    : CostOpInterface::ExternalModel<KernelCostModel, KernelOp> {
  uint64_t getFlops(Operation *op) const { return kernelFlops(op); }
  uint64_t getBytes(Operation *op) const { return kernelBytes(op); }
  KernelClass getKernelClass(Operation *op) const {
    bool reduces = llvm::any_of(op->getRegion(0).front(), [](Operation &inner) {
      auto cost = dyn_cast<CostOpInterface>(inner);
      return cost && cost.getKernelClass() == KernelClass::Reduction;
    });
    return reduces ? KernelClass::Reduction : KernelClass::Pointwise;
  }
};

void sg::registerStructureModels(MLIRContext *context) {
  attachLinear<KeepOp, markAdjoint<KeepOp>>(context);
  attachLinear<RecomputeOp, markAdjoint<RecomputeOp>>(context);
  KeepOp::attachInterface<KeepStatistics>(*context);
  attachCost<KernelClass::None, noFlops, noBytes, ReadOp, WriteOp, BarrierOp,
             KeepOp, RecomputeOp>(context);
  attachCost<KernelClass::None, noFlops, operandsAndResults, CopyOp>(context);
  attachCost<KernelClass::None, regionFlops, regionBytes, SgModuleOp,
             BackwardOp>(context);
  KernelOp::attachInterface<KernelCostModel>(*context);
  attachAutocast<AutocastRule::First, KeepOp, RecomputeOp>(context);
}
