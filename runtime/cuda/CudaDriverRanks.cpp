//===- CudaDriverRanks.cpp - Several GPUs ---------------------------------===//
//
// The kernels that add the parts of ranks are PTX as text, which the driver
// compiles: programs do not have them, since they are the same for all.
//
//===----------------------------------------------------------------------===//
#include "CudaDriver.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace reprise::rt::cuda {

/// sum[i] = parts[i] + parts[count + i] + ..., in this order, by one
/// thread for each element.
constexpr const char *kAddParts = R"(
.visible .entry reprise_add_parts_TYPE(
  .param .u64 sum, .param .u64 parts, .param .u64 count, .param .u64 ranks)
{
  .reg .pred %outside, %more;
  .reg .b32 %block, %size, %thread, %blocks;
  .reg .b64 %sum, %parts, %count, %ranks;
  .reg .b64 %i, %step, %offset, %at, %stride, %rank;
  .reg .TYPE %total, %part;
  ld.param.u64 %sum, [sum];
  ld.param.u64 %parts, [parts];
  ld.param.u64 %count, [count];
  ld.param.u64 %ranks, [ranks];
  cvta.to.global.u64 %sum, %sum;
  cvta.to.global.u64 %parts, %parts;
  mov.u32 %block, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %blocks, %nctaid.x;
  cvt.u64.u32 %i, %thread;
  mad.wide.u32 %i, %block, %size, %i;
  mul.wide.u32 %step, %blocks, %size;
  mul.lo.u64 %stride, %count, BYTES;
ELEMENT:
  setp.ge.u64 %outside, %i, %count;
  @%outside bra END;
  mul.lo.u64 %offset, %i, BYTES;
  add.u64 %at, %parts, %offset;
  ld.global.TYPE %total, [%at];
  mov.u64 %rank, 1;
PART:
  setp.ge.u64 %more, %rank, %ranks;
  @%more bra STORE;
  add.u64 %at, %at, %stride;
  ld.global.TYPE %part, [%at];
  add.rn.TYPE %total, %total, %part;
  add.u64 %rank, %rank, 1;
  bra PART;
STORE:
  add.u64 %at, %sum, %offset;
  st.global.TYPE [%at], %total;
  add.u64 %i, %i, %step;
  bra ELEMENT;
END:
  ret;
}
)";

constexpr const char *kPtxHeader =
    ".version 7.0\n.target sm_75\n.address_size 64\n";

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string addPartsCode() {
  std::string code = kPtxHeader;
  for (auto [type, bytes] : {std::pair("f32", "4"), std::pair("f64", "8")})
    code += replaced(replaced(kAddParts, "TYPE", type), "BYTES", bytes);
  return code;
}

Expected<Meeting> CudaDriver::makeMeeting() {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return NcclRanks::makeMeeting();
}

Status CudaDriver::join(const Meeting &meeting, Communicator &others) {
  Context context(*this, "connect ranks");
  REPRISE_RETURN_IF_ERROR(context.status());
  std::string code = addPartsCode();
  REPRISE_EXPECT(loaded,
                 load(code.data(), code.size(),
                      {"reprise_add_parts_f32", "reprise_add_parts_f64"}));
  addsF32 = (*loaded)[0];
  addsF64 = (*loaded)[1];
  auto makeCurrent = [&cuda = cuda, primary = primary] {
    return cuda.check(cuda.cuCtxPushCurrent(primary), "cuCtxPushCurrent");
  };
  REPRISE_EXPECT(joined, NcclRanks::join(meeting, others, makeCurrent));
  ranks = std::move(*joined);
  return {};
}

Status CudaDriver::checkConnected() const {
  return ranks ? Status()
               : Status::error(RP_INTERNAL, "no ranks are connected yet");
}

Status CudaDriver::exchange(Stream stream, Address data, const Shards &shards,
                            Address received) {
  REPRISE_RETURN_IF_ERROR(checkConnected());
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return ranks->exchange(streams[size_t(stream)], data, shards, received);
}

Status CudaDriver::gather(Stream stream, Address data, const Shards &shards) {
  REPRISE_RETURN_IF_ERROR(checkConnected());
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return ranks->gather(streams[size_t(stream)], data, shards);
}

Status CudaDriver::sum(Stream stream, Address data, uint64_t bytes,
                       rp_element_type type) {
  REPRISE_RETURN_IF_ERROR(checkConnected());
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return ranks->sum(streams[size_t(stream)], data, bytes, type);
}

Status CudaDriver::addParts(Stream stream, Address sum, Address parts,
                            uint64_t bytes, unsigned count,
                            rp_element_type type) {
  REPRISE_RETURN_IF_ERROR(checkConnected());
  constexpr uint64_t kThreads = 256, kMostBlocks = 4096;
  uint64_t elements = bytes / elementBytes(type),
           blocks = (elements + kThreads - 1) / kThreads;
  LaunchShape shape = {uint32_t(std::min(blocks, kMostBlocks)),
                       uint32_t(kThreads)};
  return launch(stream, type == RP_F64 ? addsF64 : addsF32, shape,
                {sum, parts, elements, count}, {});
}

/// Polls: at first as fast as possible, then with naps. An error of the ranks
/// stays: what they have computed together is lost.
Status CudaDriver::awaitWithRanks(const std::function<CUresult()> &query,
                                  const char *what) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kFast(200), kNap(50);
  constexpr std::chrono::milliseconds kBetweenChecks(500);
  Clock::time_point begin = Clock::now(), checked = begin;
  for (;;) {
    CUresult result = query();
    if (result != CUDA_ERROR_NOT_READY)
      return check(result, what);
    Clock::time_point now = Clock::now();
    if (now - begin < kFast)
      continue;
    std::this_thread::sleep_for(kNap);
    if (now - checked < kBetweenChecks)
      continue;
    checked = now;
    Status status =
        ranks->watch(std::chrono::duration<double>(now - begin).count());
    if (!status.ok() && lost.empty())
      lost = status.message();
    REPRISE_RETURN_IF_ERROR(status);
  }
}

Status CudaDriver::await(CUstream stream) {
  if (!ranks)
    return check(cuda.cuStreamSynchronize(stream), "cuStreamSynchronize");
  return awaitWithRanks([&] { return cuda.cuStreamQuery(stream); },
                        "cuStreamQuery");
}

} // namespace reprise::rt::cuda
