//===- ShardFiles.h - Images in tar archives --------------------*- C++ -*-===//
//
// The layout of WebDataset: files that share a name up to its first dot are one
// sample, here an image (.jpg, .jpeg, .png) and its class as digits (.cls),
// next to each other. Other files of a sample are left alone, and so is what
// has a name that begins with a dot. Headers are read once; images when they
// are asked for, at their place in the archive.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_SHARDS_SHARDFILES_H
#define REPRISE_RUNTIME_TRAINER_DATA_SHARDS_SHARDFILES_H

#include "../images/ImageDataset.h"

namespace reprise::rt {

/// Archives that a name says: one archive, those in a directory, or a pattern
/// with * ? [] and {a,b} or {000..011}, in this order. Sorted, but for braces.
Expected<std::vector<std::string>> expandShards(const std::string &source);

/// Whether a name may be of shards.
bool isShardName(const std::string &source);

/// Fails with RP_DATA_LOSS, naming the archive and the sample, where one is
/// truncated, damaged, compressed, or a sample lacks its image or class;
/// samples that lack one are left out where `skips`. `beside`: files beside the
/// archives, as in SkippedRows.
Expected<std::unique_ptr<ImageFiles>>
indexShards(const std::vector<std::string> &paths, bool skips = false,
            const std::map<std::string, uint64_t> &beside = {});

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_SHARDS_SHARDFILES_H
