//===- LinkFile.cpp - A link by its numbers or from a file ----------------===//
#include "reprise/Driver/LinkFile.h"
#include "reprise/Console/Console.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Text/Rates.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace reprise;

// Far more than the size of such a file.
static constexpr uint64_t kMostBytes = 1 << 16;

rt::Expected<rt::Link> driver::readLink(const std::string &given) {
  rt::Expected<rt::Link> link = text::parseLink(given);
  std::error_code error;
  if (link.ok() || !std::filesystem::exists(given, error))
    return link;
  REPRISE_EXPECT(file, rt::InputFile::open(given));
  std::string text(std::min(file->size(), kMostBytes), '\0');
  REPRISE_RETURN_IF_ERROR(file->readAt(0, text.data(), text.size()));
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("link") || !json["link"].is_string())
    return invalid("link '" + given +
                   "': the file is not what 'reprise profile --link --json' "
                   "prints");
  link = text::parseLink(json["link"].get<std::string>());
  return link.ok() ? link
                   : invalid("'" + given + "': " + link.status().message());
}
