//===- OwnStreams.cpp - Random streams of micro-batches -------------------===//

#include "OwnStreams.h"
#include "reprise/IR/Sg.h"
#include "reprise/MicroBatchStreams.h"
#include <map>
#include <set>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

int64_t sg::ownStream(int64_t stream, uint64_t k) {
  return int64_t(uint64_t(stream) + (k << kBitsOfStream));
}

/// Streams use 32 bits for their draws, and these must differ.
LogicalResult sg::checkOwnStreams(func::FuncOp function, unsigned count) {
  std::map<int64_t, Operation *> streams;
  for (Operation &op : function.getBody().front()) {
    std::optional<int64_t> stream = streamOf(&op);
    if (!stream)
      continue;
    if (!op.getAttrOfType<IntegerAttr>("stream"))
      return op.emitOpError() << "draws from a stream that no attribute "
                                 "'stream' says, and so from no other one";
    streams.emplace(*stream, &op);
  }
  std::set<uint32_t> taken;
  for (auto [stream, op] : streams)
    for (unsigned k = 0; k < count; ++k)
      if (!taken.insert(uint32_t(ownStream(stream, k))).second)
        return op->emitOpError()
               << "draws from stream " << stream << ", whose numbers in "
               << "micro-batch " << k << " are those of another draw; streams "
               << "are numbers from 0 on, micro-batches at most 4096";
  return success();
}
