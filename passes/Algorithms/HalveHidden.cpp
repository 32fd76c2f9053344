//===- HalveHidden.cpp - Hidden units of perceptrons in halves ------------===//
//
// Input:   a model, before differentiation; a target.
// Output:  the same model, where large hidden units between two products are
//          computed as two halves, so that one half is in memory at a time:
//
//            h = x a            h0 = x a0         h1 = x a1
//            y = f(h) b    =>   y = f(h0) b0  +  f(h1) b1
//
// Method:  backward from the second product through elementwise ops. Columns of
//          `a` and rows of `b` are slices: no number is computed twice, and
//          only the order of the sum over hidden units changes, whatever later
//          passes do. Marks (sg.keep, sg.recompute) are other names of tensors:
//          halves get them too, and they move no sum.
// Cost:    linear in the ops between products.
// Fails:   where some hidden units are large and there is no such target.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/IRMapping.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Algorithms.h"
#include "reprise/Target/Target.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>

namespace reprise {
#define GEN_PASS_DEF_SGHALVEHIDDEN
#include "reprise/Passes/AlgorithmsPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static int64_t columnsOf(Value value) {
  ArrayRef<int64_t> shape = tensorOf(value).getShape();
  return shape.empty() ? 0 : shape.back();
}

/// Returns true if each element of the result depends only on the elements at
/// its place. A composite op is decomposed for this test; the decomposition is
/// discarded.
static bool appliesToEach(Operation *op) {
  if (isa<PointwiseOpInterface>(op))
    return op->getNumOperands() > 0;
  auto composite = dyn_cast<DecomposeOpInterface>(op);
  if (!composite || op->getNumOperands() != 1 ||
      !op->hasTrait<OpTrait::SameOperandsAndResultType>())
    return false;
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  bool applies = succeeded(composite.decompose(builder));
  while (op->getPrevNode() != before) {
    Operation *made = op->getPrevNode();
    applies &= isa<PointwiseOpInterface, ConstantOp>(made);
    made->erase();
  }
  return applies;
}

/// Returns true if the op only gives a tensor another name.
static bool isMark(Operation *op) { return isa<KeepOp, RecomputeOp>(op); }

/// Returns true if half of the op's result costs nothing: it repeats a vector
/// or a number, whatever else reads the whole.
static bool isRepeated(Operation *op) {
  if (isMark(op)) {
    Operation *marked = op->getOperand(0).getDefiningOp();
    return marked && isRepeated(marked);
  }
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constant.getValue().isSplat();
  return isa<BroadcastOp>(op);
}

namespace {
/// Two products and the ops between them.
class Perceptron {
public:
  /// Returns the perceptron of the second product, or nothing if it does not
  /// read hidden units.
  static std::optional<Perceptron> find(MatMulOp second);

  uint64_t bytes() { return byteSize(first.getResult().getType()); }
  /// Returns true if the hidden units have been halved already.
  bool isHalf() {
    return first.getRhs().getDefiningOp<SliceOp>() &&
           second.getRhs().getDefiningOp<SliceOp>();
  }
  /// Bytes of the hidden units before they were halved, if they are.
  uint64_t wholeBytes() { return bytes() * (isHalf() ? 2 : 1); }
  /// Returns true if the second product of one is the first product of the
  /// other.
  bool meets(Perceptron &other) {
    return first == other.second || second == other.first;
  }
  /// Returns true if reading the weights takes little compared with reading the
  /// hidden units.
  bool hasManyRows();
  void halve(OpBuilder &builder);

private:
  explicit Perceptron(MatMulOp second) : second(second) {}

  bool collect(Value value);
  void collectMarks();
  /// Returns true if nothing else reads the values between the products.
  bool isClosed();
  Value half(OpBuilder &builder, int64_t begin);
  Value halfOf(Operation *op, OpBuilder &builder, IRMapping &halves,
               int64_t begin);
  Value takeHalf(OpBuilder &builder, Value value, int64_t dimension,
                 int64_t begin);
  int64_t hidden() { return columnsOf(first.getResult()); }

  MatMulOp first, second;
  llvm::SetVector<Operation *> between;
  unsigned looked = 0; // ops between the products, without marks
};
} // namespace

bool Perceptron::collect(Value value) {
  constexpr unsigned most = 64;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != second->getBlock() || op->getNumResults() != 1 ||
      columnsOf(value) != columnsOf(second.getLhs()))
    return false;
  if (auto product = dyn_cast<MatMulOp>(op)) {
    if (first && first != product)
      return false;
    first = product;
    return true;
  }
  if (between.contains(op))
    return true;
  if (!isMark(op) && ++looked > most)
    return false;
  between.insert(op);
  if (!isMark(op) && isRepeated(op))
    return true;
  if (!isa<ReshapeOp>(op) && !isMark(op) && !appliesToEach(op))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return collect(operand); });
}

/// Returns true for a mark that only such marks read.
static bool isLastMark(Operation *op) {
  return isMark(op) && llvm::all_of(op->getUsers(), isLastMark);
}

/// Collects the marks of hidden units, which belong between the products even
/// if nothing reads them.
void Perceptron::collectMarks() {
  auto collectOf = [&](Value value) {
    for (Operation *user : value.getUsers())
      if (isLastMark(user) && user->getBlock() == second->getBlock())
        between.insert(user);
  };
  collectOf(first.getResult());
  for (size_t k = 0; k < between.size(); ++k)
    if (!isRepeated(between[k]))
      collectOf(between[k]->getResult(0));
}

bool Perceptron::isClosed() {
  auto isRead = [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return user == second || (between.contains(user) && !isRepeated(user));
    });
  };
  return isRead(first) && llvm::all_of(between, [&](Operation *op) {
           return isRepeated(op) || isRead(op);
         });
}

std::optional<Perceptron> Perceptron::find(MatMulOp second) {
  auto isOfRows = [](MatMulOp op) {
    return tensorOf(op.getResult()).getRank() == 2 && !op.getTransposeA() &&
           tensorOf(op.getLhs()).getElementType().isF32();
  };
  Perceptron found(second);
  if (!isOfRows(second) || !found.collect(second.getLhs()) || !found.first ||
      !isOfRows(found.first) || found.hidden() % 2)
    return std::nullopt;
  found.collectMarks();
  if (!found.isClosed())
    return std::nullopt;
  SmallVector<Operation *> inOrder = found.between.takeVector();
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  found.between.insert_range(inOrder);
  return found;
}

/// Slices, and gradients joined again, move each weight several times.
bool Perceptron::hasManyRows() {
  constexpr int64_t few = 16;
  int64_t rows = tensorOf(first.getResult()).getDimSize(0);
  return rows >=
         few * (columnsOf(first.getLhs()) + columnsOf(second.getResult()));
}

Value Perceptron::takeHalf(OpBuilder &builder, Value value, int64_t dimension,
                           int64_t begin) {
  SmallVector<int64_t> limits(tensorOf(value).getShape());
  SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
  starts[dimension] = begin;
  limits[dimension] = begin + hidden() / 2;
  return SliceOp::create(builder, value.getLoc(), value, starts, limits,
                         strides);
}

static RankedTensorType withColumns(Value value, int64_t columns) {
  SmallVector<int64_t> shape(tensorOf(value).getShape());
  shape.back() = columns;
  return tensorOf(value).clone(shape);
}

/// Returns half of the result of `op`, which is between the products.
Value Perceptron::halfOf(Operation *op, OpBuilder &builder, IRMapping &halves,
                         int64_t begin) {
  RankedTensorType type = withColumns(op->getResult(0), hidden() / 2);
  OriginScope scope(builder, op);
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto splat = cast<DenseElementsAttr>(constant.getValue());
    return ConstantOp::create(builder, op->getLoc(), type,
                              splat.resizeSplat(type));
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    Value operand = broadcast.getOperand();
    ArrayRef<int64_t> dims = broadcast.getDims();
    bool isAlong = !dims.empty() && dims.back() == type.getRank() - 1 &&
                   columnsOf(operand) != 1;
    if (isAlong)
      operand = takeHalf(builder, operand, int64_t(dims.size()) - 1, begin);
    return BroadcastOp::create(builder, op->getLoc(), type, operand, dims);
  }
  Operation *made = builder.clone(*op, halves);
  made->getResult(0).setType(type);
  return made->getResult(0);
}

/// Returns the value under a view. The view and its marks are emitted anew for
/// each half, so that its gradients are summed on the other side of the view,
/// in kernels.
static Value viewAgain(OpBuilder &builder, Value value) {
  SmallVector<Operation *> marks;
  Value unmarked = value;
  while (Operation *op = unmarked.getDefiningOp()) {
    if (!isMark(op))
      break;
    marks.push_back(op);
    unmarked = op->getOperand(0);
  }
  auto view = unmarked.getDefiningOp<ReshapeOp>();
  if (!view)
    return value;
  IRMapping again;
  builder.clone(*view, again);
  for (Operation *mark : llvm::reverse(marks))
    builder.clone(*mark, again);
  return again.lookup(value);
}

/// Returns the term that half of the hidden units adds to the second product.
Value Perceptron::half(OpBuilder &builder, int64_t begin) {
  auto product = [&](MatMulOp op, Value left, Value right, Type type) {
    return MatMulOp::create(builder, op.getLoc(), type, left, right,
                            op.getTransposeA(), op.getTransposeB());
  };
  IRMapping halves;
  {
    OriginScope scope(builder, first);
    Value left = viewAgain(builder, first.getLhs());
    Value columns =
        takeHalf(builder, first.getRhs(), first.getTransposeB() ? 0 : 1, begin);
    halves.map(first.getResult(),
               product(first, left, columns,
                       withColumns(first.getResult(), hidden() / 2)));
  }
  for (Operation *op : between)
    halves.map(op->getResult(0), halfOf(op, builder, halves, begin));
  OriginScope scope(builder, second);
  Value rows =
      takeHalf(builder, second.getRhs(), second.getTransposeB() ? 1 : 0, begin);
  return product(second, halves.lookup(second.getLhs()), rows,
                 second.getResult().getType());
}

/// The view that alone reads a product's result, if it keeps rows whole.
static ReshapeOp onlyView(MatMulOp product) {
  if (!product->hasOneUse())
    return nullptr;
  auto view = dyn_cast<ReshapeOp>(*product->user_begin());
  return view && view->getBlock() == product->getBlock() &&
                 columnsOf(view.getResult()) == columnsOf(product.getResult())
             ? view
             : nullptr;
}

void Perceptron::halve(OpBuilder &builder) {
  builder.setInsertionPoint(second);
  ReshapeOp view = onlyView(second);
  Operation *last = view ? view.getOperation() : second.getOperation();
  SmallVector<Value, 2> sides;
  for (int64_t begin : {int64_t(0), hidden() / 2}) {
    Value side = half(builder, begin);
    OriginScope scope(builder, last);
    if (view)
      side = ReshapeOp::create(builder, view.getLoc(),
                               view.getResult().getType(), side);
    sides.push_back(side);
  }
  {
    OriginScope scope(builder, last);
    last->getResult(0).replaceAllUsesWith(
        AddOp::create(builder, last->getLoc(), sides[0], sides[1]));
  }
  if (view)
    view->erase();
  second->erase();
  for (Operation *op : llvm::reverse(between.getArrayRef()))
    if (op->use_empty())
      op->erase();
  Operation *before = first.getLhs().getDefiningOp();
  first->erase();
  while (before && before->use_empty() &&
         (isMark(before) || isa<ReshapeOp>(before))) {
    Operation *view = before;
    before = isMark(view) ? view->getOperand(0).getDefiningOp() : nullptr;
    view->erase();
  }
}

namespace {
class HalveHidden : public reprise::impl::SgHalveHiddenBase<HalveHidden> {
public:
  using SgHalveHiddenBase::SgHalveHiddenBase;

private:
  void runOnOperation() override {
    SmallVector<Perceptron> large = findLarge();
    if (large.empty())
      return;
    FailureOr<std::unique_ptr<Target>> device =
        createTargetFor(getOperation(), target);
    if (failed(device))
      return signalPassFailure();
    if (!(*device)->halvesHidden())
      return;
    OpBuilder builder(&getContext());
    uint64_t bytes = 0;
    for (Perceptron &perceptron : large) {
      bytes = std::max(bytes, perceptron.bytes() / 2);
      perceptron.halve(builder);
    }
    getOperation().emitRemark()
        << large.size()
        << (large.size() == 1 ? " perceptron computes" : " perceptrons compute")
        << " hidden units in halves of at most "
        << llvm::formatv("{0:f1} MiB", bytes / double(1 << 20)).str();
  }

  /// Returns the perceptrons whose hidden units are large and have more than
  /// half the bytes of the largest. Of two that share a product, the larger
  /// one.
  SmallVector<Perceptron> findLarge() {
    SmallVector<MatMulOp> products;
    getOperation().walk([&](MatMulOp op) { products.push_back(op); });
    SmallVector<std::pair<uint64_t, Perceptron>> all;
    for (MatMulOp op : products)
      if (std::optional<Perceptron> found = Perceptron::find(op))
        all.push_back({found->wholeBytes(), std::move(*found)});
    llvm::stable_sort(
        all, [](const auto &a, const auto &b) { return a.first > b.first; });
    SmallVector<Perceptron> apart, large;
    for (auto &[bytes, each] : all)
      if (llvm::none_of(apart, [&, &each = each](Perceptron &other) {
            return each.meets(other);
          }))
        apart.push_back(each);
    for (Perceptron &each : apart)
      if (!each.isHalf() && each.bytes() >= leastBytes &&
          2 * each.bytes() > apart.front().wholeBytes() && each.hasManyRows())
        large.push_back(each);
    return large;
  }
};
} // namespace
