//===- Origin.cpp - The origin and phase of an op -------------------------===//

#include "reprise/IR/Origin.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

//===----------------------------------------------------------------------===//
// Attributes and blocks
//===----------------------------------------------------------------------===//

OriginAttr sg::originOf(Operation *op) {
  return op->getAttrOfType<OriginAttr>(SgDialect::kOriginAttr);
}

void sg::setOrigin(Operation *op, OriginAttr origin) {
  op->setAttr(SgDialect::kOriginAttr, origin);
}

bool sg::hasOrigin(Operation *op) {
  return !op->hasTrait<OpTrait::IsTerminator>() &&
         !op->hasTrait<OpTrait::ConstantLike>() && !isa<ReadOp>(op);
}

/// The innermost sg.module around `op`; null if there is none.
static SgModuleOp blockAround(Operation *op) {
  return op->getParentOfType<SgModuleOp>();
}

StringRef sg::pathOf(Operation *op) {
  if (auto path = op->getAttrOfType<StringAttr>(SgDialect::kPathAttr))
    return path;
  if (OriginAttr origin = originOf(op))
    return origin.getPath();
  if (auto module = dyn_cast<SgModuleOp>(op))
    return module.getPath();
  SgModuleOp module = blockAround(op);
  return module ? module.getPath() : StringRef();
}

Phase sg::phaseOf(Operation *op) {
  // A clone of a kernel is marked as one, but the ops inside it are not.
  OriginAttr outermost;
  for (Operation *at = op; at; at = at->getParentOp())
    if (OriginAttr origin = originOf(at))
      outermost = origin;
  if (outermost)
    return outermost.getPhase();
  for (Operation *at = op; at; at = at->getParentOp()) {
    if (auto module = dyn_cast<SgModuleOp>(at);
        module && module.getPhase() != Phase::Forward)
      return module.getPhase();
    if (at != op && isa<BackwardOp>(at))
      return Phase::Backward;
  }
  return Phase::Forward;
}

std::optional<int64_t> sg::instanceOf(Operation *op) {
  if (OriginAttr origin = originOf(op))
    return origin.getInstance();
  SgModuleOp module = blockAround(op);
  return module ? module.getInstance() : std::nullopt;
}

//===----------------------------------------------------------------------===//
// OriginScope
//===----------------------------------------------------------------------===//

OriginScope::OriginScope(OpBuilder &builder, Operation *source)
    : builder(builder), outer(builder.getListener()),
      path(source->getAttrOfType<StringAttr>(SgDialect::kPathAttr)),
      origin(originOf(source)) {
  if (auto module = dyn_cast<SgModuleOp>(source);
      module && !module.getPath().empty())
    path = module.getPathAttr();
  builder.setListener(this);
}

OriginScope::OriginScope(OpBuilder &builder, StringRef leaf)
    : builder(builder), outer(builder.getListener()) {
  if (!leaf.empty())
    path = builder.getStringAttr(leaf);
  builder.setListener(this);
}

OriginScope::~OriginScope() { builder.setListener(outer); }

void OriginScope::notifyOperationInserted(Operation *op,
                                          OpBuilder::InsertPoint previous) {
  // A block has a path of its own, and so have the ops in it.
  SgModuleOp block = blockAround(op);
  bool isOwn = !hasOrigin(op) || isa<SgModuleOp, BackwardOp>(op) ||
               op->hasAttr(SgDialect::kPathAttr) || originOf(op) ||
               (path && block && block.getPathAttr() == path);
  if (!isOwn && path)
    op->setAttr(SgDialect::kPathAttr, path);
  if (!isOwn && origin)
    setOrigin(op, origin);
  if (outer)
    outer->notifyOperationInserted(op, previous);
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

std::string sg::sourceOf(Location loc) {
  std::string source;
  loc->walk([&](Location at) {
    auto file = dyn_cast<FileLineColLoc>(at);
    if (!file)
      return WalkResult::advance();
    source =
        (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
    return WalkResult::interrupt();
  });
  return source;
}

StringRef sg::nameIn(Location loc) {
  StringRef name;
  loc->walk([&](Location at) {
    auto named = dyn_cast<NameLoc>(at);
    if (!named)
      return WalkResult::advance();
    name = named.getName();
    return WalkResult::interrupt();
  });
  return name;
}
