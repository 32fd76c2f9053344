//===- GpuProduct.cpp - A product with its operands and readers -----------===//

#include "GpuProduct.h"
#include "GpuKernels.h"
#include "TileProduct.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/Codegen/KernelParts.h"

using namespace mlir;
using namespace reprise;
using sg::tensorOf;

Operation *reprise::productIn(Block &body) {
  for (Operation &op : body.without_terminator())
    if (sg::productParts(&op))
      return &op;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Two kernels
//===----------------------------------------------------------------------===//

/// Erases ops without readers.
static void eraseUnread(Block &body) {
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

ProductKernel reprise::splitAtProduct(Block &body) {
  Operation *kernel = body.getParentOp(), *product = productIn(body);
  ProductKernel split;
  split.parts = *sg::productParts(product);
  auto sources = valuesOf(split.parts.left);
  OperandRange yielded = body.getTerminator()->getOperands();
  for (auto [i, value] : llvm::enumerate(yielded)) {
    bool isMade = !isa<BlockArgument>(value) && sources.contains(value);
    (isMade ? split.made : split.read).push_back(i);
  }
  IRMapping makes, reads;
  split.maker = kernel->clone(makes);
  split.reader = kernel->clone(reads);
  split.left = makes.lookup(split.parts.left);
  auto yield = [&](Block &block, const IRMapping &mapping,
                   ArrayRef<unsigned> numbers) {
    SmallVector<Value> values;
    for (unsigned i : numbers)
      values.push_back(mapping.lookup(yielded[i]));
    block.getTerminator()->setOperands(values);
  };
  yield(split.makerBody(), makes, split.made);
  Operation *end = split.makerBody().getTerminator();
  end->insertOperands(end->getNumOperands(), split.left);
  eraseUnread(split.makerBody());
  Block &reader = split.readerBody();
  BlockArgument argument =
      reader.addArgument(split.parts.result.getType(), product->getLoc());
  yield(reader, reads, split.read);
  Operation *copy = reads.lookup(product);
  copy->getResult(0).replaceAllUsesWith(argument);
  eraseUnread(reader);
  return split;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Counts arguments with an element for each left operand.
static int64_t longArguments(ProductKernel &kernel) {
  ArrayRef<int64_t> shape = tensorOf(kernel.left).getShape();
  return llvm::count_if(
      kernel.makerBody().getArguments(), [&](BlockArgument argument) {
        return !argument.use_empty() && tensorOf(argument).getShape() == shape;
      });
}

/// A row of threads of a kernel that sums columns computes a row of the tile. A
/// thread has up to 32 sums in registers, in addition to the loaded elements of
/// the next operands. Where operands depend on several arguments and on values
/// of each neighbour, the depth is halved.
ProductShape reprise::shapeOfProduct(ProductKernel &kernel) {
  constexpr int64_t columns = 128, deep = 64;
  ProductShape shape;
  shape.columns = std::min(kernel.parts.columns, columns);
  bool isDeep = kernel.parts.inner % deep == 0 && longArguments(kernel) <= 1;
  shape.depth = isDeep ? deep : deep / 2;
  return shape;
}

/// Returns true if neighbours are computed from neighbours, element by element,
/// or from repeated values; rows may be those of another tensor.
static bool makesRows(Block &body) {
  bool isKnown = llvm::all_of(body.without_terminator(), [](Operation &op) {
    return isa<PointwiseOpInterface, IndexMapOpInterface>(op) ||
           kernelRoleOf(&op) == KernelRole::Repeated;
  });
  if (!isKnown)
    return false;
  FailureOr<std::vector<KernelSpace>> spaces =
      readKernelSpaces(body, KernelShape());
  return succeeded(spaces) && spaces->size() == 1 && spaces->front().vectorized;
}

/// Returns true if the last dimension is the only kept one.
static bool sumsColumns(Operation &op, ArrayRef<int64_t> shape) {
  auto reduction = dyn_cast<ReductionOpInterface>(op);
  ArrayRef<int64_t> dims =
      reduction ? reduction.getReducedDims() : ArrayRef<int64_t>();
  return reduction && tensorOf(op.getOperand(0)).getShape() == shape &&
         dims.size() + 1 == shape.size() &&
         !llvm::is_contained(dims, int64_t(shape.size()) - 1);
}

/// Returns true if the kernel yields the product and no value computed from it.
static bool yieldsProduct(ProductKernel &kernel) {
  return llvm::hasSingleElement(kernel.readerBody()) &&
         llvm::equal(kernel.readerBody().getTerminator()->getOperands(),
                     kernel.readerBody().getArguments().take_back());
}

/// Returns true if each yielded value of the reader is a sum, is computed from
/// sums at their index, or has the product's shape, and sums have no other
/// readers.
static bool yieldsOfOneSpace(ProductKernel &kernel) {
  Block &body = kernel.readerBody();
  KernelPasses work = passesOf(body);
  bool moves = llvm::any_of(body.without_terminator(), [&](Operation &op) {
    return kernelRoleOf(&op) == KernelRole::Repeated &&
           llvm::any_of(op.getOperands(), [&](Value operand) {
             return work.passesBefore(operand) > 0;
           });
  });
  ArrayRef<int64_t> shape = tensorOf(kernel.parts.result).getShape();
  return !moves &&
         llvm::all_of(body.getTerminator()->getOperands(), [&](Value value) {
           Operation *op = value.getDefiningOp();
           return isa_and_nonnull<ReductionOpInterface>(op) ||
                  llvm::is_contained(work.passes.front().rowOps, op) ||
                  tensorOf(value).getShape() == shape;
         });
}

static std::string whyNoReader(ProductKernel &kernel) {
  if (yieldsProduct(kernel))
    return "";
  ArrayRef<int64_t> shape = tensorOf(kernel.parts.result).getShape();
  int64_t sums = 0; // bytes of one
  for (Operation &op : kernel.readerBody().without_terminator()) {
    if (sumsColumns(op, shape))
      sums += accumulatorType(&op).getIntOrFloatBitWidth() / 8;
    else if (!isa<PointwiseOpInterface>(op) &&
             kernelRoleOf(&op) != KernelRole::Repeated)
      return "its result is not read element by element and by sums of columns";
  }
  BlockArgument product = kernel.readerBody().getArguments().back();
  for (Operation *user : product.getUsers())
    if (!isa<PointwiseOpInterface, ReductionOpInterface>(user) &&
        !user->hasTrait<OpTrait::IsTerminator>())
      return "its result is read elsewhere than at its index";
  if (sums == 0)
    return "nothing sums columns of its result";
  if (!yieldsOfOneSpace(kernel))
    return "what reads its result makes something of another shape";
  // The rest includes a word for the counter.
  constexpr int64_t room = (48 << 10) - 256, lanes = 4;
  int64_t bytes =
      2 * shapeOfProduct(kernel).numbers() + lanes * kBlockThreads * sums;
  return bytes <= room ? "" : "its sums do not fit together with a tile of it";
}

static std::string whyNoTiles(const sg::ProductParts &parts) {
  if (!hasTensorCores(getElementTypeOrSelf(parts.result)))
    return "its numbers are neither bf16 nor f16";
  if (parts.rows < 128 || parts.inner % 32 != 0 ||
      (parts.columns % 128 != 0 && parts.columns != 64))
    return "tiles of 128 rows, 128 or 64 columns and 32 neighbours are no part "
           "of it";
  return "";
}

std::string reprise::whyNoGpuProduct(Block &body) {
  if (llvm::count_if(body.without_terminator(), [](Operation &op) {
        return sg::productParts(&op).has_value();
      }) > 1)
    return "there is a second one";
  ProductKernel kernel = splitAtProduct(body);
  const sg::ProductParts &parts = kernel.parts;
  if (std::string why = whyNoTiles(parts); !why.empty())
    return why;
  if (!isa<BlockArgument>(parts.right))
    return "its right operand is not an argument of the kernel";
  for (Value value : kernel.makerBody().getTerminator()->getOperands())
    if (tensorOf(value).getShape() != tensorOf(parts.left).getShape())
      return "what is made beside its left operand has another shape";
  if (!makesRows(kernel.makerBody()))
    return "its left operand is not made element by element";
  return whyNoReader(kernel);
}

/// True where memory is the bottleneck rather than tensor cores, so that moving
/// data only once pays off. Libraries multiply larger products faster.
bool reprise::isGpuProduct(Operation *op) {
  std::optional<sg::ProductParts> parts = sg::productParts(op);
  if (!parts || !whyNoTiles(*parts).empty())
    return false;
  constexpr double mostProductsPerNumber = 512;
  double inner = parts->inner, columns = parts->columns;
  return inner * columns / (inner + columns) < mostProductsPerNumber;
}

bool reprise::runsGpuProduct(Block &body) {
  return productIn(body) && whyNoGpuProduct(body).empty();
}

LogicalResult reprise::checkGpuProduct(Block &body) {
  if (std::string why = whyNoGpuProduct(body); !why.empty())
    return productIn(body)->emitOpError()
           << "runs by no block of a GPU in this kernel: " << why;
  return success();
}

//===----------------------------------------------------------------------===//
// Facts for the planner
//===----------------------------------------------------------------------===//

/// Records that a value yielded by a part may be written in place over an
/// argument that only this part reads.
static LogicalResult addInPlace(KernelTraits &traits, Block &part,
                                ArrayRef<unsigned> numbers, Block &other,
                                unsigned right) {
  FailureOr<KernelTraits> own = analyzeKernel(part, KernelShape());
  if (failed(own))
    return failure();
  for (auto [output, input] : own->inPlace) {
    if (output >= numbers.size())
      continue;
    bool isShared = input >= other.getNumArguments() || input == right ||
                    !other.getArgument(input).use_empty();
    bool isMemory =
        input < std::min(part.getNumArguments(), other.getNumArguments());
    if (!isShared && isMemory)
      traits.inPlace.push_back({numbers[output], input});
  }
  return success();
}

std::optional<GpuSpace> reprise::spaceOfReader(ProductKernel &kernel) {
  if (yieldsProduct(kernel))
    return std::nullopt;
  FailureOr<std::vector<GpuSpace>> spaces = readGpuSpaces(kernel.readerBody());
  assert(succeeded(spaces) && spaces->size() == 1 && "a checked kernel");
  return std::move(spaces->front());
}

GpuGrid reprise::gridOfProduct(ProductKernel &kernel) {
  if (std::optional<GpuSpace> space = spaceOfReader(kernel))
    return GpuShape(*space).grid();
  ProductShape shape = shapeOfProduct(kernel);
  return {llvm::divideCeilSigned(kernel.parts.rows, shape.rows) *
              (kernel.parts.columns / shape.columns),
          kBlockThreads};
}

int64_t reprise::workspaceBytesOfProduct(ProductKernel &kernel) {
  std::optional<GpuSpace> space = spaceOfReader(kernel);
  return space ? workspaceBytesOf(*space) : 0;
}

FailureOr<KernelTraits> reprise::analyzeGpuProduct(Block &body) {
  if (failed(checkGpuProduct(body)))
    return failure();
  ProductKernel kernel = splitAtProduct(body);
  KernelTraits traits;
  traits.grains = gridOfProduct(kernel).blocks;
  traits.workspaceBytes = workspaceBytesOfProduct(kernel);
  traits.multipliesNarrow = true;
  // On an H200 (docs/benchmarks), kernels that do not wait for memory reach 60
  // to 137 TFLOP/s, while a library's products reach 863.
  traits.narrowRate = 0.15;
  unsigned right = cast<BlockArgument>(kernel.parts.right).getArgNumber();
  if (!yieldsProduct(kernel) &&
      failed(addInPlace(traits, kernel.readerBody(), kernel.read,
                        kernel.makerBody(), right)))
    return failure();
  // Left operands are also read by blocks of other columns, and their last row
  // by threads without a row.
  ProductShape shape = shapeOfProduct(kernel);
  std::optional<GpuSpace> space = spaceOfReader(kernel);
  int64_t together = shape.rows * (space ? GpuShape(*space).parts : 1);
  bool isOwn = kernel.parts.columns == shape.columns &&
               kernel.parts.rows % together == 0;
  if (isOwn && !kernel.made.empty() &&
      failed(addInPlace(traits, kernel.makerBody(), kernel.made,
                        kernel.readerBody(), right)))
    return failure();
  llvm::sort(traits.inPlace);
  return traits;
}
