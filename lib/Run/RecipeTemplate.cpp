//===- RecipeTemplate.cpp - Recipes to fill in ----------------------------===//

#include "reprise/Run/RecipeTemplate.h"
#include "reprise/Driver/ModelSource.h"
#include "reprise/Run/RecipeKeys.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include <filesystem>
#include <set>

using namespace reprise;
using namespace reprise::driver;

/// Keys of a network in a file, which the zoo's models do not have.
static constexpr const char *kFileKeys[] = {"loss", "logits", "label", "inputs",
                                            "values"};

/// Drops the keys that the model has no option for, and sets the defaults of
/// the others unless they follow from the data.
static void takeModel(const zoo::ModelOptions &model, bool isSynthetic,
                      recipe::Keys &keys) {
  auto set = [&](const char *path, std::optional<std::string> value,
                 bool isOfData = false) {
    if (!value)
      keys.remove(path);
    else if (isOfData && !isSynthetic)
      keys.setExample(path, *value);
    else
      keys.setDefault(path, *value);
  };
  auto whole = [](std::optional<int64_t> value) {
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  };
  auto number = [](std::optional<double> value) {
    return value ? std::optional(rt::settingNumber(*value)) : std::nullopt;
  };
  auto word = [](auto value) {
    return value ? std::optional(stringify(*value).str()) : std::nullopt;
  };
  set("model.classes", whole(model.classes), true);
  set("model.image", *whole(model.height) + "x" + *whole(model.width), true);
  set("model.channels", whole(model.channels), true);
  set("model.width", whole(model.baseWidth));
  set("model.stem", word(model.stem));
  set("model.dropout", number(model.dropout));
  set("model.attention_dropout", number(model.attentionDropout));
  set("model.stochastic_depth", number(model.stochasticDepth));
  set("model.frames", whole(model.frames), true);
  set("model.num_views", whole(model.views));
  set("model.patch", whole(model.patch));
  // Without the key, the annotations are not honoured.
  if (!model.annotate)
    keys.remove("model.annotate");
  if (!model.viewPooling)
    keys.remove("model.view_pooling");
  for (const char *name : kFileKeys)
    keys.remove("model." + std::string(name));
  set("training.batch_size", whole(model.batch));
}

/// Drops keys without effect on data of this kind. The kind of data that does
/// not exist yet is unknown.
static void takeData(const std::string &source, recipe::Keys &keys) {
  std::error_code error;
  bool isSynthetic = source == "synthetic";
  if (!isSynthetic)
    keys.remove("data.synthetic_size");
  if (!isSynthetic && !std::filesystem::exists(source, error))
    return;
  rt::DataSpec spec;
  spec.source = source;
  rt::DataTraits traits = rt::traitsOf(spec);
  if (!traits.anySize)
    for (const char *name : {"data.train_images", "data.eval_images",
                             "data.buckets", "data.skip_large_buckets"})
      keys.remove(name);
  if (!traits.namesClasses)
    keys.remove("data.class_names");
  if (!traits.anySize && !traits.isScaled)
    keys.remove("data.normalize");
  keys.remove("data.orientation");
  if (!traits.anySize && !traits.hasFiles)
    keys.remove("data.skip_bad_files");
}

/// Returns the keys of a model's recipe, with their defaults for it.
static rt::Expected<recipe::Keys> keysOf(const std::string &model,
                                         const std::string &data) {
  recipe::Keys keys = allKeys();
  takeData(data, keys);
  REPRISE_RETURN_IF_ERROR(isArtifact(model).status());
  if (const zoo::ModelInfo *info = zooModel(model)) {
    takeModel(info->defaults, data == "synthetic", keys);
    return keys;
  }
  // Other files contain their own options.
  std::set<std::string> kept = {"name", "pretrained"};
  if (optionsOf(model) == frontend::Options::File) {
    kept.insert({"classes", "annotate", "new_head"});
    kept.insert(std::begin(kFileKeys), std::end(kFileKeys));
  } else {
    keys.remove("training.batch_size");
  }
  for (const std::string &name : keys.namesIn("model"))
    if (!kept.count(name))
      keys.remove("model." + name);
  return keys;
}

rt::Expected<std::string> driver::recipeTemplate(const std::string &model,
                                                 const std::string &data) {
  REPRISE_EXPECT(keys, keysOf(model, data));
  std::vector<recipe::Setting> settings = {
      {"model.name", {model}},
      {"training.epochs", {"1"}},
      {"training.seed", {"0"}},
      {"optimizer.lr", {"0.05"}},
      {"schedule.name", {"cosine"}},
      {"data.source", {data}},
      {"output.save", {"state.safetensors"}}};
  return "# A recipe of 'reprise train --recipe FILE'. The line above a key is "
         "its\n# meaning. A key after '#' is not set: it has the default that "
         "is shown,\n# unless that is marked as an example.\n\n" +
         recipe::writeCommented(settings, *keys);
}
