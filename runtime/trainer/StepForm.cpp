//===- StepForm.cpp - What an entry takes and gives -----------------------===//
//
// Every refusal names the entry, the tensor and both shapes.
//
//===----------------------------------------------------------------------===//
#include "StepForm.h"
#include "reprise/Runtime/Trainer/Safetensors.h"

using namespace reprise::rt;

const char *reprise::rt::entryName(StepKind kind) {
  return kind == StepKind::Train ? "train_step" : "eval_step";
}

static std::string describe(const TensorInfo &tensor) {
  return std::string(dtypeName(dtypeOf(tensor.type))) + " of shape " +
         formatShape(tensor.shape);
}

static Expected<const TensorInfo *>
require(const std::string &entry, const char *side, const TensorInfo *tensor,
        const char *name, rp_element_type type) {
  if (!tensor)
    return Status::error(RP_INVALID_ARGUMENT, "entry '" + entry +
                                                  "' of the program has no " +
                                                  side + " '" + name + "'");
  if (tensor->type != type)
    return Status::error(RP_INVALID_ARGUMENT,
                         std::string(side) + " '" + name + "' of entry '" +
                             entry + "' is " + describe(*tensor) + ", not " +
                             dtypeName(dtypeOf(type)));
  return tensor;
}

static Status wrongShape(const std::string &entry, const TensorInfo &tensor,
                         const std::string &wanted) {
  return Status::error(RP_INVALID_ARGUMENT,
                       "'" + tensor.name + "' of entry '" + entry + "' is " +
                           describe(tensor) + ", not " + wanted);
}

static Status readImage(const std::string &entry, const TensorInfo &image,
                        StepForm &form) {
  const std::vector<int64_t> &shape = image.shape;
  if (shape.size() != 2 && shape.size() != 4)
    return wrongShape(entry, image, "F32 of shape BxHxWxC or BxF");
  form.batch = size_t(shape[0]);
  form.image = shape.size() == 2 ? ImageShape{1, 1, shape[1]}
                                 : ImageShape{shape[1], shape[2], shape[3]};
  if (form.batch == 0 || form.image.elements() == 0)
    return wrongShape(entry, image, "without empty dimensions");
  return Status();
}

/// All but the image: label (B), learning rate, loss and logits (B,K).
static Status readRest(const EntryInfo &entry, StepKind kind, StepForm &form) {
  auto label =
      require(entry.name, "input", entry.input("label"), "label", RP_I32);
  if (!label.ok())
    return label.status();
  std::string batch = std::to_string(form.batch);
  if ((*label)->shape != std::vector<int64_t>{int64_t(form.batch)})
    return wrongShape(entry.name, **label, "of shape " + batch);
  auto loss =
      require(entry.name, "output", entry.output("loss"), "loss", RP_F32);
  if (!loss.ok())
    return loss.status();
  if ((*loss)->bytes != sizeof(float))
    return wrongShape(entry.name, **loss, "a scalar");
  auto logits =
      require(entry.name, "output", entry.output("logits"), "logits", RP_F32);
  if (!logits.ok())
    return logits.status();
  const std::vector<int64_t> &shape = (*logits)->shape;
  if (shape.size() != 2 || size_t(shape[0]) != form.batch || shape[1] <= 0 ||
      shape[1] > INT32_MAX)
    return wrongShape(entry.name, **logits, "of shape " + batch + "xK");
  form.classes = int32_t(shape[1]);
  if (kind == StepKind::Evaluate)
    return Status();
  auto rate = require(entry.name, "input", entry.input("learning_rate"),
                      "learning_rate", RP_F32);
  if (!rate.ok())
    return rate.status();
  if ((*rate)->bytes != sizeof(float))
    return wrongShape(entry.name, **rate, "a scalar");
  return Status();
}

Expected<StepForm> reprise::rt::readStepForm(const Backend &backend,
                                             StepKind kind) {
  const EntryInfo *entry = backend.entry(entryName(kind));
  if (!entry)
    return Status::error(RP_INVALID_ARGUMENT,
                         "the program '" + backend.model() +
                             "' has no entry '" + entryName(kind) + "'");
  auto image =
      require(entry->name, "input", entry->input("image"), "image", RP_F32);
  if (!image.ok())
    return image.status();
  StepForm form;
  REPRISE_RETURN_IF_ERROR(readImage(entry->name, **image, form));
  REPRISE_RETURN_IF_ERROR(readRest(*entry, kind, form));
  return form;
}

Status reprise::rt::checkDataFits(const StepForm &form, StepKind kind,
                                  const Dataset &data,
                                  const std::string &source) {
  ImageShape shape = data.shape();
  // An input (B,F) takes any image of F values.
  bool flat = form.image.height == 1 && form.image.width == 1 &&
              shape.elements() == form.image.elements();
  if (!(shape == form.image) && !flat)
    return Status::error(
        RP_INVALID_ARGUMENT,
        "images of '" + source + "' are " + formatImageShape(shape) +
            ", but entry '" + entryName(kind) + "' takes " +
            formatImageShape(form.image) + " (height x width x channels)");
  if (data.classes() > form.classes)
    return Status::error(RP_INVALID_ARGUMENT,
                         "'" + source + "' has " +
                             std::to_string(data.classes()) +
                             " classes, but the program tells " +
                             std::to_string(form.classes) + " apart");
  return Status();
}
