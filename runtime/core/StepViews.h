//===- StepViews.h - Operands and results of a step -------------*- C++ -*-===//
//
// All functions expect a verified program.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CORE_STEPVIEWS_H
#define REPRISE_RUNTIME_CORE_STEPVIEWS_H

#include "Views.h"
#include <string>

namespace reprise::rt {

/// The views of a step. A kernel may read a result before it writes it, so that
/// its results are among the reads as well.
struct StepViews {
  std::vector<const fb::View *> reads, results, scratch;
};

StepViews viewsOf(const fb::Step &step, const fb::Program &program,
                  const fb::Entry &entry);

/// Returns true if the bytes of `view` are initialized when step `index`
/// begins.
bool holdsValues(const fb::Program &program, const fb::Entry &entry,
                 uint32_t index, const fb::View &view);

/// The last step that writes to the buffer of `view`; none for an input that
/// the entry returns.
std::optional<uint32_t> lastWriter(const fb::Program &program,
                                   const fb::Entry &entry,
                                   const fb::View &view);

/// "step 3 (conv2d in 'layer1') of entry 'train_step'".
std::string describeStep(const fb::Entry &entry, uint32_t index);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_STEPVIEWS_H
