//===- CudaTarget.cpp - A GPU of NVIDIA as a target -----------------------===//
#include "CudaTarget.h"
#include "Kernels/GpuKernels.h"
#include "Ptx.h"
#include "reprise/Runtime/Cuda/cuda_code_generated.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace mlir;
using namespace reprise;

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

rt::Status CudaTarget::prepare() {
  if (!library().empty())
    return {};
  return rt::Status::error(
      RP_UNAVAILABLE,
      "library calls for 'cuda' are planned by cuDNN 9, which is not found; "
      "install it with the CUDA toolkit, or say by CUDA_PATH where it is");
}

FailureOr<KernelTraits> CudaTarget::kernelTraits(Block &kernel) {
  return analyzeGpuKernel(kernel);
}

bool CudaTarget::runsAsKernel(Operation *op) const {
  return runsAsGpuKernel(op);
}

std::vector<rp_element_type>
CudaTarget::callElements(LibraryOp function) const {
  if (kLibraryFunctions[size_t(function)].isCollective)
    return {RP_F32, RP_F64};
  return rt::cuda::callElements(function);
}

rt::Expected<rt::LibraryCallInfo>
CudaTarget::planCall(const rt::LibraryCallDesc &desc) {
  REPRISE_RETURN_IF_ERROR(prepare());
  return rt::cuda::planCall(description, desc, options);
}

FailureOr<rt::LibraryCallInfo>
CudaTarget::libraryCall(Operation *op, const rt::LibraryCallDesc &desc) {
  std::vector<int64_t> key = rt::libraryCallKey(desc);
  auto found = answers.find(key);
  if (found == answers.end())
    found = answers
                .emplace(std::move(key), rt::functionOf(desc).isCollective
                                             ? rt::cuda::planRankCall(desc)
                                             : planCall(desc))
                .first;
  return reportAnswer(op, found->second);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

FailureOr<CudaTarget::Image> CudaTarget::makeImage(gpu::GPUModuleOp module) {
  Image image;
  FailureOr<std::string> ptx = emitPtx(module, description.architecture);
  if (failed(ptx))
    return failure();
  image.ptx = std::move(*ptx);
  FailureOr<std::optional<Cubin>> cubin =
      assemble(module.getLoc(), image.ptx, description.architecture);
  if (failed(cubin))
    return failure();
  if (*cubin)
    image.cubin = std::move((*cubin)->code);
  return image;
}

/// Emits a function for each kernel, in one module.
static FailureOr<OwningOpRef<ModuleOp>>
emitModule(ArrayRef<KernelSource> kernels) {
  Operation *first = kernels.front().body->getParentOp();
  MLIRContext *context = first->getContext();
  loadGpuDialects(*context);
  loadPtxDialects(*context);
  OpBuilder b(context);
  OwningOpRef<ModuleOp> top = ModuleOp::create(first->getLoc());
  b.setInsertionPointToStart(top->getBody());
  auto module = gpu::GPUModuleOp::create(b, first->getLoc(), "kernels");
  for (const KernelSource &kernel : kernels)
    if (failed(emitGpuKernel(module, kernel.symbol, *kernel.body)))
      return failure();
  return top;
}

FailureOr<std::vector<uint8_t>>
CudaTarget::compileKernels(ArrayRef<KernelSource> kernels) {
  FailureOr<OwningOpRef<ModuleOp>> top = emitModule(kernels);
  if (failed(top))
    return failure();
  return compileModule(*(*top)->getOps<gpu::GPUModuleOp>().begin());
}

FailureOr<std::vector<uint8_t>>
CudaTarget::compileModule(gpu::GPUModuleOp module) {
  rt::cuda_fb::CodeT code;
  code.architecture = description.architecture;
  for (auto function : module.getOps<gpu::GPUFuncOp>()) {
    auto kernel = std::make_unique<rt::cuda_fb::KernelT>();
    kernel->name = function.getName().str();
    kernel->threads = function.getKnownBlockSize()->front();
    code.kernels.push_back(std::move(kernel));
  }
  if (failed(expandMath(module, roundings())))
    return failure();
  FailureOr<Image> image = makeImage(module);
  if (failed(image))
    return failure();
  code.cubin = std::move(image->cubin);
  code.ptx = std::move(image->ptx);
  flatbuffers::FlatBufferBuilder builder;
  rt::cuda_fb::FinishCodeBuffer(builder,
                                rt::cuda_fb::Code::Pack(builder, &code));
  return std::vector<uint8_t>(builder.GetBufferPointer(),
                              builder.GetBufferPointer() + builder.GetSize());
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static rt::Status wrong(const std::string &what) {
  return rt::Status::error(RP_INVALID_ARGUMENT, what);
}

static rt::Expected<rt::cuda::DeviceDescription>
describeArchitecture(StringRef architecture) {
  std::set<std::string> known;
  for (const std::string &key : rt::cuda::descriptionKeys()) {
    rt::Expected<rt::cuda::DeviceDescription> each = rt::cuda::describe(key);
    if (each.ok() && each->architecture == architecture)
      return each;
    if (each.ok())
      known.insert(each->architecture);
  }
  return wrong("no device of architecture '" + architecture.str() +
               "' is described here; there are " + llvm::join(known, ", ") +
               ", or a file that describes one");
}

static rt::Expected<rt::cuda::DeviceDescription> readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return wrong("cannot read '" + path.str() +
                 "': " + buffer.getError().message());
  rt::Expected<rt::cuda::DeviceDescription> description =
      rt::cuda::readDescription((*buffer)->getBuffer().str());
  if (!description.ok())
    return wrong("'" + path.str() + "': " + description.status().message());
  return description;
}

/// Returns the device that TEXT in "cuda:TEXT" describes, without options.
static rt::Expected<rt::cuda::DeviceDescription> readDevice(StringRef text) {
  constexpr StringRef usual = "h100";
  if (text.empty())
    text = usual;
  if (text.starts_with("sm_"))
    return describeArchitecture(text);
  if (llvm::sys::path::extension(text) == ".json")
    return readFile(text);
  return rt::cuda::describe(text.str());
}

static rt::Expected<std::unique_ptr<Target>> createFromText(StringRef text) {
  rt::cuda::CallOptions options;
  options.allowTf32 = text.consume_back(",tf32");
  rt::Expected<rt::cuda::DeviceDescription> description = readDevice(text);
  bool isFile = llvm::sys::path::extension(text) == ".json";
  if (!description.ok() && !isFile && text.contains(','))
    return rt::Status::error(RP_INVALID_ARGUMENT,
                             "'" + text.rsplit(',').second.str() +
                                 "' is not an option of a device; tf32 is");
  if (!description.ok())
    return description.status();
  return std::unique_ptr<Target>(
      std::make_unique<CudaTarget>(std::move(*description), options));
}

void reprise::registerCudaTarget() {
  TargetEntry entry;
  entry.fromText = [](StringRef text, unsigned) {
    return createFromText(text);
  };
  // For a program whose calls have been planned, the architecture is enough.
  entry.fromFeatures = [](StringRef features,
                          unsigned) -> rt::Expected<std::unique_ptr<Target>> {
    rt::cuda::DeviceDescription description;
    description.name = description.architecture = features.str();
    return std::unique_ptr<Target>(std::make_unique<CudaTarget>(
        std::move(description), rt::cuda::CallOptions()));
  };
  registerTarget("cuda", std::move(entry));
}
