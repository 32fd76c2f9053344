//===- Views.h - Classifiers of several images a case -----------*- C++ -*-===//
//
// With option `views` above 1, a classifier of images takes that number of
// images a case. Its backbone is the same as for one; see nn/MultiView.h.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ZOO_VIEWS_H
#define REPRISE_ZOO_VIEWS_H

#include "Family.h"
#include "reprise/NN/MultiView.h"

namespace reprise::zoo {

/// Returns (batch,height,width,channels), with several views
/// (batch,views,height,...), of a volume (batch,frames,height,...).
llvm::SmallVector<int64_t> imageExtents(const ModelOptions &options);

/// If there are several views, adds the module "view_pool" to `model`, for
/// backbones that return `features` for each; else returns null.
nn::ViewPool *addViewPool(nn::Module &model, const ModelOptions &options,
                          int64_t features);

/// Returns the model's input as images of a backbone; `pool` as returned above.
nn::Tensor viewsOf(const nn::Tensor &input, const nn::ViewPool *pool);

/// Combines the features of a case's views into those of the case.
nn::Tensor poolViews(const nn::Tensor &features, nn::ViewPool *pool);

} // namespace reprise::zoo

#endif // REPRISE_ZOO_VIEWS_H
