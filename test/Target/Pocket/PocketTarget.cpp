//===- PocketTarget.cpp - A second target, as an example ------------------===//
#include "PocketTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/Codegen/Kernels.h"
#include "reprise/IR/Sg.h"
#include "reprise/Target/Target.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace reprise;

namespace {

class PocketTarget : public Target {
public:
  explicit PocketTarget(std::string size) : size(std::move(size)) {}

  std::string device() const override { return "pocket"; }
  std::string features() const override { return size; }
  uint64_t alignment() const override { return 256; }
  KernelShape kernelShape() const override {
    KernelShape shape;
    shape.lanes = 8;
    shape.grainElements = 2048;
    return shape;
  }

  /// It has no unit for doubles.
  std::vector<rp_element_type> kernelElements() const override {
    return {RP_F32, RP_BF16, RP_F16, RP_I1, RP_I8, RP_I32, RP_I64};
  }
  FailureOr<KernelTraits> kernelTraits(Block &kernel) override {
    return analyzeKernel(kernel, kernelShape());
  }
  FailureOr<rt::LibraryCallInfo>
  libraryCall(Operation *op, const rt::LibraryCallDesc &desc) override;
  FailureOr<std::vector<uint8_t>>
  compileKernels(ArrayRef<KernelSource> kernels) override;

  Machine machine() const override { return {"pocket " + size, ""}; }
  rt::Expected<rt::Roofline> measureRoofline() override {
    return rt::Status::error(RP_UNAVAILABLE,
                             "there is no pocket computer here to time");
  }

private:
  std::string size;
};

} // namespace

FailureOr<rt::LibraryCallInfo>
PocketTarget::libraryCall(Operation *op, const rt::LibraryCallDesc &desc) {
  if (rt::Status status = rt::verifyLibraryCall(desc); !status.ok())
    return op->emitOpError() << status.message();
  uint64_t smallest = UINT64_MAX;
  for (Value operand : op->getOperands())
    smallest = std::min<uint64_t>(smallest, sg::byteSize(operand.getType()));
  return rt::LibraryCallInfo{smallest, "loops"};
}

FailureOr<std::vector<uint8_t>>
PocketTarget::compileKernels(ArrayRef<KernelSource> kernels) {
  MLIRContext &context = *kernels.front().body->getParentOp()->getContext();
  loadKernelDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  for (const KernelSource &kernel : kernels)
    if (failed(emitKernel(*module, kernel.symbol, *kernel.body, kernelShape())))
      return failure();
  if (failed(lowerKernels(*module)))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return std::vector<uint8_t>(text.begin(), text.end());
}

static rt::Expected<std::unique_ptr<Target>> create(StringRef size, unsigned) {
  if (size != "small" && size != "large")
    return rt::Status::error(
        RP_INVALID_ARGUMENT,
        "'pocket:" + size.str() +
            "' is not a target: write pocket:small or pocket:large");
  return std::unique_ptr<Target>(std::make_unique<PocketTarget>(size.str()));
}

void test::registerPocketTarget() {
  registerTarget("pocket", {create, create});
}
