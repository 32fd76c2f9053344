//===- Blocks.cpp - Blocks of scopes of nodes' names ----------------------===//
//
// Input:   a flat function, and the nodes that its ops come from.
// Output:  its ops in blocks, which nest as the modules of the network did.
// Method:  exporters write a node's module into its name, as
//          "/layer1/layer1.0/conv1/Conv", or into the names of its weights, as
//          "layer1.0.conv1.weight". A node without either has the scopes that
//          the nodes around it share. A run of nodes of one scope becomes a
//          block if it has nodes of a scope within, and not all of the
//          surrounding block's ops.
// Cost:    linear in the ops, for each of at most kDeepest scopes.
// Fails:   never.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "reprise/IR/WrapBlock.h"
#include "reprise/Limits.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;

/// Deeper scopes count as this one.
static constexpr size_t kDeepest = 12;

namespace {
/// The modules around a node by their full names, outermost first: layer1,
/// layer1.0, layer1.0.conv1.
using Scopes = std::vector<std::string>;

struct ScopedOps {
  Scopes scopes;
  SmallVector<Operation *> ops;
};

class BlockFormer {
public:
  BlockFormer(ArrayRef<ScopedOps> nodes, zoo::Annotate annotate)
      : nodes(nodes), annotate(annotate) {}

  void run();
  size_t blocks() const { return made; }

private:
  /// Nodes [begin, end).
  struct Range {
    size_t begin, end;
    bool operator==(const Range &other) const {
      return begin == other.begin && end == other.end;
    }
  };
  SmallVector<Operation *> form(Range range, size_t depth, Range around);
  SmallVector<Operation *> formRun(Range run, size_t depth, Range around);
  std::string newName(const std::string &scope);

  ArrayRef<ScopedOps> nodes;
  zoo::Annotate annotate;
  llvm::StringMap<unsigned> uses;
  /// Blocks that no other one contains, as far as they are formed.
  SmallVector<sg::SgModuleOp> outermost;
  size_t made = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// Returns the scopes of a name whose last part is the node itself. A part
/// repeats the one before where it continues that with a dot.
static Scopes scopesOfNode(llvm::StringRef name) {
  SmallVector<llvm::StringRef> parts;
  name.split(parts, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  Scopes scopes;
  std::string around;
  llvm::StringRef before;
  for (size_t k = 0; k + 1 < parts.size() && k < kDeepest; ++k) {
    bool repeats = !before.empty() && parts[k].starts_with(before) &&
                   parts[k].drop_front(before.size()).starts_with(".");
    if (!repeats && !scopes.empty())
      around = scopes.back() + ".";
    scopes.push_back(around + parts[k].str());
    before = parts[k];
  }
  return scopes;
}

static Scopes scopesOfWeight(llvm::StringRef name) {
  Scopes scopes;
  for (size_t dot = name.find('.');
       dot != llvm::StringRef::npos && scopes.size() < kDeepest;
       dot = name.find('.', dot + 1))
    if (dot > 0)
      scopes.push_back(name.take_front(dot).str());
  return scopes;
}

static Scopes scopesOf(const Node &node, const llvm::StringSet<> &weights) {
  llvm::StringRef name(node.name.data(), node.name.size());
  if (name.size() < kMaxNameBytes)
    if (Scopes scopes = scopesOfNode(name); !scopes.empty())
      return scopes;
  for (std::string_view input : node.inputs) {
    llvm::StringRef weight(input.data(), input.size());
    if (weights.contains(weight) && weight.size() < kMaxNameBytes)
      if (Scopes scopes = scopesOfWeight(weight); !scopes.empty())
        return scopes;
  }
  return {};
}

static Scopes sharedScopes(const Scopes &a, const Scopes &b) {
  size_t count = 0;
  while (count < std::min(a.size(), b.size()) && a[count] == b[count])
    ++count;
  return Scopes(a.begin(), a.begin() + count);
}

/// Gives nodes without scopes those that the ones around them share.
static void fillGaps(SmallVectorImpl<ScopedOps> &nodes) {
  size_t before = nodes.size();
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].scopes.empty())
      continue;
    if (before < k)
      for (size_t gap = before + 1; gap < k; ++gap)
        nodes[gap].scopes = sharedScopes(nodes[before].scopes, nodes[k].scopes);
    before = k;
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

std::string BlockFormer::newName(const std::string &scope) {
  unsigned use = ++uses[scope];
  return use == 1 ? scope : scope + "#" + std::to_string(use);
}

SmallVector<Operation *> BlockFormer::formRun(Range run, size_t depth,
                                              Range around) {
  bool isLeaf = true;
  for (size_t k = run.begin; k < run.end; ++k)
    isLeaf &= nodes[k].scopes.size() == depth + 1;
  if (isLeaf || run == around)
    return form(run, depth + 1, run);
  size_t inner = made;
  SmallVector<sg::SgModuleOp> others = std::exchange(outermost, {});
  SmallVector<Operation *> ops = form(run, depth + 1, run);
  bool isUsed = llvm::any_of(ops, [](Operation *op) {
    return !op->use_empty() || !isMemoryEffectFree(op);
  });
  if (!isUsed) {
    llvm::append_range(others, outermost);
    outermost = std::move(others);
    return ops;
  }
  sg::SgModuleOp block =
      sg::wrapInModule(ops, newName(nodes[run.begin].scopes[depth]));
  if (annotate == zoo::Annotate::Blocks && inner == made)
    block.setActivationCheckpointing(true);
  ++made;
  others.push_back(block);
  outermost = std::move(others);
  return {block};
}

SmallVector<Operation *> BlockFormer::form(Range range, size_t depth,
                                           Range around) {
  SmallVector<Operation *> ops;
  for (size_t k = range.begin; k < range.end;) {
    if (nodes[k].scopes.size() <= depth) {
      llvm::append_range(ops, nodes[k++].ops);
      continue;
    }
    size_t end = k;
    while (end < range.end && nodes[end].scopes.size() > depth &&
           nodes[end].scopes[depth] == nodes[k].scopes[depth])
      ++end;
    llvm::append_range(ops, formRun({k, end}, depth, around));
    k = end;
  }
  return ops;
}

void BlockFormer::run() {
  // A scope of all nodes that have one is the network.
  Range all{0, nodes.size()};
  while (all.begin < all.end && nodes[all.begin].scopes.empty())
    ++all.begin;
  while (all.begin < all.end && nodes[all.end - 1].scopes.empty())
    --all.end;
  form(all, 0, all);
  if (annotate == zoo::Annotate::Stages)
    for (sg::SgModuleOp block :
         ArrayRef(outermost).drop_back(!outermost.empty()))
      block.setActivationCheckpointing(true);
}

size_t onnx::formBlocks(func::FuncOp function, const Graph &graph,
                        ArrayRef<Operation *> ends, zoo::Annotate annotate) {
  llvm::StringSet<> weights;
  for (const TensorMessage &tensor : graph.initializers)
    weights.insert(llvm::StringRef(tensor.name.data(), tensor.name.size()));
  SmallVector<ScopedOps> nodes;
  Operation *before = nullptr;
  for (auto [node, end] : llvm::zip(graph.nodes, ends)) {
    if (end == before)
      continue; // without ops, since it is folded or names its input anew
    nodes.push_back({scopesOf(node, weights), {}});
    Operation *op =
        before ? before->getNextNode() : &function.getBody().front().front();
    for (; op != end; op = op->getNextNode())
      nodes.back().ops.push_back(op);
    nodes.back().ops.push_back(end);
    before = end;
  }
  fillGaps(nodes);
  BlockFormer former(nodes, annotate);
  former.run();
  return former.blocks();
}
