//===- SettingValues.cpp - Values of settings -----------------------------===//

#include "reprise/Driver/SettingValues.h"
#include "reprise/Console/Console.h"
#include "reprise/Recipe/Recipe.h"

using namespace reprise;
using namespace reprise::driver;

rt::Status driver::checkRange(const std::string &option, double value) {
  static const recipe::Keys keys = recipe::Keys::standard();
  const recipe::Key &key = *keys.findOption(option);
  if (value >= key.least && value <= key.most)
    return {};
  std::string range =
      key.most < HUGE_VAL ? "be between " + rt::settingNumber(key.least) +
                                " and " + rt::settingNumber(key.most)
      : key.least == 0    ? "not be negative"
                          : "be at least " + rt::settingNumber(key.least);
  return misuse(option + " is " + rt::settingNumber(value) + "; it must " +
                range);
}

rt::Status driver::checkCount(const std::string &option, uint64_t count,
                              const std::string &least) {
  return count > 0 ? rt::Status()
                   : misuse(option + " is 0; it must be " + least + " or more");
}
