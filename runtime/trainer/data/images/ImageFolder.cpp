//===- ImageFolder.cpp - Files of images in folders of classes ------------===//

#include "ClassFolders.h"

using namespace reprise::rt;

static constexpr FileKind kImages = {isImageName, isOtherImageName, "image",
                                     ".jpg, .jpeg or .png"};

namespace {

class FolderSource final : public DataSource {
public:
  bool takes(const std::string &source, PathKind kind) const override {
    return kind == PathKind::Directory && hasClassFolders(source);
  }
  DataTraits traits(const DataSpec &spec) const override {
    DataTraits traits = traitsOfFolders(spec);
    traits.anySize = true;
    return traits;
  }
  Expected<std::unique_ptr<Dataset>>
  open(const DataSpec &spec, Split split,
       const DatasetOptions &options) const override {
    auto files = listClassFolders(spec, split, kImages);
    if (!files.ok())
      return files.status();
    return openImages(std::move(*files), spec, options);
  }
  Expected<DatasetExtent>
  measure(const DataSpec &spec, Split split,
          const std::vector<Column> &columns) const override {
    auto files = listClassFolders(spec, split, kImages);
    if (!files.ok())
      return files.status();
    return measureImages(**files, columns);
  }
};

} // namespace

const DataSource &reprise::rt::imagesSource() {
  static const FolderSource source;
  return source;
}
