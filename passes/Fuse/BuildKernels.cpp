//===- BuildKernels.cpp - Groups of ops as sg.kernel ----------------------===//
//
// First a recipe for each kernel: the ops of its body, its operands, its
// results. Every reader's body repeats repeated ops, short chains that are
// cheaper to recompute than to store, and chains on values that every reader
// reads in any case; it also repeats casts to f32, whose narrow operand is the
// kernel's result. Then the block is ordered: a kernel runs at the place of its
// last member, as far as its operands allow. Last, the kernels are built and
// the replaced ops erased.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "Repeats.h"
#include "mlir/IR/IRMapping.h"
#include "reprise/IR/Origin.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;
using namespace reprise;

/// The number of ops that name a kernel.
static constexpr unsigned kNamedOps = 5;

namespace {
struct Recipe {
  llvm::SetVector<Operation *> body;
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;
  unsigned position = 0;
};

class KernelBuilder {
public:
  KernelBuilder(Block &block, const FlatGraph &graph, const Groups &groups,
                Instead instead)
      : block(block), graph(graph), groups(groups), instead(instead),
        recipes(groups.members.size()), repeats(graph.ops.size(), false),
        widens(graph.ops.size(), false) {}

  void run();

private:
  const FlatOp &flat(Operation *op) const {
    return graph.ops[graph.position.lookup(op)];
  }
  unsigned groupOf(Operation *op) const {
    return groups.groupOf[graph.position.lookup(op)];
  }

  // Recipes.
  bool isReadBy(Operation *op, unsigned group) const;
  bool isRead(unsigned member) const;
  void chooseRepeats();
  bool isHandedOutMoved(Operation *op) const;
  void addToBody(Recipe &recipe, unsigned group, Operation *op);
  bool handOutInputs();
  void writeRecipes();
  bool isAtHand(unsigned member, const CheapChain &chain) const;
  bool repeatWhatIsAtHand();

  // Order.
  unsigned unitOf(Value value) const;
  std::vector<unsigned> order() const;

  // Kernels.
  Value replaced(Value value) const { return done.lookupOrDefault(value); }
  void build(unsigned group);
  void eraseOriginals();

  Block &block;
  const FlatGraph &graph;
  const Groups &groups;
  Instead instead;
  std::vector<Recipe> recipes;
  /// Members that every other kernel recomputes.
  std::vector<bool> repeats;
  /// Those of `repeats` that every other kernel recomputes from the narrow
  /// value.
  std::vector<bool> widens;
  IRMapping done;
};
} // namespace

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

/// Returns true if any op outside `group` reads `op`, directly or in ops that
/// repeat it.
bool KernelBuilder::isReadBy(Operation *op, unsigned group) const {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    if (groupOf(user) == Groups::kNone &&
        flat(user).role == KernelRole::Repeated)
      return isReadBy(user, group);
    return groupOf(user) != group;
  });
}

/// Returns true if any op outside its kernel reads a member.
bool KernelBuilder::isRead(unsigned member) const {
  return isReadBy(graph.ops[member].op, groups.groupOf[member]);
}

void KernelBuilder::chooseRepeats() {
  for (const auto &members : groups.members)
    for (unsigned member : members) {
      if (!isRead(member))
        continue;
      Repeat repeat = repeatOf(graph, members, member);
      widens[member] = repeat == Repeat::Widening;
      repeats[member] = repeat != Repeat::No;
    }
}

/// Returns true if an op moves elements for a reader outside its kernel, as in
/// chainOf.
bool KernelBuilder::isHandedOutMoved(Operation *op) const {
  return flat(op).role == KernelRole::Generator &&
         !llvm::all_of(op->getUsers(), [&](Operation *user) {
           return groupOf(user) == groupOf(op);
         });
}

void KernelBuilder::addToBody(Recipe &recipe, unsigned group, Operation *op) {
  if (recipe.body.contains(op))
    return;
  for (Value operand : op->getOperands()) {
    Operation *from = operand.getDefiningOp();
    bool inside = from && (groupOf(from) == group ||
                           flat(from).role == KernelRole::Repeated ||
                           repeats[graph.position.lookup(from)]);
    // Other members of a chain are included when they are not results.
    if (from && !inside && groupOf(op) != group &&
        groupOf(from) != Groups::kNone && !widens[graph.position.lookup(op)])
      inside = groupOf(from) == groupOf(op) && !isHandedOutMoved(from);
    if (inside)
      addToBody(recipe, group, from);
    else
      recipe.inputs.insert(operand);
  }
  recipe.body.insert(op);
}

/// Adds the values that other kernels read to the kernels' results. Most of
/// these are known already; a recomputed chain may also read a value that its
/// own kernel repeated along a row, and a repeated cast reads the narrow value.
/// Returns true if anything was added.
bool KernelBuilder::handOutInputs() {
  bool changed = false;
  for (Recipe &recipe : recipes)
    for (Value input : llvm::to_vector(recipe.inputs)) {
      Operation *from = input.getDefiningOp();
      unsigned group = from ? groupOf(from) : Groups::kNone;
      if (group == Groups::kNone ||
          llvm::is_contained(recipes[group].outputs, input))
        continue;
      recipes[group].outputs.push_back(input);
      addToBody(recipes[group], group, from);
      changed = true;
    }
  return changed;
}

void KernelBuilder::writeRecipes() {
  recipes.assign(groups.members.size(), {});
  for (auto [group, members] : llvm::enumerate(groups.members)) {
    Recipe &recipe = recipes[group];
    for (unsigned member : members) {
      recipe.position = std::max(recipe.position, member);
      if (isRead(member) && !repeats[member])
        recipe.outputs.push_back(graph.ops[member].op->getResult(0));
    }
    for (Value output : recipe.outputs)
      addToBody(recipe, group, output.getDefiningOp());
  }
  while (handOutInputs())
    continue;
}

/// Returns true if all kernels that read a member already read the values it is
/// computed from, except values that are small in comparison and, where wanted,
/// one value that is no larger, which they then read instead.
bool KernelBuilder::isAtHand(unsigned member, const CheapChain &chain) const {
  constexpr uint64_t small = 16;
  Value output = graph.ops[member].op->getResult(0);
  uint64_t bytes = sg::byteSize(output.getType());
  auto bytesOf = [](Value value) { return sg::byteSize(value.getType()); };
  auto isMadeAgain = [&](Value leaf) {
    Operation *from = leaf.getDefiningOp();
    return from && repeats[graph.position.lookup(from)];
  };
  if (llvm::any_of(chain.leaves, isMadeAgain))
    return false;
  return llvm::all_of(recipes, [&](const Recipe &reader) {
    if (!reader.inputs.contains(output))
      return true;
    auto isMissing = [&](Value leaf) {
      return bytesOf(leaf) > bytes / small && !reader.inputs.contains(leaf);
    };
    SmallVector<Value> missing =
        llvm::filter_to_vector(chain.leaves, isMissing);
    return missing.empty() ||
           (instead == Instead::OtherValue && missing.size() == 1 &&
            bytesOf(missing.front()) <= bytes);
  });
}

/// Repeats members whose storing and reading is unnecessary. Of members
/// computed from one another, one is taken at a time, since the recipes are
/// more precise afterwards. Returns true if there was any.
bool KernelBuilder::repeatWhatIsAtHand() {
  llvm::DenseSet<Value> taken, read;
  for (const Recipe &recipe : recipes)
    for (Value output : recipe.outputs) {
      unsigned member = graph.position.lookup(output.getDefiningOp());
      if (repeats[member] || read.contains(output))
        continue;
      auto chain =
          chainOf(graph, groups.members[groups.groupOf[member]], member);
      auto isTaken = [&](Value leaf) { return taken.contains(leaf); };
      if (!chain || llvm::any_of(chain->leaves, isTaken) ||
          !isAtHand(member, *chain))
        continue;
      repeats[member] = true;
      taken.insert(output);
      read.insert(chain->leaves.begin(), chain->leaves.end());
    }
  return !taken.empty();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Units are groups, then the block's ops.
unsigned KernelBuilder::unitOf(Value value) const {
  Operation *op = value.getDefiningOp();
  unsigned group = groupOf(op);
  return group == Groups::kNone
             ? groups.members.size() + graph.position.lookup(op)
             : group;
}

std::vector<unsigned> KernelBuilder::order() const {
  unsigned count = groups.members.size();
  std::vector<SmallVector<unsigned>> waiting(count + graph.ops.size());
  std::vector<unsigned> missing(waiting.size(), 0);
  std::set<std::pair<unsigned, unsigned>> ready;
  auto positionOf = [&](unsigned unit) {
    return unit < count ? recipes[unit].position : unit - count;
  };
  auto addUnit = [&](unsigned unit, auto &&inputs) {
    for (Value input : inputs)
      if (input.getDefiningOp()) {
        waiting[unitOf(input)].push_back(unit);
        ++missing[unit];
      }
    if (!missing[unit])
      ready.insert({positionOf(unit), unit});
  };
  for (unsigned group = 0; group < count; ++group)
    if (!recipes[group].outputs.empty())
      addUnit(group, recipes[group].inputs);
  for (auto [i, op] : llvm::enumerate(graph.ops))
    if (groups.groupOf[i] == Groups::kNone &&
        (op.role == KernelRole::None ||
         op.op->hasTrait<OpTrait::ConstantLike>()))
      addUnit(count + i, op.op->getOperands());
  std::vector<unsigned> result;
  while (!ready.empty()) {
    unsigned unit = ready.begin()->second;
    ready.erase(ready.begin());
    result.push_back(unit);
    for (unsigned reader : waiting[unit])
      if (--missing[reader] == 0)
        ready.insert({positionOf(reader), reader});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The names of the ops that compute, each once: "sub_mul_add_relu".
static std::string nameOf(const Recipe &recipe) {
  llvm::SetVector<StringRef> names;
  for (Operation *op : recipe.body)
    if (kernelRoleOf(op) != KernelRole::Repeated || recipe.body.size() == 1)
      names.insert(op->getName().stripDialect());
  if (names.empty())
    names.insert(recipe.body.back()->getName().stripDialect());
  ArrayRef<StringRef> listed = names.getArrayRef();
  return llvm::join(listed.take_front(kNamedOps), "_");
}

/// The location of the last op comes first.
static Location locationOf(const Recipe &recipe, MLIRContext *context) {
  llvm::SetVector<Location> parts;
  for (Value output : llvm::reverse(recipe.outputs))
    parts.insert(output.getLoc());
  for (Operation *op : recipe.body)
    parts.insert(op->getLoc());
  if (parts.size() == 1)
    return parts.front();
  return FusedLoc::get(context, parts.getArrayRef());
}

/// The origin of the last result; for updates of several variables, the block
/// around them.
static sg::OriginAttr originOf(const Recipe &recipe, bool isBatch) {
  auto origin = sg::originOf(recipe.outputs.back().getDefiningOp());
  if (!origin || !isBatch)
    return origin;
  StringRef path = origin.getPath();
  for (Value output : recipe.outputs) {
    StringRef other = sg::pathOf(output.getDefiningOp());
    while (!path.empty() && path != other &&
           !other.starts_with((path + ".").str()))
      path = path.contains('.') ? path.rsplit('.').first : StringRef();
  }
  return sg::OriginAttr::get(origin.getContext(), path, origin.getPhase(),
                             std::nullopt);
}

void KernelBuilder::build(unsigned group) {
  const Recipe &recipe = recipes[group];
  OpBuilder b(block.getTerminator());
  SmallVector<Value> inputs;
  for (Value input : recipe.inputs)
    inputs.push_back(replaced(input));
  auto kernel = sg::KernelOp::create(b, locationOf(recipe, b.getContext()),
                                     TypeRange(ValueRange(recipe.outputs)),
                                     inputs, nameOf(recipe));
  // A kernel is listed under the module of its results.
  if (auto origin = originOf(recipe, groups.batches.contains(group)))
    sg::setOrigin(kernel, origin);
  bool isKept = llvm::any_of(recipe.outputs, [](Value output) {
    return output.getDefiningOp()->hasAttr(sg::SgDialect::kKeepAttr);
  });
  if (isKept)
    kernel->setAttr(sg::SgDialect::kKeepAttr, b.getUnitAttr());
  Block &body = kernel.getBody().front();
  b.setInsertionPointToStart(&body);
  IRMapping mapping;
  for (auto [input, argument] : llvm::zip(recipe.inputs, body.getArguments()))
    mapping.map(input, argument);
  for (Operation *op : recipe.body)
    b.clone(*op, mapping)->removeAttr(sg::SgDialect::kKeepAttr);
  SmallVector<Value> yielded;
  for (Value output : recipe.outputs)
    yielded.push_back(mapping.lookup(output));
  sg::YieldOp::create(b, kernel.getLoc(), yielded);
  for (auto [output, result] : llvm::zip(recipe.outputs, kernel.getResults()))
    done.map(output, result);
}

/// Erases readers before the ops that they read.
void KernelBuilder::eraseOriginals() {
  for (const FlatOp &op : llvm::reverse(graph.ops))
    if (op.role != KernelRole::None && op.op->use_empty())
      op.op->erase();
}

void KernelBuilder::run() {
  chooseRepeats();
  writeRecipes();
  while (repeatWhatIsAtHand())
    writeRecipes();
  std::vector<unsigned> units = order();
  Operation *terminator = block.getTerminator();
  unsigned count = groups.members.size();
  for (unsigned unit : units) {
    if (unit < count) {
      build(unit);
      continue;
    }
    Operation *op = graph.ops[unit - count].op;
    for (OpOperand &operand : op->getOpOperands())
      operand.set(replaced(operand.get()));
    if (op != terminator)
      op->moveBefore(terminator);
  }
  eraseOriginals();
}

void reprise::buildKernels(Block &block, const FlatGraph &graph,
                           const Groups &groups, Instead instead) {
  KernelBuilder(block, graph, groups, instead).run();
}
