//===- ImageFolder.cpp - Files of images in folders of classes ------------===//

#include "ClassFolders.h"

using namespace reprise::rt;

static constexpr FileKind kImages = {isImageName, FileUse::Image, "image"};

namespace {

class FolderSource final : public ImageFilesSource {
public:
  bool takes(const std::string &source, PathKind kind) const override {
    return kind == PathKind::Directory && hasClassFolders(source);
  }
  DataTraits traits(const DataSpec &spec) const override {
    DataTraits traits = traitsOfFolders(spec, kImages);
    traits.anySize = true;
    return traits;
  }

protected:
  bool hasClips() const override { return true; }
  Expected<std::unique_ptr<ImageFiles>> list(const DataSpec &spec,
                                             Split split) const override {
    return listClassFolders(spec, split, kImages);
  }
};

} // namespace

const DataSource &reprise::rt::imagesSource() {
  static const FolderSource source;
  return source;
}
