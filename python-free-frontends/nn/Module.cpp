//===- Module.cpp - Networks as trees of modules --------------------------===//

#include "reprise/NN/Module.h"
#include "reprise/NN/Trace.h"

using namespace reprise::nn;

Module::~Module() = default;

Tensors Module::operator()(llvm::ArrayRef<Tensor> inputs) {
  assert(!inputs.empty() && "a module needs an input");
  return inputs.front().getTrace().call(*this, inputs);
}

Tensor Module::operator()(const Tensor &input) {
  Trace &trace = input.getTrace();
  Tensors results = trace.call(*this, input);
  if (results.size() == 1)
    return results.front();
  return trace.fail("a module of " + llvm::Twine(results.size()) +
                    " results is used as one of a single result");
}

Tensor Module::forward(Tensor input) {
  return input.getTrace().fail("module implements no forward of one input");
}

Tensors Module::forward(llvm::ArrayRef<Tensor> inputs) {
  if (inputs.size() == 1)
    return {forward(inputs.front())};
  return {inputs.front().getTrace().fail("module implements no forward of " +
                                         llvm::Twine(inputs.size()) +
                                         " inputs")};
}

Tensor Module::read(Trace &trace, llvm::StringRef name) const {
  return trace.read(*this, name);
}

//===----------------------------------------------------------------------===//
// Checkpointing of chains
//===----------------------------------------------------------------------===//

/// Returns true if there was a chain to split.
bool Module::splitChains(int64_t intoSegments) {
  if (isChain()) {
    segments = intoSegments;
    return true;
  }
  bool found = false;
  for (const Child &child : children)
    found |= child.module->splitChains(intoSegments);
  return found;
}

void Module::enableCheckpointing(int64_t intoSegments) {
  disableCheckpointing();
  // A module that can't be split keeps the request, so that the trace reports
  // it.
  if (!splitChains(intoSegments))
    segments = intoSegments;
}

void Module::disableCheckpointing() {
  segments.reset();
  for (const Child &child : children)
    child.module->disableCheckpointing();
}

bool Module::isCheckpointingEnabled() const {
  return segments || llvm::any_of(children, [](const Child &child) {
           return child.module->isCheckpointingEnabled();
         });
}

Tensor reprise::nn::checkpointSequential(Sequential &sequential,
                                         int64_t segments,
                                         const Tensor &input) {
  return input.getTrace().callInSegments(sequential, segments, input);
}

Tensor Sequential::forward(Tensor input) {
  for (const Child &child : getChildren())
    input = (*child.module)(input);
  return input;
}
