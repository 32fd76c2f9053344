//===- Clips.h - Files of images as the frames of clips ---------*- C++ -*-===//
//
// DIR/CLASS/.../CLIP/FRAME: a clip is a folder whose files are its frames, in
// the order of their names' bytes.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_CLIPS_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_CLIPS_H

#include "Augment.h"
#include "ImageDataset.h"

namespace reprise::rt {

/// The frames of clips that a program takes.
struct ClipShape {
  int64_t frames = 1;
  bool isClip = false;
};

/// Fails for folders in which clips are not arranged as above; for those
/// without frames only unless `skips`.
Status checkFolders(const ClipFolders &folders, bool skips);

/// The files of each item of data: one image, or all frames of a clip.
class Items {
public:
  /// Each file is an item; `files` must outlive this.
  explicit Items(const ImageFiles &files) : files(files) {}
  /// Each folder with files is an item.
  static Items clips(const ImageFiles &files);

  uint64_t size() const { return areClips ? begins.size() - 1 : files.size(); }
  /// The first file of an item, and the number of its files.
  uint64_t first(uint64_t item) const { return areClips ? begins[item] : item; }
  uint64_t count(uint64_t item) const {
    return areClips ? begins[item + 1] - begins[item] : 1;
  }
  /// The name of the image or of the clip's folder.
  std::string name(uint64_t item) const;
  uint64_t hostBytes() const { return begins.capacity() * sizeof(uint64_t); }

private:
  const ImageFiles &files;
  bool areClips = false;
  std::vector<uint64_t> begins; // of clips, and the end
};

/// Fails if a clip of `count` frames is too short for `wanted` of them, with
/// `stride` as in ImageSteps.
Status checkFrames(const std::string &clip, uint64_t count, int64_t wanted,
                   int64_t stride);

/// Returns the first frame of a clip of `count` that is long enough, if frames
/// are `stride` apart: drawn by `random`, or in the middle without it.
uint64_t firstFrame(uint64_t count, int64_t wanted, int64_t stride,
                    RowRandom *random);

/// Returns frame `index` of those that are taken from the clip.
uint64_t frameOf(uint64_t count, int64_t wanted, int64_t stride, uint64_t first,
                 int64_t index);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_CLIPS_H
