//===- Views.cpp - Classifiers of several images a case -------------------===//

#include "Views.h"

using namespace reprise;
using namespace reprise::zoo;

llvm::SmallVector<int64_t> zoo::imageExtents(const ModelOptions &options) {
  llvm::SmallVector<int64_t> extents = {*options.batch};
  if (options.views && *options.views > 1)
    extents.push_back(*options.views);
  if (options.frames)
    extents.push_back(*options.frames);
  extents.append({*options.height, *options.width, *options.channels});
  return extents;
}

nn::ViewPool *zoo::addViewPool(nn::Module &model, const ModelOptions &options,
                               int64_t features) {
  if (!options.views || *options.views == 1)
    return nullptr;
  return &model.add<nn::ViewPool>("view_pool", *options.viewPooling,
                                  *options.views, features);
}

nn::Tensor zoo::viewsOf(const nn::Tensor &input, const nn::ViewPool *pool) {
  return pool ? nn::foldViews(input) : input;
}

nn::Tensor zoo::poolViews(const nn::Tensor &features, nn::ViewPool *pool) {
  return pool ? (*pool)(features) : features;
}
