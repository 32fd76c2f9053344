//===- ReadNames.cpp - Names of values in a text --------------------------===//
#include "ReadNames.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace reprise;

/// The name in a range of text such as "%x", null for a number or none.
static StringAttr nameIn(llvm::SMRange range, MLIRContext *context) {
  if (!range.isValid())
    return nullptr;
  StringRef text(range.Start.getPointer(),
                 range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  bool isName = !text.empty() && !llvm::isDigit(text.front());
  return isName ? StringAttr::get(context, text) : nullptr;
}

static Location named(llvm::SMRange range, Location loc) {
  StringAttr name = nameIn(range, loc.getContext());
  return name ? Location(NameLoc::get(name, loc)) : loc;
}

static void nameArguments(Block &block, const AsmParserState &state) {
  const AsmParserState::BlockDefinition *known = state.getBlockDef(&block);
  if (!known)
    return;
  for (auto [argument, definition] :
       llvm::zip(block.getArguments(), known->arguments))
    argument.setLoc(named(definition.loc, argument.getLoc()));
}

OwningOpRef<ModuleOp> driver::parseWithNames(const llvm::SourceMgr &sources,
                                             MLIRContext *context) {
  AsmParserState state;
  Block block;
  if (failed(
          parseAsmSourceFile(sources, &block, ParserConfig(context), &state)))
    return nullptr;
  block.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        nameArguments(inner, state);
    const AsmParserState::OperationDefinition *known = state.getOpDef(op);
    if (op->getNumResults() == 1 && known && known->resultGroups.size() == 1)
      op->setLoc(
          named(known->resultGroups.front().definition.loc, op->getLoc()));
  });
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, context, UnknownLoc::get(context));
}
