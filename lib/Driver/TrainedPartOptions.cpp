//===- TrainedPartOptions.cpp - Frozen and slower parameters --------------===//

#include "reprise/Driver/TrainedPartOptions.h"
#include "reprise/Console/Console.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace reprise;
using namespace reprise::driver;

static void takeWords(const rt::RunSettings &runSettings, const char *name,
                      std::vector<std::string> &words) {
  auto it = runSettings.find(name);
  if (!words.empty() || it == runSettings.end())
    return;
  for (llvm::StringRef word : llvm::split(it->second, ' '))
    words.push_back(word.str());
}

void TrainedPartOptions::resume(const rt::RunSettings &runSettings) {
  takeWords(runSettings, "freeze", freeze);
  takeWords(runSettings, "lr-scale", rateScales);
  freezeNorms |= runSettings.count("freeze-norms") != 0;
  auto decay = runSettings.find("layer-decay");
  double value = 0;
  if (!layerDecay && decay != runSettings.end() &&
      llvm::to_float(decay->second, value))
    layerDecay = value;
}

void TrainedPartOptions::addGiven(rt::RunSettings &runSettings,
                                  const rt::RunSettings &stored) const {
  if (!freeze.empty())
    runSettings["freeze"] = llvm::join(freeze, " ");
  if (freezeNorms)
    runSettings["freeze-norms"] = "true";
  if (!rateScales.empty())
    runSettings["lr-scale"] = llvm::join(rateScales, " ");
  // A state holds settings that have an effect.
  if (layerDecay && (*layerDecay != 1 || stored.count("layer-decay")))
    runSettings["layer-decay"] = rt::settingNumber(*layerDecay);
}

/// Rejects what a state's text could not hold.
static rt::Status checkWords(const char *option,
                             const std::vector<std::string> &words) {
  for (const std::string &word : words)
    if (word.empty() || word == "!" || word.find(' ') != std::string::npos)
      return misuse(std::string(option) + " '" + word +
                    "': a name of a parameter has no spaces and is not empty");
  return {};
}

static rt::Status checkScale(llvm::StringRef text) {
  double factor = 0;
  if (llvm::to_float(text.rsplit('=').second, factor) && factor > 0 &&
      std::isfinite(factor))
    return {};
  return misuse("--lr-scale '" + text.str() +
                "': write PATTERN=F with a factor above 0; --freeze leaves "
                "parameters as they are");
}

rt::Expected<TrainedPart> TrainedPartOptions::read(bool isUpdated) const {
  REPRISE_RETURN_IF_ERROR(checkWords("--freeze", freeze));
  REPRISE_RETURN_IF_ERROR(checkWords("--lr-scale", rateScales));
  for (const std::string &text : rateScales)
    REPRISE_RETURN_IF_ERROR(checkScale(text));
  TrainedPart part{freeze, freezeNorms, rateScales, layerDecay.value_or(1)};
  if (!(part.layerDecay > 0 && part.layerDecay <= 1))
    return misuse("--layer-decay is " + rt::settingNumber(part.layerDecay) +
                  "; it must be above 0 and at most 1");
  if (freezeNorms && freeze.empty())
    return misuse("--freeze-norms is for frozen parameters; name them with "
                  "--freeze");
  if (!isUpdated && (!rateScales.empty() || part.layerDecay != 1))
    return misuse("--lr-scale and --layer-decay scale updates, and the "
                  "optimizer none has none");
  return part;
}
