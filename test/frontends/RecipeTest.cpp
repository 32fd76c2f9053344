//===- RecipeTest.cpp - Recipes read, refused and written -----------------===//
#include "reprise/Recipe/Recipe.h"
#include "reprise/Text/Table.h"
#include <chrono>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::recipe;

static Parsed read(const std::string &text) {
  return parse(text, Keys::standard(), text::nearest);
}

/// "LINE:COLUMN: MESSAGE" of each problem, a line each.
static std::string problems(const std::string &text) {
  std::string all;
  for (const Problem &problem : read(text).problems)
    all += (all.empty() ? "" : "\n") + std::to_string(problem.line) + ":" +
           std::to_string(problem.column) + ": " + problem.message;
  return all;
}

/// "PATH=VALUE,..." of each setting, a space between.
static std::string settings(const std::string &text) {
  Parsed parsed = read(text);
  EXPECT_TRUE(parsed.problems.empty()) << problems(text);
  std::string all;
  for (const Setting &setting : parsed.settings) {
    all += (all.empty() ? "" : " ") + setting.path + "=";
    for (size_t i = 0; i < setting.values.size(); ++i)
      all += (i ? "," : "") + setting.values[i];
  }
  return all;
}

TEST(Recipe, ReadsSectionsInTheOrderOfTheKeys) {
  EXPECT_EQ(settings("data: synthetic\n"
                     "optimizer: {lr: 5e-4, no_weight_decay: ['*.bias', pos]}\n"
                     "model:\n  name: resnet18\n  image: 32x32\n"),
            "model.name=resnet18 model.image=32x32 optimizer.lr=5e-4 "
            "optimizer.no_weight_decay=*.bias,pos data.source=synthetic");
}

TEST(Recipe, ReadsNothingFromNothing) {
  for (const char *text :
       {"", "\n", "# only a comment\n", "---\n", "~", "model:\ntraining:\n"})
    EXPECT_EQ(settings(text), "") << text;
}

TEST(Recipe, ReadsEachValueAsItIsWritten) {
  EXPECT_EQ(settings("training: {seed: 9223372036854775807, fusion: 'on', "
                     "budget: 1024, check_finite: true, evaluate: false}"),
            "training.seed=9223372036854775807 training.fusion=on "
            "training.check_finite=true training.evaluate=false "
            "training.budget=1024");
}

TEST(Recipe, ReplacesOtherSpellings) {
  EXPECT_EQ(settings("training: {use_amp: true}"), "training.amp=bf16");
  EXPECT_EQ(settings("training: {use_amp: true, amp_type: f16}"),
            "training.amp=f16");
  EXPECT_EQ(settings("training: {use_amp: false, amp_type: f16}"),
            "training.amp=none");
  std::string mode = "gradient_checkpointing: {enabled: true, segments: 3}";
  EXPECT_EQ(settings("training: {" + mode + "}"),
            "training.checkpointing=segments=3");
  EXPECT_EQ(settings("model: {backbone: {" + mode + "}}"),
            "training.checkpointing=segments=3");
  EXPECT_EQ(settings("training: {gradient_checkpointing: {enabled: true}}"),
            "training.checkpointing=annotated");
  EXPECT_EQ(settings("training: {gradient_checkpointing: {enabled: false, "
                     "segments: 3}}"),
            "training.checkpointing=none");
}

TEST(Recipe, ReadsHooksAsSectionsOrAsAList) {
  std::string wanted = "hooks.train_val_logger.logdir=log "
                       "hooks.train_val_logger.freq=5 "
                       "hooks.auto_checkpoint.path=c.safetensors";
  EXPECT_EQ(settings("hooks:\n"
                     "  train_val_logger: {freq: 5, logdir: log}\n"
                     "  auto_checkpoint: c.safetensors\n"),
            wanted);
  EXPECT_EQ(settings("hooks:\n"
                     "  - type: train_val_logger\n"
                     "    kwargs: {freq: 5, logdir: log}\n"
                     "  - {kwargs: {path: c.safetensors}, type: "
                     "auto_checkpoint}\n"),
            wanted);
}

TEST(Recipe, ReadsTheClipperOfGradients) {
  std::string wanted = "hooks.grad_clipper.mode=moving_average "
                       "hooks.grad_clipper.norm_type=inf "
                       "hooks.grad_clipper.momentum=0.9";
  EXPECT_EQ(settings("hooks: {grad_clipper: {mode: moving_average, norm_type: "
                     "inf, momentum: 0.9}}"),
            wanted);
  EXPECT_EQ(settings("hooks:\n"
                     "  - type: grad_clipper\n"
                     "    kwargs: {momentum: 0.9, mode: moving_average, "
                     "norm_type: inf}\n"),
            wanted);
  EXPECT_EQ(settings("hooks: {grad_clipper: average}"),
            "hooks.grad_clipper.mode=average");
  EXPECT_EQ(settings("hooks: {grad_clipper: {max_norm: 2}}"),
            "training.clip_grad_norm=2");
  EXPECT_EQ(problems("hooks: {grad_clipper: {}}"),
            "1:9: hooks.grad_clipper is off until 'hooks.grad_clipper.mode' is "
            "said");
}

TEST(Recipe, RefusesHooksThatWouldBeOff) {
  std::string off =
      "hooks.auto_save_best is off until 'hooks.auto_save_best.dir' is said";
  EXPECT_EQ(problems("hooks:\n  auto_save_best:\n"), "2:3: " + off);
  EXPECT_EQ(problems("hooks:\n  auto_save_best: {}\n"), "2:3: " + off);
  EXPECT_EQ(problems("hooks:\n  - type: auto_save_best\n"), "2:11: " + off);
  EXPECT_EQ(problems("hooks:\n"), "");
  for (const char *list :
       {"[a]", "[{kwargs: {}}]", "[{type: [a]}]", "[{type: grad_clip}]",
        "[{type: reload, kwargs: {path: a}, more: 1}]",
        "[{type: load, kwargs: a}]", "[{type: reload, kwargs: {way: a}}]",
        "[{type: reload, kwargs: {path: a}}, {type: reload, kwargs: {path: "
        "b}}]"})
    EXPECT_NE(problems(std::string("hooks: ") + list), "") << list;
}

TEST(Recipe, RefusesTwoSpellingsOfOneThing) {
  EXPECT_EQ(problems("training:\n  amp: bf16\n  use_amp: true\n"),
            "3:3: training.use_amp and training.amp say the same thing; keep "
            "one of them (the other is in line 2)");
  EXPECT_EQ(problems("training: {amp_type: f16}"),
            "1:12: training.amp_type needs training.use_amp");
}

TEST(Recipe, NamesTheNearestKey) {
  EXPECT_EQ(problems("trainig: {}"),
            "1:1: no key is named 'trainig'; did you mean 'training'?");
  EXPECT_EQ(problems("training:\n  epocs: 3\n"),
            "2:3: no key is named 'epocs' in training; did you mean 'epochs'?");
  EXPECT_EQ(problems("training:\n  lr: 3\n"),
            "2:3: no key is named 'lr' in training; it is 'optimizer.lr'");
  // The option's name, or what other frameworks call it.
  EXPECT_EQ(problems("model: {batch: 4}"),
            "1:9: no key is named 'batch' in model; it is "
            "'training.batch_size'");
  EXPECT_EQ(problems("training: {learning_rate: 1}"),
            "1:12: no key is named 'learning_rate' in training; it is "
            "'optimizer.lr'");
  EXPECT_EQ(
      problems("training.seed: 1")
          .rfind("1:1: no key is named 'training.seed'; known are model, ", 0),
      0u);
}

TEST(Recipe, AnswersKeysOfOtherFrameworksWithTheirs) {
  EXPECT_EQ(problems("training: {num_epochs: 3}"),
            "1:12: no key is named 'num_epochs' in training; here it is "
            "'training.epochs'");
  EXPECT_EQ(problems("runtime:\n  fp16: True\n"),
            "2:3: no key is named 'fp16' in runtime; here it is 'training.amp' "
            "(f16 for True)");
  // Sections "kwargs" are those around them; what has no answer of its own has
  // that of its section, once.
  EXPECT_EQ(problems("trainer:\n"
                     "  optimizer:\n"
                     "    type: SGD\n"
                     "    kwargs: {lr: 0.1, dampening: 0, maximize: 1}\n"),
            "2:3: no key is named 'optimizer' in trainer; here it is "
            "'optimizer'\n"
            "3:5: no key is named 'type' in trainer.optimizer; here it is "
            "'optimizer.name'\n"
            "4:14: no key is named 'lr' in trainer.optimizer; here it is "
            "'optimizer.lr' (a step's: times the images of a step where it is "
            "one image's)");
  EXPECT_EQ(problems("crop: &a\n  type: torch_center_crop\n"),
            "1:1: no key is named 'crop'; here it is 'data.eval_images' "
            "(center-crop)");
  EXPECT_EQ(problems("hooks: {train_val_logger: {summary_writer: a}}"),
            "1:28: no key is named 'summary_writer' in hooks.train_val_logger; "
            "leave it out; curves are event files of TensorBoard, always");
}

TEST(Recipe, EndsForeignSectionsThatHoldThemselves) {
  EXPECT_NE(problems("trainer: &t {kwargs: *t}"), "");
  EXPECT_NE(problems("dataset: &d {train: *d, kwargs: *d, dataset: *d}"), "");
}

// One that several sections have says nothing of which is meant.
TEST(Recipe, ListsTheKeysOfASectionWhereNoneIsNear) {
  std::string said = problems("data: {path: somewhere}");
  EXPECT_EQ(said.rfind("1:8: no key is named 'path' in data; known are ", 0),
            0u)
      << said;
  EXPECT_NE(said.find("train_images"), std::string::npos) << said;
}

TEST(Recipe, TakesSwitchesAsYamlWritesThem) {
  for (const char *text : {"true", "True", "TRUE"})
    EXPECT_EQ(settings(std::string("training: {check_finite: ") + text + "}"),
              settings("training: {check_finite: true}"))
        << text;
  for (const char *text : {"False", "FALSE"})
    EXPECT_EQ(settings(std::string("training: {check_finite: ") + text + "}"),
              settings("training: {check_finite: false}"))
        << text;
  EXPECT_NE(problems("training: {check_finite: tRUE}"), "");
  EXPECT_NE(problems("training: {check_finite: yes}"), "");
  EXPECT_NE(problems("training: {check_finite: 'True'}"), "");
}

TEST(Recipe, NamesSwitchesOfOlderYaml) {
  EXPECT_EQ(problems("training: {check_finite: No}"),
            "1:26: training.check_finite is 'No'; give false; 'No' is a text "
            "in YAML 1.2");
  EXPECT_EQ(problems("training: {check_finite: on}"),
            "1:26: training.check_finite is 'on'; give true; 'on' is a text in "
            "YAML 1.2");
}

TEST(Recipe, NamesTabsThatIndent) {
  EXPECT_EQ(problems("training:\n  seed: 1\n\tsteps: 2\n"),
            "3:1: is not YAML: the line begins with a tab; indent it with "
            "spaces");
  EXPECT_EQ(problems("training:\n  seed: 1\n \tsteps: 2\n").substr(0, 4),
            "3:2:");
}

TEST(Recipe, TellsEveryProblemWithItsPlace) {
  EXPECT_EQ(problems("training:\n  seed: -1\n  seed: 2\n  fusion: maybe\n"
                     "optimizer:\n  lr: fast\n"),
            "2:9: training.seed is '-1'; give a whole number from 0 on\n"
            "3:3: 'seed' is said twice in training\n"
            "4:11: training.fusion is 'maybe'; choose on or off\n"
            "6:7: optimizer.lr is 'fast'; give a finite number");
}

TEST(Recipe, RefusesValuesOfAnotherKind) {
  auto refused = [](const std::string &entry) {
    return problems("training: {" + entry + "}") +
           problems("optimizer: {" + entry + "}");
  };
  for (const char *entry : {"seed: 1.5",
                            "seed: 1e3",
                            "seed: 9223372036854775808",
                            "seed: '1'",
                            "seed: []",
                            "seed: {a: 1}",
                            "seed:",
                            "seed: ''",
                            "check_finite: 1",
                            "check_finite: yes",
                            "check_finite: 'true'",
                            "keep: []",
                            "keep: [[a]]",
                            "keep: {a: b}",
                            "lr: .nan",
                            "lr: nan",
                            "lr: .inf",
                            "lr: -inf",
                            "lr: 1e999",
                            "lr: 0x10",
                            "lr: '1'",
                            "lr: 1,5",
                            "lr: [1]"})
    EXPECT_NE(refused(entry), "") << entry;
  EXPECT_NE(problems("training: {budget: \"a\\0b\"}"), "");
}

TEST(Recipe, RefusesWhatIsNoRecipe) {
  EXPECT_EQ(problems("[1, 2]"), "1:1: a recipe has sections such as 'model:' "
                                "and 'training:', each with keys below it");
  EXPECT_EQ(problems("model: resnet18\n---\nmodel: resnet50\n").substr(0, 4),
            "2:1:");
  // The library's own loop over documents never ended here.
  EXPECT_EQ(problems(std::string("a: b\n\0c", 7)),
            "2:1: a character that is not text");
  EXPECT_NE(problems(",model: resnet1model: besne:: {"), "");
  EXPECT_NE(problems("model: a\n]"), "");
  EXPECT_NE(problems("hello"), "");
  EXPECT_NE(problems("model: [a, b]"), "");
  EXPECT_NE(problems("? {a: b}\n: c\n"), "");
  EXPECT_NE(problems("model: {name: resnet18"), "");
  EXPECT_NE(problems("model: *nowhere"), "");
  EXPECT_NE(problems("\tmodel: a"), "");
  EXPECT_NE(problems(std::string("\x00\xff\x89PNG", 6)), "");
}

TEST(Recipe, ReadsAliasesOfWhatKeysName) {
  EXPECT_EQ(settings("training: {seed: &one 1, epochs: *one}"),
            "training.epochs=1 training.seed=1");
}

/// Nine levels of nine aliases each would be 3.8e8 nodes if they were visited.
TEST(Recipe, LaughsAtManyAliases) {
  std::string text = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'j'; ++c) {
    std::string before = std::string("*") + char(c - 1), list = before;
    for (int i = 0; i < 8; ++i)
      list += ", " + before;
    text += std::string(1, c) + ": &" + c + " [" + list + "]\n";
  }
  auto begin = std::chrono::steady_clock::now();
  EXPECT_NE(problems(text), "");
  EXPECT_NE(problems(text + "model: *i\ntraining: {keep: *i}\n"), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_NE(problems("training: &t {keep: *t}"), "");
}

TEST(Recipe, RefusesDepthAndLength) {
  EXPECT_NE(problems(std::string(100'000, '[')), "");
  EXPECT_NE(problems(std::string(100'000, '{')), "");
  std::string deep;
  for (int i = 0; i < 400; ++i)
    deep += std::string(size_t(i), ' ') + "a:\n";
  EXPECT_NE(problems(deep), "");
  EXPECT_EQ(problems(std::string(kMostRecipeBytes + 1, '#')),
            "1:1: has 1048577 bytes; a recipe has 1048576 at most");
}

TEST(Recipe, ShowsFewOfManyProblems) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "key" + std::to_string(i) + ": 1\n";
  std::vector<Problem> said = read(text).problems;
  ASSERT_EQ(said.size(), 51u);
  EXPECT_EQ(said.back().message,
            "from here on nothing was read: 50 problems are shown");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

TEST(Recipe, WritesWhatItReads) {
  std::string text = "model:\n  name: resnet18\n  image: \"32x32\"\n\n"
                     "training:\n  fusion: \"off\"\n  budget: \"80%\"\n"
                     "  keep: [\"layer1.*\", a]\n\n"
                     "optimizer:\n  lr: 0.1\n";
  Parsed parsed = read("optimizer: {lr: 0.1}\nmodel: {name: resnet18, image: "
                       "32x32}\ntraining: {keep: ['layer1.*', a], budget: 80%, "
                       "fusion: 'off'}");
  EXPECT_TRUE(parsed.problems.empty());
  // In the order of the keys.
  EXPECT_EQ(write(parsed.settings, Keys::standard()), text);
  EXPECT_EQ(write(read(text).settings, Keys::standard()), text);
}

TEST(Recipe, WritesAnyTextSoThatItComesBack) {
  for (std::string value :
       {"true", "null", "1e5",  "a: b", "#",  "a #b",      "it's",
        "\"",   "\\",   "a\nb", "\x01", "*a", "&a",        "- x",
        "~",    "ü",    " a ",  "[a",   "%x", "2026-01-01"}) {
    std::string text =
        write({{"data.source", {value}}, {"training.keep", {value, value}}},
              Keys::standard());
    EXPECT_EQ(settings(text),
              "training.keep=" + value + "," + value + " data.source=" + value)
        << text;
  }
}

/// Without its '#' each line of the commented recipe is a key that is read.
TEST(Recipe, CommentsCanBeTakenAway) {
  Keys keys = Keys::standard();
  std::string text = writeCommented({{"model.name", {"mlp"}}}, keys);
  EXPECT_EQ(settings(text), "model.name=mlp");
  std::string all;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    size_t mark = line.find('#');
    if (mark != std::string::npos && line.substr(mark, 2) != "# ")
      line.erase(mark, 1);
    all += line + "\n";
    at = end + 1;
  }
  Parsed parsed = read(all);
  EXPECT_TRUE(parsed.problems.empty()) << all << problems(all);
  size_t own = 0;
  for (const Key &key : keys.all())
    own += key.same.empty();
  EXPECT_EQ(parsed.settings.size(), own);
}

TEST(Recipe, KeysAreWellFormed) {
  Keys keys = Keys::standard();
  std::vector<std::string> options;
  for (const Key &key : keys.all()) {
    EXPECT_FALSE(key.meaning.empty()) << key.path;
    EXPECT_FALSE(key.usual.empty()) << key.path;
    EXPECT_EQ(key.option.empty(), !key.same.empty()) << key.path;
    EXPECT_TRUE(key.same.empty() || keys.find(key.same)) << key.path;
    EXPECT_FALSE(keys.isSection(key.path)) << key.path;
    if (!key.option.empty()) {
      EXPECT_EQ(keys.findOption(key.option), &key) << key.path;
    }
  }
  EXPECT_FALSE(keys.add(keys.all().front()));
}
