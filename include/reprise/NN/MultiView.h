//===- MultiView.h - Several images of one case -----------------*- C++ -*-===//
//
// The views of a case (both sides of a chest, the slices around a finding) go
// through one backbone as if each was a sample of its own, and their features
// are pooled into one vector:
//
//   (B,V,H,W,C) ─ foldViews ─► (B*V,H,W,C) ─ backbone ─► (B*V,F) ─ pool ─►
//   (B,F)
//
// A block of the backbone is thus checkpointed for all views at once, and batch
// normalization counts each view as a sample: its statistics are those of B*V
// images.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_NN_MULTIVIEW_H
#define REPRISE_NN_MULTIVIEW_H

#include "reprise/NN/Layers.h"

namespace reprise::nn {

/// (B,V,...) to (B*V,...).
Tensor foldViews(const Tensor &x);

/// The way the vectors of V views are pooled into one: their mean; the maximum
/// of each feature, whose gradient views of equal value share; or a mean with
/// learned weights, softmax over the views of score(tanh(hidden(f))) (Ilse et
/// al. 2018, arXiv 1802.04712, equation 8).
enum class ViewPooling { Mean, Max, Attention };

/// (B*V,F) to (B,F). With attention, children `hidden` (F to kHidden) and
/// `score` (kHidden to 1, without bias, which softmax would cancel).
class ViewPool : public Module {
public:
  static constexpr int64_t kHidden = 128;

  ViewPool(ViewPooling pooling, int64_t views, int64_t features);

protected:
  Tensor forward(Tensor x) override;

private:
  ViewPooling pooling;
  int64_t views;
  Linear *hidden = nullptr, *score = nullptr;
};

/// (B,V,...) to (B,F) by a backbone of (N,...) to (N,F). Children `backbone`
/// and `pool`.
class MultiView : public Module {
public:
  MultiView(std::shared_ptr<Module> backbone, ViewPooling pooling,
            int64_t views, int64_t features);

protected:
  Tensor forward(Tensor x) override;

private:
  Module &backbone;
  ViewPool &pool;
  int64_t views;
};

} // namespace reprise::nn

#endif // REPRISE_NN_MULTIVIEW_H
