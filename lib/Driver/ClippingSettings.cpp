//===- ClippingSettings.cpp - Options of gradient clipping ----------------===//
//
// The options of CompileSettings that set a norm or derive it from earlier
// steps.
// --clip-grad-norm alone is the mode pre_defined.
//
//===----------------------------------------------------------------------===//

#include "reprise/Console/Console.h"
#include "reprise/Driver/CompileSettings.h"
#include "reprise/Driver/SettingValues.h"

using namespace reprise;
using namespace reprise::driver;

static constexpr const char *kPreDefined = termName(ClipMode::PreDefined),
                            *kMoving = termName(ClipMode::MovingAverage),
                            *kUsualNorm = termName(NormType::Two);

void CompileSettings::resumeClipping(const rt::RunSettings &runSettings) {
  takeSetting(runSettings, "clip-norm-type", clipNormType);
  auto it = runSettings.find("grad-clipper");
  std::string stored = it == runSettings.end() ? kPreDefined : it->second;
  std::string mode = gradClipper.value_or(clipGradNorm ? kPreDefined : stored);
  // With another mode, the state's settings do not apply.
  if (mode != stored)
    return;
  if (mode != kPreDefined)
    gradClipper = mode;
  takeSetting(runSettings, "clip-grad-norm", clipGradNorm);
  takeSetting(runSettings, "clip-tolerance", clipTolerance);
  takeSetting(runSettings, "clip-momentum", clipMomentum);
}

void CompileSettings::addGivenClipping(rt::RunSettings &runSettings,
                                       const rt::RunSettings &stored) const {
  // A state holds settings that have an effect.
  if (gradClipper &&
      (*gradClipper != kPreDefined || stored.count("grad-clipper")))
    runSettings["grad-clipper"] = *gradClipper;
  if (clipNormType &&
      (*clipNormType != kUsualNorm || stored.count("clip-norm-type")))
    runSettings["clip-norm-type"] = *clipNormType;
  const std::pair<const char *, std::optional<double>> numbers[] = {
      {"clip-grad-norm", clipGradNorm},
      {"clip-tolerance", clipTolerance},
      {"clip-momentum", clipMomentum}};
  for (const auto &[name, number] : numbers)
    if (number)
      runSettings[name] = rt::settingNumber(*number);
}

/// Rejects an option of another mode.
static rt::Status refuseOf(const char *option, const std::string &wanted,
                           const std::string &mode) {
  return misuse(std::string(option) + " needs --grad-clipper " + wanted +
                ", but the mode is " + mode);
}

rt::Status CompileSettings::readClipping(CompileOptions &options) const {
  Clipping &clipping = options.clipping;
  std::string mode = gradClipper.value_or(kPreDefined);
  auto read = termOf<ClipMode>(mode);
  if (!read)
    return misuse("--grad-clipper is '" + mode + "'; choose " +
                  listTerms<ClipMode>());
  clipping.mode = *read;
  bool isAverage = clipping.isAverage();
  if (clipGradNorm && isAverage)
    return refuseOf("--clip-grad-norm", kPreDefined, mode);
  if (clipGradNorm && !(*clipGradNorm > 0))
    return misuse("--clip-grad-norm is " + rt::settingNumber(*clipGradNorm) +
                  "; it must be above 0");
  if (gradClipper && !isAverage && !clipGradNorm)
    return misuse("--grad-clipper pre_defined needs the norm; give it with "
                  "--clip-grad-norm");
  if (clipTolerance && !isAverage)
    return refuseOf("--clip-tolerance", "average or moving_average", mode);
  if (clipTolerance && !(*clipTolerance > 0))
    return misuse("--clip-tolerance is " + rt::settingNumber(*clipTolerance) +
                  "; it must be above 0");
  if (clipMomentum && clipping.mode != ClipMode::MovingAverage)
    return refuseOf("--clip-momentum", kMoving, mode);
  if (clipping.mode == ClipMode::MovingAverage && !clipMomentum)
    return misuse("--grad-clipper moving_average needs the momentum of the "
                  "average; give it with --clip-momentum");
  if (clipMomentum)
    REPRISE_RETURN_IF_ERROR(checkRange("--clip-momentum", *clipMomentum));
  auto type = termOf<NormType>(clipNormType.value_or(kUsualNorm));
  if (!type)
    return misuse("--clip-norm-type is '" + *clipNormType + "'; choose " +
                  listTerms<NormType>());
  clipping = {*read, clipGradNorm.value_or(0), clipTolerance.value_or(1),
              clipMomentum.value_or(0), *type};
  if (clipNormType && !clipping.clips())
    return misuse("--clip-norm-type needs --clip-grad-norm or --grad-clipper");
  if (clipping.clips() && !options.optimizer.updates())
    return misuse(
        std::string(isAverage ? "--grad-clipper" : "--clip-grad-norm") +
        " clips what an optimizer takes, and none takes no "
        "gradients");
  return {};
}
