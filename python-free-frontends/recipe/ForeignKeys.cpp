//===- ForeignKeys.cpp - Keys of other frameworks -------------------------===//
//
// The keys of MedFusion and United Perception that have a counterpart here, one
// a line. A section's own line applies to every key below it without a line.
// See docs/from-other-frameworks.md for details; a test compares the two.
//
//===----------------------------------------------------------------------===//
#include "ForeignKeys.h"
#include <algorithm>
#include <cstring>
#include <iterator>

using namespace reprise::recipe;

static const ForeignKey kForeign[] = {
    // MedFusion
    {"project_name", "", "leave it out; the files of a run have names"},
    {"experiment_name", "", "leave it out; the files of a run have names"},
    {"description", "", "leave it out; a comment says it"},
    {"tags", "", "leave it out; a comment says it"},
    {"deterministic", "", "leave it out; runs repeat to the bit"},
    {"model.num_classes", "model.classes", ""},
    {"model.vision", "model.name", "a model of 'reprise zoo list', or a file"},
    {"model.vision.backbone", "model.name", ""},
    {"model.vision.pretrained", "model.pretrained",
     "a file of weights (.safetensors); nothing is fetched"},
    {"model.vision.in_channels", "model.channels", ""},
    {"model.vision.dropout", "model.dropout", ""},
    {"model.tabular", "model.name",
     "a model of images and tables is one of your own, a file of MLIR"},
    {"model.fusion", "model.name",
     "a model of images and tables is one of your own, a file of MLIR"},
    {"data.batch_size", "training.batch_size", ""},
    {"data.image_size", "model.image", "height and width, as 224x224"},
    {"data.target_size", "model.image", "height and width, as 224x224"},
    {"data.image_channels", "model.channels", ""},
    {"data.num_workers", "data.loader_threads", "1 at least"},
    {"data.pin_memory", "", "leave it out; batches are read in place"},
    {"data.shuffle_train", "training.seed", "rows are shuffled by it, always"},
    {"data.random_seed", "training.seed", ""},
    {"data.data_root", "data.source", ""},
    {"data.image_dir", "data.source", ""},
    {"data.csv_path", "data.source",
     "a class is a folder, or labels are a tensor of a .safetensors file"},
    {"data.train_ratio", "data.source", "its folders train and val are parts"},
    {"data.val_ratio", "data.source", "its folders train and val are parts"},
    {"data.test_ratio", "data.source", "its folders train and val are parts"},
    {"data.augmentation_strength", "data.train_images", ""},
    {"data.intensity_normalization", "data.normalize", ""},
    {"training.num_epochs", "training.epochs", ""},
    {"training.accumulation_steps", "training.gradient_accumulation", ""},
    {"training.gradient_accumulation_steps", "training.gradient_accumulation",
     ""},
    {"training.mixed_precision", "training.amp",
     "f16 for true, none for false"},
    {"training.gradient_clip", "training.clip_grad_norm", ""},
    {"training.gradient_clip_norm", "training.clip_grad_norm", ""},
    {"training.optimizer", "optimizer", "one learning rate for all parameters"},
    {"training.optimizer.optimizer", "optimizer.name", ""},
    {"training.optimizer.type", "optimizer.name", ""},
    {"training.optimizer.learning_rate", "optimizer.lr", ""},
    {"training.optimizer.lr", "optimizer.lr", ""},
    {"training.optimizer.weight_decay", "optimizer.weight_decay", ""},
    {"training.optimizer.momentum", "optimizer.momentum", ""},
    {"training.optimizer.betas", "optimizer.beta1", "and optimizer.beta2"},
    {"training.scheduler", "schedule", "cosine ends at 0"},
    {"training.scheduler.scheduler", "schedule.name", ""},
    {"training.scheduler.type", "schedule.name", ""},
    {"training.scheduler.warmup_epochs", "schedule.warmup", "in steps"},
    {"training.scheduler.step_size", "schedule.step_size", ""},
    {"training.scheduler.gamma", "schedule.gamma", ""},
    {"training.early_stopping", "hooks.early_stop.patience",
     "which turns it on"},
    {"training.early_stopping.patience", "hooks.early_stop.patience", ""},
    {"training.early_stopping.min_delta", "hooks.early_stop.min_delta", ""},
    {"training.early_stopping.monitor", "hooks.early_stop.metric",
     "accuracy or loss"},
    {"training.patience", "hooks.early_stop.patience", ""},
    {"training.min_delta", "hooks.early_stop.min_delta", ""},
    {"training.monitor", "hooks.early_stop.metric", "accuracy or loss"},
    {"training.save_top_k", "hooks.auto_save_best.dir",
     "of the best states one is kept"},
    {"training.save_last", "hooks.auto_save_best.save_cur_start", "1"},
    {"training.checkpoint", "hooks.auto_save_best.dir", ""},
    {"hardware.gradient_checkpointing", "training.checkpointing",
     "annotated for true, none for false"},
    {"logging", "hooks.train_val_logger.logdir", ""},
    {"logging.checkpoint_dir", "hooks.auto_save_best.dir", ""},
    {"logging.log_every_n_steps", "hooks.train_val_logger.freq", ""},
    // United Perception
    {"num_classes", "model.classes", ""},
    {"net", "model", "a model of 'reprise zoo list', or a file"},
    {"ema", "training.ema", "its decay"},
    {"dataset", "data.source", ""},
    {"dataset.train.dataset.transformer", "data.train_images",
     "and data.normalize"},
    {"dataset.train.batch_sampler", "training.batch_size", ""},
    {"dataset.train.dataloader", "data.loader_threads", ""},
    {"dataset.test.dataset.transformer", "data.eval_images", ""},
    {"dataset.test.batch_sampler", "training.batch_size",
     "that of training is taken"},
    {"dataset.test.dataloader", "data.loader_threads", ""},
    {"runtime.fp16", "training.amp", "f16 for True"},
    {"runtime.random_seed", "training.seed", ""},
    {"trainer.max_epoch", "training.epochs", ""},
    {"trainer.max_iter", "training.steps", ""},
    {"trainer.test_freq", "hooks.auto_save_best.test_freq", ""},
    {"trainer.test_start", "hooks.auto_save_best.test_start", ""},
    {"trainer.save_freq", "hooks.auto_save_best.save_freq", ""},
    {"trainer.save_start", "hooks.auto_save_best.save_start", ""},
    {"trainer.save_cur_start", "hooks.auto_save_best.save_cur_start", ""},
    {"trainer.save_cur_freq", "hooks.auto_save_best.save_cur_freq", ""},
    {"trainer.only_save_latest", "hooks.auto_save_best.save_freq",
     "0 for True, with save_cur_start: 1"},
    {"trainer.optimizer", "optimizer", ""},
    {"trainer.optimizer.type", "optimizer.name", ""},
    {"trainer.optimizer.lr", "optimizer.lr",
     "a step's: times the images of a step where it is one image's"},
    {"trainer.optimizer.momentum", "optimizer.momentum", ""},
    {"trainer.optimizer.nesterov", "optimizer.nesterov", ""},
    {"trainer.optimizer.weight_decay", "optimizer.weight_decay", ""},
    {"trainer.optimizer.betas", "optimizer.beta1", "and optimizer.beta2"},
    {"trainer.optimizer.pconfig", "optimizer.norm_bias_weight_decay",
     "and optimizer.no_weight_decay"},
    {"trainer.lr_scheduler", "schedule", "cosine ends at 0"},
    {"trainer.lr_scheduler.type", "schedule.name", ""},
    {"trainer.lr_scheduler.warmup_iter", "schedule.warmup", ""},
    {"trainer.lr_scheduler.warmup_epochs", "schedule.warmup", "in steps"},
    {"trainer.lr_scheduler.milestones", "schedule.step_size",
     "epochs between two drops, all alike"},
    {"trainer.lr_scheduler.step_size", "schedule.step_size", ""},
    {"trainer.lr_scheduler.gamma", "schedule.gamma", ""},
    {"saver.save_dir", "hooks.auto_save_best.dir",
     "and output.save for the state at the end"},
    {"saver.results_dir", "", "leave it out; results are printed"},
    {"saver.pretrain_model", "model.pretrained", ""},
    {"saver.resume_model", "output.resume", ""},
    {"saver.auto_resume", "hooks.reload.path",
     "a state that is gone on from if it is there"},
    {"hooks.train_val_logger.summary_writer", "",
     "leave it out; curves are event files of TensorBoard, always"}};

static const ForeignKey kImageSteps[] = {
    {"torch_random_resized_crop", "data.train_images", "random-resized-crop"},
    {"torch_random_horizontal_flip", "data.train_images", "flip"},
    {"torch_color_jitter", "data.train_images", "jitter=B:C:S:H"},
    {"torch_center_crop", "data.eval_images", "center-crop"},
    {"torch_resize", "data.eval_images", "resize=N"},
    {"normalize", "data.normalize", "M,M,M/S,S,S, or imagenet"},
    {"to_tensor", "", "leave it out; images are scaled to 0 to 1, always"}};

template <size_t N>
static const ForeignKey *findIn(const ForeignKey (&list)[N],
                                const std::string &name) {
  const ForeignKey *end = std::end(list);
  const ForeignKey *it =
      std::find_if(std::begin(list), end,
                   [&](const ForeignKey &key) { return name == key.path; });
  return it == end ? nullptr : it;
}

const ForeignKey *reprise::recipe::findForeign(const std::string &path) {
  return findIn(kForeign, path);
}

const ForeignKey *
reprise::recipe::findForeignImageStep(const std::string &type) {
  return findIn(kImageSteps, type);
}

std::string reprise::recipe::foreignNamed(const std::string &name) {
  std::string ours;
  for (const ForeignKey &key : kForeign) {
    std::string path = std::string(".") + key.path;
    bool isNamed = path.size() > name.size() &&
                   path.compare(path.size() - name.size() - 1,
                                std::string::npos, "." + name) == 0;
    if (!isNamed || !*key.ours)
      continue;
    if (!ours.empty() && ours != key.ours)
      return "";
    ours = key.ours;
  }
  return ours;
}

bool reprise::recipe::isForeignSection(const std::string &path) {
  std::string begin = path + ".";
  return std::any_of(
      std::begin(kForeign), std::end(kForeign), [&](const ForeignKey &key) {
        return std::strncmp(key.path, begin.c_str(), begin.size()) == 0;
      });
}

std::string reprise::recipe::answer(const ForeignKey &key) {
  if (!*key.ours)
    return key.how;
  std::string text = std::string("here it is '") + key.ours + "'";
  return *key.how ? text + " (" + key.how + ")" : text;
}
