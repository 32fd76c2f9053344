//===- Views.h - Classifiers of several images a case -----------*- C++ -*-===//
//
// With option `views` above 1 a classifier of images takes as many a case. Its
// backbone is what it is for one; see nn/MultiView.h.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ZOO_VIEWS_H
#define REPRISE_ZOO_VIEWS_H

#include "Models.h"
#include "reprise/NN/MultiView.h"

namespace reprise::zoo {

/// (batch,height,width,channels), of several views (batch,views,height,...).
llvm::SmallVector<int64_t> imageExtents(const ModelOptions &options);

/// Adds the module "view_pool" to `model` where there are several views, of
/// backbones that make `features` of each; else null.
nn::ViewPool *addViewPool(nn::Module &model, const ModelOptions &options,
                          int64_t features);

/// The model's input as images of a backbone; `pool` as made above.
nn::Tensor viewsOf(const nn::Tensor &input, const nn::ViewPool *pool);

/// The features of cases from those of their views.
nn::Tensor poolViews(const nn::Tensor &features, nn::ViewPool *pool);

} // namespace reprise::zoo

#endif // REPRISE_ZOO_VIEWS_H
