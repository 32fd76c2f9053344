//===- RtOps.cpp - Rules and interfaces of the rt ops ---------------------===//
//
// Checks of single ops. The pass rt-verify-program checks rules that need the
// whole program (numbers of buffers, bounds, live ranges).
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "reprise/IR/Rt.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::rt_dialect;

/// The epilogues of a call: "[bias, relu]".
static ParseResult parseEpilogues(OpAsmParser &parser, ArrayAttr &epilogues) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<LibraryEpilogue> epilogue = parseTerm<LibraryEpilogue>(parser);
    if (failed(epilogue))
      return failure();
    list.push_back(LibraryEpilogueAttr::get(parser.getContext(), *epilogue));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  epilogues = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printEpilogues(OpAsmPrinter &printer, CallOp, ArrayAttr epilogues) {
  printer << "[";
  llvm::interleaveComma(epilogues.getAsRange<LibraryEpilogueAttr>(), printer,
                        [&](LibraryEpilogueAttr epilogue) {
                          printer << termName(epilogue.getValue());
                        });
  printer << "]";
}

#define GET_OP_CLASSES
#include "reprise/IR/RtOps.cpp.inc"

void RtDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "reprise/IR/RtOps.cpp.inc"
      >();
}

static SmallVector<ViewAttr> viewsOf(ArrayAttr views) {
  auto range = views.getAsRange<ViewAttr>();
  return SmallVector<ViewAttr>(range.begin(), range.end());
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

LogicalResult rt_dialect::ProgramOp::verify() {
  for (Operation &op : getBody().front())
    if (!isa<BufferOp, VariableOp, ConstantOp, KernelOp, EntryOp>(op))
      return op.emitOpError() << "has no place in a program";
  return success();
}

static LogicalResult verifyBindings(EntryOp entry, ArrayAttr bindings,
                                    sg::BindingSide side) {
  llvm::SmallDenseMap<sg::BindingRole, BindingAttr> seen;
  llvm::StringSet<> names;
  for (auto binding : bindings.getAsRange<BindingAttr>()) {
    sg::BindingRole role = binding.getRole();
    std::string reason =
        sg::whyNotBound(role, binding.getView().getType(), side);
    if (!reason.empty())
      return entry.emitOpError()
             << "binds '" << binding.getName() << "', but " << reason;
    if (ArrayAttr ranges = binding.getRanges())
      reason = side == sg::BindingSide::Input
                   ? sg::whyNotInRanges(ranges, binding.getView().getType())
                   : "only an input has ranges of indices";
    if (!reason.empty())
      return entry.emitOpError()
             << "binds '" << binding.getName() << "', but " << reason;
    if (!names.insert(binding.getName()).second)
      return entry.emitOpError()
             << "has two " << (side == sg::BindingSide::Input ? "in" : "out")
             << "puts named '" << binding.getName() << "'";
    auto [other, isFirst] = seen.try_emplace(role, binding);
    if (!isFirst && !sg::mayRepeat(role))
      return entry.emitOpError()
             << "binds '" << other->second.getName() << "' and '"
             << binding.getName() << "' as its '"
             << sg::stringifyBindingRole(role) << "'";
  }
  return success();
}

LogicalResult EntryOp::verify() {
  if (failed(verifyBindings(*this, getInputs(), sg::BindingSide::Input)) ||
      failed(verifyBindings(*this, getOutputs(), sg::BindingSide::Output)))
    return failure();
  for (Operation &op : getBody().front())
    if (!isa<BufferOp, StepOpInterface>(op))
      return op.emitOpError() << "has no place in an entry";
  return success();
}

LogicalResult rt_dialect::ConstantOp::verify() {
  if (!isStorable(getValue().getType()))
    return emitOpError() << "cannot hold " << getValue().getType();
  return success();
}

LogicalResult BufferOp::verify() {
  bool ofEntry = isa<EntryOp>((*this)->getParentOp());
  if (ofEntry != getFirstStep().has_value())
    return emitOpError() << (ofEntry ? "of an entry needs its first and last "
                                       "step"
                                     : "of a program lives for ever and has "
                                       "no first and last step");
  if (static_cast<int64_t>(getOffset()) < 0 || getOffset() % kAlignment != 0)
    return emitOpError() << "lies at byte " << getOffset()
                         << ", which is not a multiple of " << kAlignment;
  if (static_cast<int64_t>(getSize()) <= 0)
    return emitOpError() << "has " << static_cast<int64_t>(getSize())
                         << " bytes";
  return success();
}

LogicalResult VariableOp::verify() {
  if (!getView().isDense())
    return emitOpError() << "is not dense";
  if (std::string reason =
          sg::whyNotInitial(getInit(), getRole(), getView().getType());
      !reason.empty())
    return emitOpError() << reason;
  std::optional<ArrayRef<int32_t>> permutation = getFilePermutation();
  int64_t rank = getWholeShape() ? int64_t(getWholeShape()->size())
                                 : getView().getType().getRank();
  if (permutation && int64_t(permutation->size()) != rank)
    return emitOpError() << "file_permutation has " << permutation->size()
                         << " entries for " << rank << " dimensions";
  return success();
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  if (body.empty() || !isa<sg::YieldOp>(body.back()))
    return emitOpError() << "must end with sg.yield";
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Returns the outputs and the workspace of a step.
template <typename OpTy> static SmallVector<ViewAttr> writesOf(OpTy op) {
  SmallVector<ViewAttr> writes = viewsOf(op.getOutputs());
  if (std::optional<ViewAttr> workspace = op.getWorkspace())
    writes.push_back(*workspace);
  return writes;
}

StepAttr CallOp::getStepInfo() { return getStep(); }
SmallVector<ViewAttr> CallOp::getReads() { return viewsOf(getInputs()); }
SmallVector<ViewAttr> CallOp::getWrites() { return writesOf(*this); }
/// A result may overwrite the tensor that it adds to.
bool CallOp::mayWriteInPlace(unsigned read) {
  std::optional<unsigned> first =
      addendOf(kLibraryFunctions[unsigned(getOp())], getEpilogueList());
  return first && read >= *first && read - *first < getOutputs().size();
}

SmallVector<double> CallOp::getFloatList() {
  return SmallVector<double>(getFloats().value_or(ArrayRef<double>()));
}

SmallVector<LibraryEpilogue> CallOp::getEpilogueList() {
  SmallVector<LibraryEpilogue> list;
  if (std::optional<ArrayAttr> epilogues = getEpilogues())
    for (auto epilogue : epilogues->getAsRange<LibraryEpilogueAttr>())
      list.push_back(epilogue.getValue());
  return list;
}

LogicalResult CallOp::verify() {
  const LibraryFunction &function = kLibraryFunctions[unsigned(getOp())];
  SmallVector<LibraryEpilogue> epilogues = getEpilogueList();
  if (!epilogues.empty() && !function.takesEpilogues)
    return emitOpError() << "has epilogues; " << function.name << " takes none";
  if (epilogues.size() > kMaxEpilogues)
    return emitOpError() << "has " << epilogues.size() << " epilogues; a call "
                         << "takes " << kMaxEpilogues;
  size_t inputs = libraryInputCount(function, epilogues);
  size_t own = getInputs().size() - (inputs - function.inputs);
  if (getInputs().size() < inputs ||
      !function.takes(own, getOutputs().size(), getInts().size()))
    return emitOpError() << "reads " << getInputs().size() << " and writes "
                         << getOutputs().size() << " tensors; " << function.name
                         << (epilogues.empty() ? "" : " with its epilogues")
                         << " reads "
                         << inputs + function.counters(getInts().size())
                         << " and writes " << function.outputs;
  bool draws = function.draws(getInts().size());
  if (!draws && getInts().size() != function.ints)
    return emitOpError() << "has " << getInts().size() << " ints; "
                         << function.name << " takes " << function.ints;
  if (!function.takesNumbers(getInts().size(), getFloatList().size()))
    return emitOpError() << "has " << getFloatList().size() << " floats; "
                         << function.name << " takes "
                         << function.floats + draws;
  return success();
}

std::optional<int64_t> CallOp::getRandomStream() {
  if (!kLibraryFunctions[unsigned(getOp())].draws(getInts().size()))
    return std::nullopt;
  return getInts().back();
}

std::optional<int64_t> CallOp::getSequenceNumber() {
  if (!kLibraryFunctions[unsigned(getOp())].isCollective)
    return std::nullopt;
  return getInts().back();
}

StepAttr LaunchOp::getStepInfo() { return getStep(); }
SmallVector<ViewAttr> LaunchOp::getReads() { return viewsOf(getInputs()); }
SmallVector<ViewAttr> LaunchOp::getWrites() { return writesOf(*this); }
bool LaunchOp::mayWriteInPlace(unsigned) { return true; }

LogicalResult LaunchOp::verify() {
  if (static_cast<int64_t>(getGrains()) < 1)
    return emitOpError() << "has " << static_cast<int64_t>(getGrains())
                         << " grains; at least 1 is needed";
  for (ArrayAttr views : {getInputs(), getOutputs()})
    for (ViewAttr view : views.getAsRange<ViewAttr>())
      if (!view.isDense())
        return emitOpError() << "has a view that is not dense: " << view;
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto program = (*this)->getParentOfType<ProgramOp>();
  auto kernel = program
                    ? tables.lookupSymbolIn<KernelOp>(program, getKernelAttr())
                    : KernelOp();
  if (!kernel)
    return emitOpError() << "names no rt.kernel: " << getKernelAttr();
  SmallVector<Type> expected(kernel.getBody().getArgumentTypes());
  llvm::append_range(
      expected, kernel.getBody().front().getTerminator()->getOperandTypes());
  SmallVector<ViewAttr> views = getReads();
  llvm::append_range(views, viewsOf(getOutputs()));
  if (views.size() != expected.size()) {
    InFlightDiagnostic error = emitOpError()
                               << "has " << views.size() << " views for "
                               << expected.size() << " kernel arguments";
    error.attachNote(kernel.getLoc()) << "defined here";
    return error;
  }
  for (auto [number, view, type] : llvm::enumerate(views, expected))
    if (view.getType() != type) {
      InFlightDiagnostic error = emitOpError() << "passes " << view.getType()
                                               << " as kernel argument "
                                               << number << " of type " << type;
      error.attachNote(kernel.getLoc()) << "defined here";
      return error;
    }
  return success();
}

StepAttr CopyOp::getStepInfo() { return getStep(); }
SmallVector<ViewAttr> CopyOp::getReads() { return {getSource()}; }
SmallVector<ViewAttr> CopyOp::getWrites() { return {getTarget()}; }
bool CopyOp::mayWriteInPlace(unsigned) { return false; }

LogicalResult CopyOp::verify() {
  if (getSource().getType() != getTarget().getType() ||
      !getSource().isDense() || !getTarget().isDense())
    return emitOpError() << "copies from " << getSource() << " to "
                         << getTarget()
                         << "; both must be dense and of one type";
  return success();
}

/// Checks a copy between a view and an offset in host memory.
static LogicalResult verifyHostCopy(Operation *op, ViewAttr view,
                                    int64_t host) {
  if (!view.isDense())
    return op->emitOpError() << "has a view that is not dense: " << view;
  if (host < 0 || host % int64_t(kAlignment) != 0)
    return op->emitOpError()
           << "has offset " << host << " in host memory; a multiple of "
           << kAlignment << " is needed";
  return success();
}

StepAttr OffloadOp::getStepInfo() { return getStep(); }
SmallVector<ViewAttr> OffloadOp::getReads() { return {getSource()}; }
SmallVector<ViewAttr> OffloadOp::getWrites() { return {}; }
bool OffloadOp::mayWriteInPlace(unsigned) { return false; }
LogicalResult OffloadOp::verify() {
  return verifyHostCopy(*this, getSource(), int64_t(getHost()));
}

StepAttr FetchOp::getStepInfo() { return getStep(); }
SmallVector<ViewAttr> FetchOp::getReads() { return {}; }
SmallVector<ViewAttr> FetchOp::getWrites() { return {getTarget()}; }
bool FetchOp::mayWriteInPlace(unsigned) { return false; }
LogicalResult FetchOp::verify() {
  return verifyHostCopy(*this, getTarget(), int64_t(getHost()));
}
