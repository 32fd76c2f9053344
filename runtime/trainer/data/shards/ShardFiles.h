//===- ShardFiles.h - Images in tar archives --------------------*- C++ -*-===//
//
// The layout of WebDataset: files that share a name up to its first dot are one
// sample, here an image (.jpg, .jpeg, .png) and its class as digits (.cls),
// next to each other. Other files of a sample are ignored, as are names that
// begin with a dot. Headers are read once; images on demand, at their place in
// the archive.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_SHARDS_SHARDFILES_H
#define REPRISE_RUNTIME_TRAINER_DATA_SHARDS_SHARDFILES_H

#include "../images/ImageDataset.h"

namespace reprise::rt {

/// Returns the archives that a name stands for: one archive, those in a
/// directory, or a pattern with * ? [] and {a,b} or {000..011}, in this order.
/// Sorted, except for braces.
Expected<std::vector<std::string>> expandShards(const std::string &source);

/// Returns true if a name may be of shards.
bool isShardName(const std::string &source);

/// Fails with RP_DATA_LOSS, naming the archive and the sample, if an archive is
/// truncated, damaged or compressed, or a sample lacks its image or class; with
/// `skips`, such samples are left out. `beside`: files next to the archives, as
/// in SkippedRows.
Expected<std::unique_ptr<ImageFiles>>
indexShards(const std::vector<std::string> &paths, bool skips = false,
            const std::map<std::string, uint64_t> &beside = {});

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_SHARDS_SHARDFILES_H
