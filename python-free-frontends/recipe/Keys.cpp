//===- Keys.cpp - The keys of a recipe ------------------------------------===//
//
// One line for each option of `reprise train`; a test compares the lists, so
// that an option without a key fails it.
//
//===----------------------------------------------------------------------===//
#include "reprise/CheckpointingModes.h"
#include "reprise/Recipe/Recipe.h"
#include <algorithm>

using namespace reprise::recipe;

static Key text(const char *path, const char *option, const char *usual,
                const char *meaning) {
  Key key;
  key.path = path;
  key.option = option;
  key.usual = usual;
  key.meaning = meaning;
  return key;
}

static Key of(Kind kind, Key key) {
  key.kind = kind;
  return key;
}

static Key whole(const char *path, const char *option, const char *usual,
                 const char *meaning) {
  return of(Kind::Whole, text(path, option, usual, meaning));
}

static Key number(const char *path, const char *option, const char *usual,
                  const char *meaning) {
  return of(Kind::Number, text(path, option, usual, meaning));
}

static Key list(const char *path, const char *option, const char *usual,
                const char *meaning) {
  return of(Kind::List, text(path, option, usual, meaning));
}

static Key flag(const char *path, const char *option, const char *meaning) {
  return of(Kind::Switch, text(path, option, "false", meaning));
}

static Key choice(const char *path, const char *option, const char *usual,
                  std::vector<std::string> choices, const char *meaning) {
  Key key = of(Kind::Choice, text(path, option, usual, meaning));
  key.choices = std::move(choices);
  return key;
}

/// A key that names a destination, or the way in which a run is observed.
static Key beside(Key key) {
  key.isOfRun = false;
  return key;
}

/// A key without a default, or whose default no value can express.
static Key example(Key key) {
  key.isExample = true;
  return key;
}

/// Another spelling of `same`; Spellings.cpp translates it.
static Key spelling(Kind kind, const char *path, const char *same,
                    const char *usual, const char *meaning) {
  Key key = of(kind, text(path, "", usual, meaning));
  key.same = same;
  return example(key);
}

static void addModel(Keys &keys) {
  keys.add(example(
      text("model.name", "model", "resnet18",
           "A model of 'reprise zoo list', a file of MLIR (.mlir) or an "
           "artifact (.rpx); 'model: resnet18' says it too")));
  keys.add(
      example(whole("model.classes", "--classes", "10", "Number of classes")));
  keys.add(example(text("model.image", "--image", "224x224",
                        "Height and width of the images")));
  keys.add(example(
      whole("model.channels", "--channels", "3", "Channels of the images")));
  keys.add(example(whole("model.width", "--width", "64",
                         "Channels of the first stage, or of a ViT")));
  keys.add(example(choice("model.stem", "--stem", "imagenet",
                          {"imagenet", "cifar"}, "First layers of a ResNet")));
  keys.add(example(
      number("model.dropout", "--dropout", "0.1", "Probability of dropout")));
  keys.add(
      example(number("model.attention_dropout", "--attention-dropout", "0.1",
                     "Probability of dropping a weight of attention")));
  keys.add(example(number("model.stochastic_depth", "--stochastic-depth", "0.1",
                          "Probability of skipping the last block")));
  keys.add(
      example(whole("model.frames", "--frames", "16", "Images of a volume")));
  keys.add(example(whole("model.num_views", "--views", "2",
                         "Images of one case, which share a backbone")));
  keys.add(choice("model.view_pooling", "--view-pooling", "mean",
                  {"mean", "max", "attention"},
                  "How the views' features are combined"));
  keys.add(example(whole("model.patch", "--patch", "16",
                         "Side of the patches that become tokens")));
  keys.add(choice("model.annotate", "--annotate", "stages",
                  {"none", "stages", "blocks"},
                  "Blocks to recompute in the backward pass"));
  keys.add(example(text("model.pretrained", "--weights", "weights.safetensors",
                        "Initial parameters and running statistics")));
  for (const char *section : {"model.backbone", "training"}) {
    std::string path = std::string(section) + ".gradient_checkpointing.";
    keys.add(spelling(Kind::Switch, (path + "enabled").c_str(),
                      "training.checkpointing", "true",
                      "Whether activations are recomputed: as checkpointing "
                      "annotated, or none"));
    keys.add(spelling(Kind::Whole, (path + "segments").c_str(),
                      "training.checkpointing", "4",
                      "Segments of equal length: as checkpointing segments=4"));
  }
}

/// Length, batch, and computed results.
static void addTraining(Keys &keys) {
  keys.add(example(whole("training.batch_size", "--batch", "128",
                         "Images of a step, or of a micro-batch")));
  keys.add(whole("training.gradient_accumulation", "--accumulate", "1",
                 "Micro-batches of a step"));
  keys.add(example(whole("training.epochs", "--epochs", "1",
                         "Number of epochs to train, earlier runs included")));
  keys.add(example(
      whole("training.steps", "--steps", "1000",
            "Number of steps to train instead, earlier runs included")));
  keys.add(whole("training.seed", "--seed", "0",
                 "Seed of initial values, dropout and order"));
  keys.add(choice("training.amp", "--amp", "none", {"none", "bf16", "f16"},
                  "Mixed precision: the type of products"));
  keys.add(spelling(Kind::Switch, "training.use_amp", "training.amp", "true",
                    "Mixed precision, in bf16 unless amp_type says f16"));
  keys.add([] {
    Key key = spelling(Kind::Choice, "training.amp_type", "training.amp",
                       "bf16", "The type that use_amp means");
    key.choices = {"bf16", "f16"};
    return key;
  }());
  keys.add(example(number("training.clip_grad_norm", "--clip-grad-norm", "1",
                          "Maximum norm of all gradients together")));
  keys.add(
      example(number("training.label_smoothing", "--label-smoothing", "0.1",
                     "Share of each label that is spread over all classes")));
  keys.add(
      example(list("training.class_weights", "--class-weights", "[1, 2.5]",
                   "Weight of each class in the loss, or a file of them")));
  keys.add(example(number("training.ignore_index", "--ignore-index", "-100",
                          "Label whose rows are left out of the mean loss")));
  keys.add(example(number("training.mixup", "--mixup", "0.2",
                          "Mix images, by a ratio drawn from the Beta "
                          "distribution with both parameters equal to this")));
  keys.add(text("training.attention", "--attention", "auto",
                "How attention is computed: tiled, stored or auto"));
  keys.add(choice("training.fusion", "--fusion", "'on'", {"on", "off"},
                  "Whether ops share kernels"));
  keys.add(flag("training.check_finite", "--check-finite",
                "Check all gradients of each step, and end the run if one is "
                "not finite"));
  keys.add(whole("training.max_skipped_steps", "--max-skipped-steps", "100",
                 "Steps in a row that loss scaling may skip before the run "
                 "ends with an error; 0: any number"));
  Key evaluate =
      example(beside(flag("training.evaluate", "--eval",
                          "Report the accuracy at the end; without the key a "
                          "directory with test images is evaluated")));
  evaluate.off = "--no-eval";
  keys.add(evaluate);
}

/// Memory, and the machine.
static void addMemory(Keys &keys) {
  keys.add(text("training.checkpointing", "--checkpointing", "none",
                ("What to recompute in the backward pass: " +
                 reprise::listCheckpointingModes())
                    .c_str()));
  keys.add(
      example(text("training.budget", "--budget", "2GiB",
                   "Bytes that the whole program may take, a share of those "
                   "without recomputation (80%), or auto")));
  keys.add(
      example(of(Kind::Pairs, text("training.checkpointing_schedule",
                                   "--checkpointing-schedule",
                                   "{0-9: segments=8, 10-: none}",
                                   "Checkpointing modes or budgets by epochs, "
                                   "counted from 0; and on_out_of_memory"))));
  keys.add(example(list("training.keep", "--keep", "[layer1.*]",
                        "With a budget: modules or source lines whose values "
                        "are never recomputed")));
  keys.add(example(list("training.recompute", "--recompute", "[layer1.*]",
                        "Blocks or source lines to recompute, in addition to "
                        "those of the mode")));
  keys.add(example(text("training.roofline", "--roofline", "400GFLOPS,35GB/s",
                        "With a budget: speed of the machine")));
  keys.add(example(text("training.profile", "--profile", "model.profile.json",
                        "With a budget: measured times of the ops")));
  keys.add(
      number("training.plan_work", "--plan-work", "1",
             "With a budget: factor of the work of the search for a plan"));
  keys.add(text("training.plan_effort", "--plan-effort", "normal",
                "With a budget: effort of the search for a plan: quick, "
                "normal, thorough"));
  keys.add(
      example(whole("training.threads", "--threads", "2",
                    "Threads to run on; the bits of results depend on it")));
  keys.add(text("training.target", "--target", "cpu:native",
                "What to compile for; the bits of results depend on it"));
  keys.add(example(
      beside(text("training.device", "--device", "cpu", "Device to run on"))));
  keys.add(
      example(beside(text("training.memory_limit", "--memory-limit", "8GiB",
                          "Memory that the whole process may take"))));
  keys.add(beside(flag("training.check_memory", "--check-memory",
                       "Check after each step of the program that it changed "
                       "no memory but its own; slow")));
}

/// United Perception's keys; they express a budget or a mode.
static void addMemoryCheckpoint(Keys &keys) {
  std::string hook = "hooks.memory_checkpoint.",
              backbone = hook + "checkpoint_patterns.backbone.";
  const char *mode = "training.checkpointing", *budget = "training.budget";
  auto add = [&](Kind kind, const std::string &path, const char *same,
                 const char *usual, const char *meaning) {
    keys.add(spelling(kind, path.c_str(), same, usual, meaning));
  };
  auto addChoice = [&](const std::string &path, const char *same,
                       std::vector<std::string> choices, const char *meaning) {
    Key key = spelling(Kind::Choice, path.c_str(), same,
                       choices.front().c_str(), meaning);
    key.choices = std::move(choices);
    keys.add(key);
  };
  add(Kind::Switch, hook + "enable", mode, "true",
      "Whether activations are recomputed");
  for (const char *place : {"", "dc_cfg."}) {
    std::string in = hook + place;
    add(Kind::Number, in + "max_memory", budget, "8",
        "GiB that the whole program may take: as budget 8GiB");
    addChoice(in + "strategy", budget, {"memory_time", "greedy", "auto"},
              "Accepted for compatibility; ignored: plans take the least time");
    add(Kind::Whole, in + "warmup_iters", budget, "30",
        "Accepted for compatibility; ignored: plans are exact from the first "
        "step");
    add(Kind::Number, in + "debug_freq", budget, "-1",
        "Accepted for compatibility; ignored: 'reprise plan' and 'reprise why' "
        "show the plan");
  }
  addChoice(backbone + "patterns_mode", mode, {"level"},
            "How blocks are named: by their level");
  add(Kind::Text, backbone + "level.num", mode, "default",
      "Without max_memory: 1 recomputes stages, others blocks");
  add(Kind::Whole, backbone + "share_weight_num", mode, "1",
      "Accepted for compatibility; ignored: how often a block runs is known");
}

static void addClipper(Keys &keys) {
  std::string clipper = "hooks.grad_clipper.";
  keys.add(
      example(choice((clipper + "mode").c_str(), "--grad-clipper", "average",
                     {"pre_defined", "average", "moving_average"},
                     "Maximum norm of all gradients together: max_norm, or an "
                     "average of the norms of earlier steps")));
  keys.add(spelling(Kind::Number, (clipper + "max_norm").c_str(),
                    "training.clip_grad_norm", "1",
                    "With pre_defined: as clip_grad_norm"));
  keys.add(text((clipper + "norm_type").c_str(), "--clip-norm-type", "2",
                "Norm of the gradients to clip: 1, 2 or inf"));
  keys.add(number((clipper + "tolerance").c_str(), "--clip-tolerance", "1",
                  "With an average: its factor"));
  keys.add(
      number((clipper + "momentum").c_str(), "--clip-momentum", "0.9",
             "With moving_average: share of the old average that is kept"));
}

/// Names and numbers of the hooks are those of United Perception.
static void addHooks(Keys &keys) {
  std::string logger = "hooks.train_val_logger.",
              best = "hooks.auto_save_best.", stop = "hooks.early_stop.";
  auto wholeOf = [&](const std::string &path, const char *option,
                     const char *usual, const char *meaning) {
    keys.add(whole(path.c_str(), option, usual, meaning));
  };
  keys.add(
      example(text((logger + "logdir").c_str(), "--log-dir", "log",
                   "Directory for curves, as event files of TensorBoard")));
  wholeOf(logger + "freq", "--log-freq", "1", "Steps between points");
  wholeOf(logger + "skip_first_k", "--log-skip", "0",
          "First steps of the run that are not logged");
  keys.add(
      example(text((best + "dir").c_str(), "--save-best", "checkpoints",
                   "Directory for the best and the last states, by epochs")));
  wholeOf(best + "test_freq", "--test-freq", "1", "Epochs between evaluations");
  wholeOf(best + "test_start", "--test-start", "1", "First epoch to evaluate");
  wholeOf(best + "save_freq", "--save-freq", "1",
          "Epochs between saved states; 0: none");
  wholeOf(best + "save_start", "--save-start", "1",
          "First epoch with a saved state");
  wholeOf(best + "keep_last", "--keep-last", "3",
          "Number of saved states to keep; 0: all");
  keys.add(example(whole((best + "save_cur_start").c_str(), "--save-cur-start",
                         "1", "Epoch from which the latest state is written")));
  wholeOf(best + "save_cur_freq", "--save-cur-freq", "1",
          "Epochs between writes of the latest state");
  keys.add(example(
      beside(text("hooks.auto_checkpoint.path", "--auto-checkpoint",
                  "checkpoint.safetensors",
                  "State to write when a signal or an error ends the run"))));
  keys.add(example(
      beside(text("hooks.reload.path", "--reload", "checkpoint.safetensors",
                  "State to resume from if it exists"))));
  keys.add(example(whole(
      (stop + "patience").c_str(), "--early-stop", "3",
      "Evaluations in a row without improvement after which the run ends")));
  wholeOf(stop + "freq", "--early-stop-freq", "1",
          "Epochs between evaluations");
  keys.add(number((stop + "min_delta").c_str(), "--early-stop-delta", "0",
                  "Smallest change that counts as an improvement"));
  keys.add(choice((stop + "metric").c_str(), "--early-stop-metric", "accuracy",
                  {"accuracy", "loss"}, "What is compared"));
  addClipper(keys);
  addMemoryCheckpoint(keys);
  keys.add(
      example(beside(text("hooks.epoch_table.path", "--epoch-table",
                          "epochs.csv", "Table of the completed epochs"))));
  keys.add(example(
      beside(whole("hooks.memory_monitor.freq", "--memory-monitor", "100",
                   "Steps between lines about memory on standard error"))));
  keys.add(example(
      beside(text("hooks.profile_trace.path", "--profile-trace", "trace.json",
                  "Timeline of some steps of the run, for Perfetto"))));
  keys.add(beside(text("hooks.profile_trace.steps", "--trace-steps", "2-4",
                       "Steps to trace, counted from the first of this run")));
  keys.add(example(list("hooks.load", "--hook", "[./mine.so]",
                        "Shared libraries to load as hooks")));
}

static void addRest(Keys &keys) {
  keys.add(number("optimizer.lr", "--lr", "0.05", "Learning rate"));
  keys.add(example(
      list("optimizer.no_weight_decay", "--no-weight-decay", "['*.bias']",
           "Parameters without weight decay, by globs of their names")));
  keys.add(choice("schedule.name", "--schedule", "constant",
                  {"constant", "step", "cosine"}, "Of the learning rate"));
  keys.add(whole("schedule.warmup", "--warmup", "0",
                 "Steps in which the learning rate grows linearly, before the "
                 "schedule begins"));
  keys.add(whole("schedule.step_size", "--step-size", "30",
                 "With step: epochs between drops"));
  keys.add(number("schedule.gamma", "--gamma", "0.1",
                  "With step: factor of the learning rate at each drop"));
  keys.add(example(
      text("data.source", "--data", "synthetic",
           "Folders of images or volumes, tar shards, a directory of IDX "
           "files, a .safetensors file, or synthetic")));
  keys.add(text("data.train_images", "--train-images",
                "random-resized-crop,flip",
                "What is done to files of images in training"));
  keys.add(example(text("data.eval_images", "--eval-images",
                        "resize=256,center-crop", "And in evaluation")));
  keys.add(example(
      text("data.normalize", "--normalize", "imagenet",
           "Mean and deviation of channels, as 0.5/0.5; imagenet; none")));
  keys.add(example(text("data.orientation", "--orientation", "RAS",
                        "Of volumes: where their axes x, y and z are turned "
                        "to point")));
  keys.add(flag("data.skip_bad_files", "--skip-bad-files",
                "Leave out files that cannot be decoded"));
  Key shuffle = of(Kind::Switch,
                   text("data.shuffle", "--shuffle", "true",
                        "Another order of the rows in each epoch, by seed"));
  shuffle.off = "--no-shuffle";
  keys.add(shuffle);
  keys.add(example(list("data.class_names", "--class-names", "[cat, dog]",
                        "Names of the classes by number, for folders of "
                        "classes")));
  keys.add(example(
      list("data.buckets", "--buckets", "[224x224, 192x256]",
           "Sizes that files of images are sorted into by their shapes, "
           "each with a program of its own; HxW or HxW@BATCH")));
  keys.add(flag("data.skip_large_buckets", "--skip-large-buckets",
                "Leave out sizes whose programs do not fit the budget"));
  keys.add(example(beside(whole("data.loader_threads", "--loader-threads", "2",
                                "Threads that read and decode"))));
  keys.add(whole("data.synthetic_size", "--synthetic-size", "2048",
                 "Images of the synthetic data"));
  addHooks(keys);
  keys.add(example(beside(text("output.save", "--save", "state.safetensors",
                               "State to write at the end"))));
  keys.add(example(beside(whole("output.save_every", "--save-every", "100",
                                "Steps between saves during the run"))));
  keys.add(example(beside(text("output.resume", "--resume", "state.safetensors",
                               "State to resume from"))));
  keys.add(
      example(beside(list("output.override", "--override", "[steps]",
                          "Settings of the state to replace by those of the "
                          "recipe"))));
  keys.add(example(beside(text("output.dump_gradients", "--dump-gradients",
                               "gradients.safetensors",
                               "Write the gradients of the last step"))));
  keys.add(beside(flag("output.json", "--json", "Print the result as JSON")));
}

Keys Keys::standard() {
  Keys keys;
  addModel(keys);
  addTraining(keys);
  addMemory(keys);
  addRest(keys);
  return keys;
}

static std::string sectionOf(const std::string &path) {
  return path.substr(0, path.find('.'));
}

void Keys::setDefault(const std::string &path, const std::string &value) {
  for (Key &key : keys)
    if (key.path == path) {
      key.usual = value;
      key.isExample = false;
    }
}

void Keys::setExample(const std::string &path, const std::string &value) {
  setDefault(path, value);
  for (Key &key : keys)
    key.isExample |= key.path == path;
}

void Keys::remove(const std::string &path) {
  keys.erase(std::remove_if(keys.begin(), keys.end(),
                            [&](const Key &key) { return key.path == path; }),
             keys.end());
}

bool Keys::add(Key key) {
  if (find(key.path))
    return false;
  auto last = std::find_if(keys.rbegin(), keys.rend(), [&](const Key &other) {
    return sectionOf(other.path) == sectionOf(key.path);
  });
  keys.insert(last == keys.rend() ? keys.end() : last.base(), std::move(key));
  return true;
}

const Key *Keys::find(const std::string &path) const {
  for (const Key &key : keys)
    if (key.path == path)
      return &key;
  return nullptr;
}

const Key *Keys::findOption(const std::string &option) const {
  for (const Key &key : keys)
    if (!option.empty() && (key.option == option || key.off == option))
      return &key;
  return nullptr;
}

const Key *Keys::shortFor(const std::string &section) const {
  for (const char *name : {".name", ".source", ".logdir", ".dir", ".path",
                           ".patience", ".freq", ".enable", ".mode"})
    if (const Key *key = find(section + name))
      return key;
  return nullptr;
}

bool Keys::isSection(const std::string &path) const {
  return !namesIn(path).empty();
}

std::vector<std::string> Keys::namesIn(const std::string &section) const {
  std::vector<std::string> names;
  std::string begin = section.empty() ? "" : section + ".";
  for (const Key &key : keys) {
    if (key.path.compare(0, begin.size(), begin) != 0)
      continue;
    std::string name = sectionOf(key.path.substr(begin.size()));
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}
