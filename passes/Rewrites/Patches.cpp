//===- Patches.cpp - Convolutions of patches as products ------------------===//
//
// If windows of KH,KW equal the strides, an image (N,H,W,C) is a matrix of
// patches, (N*H/KH*W/KW, KH*KW*C), and a filter (O,KH,KW,C) one of (O,KH*KW*C):
//
//   y = p f^T       dp = dy f       df = dy^T p
//
// Libraries are slow at the gradient of such a filter, which has few input
// channels and a large window.
//
//===----------------------------------------------------------------------===//

#include "Patches.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Patches.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

/// A convolution of patches: the shapes of its image and its filter.
struct Patches {
  SmallVector<int64_t> image, filter;

  int64_t rows() const {
    return image[0] * (image[1] / filter[1]) * (image[2] / filter[2]);
  }
  int64_t columns() const { return filter[1] * filter[2] * filter[3]; }
  int64_t channels() const { return filter[0]; }

  /// (N,H/KH,KH,W/KW,KW,C)
  SmallVector<int64_t> apart() const {
    return {image[0],  image[1] / filter[1],
            filter[1], image[2] / filter[2],
            filter[2], image[3]};
  }
};

/// Emits the common parts of the three rewrites.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, const Patches &patches)
      : builder(builder), loc(loc), patches(patches) {}

  Value view(Value value, ArrayRef<int64_t> shape) {
    return ReshapeOp::create(
        builder, loc,
        RankedTensorType::get(shape, tensorOf(value).getElementType()), value);
  }
  Value turn(Value value) {
    return TransposeOp::create(builder, loc, value,
                               ArrayRef<int64_t>{0, 1, 3, 2, 4, 5});
  }
  Value patchesOf(Value image) {
    return view(turn(view(image, patches.apart())),
                {patches.rows(), patches.columns()});
  }
  Value rowsOf(Value pixels) {
    return view(pixels, {patches.rows(), patches.channels()});
  }
  Value matrixOf(Value filter) {
    return view(filter, {patches.channels(), patches.columns()});
  }
  /// The inverse of patchesOf.
  Value imageOf(Value matrix) {
    SmallVector<int64_t> turned = patches.apart();
    std::swap(turned[2], turned[3]);
    return view(turn(view(matrix, turned)), patches.image);
  }
  Value product(Value a, Value b, bool transposeA, bool transposeB, int64_t m,
                int64_t n, Type element) {
    MatMulOp::Properties properties;
    if (transposeA)
      properties.setTransposeA(builder.getUnitAttr());
    if (transposeB)
      properties.setTransposeB(builder.getUnitAttr());
    return MatMulOp::create(builder, loc,
                            TypeRange{RankedTensorType::get({m, n}, element)},
                            ValueRange{a, b}, properties);
  }

private:
  OpBuilder &builder;
  Location loc;
  const Patches &patches;
};

} // namespace

// One statement per op: the compiler chooses the order of a call's arguments.
static Value convolve(Conv2DOp op, const Patches &p, Emitter &e) {
  auto type = tensorOf(op.getResult());
  Value rows = e.patchesOf(op.getX());
  Value filter = e.matrixOf(op.getFilter());
  Value y = e.product(rows, filter, false, true, p.rows(), p.channels(),
                      type.getElementType());
  return e.view(y, type.getShape());
}

static Value convolve(Conv2DInputGradOp op, const Patches &p, Emitter &e) {
  Value dy = e.rowsOf(op.getDy());
  Value filter = e.matrixOf(op.getFilter());
  Value rows = e.product(dy, filter, false, false, p.rows(), p.columns(),
                         tensorOf(op.getResult()).getElementType());
  return e.imageOf(rows);
}

static Value convolve(Conv2DFilterGradOp op, const Patches &p, Emitter &e) {
  Value dy = e.rowsOf(op.getDy());
  Value rows = e.patchesOf(op.getX());
  Value filter = e.product(dy, rows, true, false, p.channels(), p.columns(),
                           tensorOf(op.getResult()).getElementType());
  return e.view(filter, p.filter);
}

static Patches shapesOf(Value image, Value filter) {
  return {SmallVector<int64_t>(tensorOf(image).getShape()),
          SmallVector<int64_t>(tensorOf(filter).getShape())};
}
static Patches patchesOf(Conv2DOp op) {
  return shapesOf(op.getX(), op.getFilter());
}
static Patches patchesOf(Conv2DInputGradOp op) {
  return shapesOf(op.getResult(), op.getFilter());
}
static Patches patchesOf(Conv2DFilterGradOp op) {
  return shapesOf(op.getX(), op.getResult());
}

namespace {
template <typename OpTy> struct ByProduct : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isOfPatches(op))
      return rewriter.notifyMatchFailure(op, "has windows that are no patches");
    Patches patches = patchesOf(op);
    Value value;
    {
      OriginScope scope(rewriter, op);
      Emitter emitter(rewriter, op.getLoc(), patches);
      value = convolve(op, patches, emitter);
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};
} // namespace

void sg::populatePatchPatterns(RewritePatternSet &patterns) {
  patterns.add<ByProduct<Conv2DOp>, ByProduct<Conv2DInputGradOp>,
               ByProduct<Conv2DFilterGradOp>>(patterns.getContext());
}
