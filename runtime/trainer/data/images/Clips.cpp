//===- Clips.cpp - Files of images as the frames of clips -----------------===//
//
// See Clips.h.
//
//===----------------------------------------------------------------------===//
#include "Clips.h"
#include "FileEndings.h"
#include "reprise/Runtime/NameText.h"

using namespace reprise::rt;

static std::string folderOf(const std::string &path) {
  return path.substr(0, path.rfind('/'));
}

Items Items::clips(const ImageFiles &files) {
  Items items(files);
  items.areClips = true;
  std::string last;
  for (uint64_t file = 0; file < files.size(); ++file) {
    std::string folder = folderOf(files.name(file));
    if (file == 0 || folder != last)
      items.begins.push_back(file);
    last = std::move(folder);
  }
  items.begins.push_back(files.size());
  return items;
}

std::string Items::name(uint64_t item) const {
  const std::string file = files.name(first(item));
  return areClips ? folderOf(file) : file;
}

Status reprise::rt::checkFolders(const ClipFolders &folders, bool skips) {
  if (!folders.loose.empty())
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + nameText(folders.loose) +
                             "' is an image in the folder of a class, but the "
                             "program takes clips; keep the frames of each "
                             "clip in a folder of their own below it");
  if (folders.empty.empty() || skips)
    return Status();
  return Status::error(RP_DATA_LOSS,
                       "'" + nameText(folders.empty.front()) +
                           "' is the folder of a clip and holds no frames (" +
                           endingsOf(FileUse::Image) +
                           "); remove it, or --skip-bad-files leaves it out");
}

/// The number of frames from the first that is taken to the last.
static int64_t spanOf(int64_t wanted, int64_t stride) {
  return stride > 0 ? (wanted - 1) * stride + 1 : wanted;
}

Status reprise::rt::checkFrames(const std::string &clip, uint64_t count,
                                int64_t wanted, int64_t stride) {
  if (count >= uint64_t(spanOf(wanted, stride)))
    return Status();
  std::string text = "'" + nameText(clip) + "' is a clip of " +
                     std::to_string(count) + " frames, but the program takes " +
                     std::to_string(wanted);
  if (stride > 1)
    text += " that are " + std::to_string(stride) + " apart, which span " +
            std::to_string(spanOf(wanted, stride));
  return Status::error(RP_DATA_LOSS,
                       text + "; take fewer (--frames)" +
                           (stride > 1 ? " or a shorter stride" : "") +
                           ", or --skip-bad-files leaves the clip out");
}

uint64_t reprise::rt::firstFrame(uint64_t count, int64_t wanted, int64_t stride,
                                 RowRandom *random) {
  if (stride == 0)
    return 0;
  int64_t spare = int64_t(count) - spanOf(wanted, stride);
  return uint64_t(random ? random->below(spare + 1) : spare / 2);
}

uint64_t reprise::rt::frameOf(uint64_t count, int64_t wanted, int64_t stride,
                              uint64_t first, int64_t index) {
  if (stride > 0)
    return first + uint64_t(index * stride);
  // The middle of each of `wanted` equal parts.
  return (2 * uint64_t(index) + 1) * count / (2 * uint64_t(wanted));
}
