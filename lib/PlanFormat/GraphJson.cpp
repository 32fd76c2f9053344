//===- GraphJson.cpp - Graphs as JSON -------------------------------------===//
//
// Method:  values first, by name; then ops, whose operands are looked up; then
//          the order: the file's own, or Kahn's algorithm with the file's
//          sequence as priority. Ops left over by it contain a cycle, which the
//          error names. checkGraph checks the result.
// Cost:    linear, except for the logarithm of the queue.
//
//===----------------------------------------------------------------------===//
#include "reprise/PlanFormat/GraphJson.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Table.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace reprise::plan::format {

using rt::Status;

namespace {

using Ids = std::unordered_map<std::string, uint32_t>;

class GraphReader {
public:
  explicit GraphReader(const JsonText &json) : json(json) {}

  Status read() {
    REPRISE_RETURN_IF_ERROR(readLists());
    for (const JsonNode &node : valueList->items)
      REPRISE_RETURN_IF_ERROR(readValue(node));
    REPRISE_RETURN_IF_ERROR(resolveViews());
    // All names before any reference: "after" may refer to later ops.
    for (const JsonNode &node : opList->items)
      REPRISE_RETURN_IF_ERROR(readOpName(node));
    for (OpId id = 0; id < graph.ops.size(); ++id)
      REPRISE_RETURN_IF_ERROR(readOp(id, opList->items[id]));
    orderOverwriters();
    REPRISE_RETURN_IF_ERROR(sortOps());
    std::string error = checkGraph(graph);
    return error.empty()
               ? Status()
               : Status::error(RP_INVALID_ARGUMENT, json.name() + ": " + error);
  }

  Graph graph;
  bool hasOrder = false;

private:
  Status readLists() {
    JsonFields fields(json, json.root(), "the graph");
    REPRISE_RETURN_IF_ERROR(
        fields.check({"version", "values", "ops", "order"}));
    uint64_t version = 1;
    REPRISE_RETURN_IF_ERROR(fields.read("version", version));
    if (version != 1)
      return json.error(*fields.find("version"),
                        "the graph has version " + std::to_string(version) +
                            "; this tool reads version 1");
    for (const char *key : {"values", "ops"})
      REPRISE_RETURN_IF_ERROR(fields.require(key));
    REPRISE_RETURN_IF_ERROR(fields.readList("values", valueList));
    REPRISE_RETURN_IF_ERROR(fields.readList("ops", opList));
    return fields.readList("order", orderList);
  }

  /// Reads the name of an object in a list and enters it into `ids`.
  Status readName(const JsonNode &node, const char *kind, Ids &ids,
                  std::string &name) {
    std::string what = std::string(kind) + " " + std::to_string(ids.size());
    if (node.kind != JsonNode::Kind::Object)
      return json.error(node, what + " is " + node.kindName() +
                                  "; it must be an object");
    JsonFields fields(json, node, what);
    REPRISE_RETURN_IF_ERROR(fields.require("name"));
    REPRISE_RETURN_IF_ERROR(fields.read("name", name));
    if (name.empty())
      return json.error(*fields.find("name"), what + " has an empty name");
    if (!ids.emplace(name, uint32_t(ids.size())).second)
      return json.error(*fields.find("name"), std::string("there are two ") +
                                                  kind + "s '" + name + "'");
    return {};
  }

  Status readValue(const JsonNode &node) {
    Value value;
    REPRISE_RETURN_IF_ERROR(readName(node, "value", values, value.name));
    JsonFields fields(json, node, "value '" + value.name + "'");
    REPRISE_RETURN_IF_ERROR(
        fields.check({"name", "bytes", "storage", "view_of"}));
    REPRISE_RETURN_IF_ERROR(fields.require("bytes"));
    REPRISE_RETURN_IF_ERROR(fields.read("bytes", value.bytes));
    std::string storage = "temporary";
    REPRISE_RETURN_IF_ERROR(fields.read("storage", storage));
    static const std::vector<std::string> names = {"temporary", "input",
                                                   "output", "fixed"};
    auto found = std::find(names.begin(), names.end(), storage);
    if (found == names.end())
      return json.error(*fields.find("storage"),
                        "'storage' of value '" + value.name + "' is '" +
                            storage +
                            "'; it must be temporary, input, output or fixed");
    value.storage = StorageClass(found - names.begin());
    graph.values.push_back(std::move(value));
    return {};
  }

  Status find(const JsonNode &node, const Ids &ids, const char *kind,
              const std::string &what, uint32_t &result) const {
    auto found = ids.find(node.text);
    if (found == ids.end())
      return json.error(node, what + " refers to " + kind + " '" + node.text +
                                  "', which there is not");
    result = found->second;
    return {};
  }

  Status resolveViews() {
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      Value &value = graph.values[id];
      std::string base;
      std::string what = "value '" + value.name + "'";
      JsonFields fields(json, valueList->items[id], what);
      REPRISE_RETURN_IF_ERROR(fields.read("view_of", base));
      if (!base.empty())
        REPRISE_RETURN_IF_ERROR(
            find(*fields.find("view_of"), values, "value", what, value.viewOf));
    }
    if (ValueId id = findViewOfItself(graph); id != kNone)
      return json.error(valueList->items[id], "value '" +
                                                  graph.values[id].name +
                                                  "' is a view of itself");
    return {};
  }

  Status readOpName(const JsonNode &node) {
    graph.ops.emplace_back();
    return readName(node, "op", ops, graph.ops.back().name);
  }

  Status readOp(OpId id, const JsonNode &node) {
    Op &op = graph.ops[id];
    std::string what = "op '" + op.name + "'";
    JsonFields fields(json, node, what);
    REPRISE_RETURN_IF_ERROR(fields.check(
        {"name", "cost_ms", "workspace_bytes", "inputs", "outputs", "runs_once",
         "effect", "in_place", "after", "overwrites", "phase"}));
    REPRISE_RETURN_IF_ERROR(fields.read("cost_ms", op.cost));
    REPRISE_RETURN_IF_ERROR(fields.read("workspace_bytes", op.workspaceBytes));
    REPRISE_RETURN_IF_ERROR(readRunsOnce(fields, what, op));
    REPRISE_RETURN_IF_ERROR(readPhase(fields, what, op));
    auto names = [&](const char *key, const Ids &ids, const char *kind,
                     std::vector<uint32_t> &result) -> Status {
      std::vector<const JsonNode *> nodes;
      REPRISE_RETURN_IF_ERROR(fields.read(key, nodes));
      for (const JsonNode *at : nodes) {
        result.push_back(0);
        REPRISE_RETURN_IF_ERROR(find(*at, ids, kind, what, result.back()));
      }
      return {};
    };
    REPRISE_RETURN_IF_ERROR(names("inputs", values, "value", op.inputs));
    REPRISE_RETURN_IF_ERROR(names("outputs", values, "value", op.outputs));
    REPRISE_RETURN_IF_ERROR(names("after", ops, "op", op.after));
    REPRISE_RETURN_IF_ERROR(
        names("overwrites", values, "value", op.overwrites));
    for (ValueId changed : op.overwrites)
      if (graph.values[changed].storage != StorageClass::Fixed)
        return json.error(*fields.find("overwrites"),
                          what + " overwrites value '" +
                              graph.values[changed].name +
                              "', which is not fixed");
    for (ValueId output : op.outputs) {
      Value &value = graph.values[output];
      if (value.producer != kNone)
        return json.error(*fields.find("outputs"),
                          "value '" + value.name + "' is an output of op '" +
                              graph.ops[value.producer].name + "' and of " +
                              what);
      value.producer = id;
    }
    return readInPlace(fields, what, op);
  }

  /// Reads "runs_once", or "effect", its name in older files.
  Status readRunsOnce(const JsonFields &fields, const std::string &what,
                      Op &op) {
    const JsonNode *old = fields.find("effect");
    if (old && fields.find("runs_once"))
      return json.error(*old, what + " has 'runs_once' and 'effect', its old "
                                     "name; give only 'runs_once'");
    return fields.read(old ? "effect" : "runs_once", op.runsOnce);
  }

  Status readPhase(const JsonFields &fields, const std::string &what, Op &op) {
    std::string phase = "forward";
    REPRISE_RETURN_IF_ERROR(fields.read("phase", phase));
    if (phase != "forward" && phase != "backward" && phase != "optimizer")
      return json.error(*fields.find("phase"),
                        "'phase' of " + what + " is '" + phase +
                            "'; it must be forward, backward or optimizer");
    op.backward = phase != "forward";
    return {};
  }

  /// Reads pairs [output, input]; the input stands for every operand of its
  /// name.
  Status readInPlace(const JsonFields &fields, const std::string &what,
                     Op &op) {
    const JsonNode *list = nullptr;
    REPRISE_RETURN_IF_ERROR(fields.readList("in_place", list));
    for (size_t i = 0; list && i < list->items.size(); ++i) {
      const JsonNode &pair = list->items[i];
      bool isPair = pair.kind == JsonNode::Kind::Array &&
                    pair.items.size() == 2 &&
                    pair.items[0].kind == JsonNode::Kind::String &&
                    pair.items[1].kind == JsonNode::Kind::String;
      if (!isPair)
        return json.error(pair, "'in_place' of " + what +
                                    " must list pairs [output, input]");
      ValueId made = kNone, read = kNone;
      REPRISE_RETURN_IF_ERROR(find(pair.items[0], values, "value", what, made));
      REPRISE_RETURN_IF_ERROR(find(pair.items[1], values, "value", what, read));
      auto output = std::find(op.outputs.begin(), op.outputs.end(), made);
      if (output == op.outputs.end())
        return json.error(pair.items[0], "'" + pair.items[0].text +
                                             "' is not an output of " + what);
      size_t before = op.inPlace.size();
      for (uint32_t input = 0; input < op.inputs.size(); ++input)
        if (op.inputs[input] == read)
          op.inPlace.push_back({uint32_t(output - op.outputs.begin()), input});
      if (op.inPlace.size() == before)
        return json.error(pair.items[1], "'" + pair.items[1].text +
                                             "' is not an input of " + what);
    }
    return {};
  }

  //===--------------------------------------------------------------------===//
  // Order
  //===--------------------------------------------------------------------===//

  /// Orders the readers of a fixed value before the op that changes it.
  void orderOverwriters() {
    std::vector<std::vector<OpId>> changers(graph.values.size());
    bool any = false;
    for (OpId id = 0; id < graph.ops.size(); ++id)
      for (ValueId changed : graph.ops[id].overwrites) {
        changers[changed].push_back(id);
        any = true;
      }
    for (OpId id = 0; any && id < graph.ops.size(); ++id)
      for (ValueId input : graph.ops[id].inputs)
        for (ValueId at = input; at != kNone; at = graph.values[at].viewOf)
          for (OpId changer : changers[at])
            if (changer != id)
              graph.ops[changer].after.push_back(id);
    for (Op &op : graph.ops) {
      std::sort(op.after.begin(), op.after.end());
      op.after.erase(std::unique(op.after.begin(), op.after.end()),
                     op.after.end());
    }
  }

  std::vector<OpId> findNeeds(OpId id) const {
    const Op &op = graph.ops[id];
    std::vector<OpId> result = op.after;
    auto addChain = [&](ValueId at, bool skipOwn) {
      for (; at != kNone; at = graph.values[at].viewOf) {
        OpId producer = graph.values[at].producer;
        if (producer != kNone && !(skipOwn && producer == id))
          result.push_back(producer);
      }
    };
    for (ValueId input : op.inputs)
      addChain(input, false);
    for (ValueId output : op.outputs)
      addChain(graph.values[output].viewOf, true);
    return result;
  }

  Status sortOps() {
    hasOrder = orderList != nullptr;
    std::vector<OpId> order;
    REPRISE_RETURN_IF_ERROR(hasOrder ? readOrder(order) : findOrder(order));
    std::vector<OpId> newId(order.size());
    std::vector<Op> sorted;
    for (OpId id : order) {
      newId[id] = sorted.size();
      sorted.push_back(std::move(graph.ops[id]));
    }
    for (Op &op : sorted)
      for (OpId &other : op.after)
        other = newId[other];
    for (Value &value : graph.values)
      if (value.producer != kNone)
        value.producer = newId[value.producer];
    graph.ops = std::move(sorted);
    return {};
  }

  Status readOrder(std::vector<OpId> &order) const {
    JsonFields fields(json, json.root(), "the graph");
    std::vector<const JsonNode *> nodes;
    REPRISE_RETURN_IF_ERROR(fields.read("order", nodes));
    std::vector<bool> seen(graph.ops.size(), false);
    for (const JsonNode *node : nodes) {
      OpId id = kNone;
      REPRISE_RETURN_IF_ERROR(find(*node, ops, "op", "'order'", id));
      if (seen[id])
        return json.error(*node, "'order' has op '" + node->text + "' twice");
      for (OpId other : findNeeds(id))
        if (!seen[other])
          return json.error(*node, "'order' has op '" + node->text +
                                       "' before op '" + graph.ops[other].name +
                                       "', which must come first");
      seen[id] = true;
      order.push_back(id);
    }
    for (OpId id = 0; id < graph.ops.size(); ++id)
      if (!seen[id])
        return json.error(*orderList,
                          "'order' lacks op '" + graph.ops[id].name + "'");
    return {};
  }

  Status findOrder(std::vector<OpId> &order) const {
    std::vector<std::vector<OpId>> behind(graph.ops.size());
    std::vector<size_t> missing(graph.ops.size(), 0);
    for (OpId id = 0; id < graph.ops.size(); ++id)
      for (OpId other : findNeeds(id)) {
        behind[other].push_back(id);
        ++missing[id];
      }
    std::priority_queue<OpId, std::vector<OpId>, std::greater<OpId>> ready;
    for (OpId id = 0; id < graph.ops.size(); ++id)
      if (!missing[id])
        ready.push(id);
    while (!ready.empty()) {
      OpId id = ready.top();
      ready.pop();
      order.push_back(id);
      for (OpId other : behind[id])
        if (--missing[other] == 0)
          ready.push(other);
    }
    return order.size() == graph.ops.size() ? Status() : cycleError(missing);
  }

  Status cycleError(const std::vector<size_t> &missing) const {
    OpId at = 0;
    while (!missing[at])
      ++at;
    // Each of the remaining ops needs another remaining one.
    std::vector<uint32_t> position(graph.ops.size(), kNone);
    std::vector<OpId> path;
    while (position[at] == kNone) {
      position[at] = path.size();
      path.push_back(at);
      std::vector<OpId> needs = findNeeds(at);
      at = *std::find_if(needs.begin(), needs.end(),
                         [&](OpId other) { return missing[other] > 0; });
    }
    path.erase(path.begin(), path.begin() + position[at]);
    std::string names = "'" + graph.ops[at].name + "'";
    constexpr size_t most = 6;
    for (size_t i = 1; i < path.size() && i < most; ++i)
      names += " needs '" + graph.ops[path[i]].name + "'";
    if (path.size() > most)
      names += " needs ...";
    names += " needs '" + graph.ops[at].name + "'";
    return json.error(opList->items[at], "the ops form a cycle: " + names);
  }

  const JsonText &json;
  const JsonNode *valueList = nullptr, *opList = nullptr, *orderList = nullptr;
  Ids values, ops;
};

} // namespace

rt::Expected<GraphFile> readGraph(const std::string &name, std::string text) {
  REPRISE_EXPECT(json, JsonText::parse(name, std::move(text)));
  GraphReader reader(*json);
  REPRISE_RETURN_IF_ERROR(reader.read());
  return GraphFile{std::move(reader.graph), reader.hasOrder};
}

} // namespace reprise::plan::format
