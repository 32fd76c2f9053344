//===- EvaluationData.cpp - What an evaluation will need ------------------===//

#include "EvaluationData.h"
#include "Console.h"
#include "Progress.h"
#include "reprise/Runtime/NameText.h"

using namespace reprise;
using namespace reprise::tools;

/// Compares classes that are numbers; class folders are compared when listed.
static rt::Status checkNumberedClasses(const RunFlags &flags,
                                       const rt::DataSpec &spec,
                                       const rt::Dataset &test) {
  if (flags.model.hasClasses() || !test.classNames().empty())
    return {};
  auto training = rt::openDataset(spec, rt::Split::Train, {});
  if (!training.ok() || test.classes() <= (*training)->classes())
    return training.status();
  return invalid("the rows for tests of '" + flags.data + "' have " +
                 std::to_string(test.classes()) +
                 " classes, but the training images " +
                 std::to_string((*training)->classes()) +
                 "; --classes says how many there are");
}

/// Refuses images that cannot take the shape of the program's input.
static rt::Status checkShapes(const RunFlags &flags, const rt::DataSpec &spec,
                              const rt::Dataset &test) {
  rt::DatasetOptions options;
  options.normalization = rt::Normalization();
  auto training = rt::openDataset(spec, rt::Split::Train, options);
  if (!training.ok())
    return training.status();
  const rt::Column &image = (*training)->columns().front(),
                   &other = test.columns().front();
  if (image.shape == other.shape)
    return {};
  return invalid("the rows for tests of '" + flags.data + "' are " +
                 rt::formatRow(other) + ", but the training rows " +
                 rt::formatRow(image));
}

rt::Status tools::checkEvaluationData(const RunFlags &flags) {
  rt::DataSpec spec = flags.dataSpec();
  rt::DataTraits traits = rt::traitsOf(spec);
  if (!traits.hasTest)
    return {};
  rt::DatasetOptions options;
  // Those of the training images would have to be read for it.
  options.normalization = rt::Normalization();
  spec.images = {};
  spec.images.skipBadFiles = flags.images.skipBadFiles;
  auto data = rt::openDataset(spec, rt::Split::Test, options);
  // Unreadable files are left out when they are found.
  if (!data.ok())
    return data.status();
  REPRISE_RETURN_IF_ERROR(traits.anySize
                              ? checkNumberedClasses(flags, spec, **data)
                              : checkShapes(flags, spec, **data));
  if (spec.images.skipBadFiles)
    return {};
  Activity activity("looking at the images of tests");
  return (*data)->checkHeaders(flags.loaderThreads);
}

/// "'a', 'b' and 3 more".
static std::string listNames(const std::vector<std::string> &names) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMost; ++i)
    text += (i ? ", '" : "'") + rt::nameText(names[i]) + "'";
  if (names.size() > kMost)
    text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

void tools::warnOfClasses(const rt::Dataset &data, const RunFlags &flags,
                          int32_t classes) {
  std::vector<std::string> names = data.classNames();
  std::vector<std::string> absent = rt::absentClasses(data);
  std::string count = std::to_string(names.size());
  if (!absent.empty())
    warn("the rows to evaluate of '" + flags.data + "' lack " +
         std::to_string(absent.size()) + " of " + count +
         " classes: " + listNames(absent));
  if (flags.classNames.empty() && !names.empty() && classes > 0 &&
      names.size() != size_t(classes))
    warn("'" + flags.data + "' has folders of " + count +
         " classes, and the model tells " + std::to_string(classes) +
         " apart; their names are not known, so the folders are taken for "
         "classes 0 to " +
         std::to_string(names.size() - 1));
}
