//===- EvaluationData.cpp - Check the data of a run -----------------------===//

#include "reprise/Run/EvaluationData.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/Progress.h"
#include "reprise/Run/Inventory.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Text/Size.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::driver;

/// Returns the classes of a model that is built for the data, if they are
/// given; 0 if they follow from the training rows.
static int64_t toldClasses(const RunSource &source) {
  return source.request->model.classes.value_or(
      int64_t(source.classNames.size()));
}

static rt::Status tooManyClasses(const RunSource &source, int32_t classes,
                                 const std::string &known) {
  return invalid("the rows for tests of '" + source.data + "' have " +
                 std::to_string(classes) + " classes, but " + known);
}

/// Compares the test rows with the training rows: their shape, unless they are
/// converted to the program's, and their number of classes, if the model is
/// built for it. Folders of classes are compared when they are listed, and the
/// classes of a program before its first step.
static rt::Status compareRows(const RunSource &source, const rt::DataSpec &spec,
                              const rt::DatasetOptions &options,
                              const rt::Dataset &test) {
  bool isNumbered = source.request && zooModel(source.request->source) &&
                    test.classNames().empty();
  int64_t told = isNumbered ? toldClasses(source) : 0;
  if (told > 0 && test.classes() > told)
    return tooManyClasses(source, test.classes(),
                          "the model " + std::to_string(told) +
                              "; give a model of the zoo more by --classes");
  bool hasShape = !rt::traitsOf(spec).anySize;
  if (!hasShape && (!isNumbered || told > 0))
    return {};
  REPRISE_EXPECT(training, rt::openDataset(spec, rt::Split::Train, options));
  const rt::Column &image = (*training)->columns().front(),
                   &other = test.columns().front();
  if (hasShape && image.shape != other.shape)
    return invalid("the rows for tests of '" + source.data + "' are " +
                   rt::formatRow(other) + ", but the training rows " +
                   rt::formatRow(image));
  int32_t classes = (*training)->classes();
  if (!isNumbered || told > 0 || test.classes() <= classes)
    return {};
  return tooManyClasses(source, test.classes(),
                        "the training images " + std::to_string(classes) +
                            "; --classes says how many there are");
}

/// Returns "'a', 'b' and 3 more".
static std::string listNames(const std::vector<std::string> &names) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMost; ++i)
    text += (i ? ", '" : "'") + rt::nameText(names[i]) + "'";
  if (names.size() > kMost)
    text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

void driver::warnOfLayout(const RunSource &source, bool trains) {
  rt::DataTraits traits = rt::traitsOf(source.dataSpec());
  const std::vector<std::string> &known = source.classNames;
  std::vector<std::string> classes;
  for (const std::string &name : traits.asClasses)
    if (std::find(known.begin(), known.end(), name) == known.end())
      classes.push_back(name);
  if (!classes.empty())
    warn("folders of '" + source.data +
         "' are named as splits and taken as "
         "classes: " +
         listNames(classes) +
         " (splits are 'train' and 'val' or 'test', with a folder for each "
         "class in each)");
  if ((trains || !traits.hasTraining()) && !traits.unused.empty())
    warn("'" + source.data +
         "' has splits, and what else it holds is not used: " +
         listNames(traits.unused));
}

void driver::warnOfClasses(const rt::Dataset &data, const RunSource &source,
                           int32_t classes) {
  std::vector<std::string> names = data.classNames();
  std::vector<std::string> absent = rt::absentClasses(data);
  std::string count = std::to_string(names.size());
  if (!absent.empty())
    warn("the rows to evaluate of '" + source.data + "' lack " +
         std::to_string(absent.size()) + " of " + count +
         " classes: " + listNames(absent));
  if (source.classNames.empty() && !names.empty() && classes > 0 &&
      names.size() != size_t(classes))
    warn("'" + source.data + "' has folders of " + count +
         " classes, and the model tells " + std::to_string(classes) +
         " apart; their names are not known, so the folders are taken for "
         "classes 0 to " +
         std::to_string(names.size() - 1));
}

rt::Status driver::checkEvaluationData(const RunSource &source) {
  rt::DataSpec spec = source.dataSpec();
  rt::DataTraits traits = rt::traitsOf(spec);
  if (!traits.hasTest())
    return {};
  rt::DatasetOptions options = source.dataOptions();
  // Computing those of the training images would require reading them.
  options.normalization = rt::Normalization();
  spec.images = source.images.ofRows();
  REPRISE_EXPECT(data, rt::openDataset(spec, rt::Split::Test, options));
  tellEvaluationFiles(source.data, **data);
  REPRISE_RETURN_IF_ERROR(compareRows(source, spec, options, **data));
  warnOfClasses(**data, source, 0);
  // Damaged files are left out; volumes of other extents are not damaged.
  if (spec.images.skipBadFiles && traits.anySize)
    return {};
  Activity activity("looking at the images of tests");
  REPRISE_RETURN_IF_ERROR((*data)->checkHeaders(source.loaderThreads).status());
  for (const std::string &warning : (*data)->warnings())
    warn(warning);
  return {};
}

rt::Status driver::checkTrainingFiles(const RunSource &source,
                                      std::chrono::seconds limit) {
  rt::DataSpec spec = source.dataSpec();
  rt::DataTraits traits = rt::traitsOf(spec);
  // With --skip-bad-files every file is decoded when the data are opened.
  if (!traits.anySize || !traits.hasTraining() || spec.images.skipBadFiles)
    return {};
  spec.images = source.images.ofRows();
  Activity activity("looking at the images of training");
  REPRISE_EXPECT(data,
                 rt::openDataset(spec, rt::Split::Train, source.dataOptions()));
  REPRISE_EXPECT(
      checked, (*data)->checkHeaders(source.loaderThreads,
                                     std::chrono::steady_clock::now() + limit));
  if (*checked < (*data)->size())
    note("the headers of " + text::formatInteger(*checked) + " of " +
         text::formatInteger((*data)->size()) +
         " training images were read in " + std::to_string(limit.count()) +
         " s; an unreadable one of the others ends the run when it is due");
  return {};
}
