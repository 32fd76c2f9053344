//===- KernelHarness.cpp - Compiles, runs and checks kernels --------------===//

#include "KernelHarness.h"
#include "KernelMachine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;
using reference::Tensor;

std::string test::textOf(const Case &kernel) {
  std::string parameters, operands, types, yielded;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    std::string separator = i ? ", " : "", number = std::to_string(i);
    std::string type = "tensor<" + kernel.arguments[i] + ">";
    parameters += separator + "%p" + number + ": " + type;
    operands += separator + "%a" + number + " = %p" + number + " : " + type;
  }
  for (size_t i = 0; i < kernel.results.size(); ++i) {
    std::string separator = i ? ", " : "";
    types += separator + "tensor<" + kernel.results[i].second + ">";
    yielded += separator + kernel.results[i].first;
  }
  std::string count = std::to_string(kernel.results.size());
  return "func.func @" + kernel.name + "(" + parameters + ") -> (" + types +
         ") {\n  %r:" + count + " = sg.kernel \"" + kernel.name + "\" (" +
         operands + ") -> (" + types + ") {\n" + kernel.body +
         "\n    sg.yield " + yielded + " : " + types + "\n  }\n  return " +
         [&] {
           std::string names;
           for (size_t i = 0; i < kernel.results.size(); ++i)
             names += (i ? ", %r#" : "%r#") + std::to_string(i);
           return names;
         }() +
         " : " + types + "\n}\n";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
constexpr size_t kGuard = 64;
constexpr uint8_t kGuardByte = 0xA5;

/// The bytes of a tensor between guards.
struct Memory {
  std::vector<uint8_t> bytes;

  explicit Memory(size_t size) : bytes(size + 2 * kGuard, kGuardByte) {}
  uint8_t *data() { return bytes.data() + kGuard; }
  size_t size() const { return bytes.size() - 2 * kGuard; }
  bool isIntact() const {
    for (size_t i = 0; i < kGuard; ++i)
      if (bytes[i] != kGuardByte || bytes[bytes.size() - 1 - i] != kGuardByte)
        return false;
    return true;
  }
};
} // namespace

static size_t elementBytes(Type type) {
  return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8;
}

static Memory toMemory(const Tensor &tensor) {
  Type element = tensor.getElementType();
  size_t width = elementBytes(element);
  Memory memory(tensor.size() * width);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t bits;
    if (auto real = dyn_cast<FloatType>(element)) {
      llvm::APFloat value(tensor.real(i));
      bool inexact;
      value.convert(real.getFloatSemantics(),
                    llvm::APFloat::rmNearestTiesToEven, &inexact);
      bits = value.bitcastToAPInt().getZExtValue();
    } else {
      bits = static_cast<uint64_t>(tensor.integer(i));
    }
    std::memcpy(memory.data() + i * width, &bits, width);
  }
  return memory;
}

static double numberAt(Memory &memory, Type element, int64_t i) {
  size_t width = elementBytes(element);
  uint64_t bits = 0;
  std::memcpy(&bits, memory.data() + i * width, width);
  if (auto real = dyn_cast<FloatType>(element))
    return llvm::APFloat(real.getFloatSemantics(), llvm::APInt(width * 8, bits))
        .convertToDouble();
  return static_cast<double>(llvm::SignExtend64(bits, width * 8));
}

/// Numbers with few bits, so that sums of them are mild; no zeros.
static Tensor randomTensor(RankedTensorType type, std::mt19937_64 &random) {
  Tensor tensor(type);
  std::uniform_real_distribution<double> real(-2.0, 2.0);
  std::uniform_int_distribution<int64_t> integer(-5, 9);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.isReal())
      tensor.real(i) = reference::roundTo(type.getElementType(), real(random));
    else
      tensor.integer(i) = type.getElementType().isInteger(1)
                              ? integer(random) & 1
                              : integer(random);
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
class Checker {
public:
  Checker(const Case &kernel, func::FuncOp function, KernelMachine &machine,
          ModuleOp parts, uint64_t seed)
      : kernel(kernel), function(function), machine(machine), parts(parts),
        random(seed) {}

  void run();

private:
  std::vector<Memory> call(size_t way, int output = -1, int input = -1);
  SmallVector<Tensor> evaluate(bool absolute);
  std::vector<Memory> callParts(sg::KernelOp op);
  void compareWithReference(std::vector<Memory> &results);
  void expectSame(std::vector<Memory> &a, std::vector<Memory> &b,
                  const std::string &how);

  const Case &kernel;
  func::FuncOp function;
  KernelMachine &machine;
  ModuleOp parts;
  std::mt19937_64 random;
  SmallVector<Tensor> arguments;
};
} // namespace

/// `output` lies over `input` unless both are -1.
std::vector<Memory> Checker::call(size_t way, int output, int input) {
  std::vector<Memory> inputs, outputs;
  for (const Tensor &argument : arguments)
    inputs.push_back(toMemory(argument));
  for (Type type : function.getResultTypes())
    outputs.emplace_back(sg::byteSize(type));
  if (output >= 0)
    outputs[output] = inputs[input];
  std::vector<KernelBuffer> buffers;
  for (Memory &memory : inputs)
    buffers.push_back({memory.data(), memory.size(), /*isRead=*/true});
  for (Memory &memory : outputs)
    buffers.push_back({memory.data(), memory.size(), /*isRead=*/false});
  if (output >= 0)
    buffers[inputs.size() + output].isRead = true;
  if (output >= 0)
    buffers[input] = buffers[inputs.size() + output];
  machine.run(kernel.name, buffers, way);
  for (Memory &memory : outputs)
    EXPECT_TRUE(memory.isIntact()) << kernel.name;
  return outputs;
}

void Checker::expectSame(std::vector<Memory> &a, std::vector<Memory> &b,
                         const std::string &how) {
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(a[i].bytes, b[i].bytes)
        << kernel.name << ": other bits of result " << i << " " << how;
}

/// What the reference gives for the arguments, or for their absolute values.
SmallVector<Tensor> Checker::evaluate(bool absolute) {
  SmallVector<Tensor> given = arguments;
  for (Tensor &argument : given)
    for (int64_t i = 0; absolute && argument.isReal() && i < argument.size();
         ++i)
      argument.real(i) = std::abs(argument.real(i));
  reference::VariableStore variables;
  reference::EvaluationOptions options;
  options.precision = reference::Precision::Stored;
  auto results = reference::evaluate(function, given, variables, options);
  EXPECT_TRUE(succeeded(results)) << kernel.name;
  return succeeded(results) ? *results : SmallVector<Tensor>();
}

/// Half the distance of 1 to the next number.
static double unitRoundoff(Type element) {
  auto real = cast<FloatType>(element);
  return std::ldexp(1.0, -int(real.getFPMantissaWidth()));
}

/// Of a sum in f32 of values whose absolute values sum to `size`, and of two
/// roundings of it to the type that is stored: the kernel's and the
/// reference's.
static double sumBound(int64_t additions, double size, double sum,
                       Type stored) {
  double u = std::ldexp(1.0, -24) * additions;
  double error = u / (1 - u) * size;
  return error + 2 * unitRoundoff(stored) * (std::abs(sum) + error);
}

void Checker::compareWithReference(std::vector<Memory> &results) {
  SmallVector<Tensor> expected = evaluate(/*absolute=*/false), sizes;
  if (!kernel.additions.empty())
    sizes = evaluate(/*absolute=*/true);
  for (auto [r, tensor] : llvm::enumerate(expected)) {
    int64_t additions = r < kernel.additions.size() ? kernel.additions[r] : 0;
    int failures = 0;
    for (int64_t i = 0; i < tensor.size() && failures < 3; ++i) {
      double want = tensor.number(i);
      double got = numberAt(results[r], tensor.getElementType(), i);
      double bound = additions
                         ? sumBound(additions, sizes[r].number(i), want,
                                    tensor.getElementType())
                         : kernel.tolerance * std::max(1.0, std::abs(want));
      bool same = want == got || (std::isnan(want) && std::isnan(got)) ||
                  std::abs(want - got) <= bound;
      failures += !same;
      EXPECT_TRUE(same) << kernel.name << " result " << r << " element " << i
                        << ": " << got << ", reference " << want
                        << ", allowed difference " << bound;
    }
  }
}

/// Runs the kernel's ops one after the other, each value in memory.
std::vector<Memory> Checker::callParts(sg::KernelOp op) {
  Block &body = op.getBody().front();
  llvm::DenseMap<Value, size_t> places;
  std::vector<Memory> memory;
  for (auto [argument, tensor] : llvm::zip(body.getArguments(), arguments)) {
    places[argument] = memory.size();
    memory.push_back(toMemory(tensor));
  }
  for (auto [i, inner] : llvm::enumerate(body.without_terminator())) {
    std::string name = partName(kernel.name, i);
    auto part = parts.lookupSymbol<func::FuncOp>(name);
    if (!part)
      continue;
    places[inner.getResult(0)] = memory.size();
    memory.emplace_back(sg::byteSize(inner.getResult(0).getType()));
    std::vector<KernelBuffer> buffers;
    auto add = [&](Memory &of, bool isRead) {
      buffers.push_back({of.data(), of.size(), isRead});
    };
    for (Value operand : inner.getOperands())
      if (places.contains(operand))
        add(memory[places[operand]], /*isRead=*/true);
    add(memory.back(), /*isRead=*/false);
    machine.run(name, buffers, 0);
  }
  std::vector<Memory> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(memory[places[value]]);
  return results;
}

void Checker::run() {
  ASSERT_TRUE(machine.has(kernel.name)) << kernel.name;
  for (Type type : function.getArgumentTypes())
    arguments.push_back(randomTensor(cast<RankedTensorType>(type), random));
  auto op = *function.getOps<sg::KernelOp>().begin();
  FailureOr<KernelTraits> info = traitsOf(op.getBody().front());
  ASSERT_TRUE(succeeded(info)) << kernel.name;
  std::vector<std::string> ways = machine.ways();
  std::vector<Memory> whole = call(0);
  compareWithReference(whole);
  for (size_t way = 1; way < ways.size(); ++way) {
    std::vector<Memory> other = call(way);
    expectSame(whole, other, ways[way]);
  }
  for (auto [output, input] : info->inPlace) {
    std::vector<Memory> over = call(ways.size() - 1, output, input);
    expectSame(whole, over, "in place");
  }
  if (!kernel.hasParts)
    return;
  std::vector<Memory> oneByOne = callParts(op);
  expectSame(whole, oneByOne, "op by op");
}

std::unique_ptr<MLIRContext> test::createContext() {
  DialectRegistry registry;
  registry.insert<sg::SgDialect, func::FuncDialect>();
  reference::registerReferenceModels(registry);
  return std::make_unique<MLIRContext>(registry);
}

OwningOpRef<ModuleOp> test::parseCases(MLIRContext &context,
                                       const std::vector<Case> &cases) {
  std::string text;
  for (const Case &kernel : cases)
    text += textOf(kernel);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  return module;
}

std::vector<KernelSource> test::sourcesOf(ModuleOp module) {
  std::vector<KernelSource> sources;
  module.walk([&](sg::KernelOp op) {
    sources.push_back({op.getPath().str(), &op.getBody().front()});
  });
  return sources;
}

std::string test::partName(StringRef kernel, size_t index) {
  return (kernel + "_part" + Twine(index)).str();
}

/// A function around a kernel of `op`, whose operands are arguments, but for
/// constants.
static void addPart(OpBuilder &b, Operation &op, StringRef name) {
  SmallVector<Value> read;
  for (Value operand : op.getOperands())
    if (Operation *from = operand.getDefiningOp();
        !from || !from->hasTrait<OpTrait::ConstantLike>())
      read.push_back(operand);
  Location loc = op.getLoc();
  auto function = func::FuncOp::create(
      b, loc, name,
      b.getFunctionType(TypeRange(ValueRange(read)), op.getResultTypes()));
  OpBuilder::InsertionGuard guard(b);
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto kernel = sg::KernelOp::create(b, loc, op.getResultTypes(),
                                     entry->getArguments(), name);
  func::ReturnOp::create(b, loc, kernel.getResults());
  Block &body = kernel.getBody().front();
  b.setInsertionPointToStart(&body);
  IRMapping mapping;
  mapping.map(read, body.getArguments());
  for (Value operand : op.getOperands())
    if (!mapping.contains(operand))
      b.clone(*operand.getDefiningOp(), mapping);
  Operation *clone = b.clone(op, mapping);
  sg::YieldOp::create(b, loc, clone->getResults());
}

OwningOpRef<ModuleOp> test::partsOf(ModuleOp module) {
  OwningOpRef<ModuleOp> parts = ModuleOp::create(module.getLoc());
  OpBuilder b(parts->getBodyRegion());
  module.walk([&](sg::KernelOp kernel) {
    for (auto [i, op] :
         llvm::enumerate(kernel.getBody().front().without_terminator()))
      if (!op.hasTrait<OpTrait::ConstantLike>())
        addPart(b, op, partName(kernel.getPath(), i));
  });
  return parts;
}

void test::checkCases(const std::vector<Case> &cases, uint64_t seed) {
  std::unique_ptr<MLIRContext> context = createContext();
  OwningOpRef<ModuleOp> module = parseCases(*context, cases);
  ASSERT_TRUE(module);
  OwningOpRef<ModuleOp> wanted = ModuleOp::create(module->getLoc());
  OpBuilder b(wanted->getBodyRegion());
  for (const Case &kernel : cases)
    if (kernel.hasParts)
      b.clone(*module->lookupSymbol(kernel.name));
  OwningOpRef<ModuleOp> parts = partsOf(*wanted);
  std::vector<KernelSource> sources = sourcesOf(*module);
  llvm::append_range(sources, sourcesOf(*parts));
  std::unique_ptr<KernelMachine> machine = compileKernels(sources);
  ASSERT_TRUE(machine);
  for (const Case &kernel : cases)
    Checker(kernel, module->lookupSymbol<func::FuncOp>(kernel.name), *machine,
            *parts, seed)
        .run();
}
