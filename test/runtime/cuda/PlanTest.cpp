//===- PlanTest.cpp - Plans for GPUs that are not here --------------------===//
//
// Everything here asks cuDNN, and is skipped where there is none.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/cuda/CudnnPlan.h"
#include "Calls.h"
#include "reprise/Runtime/Cuda/Cuda.h"

#include <chrono>
#include <gtest/gtest.h>
#include <set>

using namespace reprise;
using namespace reprise::rt;
using namespace reprise::rt::cuda;
using namespace reprise::test;

#define SKIP_WITHOUT_CUDNN()                                                   \
  if (libraryVersion().empty())                                                \
  GTEST_SKIP() << "cuDNN or cuBLASLt is not found"

namespace {
constexpr LibraryOp kForward = LibraryOp::Conv2D,
                    kInputGrad = LibraryOp::Conv2DInputGrad,
                    kFilterGrad = LibraryOp::Conv2DFilterGrad;
constexpr LibraryOp kDirections[] = {kForward, kInputGrad, kFilterGrad};
constexpr uint64_t kMiB = 1 << 20;
} // namespace

/// Input channels, height, output channels, filter, stride.
static const int64_t kResNet[][5] = {
    {3, 224, 64, 7, 2},    {64, 56, 64, 1, 1},    {64, 56, 64, 3, 1},
    {64, 56, 256, 1, 1},   {256, 56, 64, 1, 1},   {256, 56, 128, 1, 1},
    {128, 56, 128, 3, 2},  {128, 28, 512, 1, 1},  {256, 56, 512, 1, 2},
    {512, 28, 128, 1, 1},  {128, 28, 128, 3, 1},  {512, 28, 256, 1, 1},
    {256, 28, 256, 3, 2},  {256, 14, 1024, 1, 1}, {512, 28, 1024, 1, 2},
    {1024, 14, 256, 1, 1}, {256, 14, 256, 3, 1},  {1024, 14, 512, 1, 1},
    {512, 14, 512, 3, 2},  {512, 7, 2048, 1, 1},  {1024, 14, 2048, 1, 2},
    {2048, 7, 512, 1, 1},  {512, 7, 512, 3, 1}};

/// The distinct convolutions of a step of ResNet-50: 68, the stem having no
/// input gradient.
static std::vector<LibraryCallDesc> resNetCalls(rp_element_type type) {
  std::vector<LibraryCallDesc> calls;
  for (const auto &[c, h, o, k, stride] : kResNet)
    for (LibraryOp op : kDirections)
      if (c != 3 || op != kInputGrad)
        calls.push_back(
            call(op, type, {256, h, h, c, o, k, stride, k / 2, k / 2, 1, 1}));
  return calls;
}

static LibraryCallInfo planned(const LibraryCallDesc &desc,
                               const CallOptions &options = {},
                               const std::string &device = "h200") {
  Expected<LibraryCallInfo> info = planCall(*describe(device), desc, options);
  EXPECT_TRUE(info.ok()) << info.status().message();
  return info.ok() ? *info : LibraryCallInfo();
}

static std::optional<ConvolutionForm> formOf(const LibraryCallDesc &desc) {
  if (desc.op == LibraryOp::MatMul)
    return asConvolution(*productForm(desc));
  return *convolutionForm(desc);
}

/// The heuristics' own plan and the one made from its name are the same one;
/// planCall says what they say.
static void checkRebuild(const LibraryCallDesc &desc,
                         const std::string &device) {
  std::optional<ConvolutionForm> form = formOf(desc);
  ASSERT_TRUE(form);
  Expected<CudnnDevice> gpu = describedDevice(describe(device)->properties);
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  Expected<CudnnPlan> chosen = chooseCudnnPlan(*gpu, *form, {});
  ASSERT_TRUE(chosen.ok()) << chosen.status().message();
  Expected<CudnnPlan> rebuilt = rebuildCudnnPlan(*gpu, *form, chosen->name());
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status().message();
  EXPECT_EQ(rebuilt->name(), chosen->name());
  EXPECT_EQ(rebuilt->workspaceBytes(), chosen->workspaceBytes());
  Expected<std::string> first = chosen->json(), second = rebuilt->json();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
  EXPECT_NE(first->find("engineId"), std::string::npos);
  LibraryCallInfo info = planned(desc, {}, device);
  EXPECT_EQ(info.implementation, chosen->name());
  if (splitsByDevice(chosen->name(), *formOf(desc)))
    EXPECT_GE(info.workspaceBytes, chosen->workspaceBytes());
  else
    EXPECT_EQ(info.workspaceBytes, chosen->workspaceBytes());
}

/// Grouped, depthwise, dilated and unevenly padded ones.
static std::vector<Convolution> oddConvolutions() {
  return {{8, 56, 56, 64, 128, 3, 1, 1, 1, 1, 32},
          {8, 56, 56, 96, 96, 3, 1, 1, 1, 1, 96},
          {8, 28, 30, 64, 64, 3, 1, 2, 2, 2, 1},
          {8, 56, 56, 64, 64, 3, 2, 0, 1, 1, 1},
          {4, 17, 19, 20, 24, 5, 3, 2, 1, 1, 1},
          {2, 8, 8, 7, 5, 3, 1, 1, 1, 1, 1}};
}

TEST(Plan, LibrariesSayTheirVersions) {
  SKIP_WITHOUT_CUDNN();
  std::string version = libraryVersion();
  EXPECT_EQ(version.find("cuDNN 9."), 0u) << version;
  EXPECT_NE(version.find(", cuBLASLt 1"), std::string::npos) << version;
}

TEST(Plan, IsRebuiltFromItsName) {
  SKIP_WITHOUT_CUDNN();
  for (const LibraryCallDesc &desc : resNetCalls(RP_BF16))
    checkRebuild(desc, "h200");
  for (const char *device : {"h100", "a100"})
    for (const LibraryCallDesc &desc : resNetCalls(RP_F16))
      checkRebuild(desc, device);
}

TEST(Plan, OddConvolutionsAreRebuilt) {
  SKIP_WITHOUT_CUDNN();
  int planned = 0, lacking = 0;
  for (const Convolution &v : oddConvolutions())
    for (rp_element_type type : {RP_F32, RP_BF16, RP_F16})
      for (LibraryOp op : kDirections) {
        LibraryCallDesc desc = call(op, type, v);
        Expected<LibraryCallInfo> info = planCall(*describe("h200"), desc);
        if (info.ok()) {
          ++planned;
          checkRebuild(desc, "h200");
          continue;
        }
        // What is lacking says so.
        ++lacking;
        EXPECT_EQ(info.status().code(), RP_UNAVAILABLE);
        std::cout << functionOf(desc).name << " of " << elementName(type)
                  << ", " << v.c << " channels, groups " << v.groups << ": "
                  << info.status().message() << "\n";
      }
  std::cout << planned << " planned, " << lacking << " lacking\n";
  EXPECT_GT(planned, 0);
}

/// Which a measurement may choose.
TEST(Plan, ConvolutionsOfVolumesAreRebuilt) {
  SKIP_WITHOUT_CUDNN();
  for (rp_element_type type : {RP_F32, RP_BF16})
    for (LibraryOp op : {LibraryOp::Conv3D, LibraryOp::Conv3DInputGrad,
                         LibraryOp::Conv3DFilterGrad})
      for (int64_t stride : {1, 2})
        checkRebuild(callOfVolumes(op, type, 28, 64, 128, stride), "h200");
}

TEST(Plan, ProductsAreListedAndRebuiltAsConvolutions) {
  SKIP_WITHOUT_CUDNN();
  Expected<CudnnDevice> gpu = describedDevice(describe("h200")->properties);
  for (rp_element_type type : {RP_F32, RP_BF16, RP_F16})
    for (auto [a, b] : {std::pair(0, 1), {0, 0}, {1, 0}}) {
      LibraryCallDesc desc = product(type, 256, 2048, 1000, a, b);
      std::optional<ConvolutionForm> form = asConvolution(*productForm(desc));
      ASSERT_TRUE(form);
      auto ways = listCudnnPlans(*gpu, *form);
      ASSERT_TRUE(ways.ok()) << ways.status().message();
      ASSERT_FALSE(ways->empty());
      std::set<std::string> names;
      for (const LibraryCallInfo &way : *ways) {
        EXPECT_TRUE(names.insert(way.implementation).second);
        Expected<CudnnPlan> plan =
            rebuildCudnnPlan(*gpu, *form, way.implementation);
        ASSERT_TRUE(plan.ok()) << plan.status().message();
        EXPECT_EQ(plan->workspaceBytes(), way.workspaceBytes);
      }
    }
}

TEST(Plan, EqualCallsHaveEqualPlans) {
  SKIP_WITHOUT_CUDNN();
  for (const LibraryCallDesc &desc : resNetCalls(RP_BF16)) {
    LibraryCallInfo first = planned(desc), second = planned(desc);
    EXPECT_EQ(first.implementation, second.implementation);
    EXPECT_EQ(first.workspaceBytes, second.workspaceBytes);
  }
}

/// The figures of the study that found that cuDNN plans without a device.
TEST(Plan, ResNetNeedsWhatItWasMeasuredToNeed) {
  SKIP_WITHOUT_CUDNN();
  auto start = std::chrono::steady_clock::now();
  uint64_t stem = 0, others = 0;
  std::set<std::string> names;
  std::vector<LibraryCallDesc> calls = resNetCalls(RP_BF16);
  EXPECT_EQ(calls.size(), 68u);
  for (const LibraryCallDesc &desc : calls) {
    LibraryCallInfo info = planned(desc);
    names.insert(info.implementation);
    bool isStem = desc.inputs[0].shape[3] == 3;
    uint64_t &most = isStem ? stem : others;
    most = std::max(most, info.workspaceBytes);
  }
  auto time = std::chrono::steady_clock::now() - start;
  std::cout << calls.size() << " plans, " << names.size() << " kernels, in "
            << std::chrono::duration<double, std::milli>(time).count()
            << " ms; workspaces: stem " << stem << ", others " << others
            << " bytes\n";
  EXPECT_GE(stem, 205000000u);
  EXPECT_LE(stem, 213000000u);
  // A device that is here says less of those that share sums by clusters.
  EXPECT_LE(others, 17 * kMiB);
}

/// Tensor cores would take f32 as TF32.
TEST(Plan, F32IsNotRoundedUnlessAllowed) {
  SKIP_WITHOUT_CUDNN();
  CallOptions fast;
  fast.allowTf32 = true;
  int differing = 0;
  uint64_t most = 0;
  for (const LibraryCallDesc &desc : resNetCalls(RP_F32)) {
    LibraryCallInfo strict = planned(desc), loose = planned(desc, fast);
    differing += strict.implementation != loose.implementation;
    most = std::max(most, strict.workspaceBytes);
  }
  std::cout << differing << " of 68 have other kernels with TF32; the largest "
            << "workspace in f32 is " << most << " bytes\n";
  EXPECT_GT(differing, 34);
  EXPECT_LE(most, 256 * kMiB);
  LibraryCallDesc both = product(RP_F32, 64, 64, 64, true, true);
  EXPECT_EQ(planned(both).implementation, "cublaslt");
  EXPECT_EQ(planned(both, fast).implementation, "cublaslt tf32");
  both = product(RP_BF16, 64, 64, 64, true, true);
  EXPECT_EQ(planned(both, fast).implementation, "cublaslt");
}

TEST(Plan, ProductsAreCublasLts) {
  SKIP_WITHOUT_CUDNN();
  std::vector<LibraryCallDesc> calls;
  for (auto [a, b] : {std::pair(0, 1), {0, 0}, {1, 0}, {1, 1}})
    calls.push_back(product(RP_BF16, 64, 32, 16, a, b));
  LibraryCallDesc batched = product(RP_BF16, 64, 32, 16, false, false);
  for (TensorDesc *t :
       {&batched.inputs[0], &batched.inputs[1], &batched.outputs[0]})
    t->shape.insert(t->shape.begin(), 12);
  calls.push_back(batched);
  LibraryCallDesc biased = product(RP_BF16, 64, 32, 16, false, true);
  biased.epilogues = {Epilogue::Bias};
  biased.inputs.push_back({RP_BF16, {16}, {}});
  calls.push_back(biased);
  LibraryCallDesc view = product(RP_BF16, 64, 32, 16, false, true);
  view.inputs[0].strides = {40, 1};
  calls.push_back(view);
  for (const LibraryCallDesc &desc : calls) {
    LibraryCallInfo info = planned(desc);
    EXPECT_EQ(info.implementation, "cublaslt");
    EXPECT_EQ(info.workspaceBytes, 32 * kMiB + 256);
  }
}

/// On an H100 the largest of 7,509 such plans needed 17,302,255 bytes.
TEST(Plan, KernelsOfClustersHaveRoomForWhatADeviceSplits) {
  SKIP_WITHOUT_CUDNN();
  int clusters = 0;
  for (const LibraryCallDesc &desc : resNetCalls(RP_BF16)) {
    LibraryCallInfo info = planned(desc);
    if (info.implementation.find(" k27=") == std::string::npos)
      continue;
    ++clusters;
    EXPECT_GE(info.workspaceBytes, 17302255u) << info.implementation;
    EXPECT_LE(info.workspaceBytes, 17 * kMiB) << info.implementation;
  }
  EXPECT_GT(clusters, 0);
}

static std::string measuredWith(const LibraryCallDesc &desc,
                                const std::string &implementation) {
  DeviceDescription d = *describe("h200");
  d.callLibraries = libraryVersion();
  d.calls[callText(desc)] = {4711, implementation, 1e-5};
  return writeDescription(d);
}

/// cuDNN's kernels for tensor cores count elements in 32 bits: a gradient of a
/// filter of single points is a product beyond, others are priced as what they
/// are.
TEST(Plan, LongGradientsOfFiltersAreProducts) {
  SKIP_WITHOUT_CUDNN();
  // 2674 * 56 * 56 * 256 elements are the last below 2^31.
  auto points = [](int64_t images, rp_element_type type = RP_BF16) {
    return planned(
        call(kFilterGrad, type, {images, 56, 56, 64, 256, 1, 1, 0, 0, 1, 1}));
  };
  for (rp_element_type type : {RP_BF16, RP_F16}) {
    EXPECT_EQ(points(2675, type).implementation, "cublaslt");
    LibraryCallInfo last = points(2674, type);
    EXPECT_EQ(last.implementation.rfind("cudnn eng", 0), 0u);
    EXPECT_EQ(last.arithmetic, 1);
  }
  EXPECT_EQ(points(2675).arithmetic, 1);
  Roofline roofline = describe("h200")->roofline;
  auto windows = [](int64_t images) {
    return planned(call(kFilterGrad, RP_BF16,
                        {images, 56, 56, 128, 128, 3, 2, 1, 1, 1, 1}));
  };
  EXPECT_EQ(windows(5349).arithmetic, 1);
  EXPECT_EQ(windows(5350).arithmetic, roofline.narrowGflops / roofline.gflops);
}

TEST(Plan, ResNetsCallsAreForTensorCores) {
  SKIP_WITHOUT_CUDNN();
  for (const LibraryCallDesc &desc : resNetCalls(RP_BF16))
    EXPECT_EQ(planned(desc).arithmetic, 1) << callText(desc);
}

/// The same kernel of a filter's gradient took 0 bytes on an H100 and 8,388,880
/// on an H200, or 6,291,903 and 7,865,055.
TEST(Plan, MeasuredGradientsOfFiltersHaveRoomForWhatAnotherDeviceSplits) {
  SKIP_WITHOUT_CUDNN();
  LibraryCallDesc gradient =
                      call(kFilterGrad, RP_BF16, {64, 7, 7, 2048, 512, 1}),
                  forward = call(kForward, RP_BF16, {64, 7, 7, 2048, 512, 1});
  auto bytesOf = [](const LibraryCallDesc &desc, const char *name) {
    Expected<DeviceDescription> d = readDescription(measuredWith(desc, name));
    EXPECT_TRUE(d.ok()) << d.status().message();
    Expected<LibraryCallInfo> info = planCall(*d, desc);
    EXPECT_TRUE(info.ok()) << info.status().message();
    return info.ok() ? info->workspaceBytes : 0;
  };
  for (const char *name :
       {"cudnn eng62 k25=2", "cudnn eng65 k2=0 k13=1 k18=1 k25=0 k27=4 k28=2"})
    EXPECT_GE(bytesOf(gradient, name), 17302255u) << name;
  // As measured.
  EXPECT_EQ(bytesOf(gradient, "cudnn eng62 k25=0"), 4711u);
  EXPECT_EQ(bytesOf(forward, "cudnn eng62 k2=0 k13=1 k27=4"), 4711u);
}

TEST(Plan, MeasuredCallsAreTakenAsTheyWere) {
  SKIP_WITHOUT_CUDNN();
  LibraryCallDesc desc = call(kForward, RP_F32, {8, 56, 56, 64, 64, 1}),
                  other = call(kForward, RP_F32, {8, 56, 56, 64, 32, 1});
  Expected<CudnnDevice> gpu = describedDevice(describe("h200")->properties);
  std::string name = chooseCudnnPlan(*gpu, *formOf(desc), {})->name();
  Expected<DeviceDescription> d = readDescription(measuredWith(desc, name));
  ASSERT_TRUE(d.ok()) << d.status().message();
  Expected<LibraryCallInfo> info = planCall(*d, desc);
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info->implementation, name);
  EXPECT_EQ(info->workspaceBytes, 4711u);
  EXPECT_EQ(info->seconds, 1e-5);
  EXPECT_EQ(planCall(*d, other)->implementation, planned(other).implementation);
  // They were measured without.
  CallOptions fast;
  fast.allowTf32 = true;
  EXPECT_EQ(planCall(*d, desc, fast)->implementation,
            planned(desc, fast).implementation);
  d->callLibraries = "cuDNN 9.0.0, cuBLASLt 13.0.0";
  info = planCall(*d, desc);
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.status().code(), RP_INVALID_ARGUMENT);
  EXPECT_NE(info.status().message().find("measured with cuDNN 9.0.0"),
            std::string::npos)
      << info.status().message();
}

TEST(Plan, MeasuredCallsThatNoLibraryHasAreRefused) {
  SKIP_WITHOUT_CUDNN();
  LibraryCallDesc points = call(kForward, RP_F32, {8, 56, 56, 64, 64, 1}),
                  windows =
                      call(kForward, RP_F32, {8, 56, 56, 64, 64, 3, 1, 1, 1});
  const struct {
    const LibraryCallDesc &desc;
    const char *implementation, *part;
  } cases[] = {
      {windows, "nonsense", "'nonsense', which is not a kernel's name"},
      {windows, "cudnn eng1 k", "which is not a kernel's name"},
      {windows, "cublaslt", "'cublaslt' with 4711 bytes"},
      {points, "cublaslt", "'cublaslt' with 4711 bytes"}};
  for (const auto &c : cases) {
    auto d = readDescription(measuredWith(c.desc, c.implementation));
    ASSERT_TRUE(d.ok()) << d.status().message();
    Expected<LibraryCallInfo> info = planCall(*d, c.desc);
    ASSERT_FALSE(info.ok()) << c.implementation;
    EXPECT_EQ(info.status().code(), RP_INVALID_ARGUMENT);
    EXPECT_NE(info.status().message().find(c.part), std::string::npos)
        << info.status().message();
  }
}

TEST(Plan, CallsHaveTextsOfTheirOwn) {
  LibraryCallDesc plain = product(RP_BF16, 64, 32, 16, false, true);
  EXPECT_EQ(callText(plain), "matmul 64x32xbf16 16x32xbf16 -> 64x16xbf16 "
                             "[0,1]");
  std::set<std::string> texts = {callText(plain)};
  LibraryCallDesc biased = plain;
  biased.epilogues = {Epilogue::Bias};
  biased.inputs.push_back({RP_BF16, {16}, {}});
  EXPECT_TRUE(texts.insert(callText(biased)).second);
  LibraryCallDesc view = plain;
  view.inputs[0].strides = {40, 1};
  EXPECT_TRUE(texts.insert(callText(view)).second);
  EXPECT_NE(callText(view).find("64x32xbf16@40,1 "), std::string::npos);
  for (LibraryOp op : kDirections)
    EXPECT_TRUE(texts.insert(callText(call(op, RP_F32, {8, 56, 56, 64, 64, 1})))
                    .second);
}

/// Sums of bf16 that are not rounded to bf16: cuDNN has none, cuBLASLt does.
TEST(Plan, WideResultsOfNarrowOperands) {
  SKIP_WITHOUT_CUDNN();
  for (rp_element_type type : {RP_BF16, RP_F16}) {
    for (LibraryOp op : kDirections) {
      LibraryCallDesc desc = call(op, type, {8, 28, 28, 64, 64, 3, 1, 1, 1});
      desc.outputs[0].type = RP_F32;
      Expected<LibraryCallInfo> info = planCall(*describe("h200"), desc);
      ASSERT_FALSE(info.ok()) << info->implementation;
      EXPECT_EQ(info.status().code(), RP_UNAVAILABLE);
    }
    for (auto [a, b] : {std::pair(0, 1), {0, 0}, {1, 0}}) {
      LibraryCallDesc desc = product(type, 128, 256, 512, a, b);
      desc.outputs[0].type = RP_F32;
      EXPECT_EQ(planned(desc).implementation, "cublaslt");
    }
  }
}

TEST(Plan, RefusesNamesThatAreNone) {
  SKIP_WITHOUT_CUDNN();
  LibraryCallDesc desc = call(kForward, RP_BF16, {8, 56, 56, 64, 64, 1});
  std::string name = planned(desc).implementation;
  Expected<CudnnDevice> gpu = describedDevice(describe("h200")->properties);
  for (const std::string &bad :
       {std::string(), std::string("cudnn"), std::string("cudnn eng"),
        std::string("cudnn eng-1"), std::string("cudnn eng99999"),
        std::string("cudnn eng99999999999999999999"), name + " ", name + " k",
        name + " k2", name + " k2=", name + " k999=1", name + " k2=99999",
        " " + name, "cudnn eng0" + name.substr(9), name + "\n"}) {
    Expected<CudnnPlan> plan = rebuildCudnnPlan(*gpu, *formOf(desc), bad);
    ASSERT_FALSE(plan.ok()) << bad;
    EXPECT_EQ(plan.status().code(), RP_INCOMPATIBLE) << bad;
  }
  for (size_t size = 0; size < name.size(); ++size) {
    Expected<CudnnPlan> plan =
        rebuildCudnnPlan(*gpu, *formOf(desc), name.substr(0, size));
    if (!plan.ok()) {
      EXPECT_EQ(plan.status().code(), RP_INCOMPATIBLE);
    }
  }
}

TEST(Plan, RefusesWrongCallsAndDevices) {
  SKIP_WITHOUT_CUDNN();
  DeviceDescription device = *describe("h200");
  LibraryCallDesc desc = product(RP_F32, 4, 4, 4, false, true);
  desc.inputs[0].shape = {4, 5};
  EXPECT_EQ(planCall(device, desc).status().code(), RP_INVALID_ARGUMENT);
  desc = call(kForward, RP_F32, {8, 56, 56, 64, 64, 3, 1, 1, 1});
  for (const char *properties : {"", "{", "{}", "[]", "{\"warpSize\":\"x\"}"}) {
    device.properties = properties;
    Expected<LibraryCallInfo> info = planCall(device, desc);
    EXPECT_FALSE(info.ok()) << properties;
    if (!info.ok()) {
      EXPECT_EQ(info.status().code(), RP_INVALID_ARGUMENT)
          << info.status().message();
    }
  }
}

TEST(Plan, ElementsSayWhatIsThere) {
  SKIP_WITHOUT_CUDNN();
  std::vector<rp_element_type> all = {RP_F32, RP_BF16, RP_F16};
  for (LibraryOp op : {kForward, kInputGrad, kFilterGrad, LibraryOp::MatMul})
    EXPECT_EQ(callElements(op), all);
  for (LibraryOp op :
       {LibraryOp::RmsNorm, LibraryOp::Attention, LibraryOp::AttentionGrad})
    EXPECT_TRUE(callElements(op).empty());
  TensorDesc x{RP_F32, {4, 8}, {}}, gamma{RP_F32, {8}, {}}, r{RP_F32, {4}, {}};
  LibraryCallDesc norm{LibraryOp::RmsNorm, {x, gamma}, {x, r}, {}, {1e-5}};
  Expected<LibraryCallInfo> info = planCall(*describe("h200"), norm);
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.status().code(), RP_UNAVAILABLE);
  EXPECT_EQ(info.status().message(), "rms_norm is not there on GPUs");
}
