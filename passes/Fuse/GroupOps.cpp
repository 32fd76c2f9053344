//===- GroupOps.cpp - Choose the ops that share a kernel ------------------===//
//
// Ops are taken in program order. An op joins the groups of its producers (all
// of them, or the latest that allows it), a reduction also a group that reduces
// the same data over the same dimensions, or data from the same kernel. A
// reader of a reduction at its own index joins its group; for a reduction over
// the trailing dimensions, so does a reader that repeats it along the row: the
// kernel then passes over each row again. An op as small as the sums of
// columns, and after them, joins their kernel. A union is legal when
//
//   - it has no more than some hundred members: compile time grows faster than
//     the number of ops, and the compiler follows values by recursion;
//   - its members have one iteration space, or the kept part of it, one phase,
//     one set of reduced dimensions, and read each other at their own index or
//     in its row;
//   - if it reads its own reductions, no operand that only they read lives
//     longer because of it; rows are small, and there are enough of them;
//   - if it reduces, it does not both update a variable, which happens once,
//     and compute a large value, which may be recomputed;
//   - no path leaves it and comes back, groups being crossed as a whole;
//   - no fixed op before its last member waits for it: a kernel runs at the
//     place of its last member, and such an op would be delayed with all that
//     it keeps alive.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "RowKernels.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include <algorithm>

using namespace mlir;
using namespace reprise;

/// Limits: the groups with a reduction, counted back from an op, that are
/// examined for a shared sweep; the ops between a sum and an op that joins its
/// kernel.
static constexpr unsigned kSiblingWindow = 16;

static ArrayRef<int64_t> dimsOf(Operation *op) {
  return cast<ReductionOpInterface>(op).getReducedDims();
}

namespace {
using Members = SmallVector<unsigned>;

class Grouper {
public:
  explicit Grouper(const FlatGraph &graph) : graph(graph) {
    groups.groupOf.assign(graph.ops.size(), Groups::kNone);
  }

  Groups run();
  Groups separate();

private:
  Members unite(ArrayRef<unsigned> candidates, unsigned op) const;
  bool isUniform(const Members &members) const;
  bool readsInRow(const Members &members) const;
  bool returnsOrDelays(const Members &members) const;
  bool isLegal(const Members &members, Sums sums = Sums::AreOneKernel) const;
  bool mayWaitFor(unsigned op, const Edge &edge) const;
  SmallVector<unsigned> producerGroups(unsigned op) const;
  bool placeBesideSums(unsigned op);
  void place(unsigned op);
  void joinSibling(unsigned op);
  void join(ArrayRef<unsigned> candidates, const Members &members);
  bool shareData(const Members &a, const Members &b) const;
  SmallVector<unsigned> makersOf(const Members &members) const;
  bool shareMaker(const Members &a, const Members &b) const;
  bool readsAgain(const Members &members, unsigned op) const;

  const FlatGraph &graph;
  Groups groups;
  /// Groups that contain a reduction, in the order of their first one.
  SmallVector<unsigned> reducing;
};
} // namespace

Members Grouper::unite(ArrayRef<unsigned> candidates, unsigned op) const {
  Members members = {op};
  for (unsigned group : candidates)
    members.append(groups.members[group]);
  llvm::sort(members);
  members.erase(llvm::unique(members), members.end());
  return members;
}

/// Returns true if an op that moves elements takes neighbours in the last
/// dimension from neighbouring places.
static bool movesRows(Operation *op) {
  unsigned last = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  return last-- > 0 && llvm::all_of(op->getOpOperands(), [&](OpOperand &each) {
           OperandLanes lanes =
               operandLanesOf(op, each.getOperandNumber(), last);
           auto type = cast<RankedTensorType>(each.get().getType());
           return lanes.together && lanes.dim &&
                  int64_t(*lanes.dim) + 1 == type.getRank();
         });
}

bool Grouper::isUniform(const Members &members) const {
  const FlatOp &first = graph.ops[members.front()];
  GroupSpace space = spaceOf(graph, members);
  bool generates = false;
  for (unsigned member : members) {
    const FlatOp &op = graph.ops[member];
    bool isSamePhase = op.phase == first.phase;
    if (op.role == KernelRole::Alone || !isSamePhase)
      return false;
    bool isKept = op.role == KernelRole::Pointwise && op.space == space.kept;
    if (op.space != space.shape && !isKept)
      return false;
    generates |= op.role == KernelRole::Generator && !movesRows(op.op);
    if (op.role == KernelRole::Reduction &&
        dimsOf(op.op) != dimsOf(space.reduction))
      return false;
  }
  // Moving single elements may prevent vectorization of a kernel, and the order
  // of a sum must not depend on its fusion.
  return !(space.reduction && generates) ||
         (space.hasRows && generateBesideSums(graph, members));
}

bool Grouper::readsInRow(const Members &members) const {
  GroupSpace space = spaceOf(graph, members);
  for (unsigned member : members)
    for (const Edge &edge : graph.ops[member].producers)
      if (llvm::binary_search(members, edge.from) &&
          !staysInRow(graph, edge, space))
        return false;
  return true;
}

bool Grouper::isLegal(const Members &members, Sums sums) const {
  if (members.size() > kMostMembers || !isUniform(members) ||
      !readsInRow(members) || !haveSumsThatFit(graph, members))
    return false;
  if (readsOwnReduction(graph, members) &&
      (!haveRowsThatFit(graph, members) ||
       keepOperandsLonger(graph, members, sums)))
    return false;
  return !returnsOrDelays(members);
}

/// Follows the ops that wait for `members`, up to the last of them.
bool Grouper::returnsOrDelays(const Members &members) const {
  llvm::SmallBitVector inside(members.back() + 1);
  for (unsigned member : members)
    inside.set(member);
  llvm::SmallSetVector<unsigned, 16> reached;
  bool returns = false;
  auto follow = [&](unsigned op, bool fromInside) {
    for (unsigned reader : graph.ops[op].readers) {
      if (reader > members.back())
        continue;
      if (!inside.test(reader))
        reached.insert(reader);
      else if (!fromInside)
        returns = true;
    }
  };
  for (unsigned member : members)
    follow(member, /*fromInside=*/true);
  for (unsigned i = 0; i < reached.size() && !returns; ++i) {
    const FlatOp &op = graph.ops[reached[i]];
    // A write costs nothing and nothing waits for it.
    if (op.op->getNumResults() == 0)
      continue;
    if (!op.isMember() || op.phase != graph.ops[members.back()].phase)
      return true;
    // A kernel runs as a whole.
    for (unsigned mate : groups.members[groups.groupOf[reached[i]]])
      follow(mate, /*fromInside=*/false);
  }
  return returns;
}

/// Returns true if joining the group of the producer of `edge` should be
/// examined.
bool Grouper::mayWaitFor(unsigned op, const Edge &edge) const {
  const FlatOp &from = graph.ops[edge.from];
  if (edge.reading == Reading::InPlace && from.role != KernelRole::Reduction)
    return from.space == graph.ops[op].space;
  const Members &members = groups.members[groups.groupOf[edge.from]];
  GroupSpace space = spaceOf(graph, members);
  if (!staysInRow(graph, edge, space))
    return false;
  // Another pass over a row pays where part of the row is read again.
  return edge.reading == Reading::InPlace ||
         (graph.ops[op].space == space.shape && readsAgain(members, op));
}

SmallVector<unsigned> Grouper::producerGroups(unsigned op) const {
  llvm::SmallSetVector<unsigned, 4> found;
  for (const Edge &edge : graph.ops[op].producers)
    if (groups.groupOf[edge.from] != Groups::kNone && mayWaitFor(op, edge))
      found.insert(groups.groupOf[edge.from]);
  SmallVector<unsigned> result = found.takeVector();
  // The latest first.
  llvm::sort(result, [&](unsigned a, unsigned b) {
    return groups.members[a].back() > groups.members[b].back();
  });
  return result;
}

void Grouper::join(ArrayRef<unsigned> candidates, const Members &members) {
  unsigned target = groups.members.size();
  if (candidates.empty())
    groups.members.emplace_back();
  else
    target = *llvm::min_element(candidates);
  for (unsigned group : candidates)
    groups.members[group].clear();
  groups.members[target] = members;
  for (unsigned member : members)
    groups.groupOf[member] = target;
  for (unsigned &group : reducing)
    if (llvm::is_contained(candidates, group))
      group = target;
  reducing.erase(std::unique(reducing.begin(), reducing.end()), reducing.end());
}

/// Lets a kernel that sums columns compute `op` as well if it has the size of a
/// sum and follows closely.
bool Grouper::placeBesideSums(unsigned op) {
  if (graph.ops[op].role != KernelRole::Pointwise || reducing.empty())
    return false;
  unsigned group = reducing.back();
  if (groups.members[group].empty() ||
      op - groups.members[group].back() > kSiblingWindow)
    return false;
  GroupSpace space = spaceOf(graph, groups.members[group]);
  Members members = unite(group, op);
  if (space.hasRows || space.kept != graph.ops[op].space || !isLegal(members) ||
      keepOperandsLonger(graph, members, Sums::AreOneKernel))
    return false;
  join(group, members);
  return true;
}

void Grouper::place(unsigned op) {
  SmallVector<unsigned> candidates = producerGroups(op);
  for (size_t count = candidates.size(); count > 1; --count) {
    ArrayRef<unsigned> latest =
        ArrayRef<unsigned>(candidates).take_front(count);
    Members members = unite(latest, op);
    if (isLegal(members))
      return join(latest, members);
  }
  for (unsigned candidate : candidates) {
    Members members = unite(candidate, op);
    if (isLegal(members))
      return join(candidate, members);
  }
  if (!placeBesideSums(op))
    join({}, {op});
}

/// Returns true if both read an operand of the size of their iteration space.
bool Grouper::shareData(const Members &a, const Members &b) const {
  llvm::SmallPtrSet<Value, 8> read;
  ArrayRef<int64_t> shape = spaceOf(graph, a).shape;
  auto isLarge = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return (!op || kernelRoleOf(op) != KernelRole::Repeated) &&
           cast<RankedTensorType>(value.getType()).getShape() == shape;
  };
  for (unsigned member : a)
    for (Value operand : graph.ops[member].op->getOperands())
      if (isLarge(operand))
        read.insert(operand);
  for (unsigned member : b)
    for (Value operand : graph.ops[member].op->getOperands())
      if (read.contains(operand))
        return true;
  return false;
}

/// Returns true if `op` reads an element at each index that `members` read or
/// compute.
bool Grouper::readsAgain(const Members &members, unsigned op) const {
  return shareData(members, {op}) ||
         llvm::any_of(graph.ops[op].producers, [&](const Edge &edge) {
           return edge.reading == Reading::InPlace &&
                  llvm::binary_search(members, edge.from);
         });
}

/// Returns the groups that compute values with an element for each index.
SmallVector<unsigned> Grouper::makersOf(const Members &members) const {
  SmallVector<unsigned> makers;
  GroupSpace space = spaceOf(graph, members);
  for (unsigned member : members)
    for (const Edge &edge : graph.ops[member].producers)
      if (edge.reading == Reading::InPlace &&
          graph.ops[member].space == space.shape &&
          groups.groupOf[edge.from] != Groups::kNone &&
          !llvm::binary_search(members, edge.from))
        makers.push_back(groups.groupOf[edge.from]);
  return makers;
}

/// Returns true if one kernel computes data of both, and uniting them keeps
/// none of it alive longer.
bool Grouper::shareMaker(const Members &a, const Members &b) const {
  SmallVector<unsigned> makers = makersOf(a);
  if (llvm::none_of(makersOf(b), [&](unsigned maker) {
        return llvm::is_contained(makers, maker);
      }))
    return false;
  Members united(a);
  united.append(b);
  llvm::sort(united);
  return !keepOperandsLonger(graph, united, Sums::BecomeOne);
}

/// Unites the group of a reduction with one that reduces the same data, or data
/// computed together.
void Grouper::joinSibling(unsigned op) {
  unsigned own = groups.groupOf[op], seen = 0;
  for (unsigned other : llvm::reverse(reducing)) {
    if (++seen > kSiblingWindow)
      break;
    const Members &members = groups.members[other];
    if (other == own || members.empty() ||
        spaceOf(graph, members).shape != graph.ops[op].space ||
        !(shareData(members, groups.members[own]) ||
          shareMaker(members, groups.members[own])))
      continue;
    Members united = unite({own, other}, op);
    if (isLegal(united, Sums::BecomeOne))
      return join({own, other}, united);
  }
}

/// Returns true if a fixed op reads it; splats stay constants.
static bool needsKernel(const FlatOp &op) {
  return op.role == KernelRole::Repeated &&
         !op.op->hasTrait<OpTrait::ConstantLike>() &&
         llvm::any_of(op.op->getUsers(), [](Operation *user) {
           return kernelRoleOf(user) == KernelRole::None;
         });
}

Groups Grouper::run() {
  for (unsigned i = 0; i < graph.ops.size(); ++i) {
    if (needsKernel(graph.ops[i]))
      join({}, {i});
    if (!graph.ops[i].isMember())
      continue;
    place(i);
    if (graph.ops[i].role != KernelRole::Reduction)
      continue;
    joinSibling(i);
    if (!llvm::is_contained(reducing, groups.groupOf[i]))
      reducing.push_back(groups.groupOf[i]);
  }
  return std::move(groups);
}

Groups Grouper::separate() {
  for (unsigned i = 0; i < graph.ops.size(); ++i)
    if (needsKernel(graph.ops[i]) || graph.ops[i].isMember())
      join({}, {i});
  return std::move(groups);
}

Groups reprise::groupOps(const FlatGraph &graph, Launches launches) {
  Groups groups = Grouper(graph).run();
  batchVariables(graph, groups, launches);
  return groups;
}

Groups reprise::separateOps(const FlatGraph &graph) {
  return Grouper(graph).separate();
}
