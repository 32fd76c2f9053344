//===- ProcessTable.cpp - A process's memory as a table -------------------===//

#include "reprise/Report/ProcessTable.h"
#include "reprise/Runtime/HostMemory.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

static const char *kindName(rt::HostItem::Kind kind) {
  switch (kind) {
  case rt::HostItem::Kind::Measured:
    return "measured";
  case rt::HostItem::Kind::Known:
    return "known";
  case rt::HostItem::Kind::Estimated:
    return "estimated";
  }
  return "";
}

std::string driver::processTable(const rt::ProcessMemory &memory) {
  text::Table table({{"held by the process", text::Align::Left},
                     {"bytes"},
                     {"size"},
                     {"", text::Align::Left}});
  auto add = [&](const std::string &what, uint64_t bytes, const char *how) {
    table.add({what, text::formatInteger(bytes), text::formatSize(bytes), how});
  };
  for (const rt::HostItem &item : memory.items)
    add(item.what, item.bytes, kindName(item.kind));
  if (memory.reached > memory.sum())
    add("reached before the run, by compiling", memory.reached, "measured");
  add("high water of the process", memory.peak(), "predicted");
  rt::MemoryLimit limit = rt::tightestMemoryLimit();
  std::string text = table.str();
  if (limit.left < UINT64_MAX)
    text += limit.name + " leaves " + text::formatSize(limit.left) + " of " +
            text::formatSize(limit.bytes) + "\n";
  return text;
}

void driver::addProcessJson(const rt::ProcessMemory &memory,
                            nlohmann::ordered_json &json) {
  auto items = nlohmann::ordered_json::array();
  for (const rt::HostItem &item : memory.items)
    items.push_back({{"what", item.what},
                     {"bytes", item.bytes},
                     {"kind", kindName(item.kind)}});
  json["process_items"] = std::move(items);
  json["process_predicted_bytes"] = memory.peak();
}
