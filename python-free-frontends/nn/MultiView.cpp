//===- MultiView.cpp - Several images of one case -------------------------===//

#include "reprise/NN/MultiView.h"
#include "reprise/NN/Trace.h"

using namespace reprise;
using namespace reprise::nn;

Tensor nn::foldViews(const Tensor &x) {
  if (!x)
    return x;
  llvm::ArrayRef<int64_t> shape = x.getType().getShape();
  if (shape.size() < 2)
    return x.getTrace().fail("views are the second dimension of their input, "
                             "which has " +
                             llvm::Twine(shape.size()));
  llvm::SmallVector<int64_t> folded = {shape[0] * shape[1]};
  folded.append(shape.begin() + 2, shape.end());
  return reshape(x, folded);
}

ViewPool::ViewPool(ViewPooling pooling, int64_t views, int64_t features)
    : pooling(pooling), views(views) {
  if (pooling != ViewPooling::Attention)
    return;
  hidden = &add<Linear>("hidden", features, kHidden);
  score = &add<Linear>("score", kHidden, 1, /*bias=*/false);
}

Tensor ViewPool::forward(Tensor x) {
  if (x.getType().getRank() != 2 || views < 1 || x.dim(0) % views != 0)
    return x.getTrace().fail("rows of features, " + llvm::Twine(views) +
                             " a case, are pooled over views; the input is " +
                             llvm::Twine(x.dim(0)) + " rows of rank " +
                             llvm::Twine(x.getType().getRank()));
  int64_t cases = x.dim(0) / views, features = x.dim(1);
  Tensor byCase = reshape(x, {cases, views, features});
  switch (pooling) {
  case ViewPooling::Mean:
    return meanOfTokens(byCase);
  case ViewPooling::Max:
    return maxOfTokens(byCase);
  case ViewPooling::Attention:
    break;
  }
  Tensor scores = (*score)(tanh((*hidden)(x)));
  Tensor weights = softmax(reshape(scores, {cases, 1, views}));
  return reshape(matmul(weights, byCase), {cases, features});
}

MultiView::MultiView(std::shared_ptr<Module> backbone, ViewPooling pooling,
                     int64_t views, int64_t features)
    : backbone(registerModule("backbone", std::move(backbone))),
      pool(add<ViewPool>("pool", pooling, views, features)), views(views) {}

Tensor MultiView::forward(Tensor x) {
  if (x.dim(1) != views)
    return x.getTrace().fail("a case has " + llvm::Twine(views) +
                             " views, but the input has " +
                             llvm::Twine(x.dim(1)));
  return pool(backbone(foldViews(x)));
}
