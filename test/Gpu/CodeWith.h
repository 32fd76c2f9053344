//===- CodeWith.h - The code of a program, changed --------------*- C++ -*-===//
#ifndef REPRISE_TEST_GPU_CODEWITH_H
#define REPRISE_TEST_GPU_CODEWITH_H

#include "reprise/Runtime/Cuda/cuda_code_generated.h"
#include <functional>
#include <vector>

namespace reprise::gpu_test {

/// Unpacks the code of a program for a GPU, changes it and packs it again.
inline std::vector<uint8_t>
codeWith(const std::vector<uint8_t> &code,
         const std::function<void(rt::cuda_fb::CodeT &)> &change) {
  rt::cuda_fb::CodeT unpacked;
  rt::cuda_fb::GetCode(code.data())->UnPackTo(&unpacked);
  change(unpacked);
  flatbuffers::FlatBufferBuilder builder;
  rt::cuda_fb::FinishCodeBuffer(builder,
                                rt::cuda_fb::Code::Pack(builder, &unpacked));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_CODEWITH_H
