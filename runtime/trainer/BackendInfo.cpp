//===- BackendInfo.cpp - Descriptions of a program's tensors --------------===//
//
// Apart from SessionBackend.cpp, so that it links without the runtime.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Backend.h"

using namespace reprise::rt;

static const TensorInfo *findTensor(const std::vector<TensorInfo> &list,
                                    const std::string &name) {
  for (const TensorInfo &info : list)
    if (info.name == name)
      return &info;
  return nullptr;
}

const TensorInfo *EntryInfo::input(const std::string &name) const {
  return findTensor(inputs, name);
}

const TensorInfo *EntryInfo::output(const std::string &name) const {
  return findTensor(outputs, name);
}

Backend::~Backend() = default;
