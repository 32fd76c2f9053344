//===- RankCall.cpp - Plan calls that all ranks make together -------------===//
#include "reprise/Runtime/CollectivePlan.h"
#include "reprise/Runtime/Cuda/Cuda.h"

namespace reprise::rt::cuda {

Expected<LibraryCallInfo> planRankCall(const LibraryCallDesc &desc) {
  REPRISE_RETURN_IF_ERROR(verifyLibraryCall(desc));
  return planCollective(desc).info();
}

} // namespace reprise::rt::cuda
