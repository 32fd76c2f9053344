//===- PlanJson.cpp - Placed plans as JSON --------------------------------===//

#include "reprise/PlanFormat/PlanJson.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace reprise::plan::format {

using rt::Status;

namespace {

class PlanReader {
public:
  PlanReader(const JsonText &json, const Graph &graph)
      : json(json), graph(graph) {
    for (OpId id = 0; id < graph.ops.size(); ++id)
      ops.emplace(graph.ops[id].name, id);
    for (ValueId id = 0; id < graph.values.size(); ++id)
      values.emplace(graph.values[id].name, id);
  }

  Status read() {
    JsonFields fields(json, json.root(), "the plan");
    REPRISE_RETURN_IF_ERROR(
        fields.check({"version", "max_live_bytes", "height_bytes", "cost_ms",
                      "solver", "placement", "inputs", "steps"}));
    uint64_t version = 1;
    REPRISE_RETURN_IF_ERROR(fields.read("version", version));
    if (version != 1)
      return json.error(*fields.find("version"),
                        "the plan has version " + std::to_string(version) +
                            "; this tool reads version 1");
    for (const char *key :
         {"max_live_bytes", "height_bytes", "cost_ms", "inputs", "steps"})
      REPRISE_RETURN_IF_ERROR(fields.require(key));
    REPRISE_RETURN_IF_ERROR(fields.read("max_live_bytes", plan.maxLive));
    REPRISE_RETURN_IF_ERROR(fields.read("height_bytes", plan.height));
    REPRISE_RETURN_IF_ERROR(fields.read("cost_ms", plan.milliseconds));
    REPRISE_RETURN_IF_ERROR(fields.read("solver", plan.solver));
    REPRISE_RETURN_IF_ERROR(fields.read("placement", plan.strategy));
    REPRISE_RETURN_IF_ERROR(readInputs(*fields.find("inputs")));
    const JsonNode *steps = nullptr;
    REPRISE_RETURN_IF_ERROR(fields.readList("steps", steps));
    for (const JsonNode &node : steps->items)
      REPRISE_RETURN_IF_ERROR(readStep(node));
    return {};
  }

  Plan plan;

private:
  using Ids = std::unordered_map<std::string, uint32_t>;

  Status find(size_t offset, const std::string &name, const Ids &ids,
              const std::string &what, const char *kind,
              uint32_t &result) const {
    auto found = ids.find(name);
    if (found == ids.end())
      return json.errorAt(offset, what + " refers to " + kind + " '" + name +
                                      "', which the graph does not have");
    result = found->second;
    return {};
  }

  Status readOffset(const JsonNode &node, const std::string &what,
                    uint64_t &result) const {
    if (node.kind != JsonNode::Kind::Integer)
      return json.error(node, "the offset of " + what +
                                  " must be a whole number of bytes");
    result = node.integer;
    return {};
  }

  Status readInputs(const JsonNode &node) {
    plan.inputOffsets.assign(graph.values.size(), kNoOffset);
    if (node.kind != JsonNode::Kind::Object)
      return json.error(node, std::string("'inputs' of the plan is ") +
                                  node.kindName() + "; it must be an object");
    for (const JsonNode &member : node.items) {
      ValueId id = kNone;
      REPRISE_RETURN_IF_ERROR(
          find(member.keyOffset, member.key, values, "'inputs'", "value", id));
      REPRISE_RETURN_IF_ERROR(readOffset(member, "value '" + member.key + "'",
                                         plan.inputOffsets[id]));
    }
    return {};
  }

  Status readStep(const JsonNode &node) {
    PlanStep step;
    std::string what = "step " + std::to_string(plan.steps.size());
    JsonFields fields(json, node, what);
    REPRISE_RETURN_IF_ERROR(
        fields.check({"op", "workspace", "outputs", "frees"}));
    REPRISE_RETURN_IF_ERROR(fields.require("op"));
    std::string name;
    REPRISE_RETURN_IF_ERROR(fields.read("op", name));
    REPRISE_RETURN_IF_ERROR(
        find(fields.find("op")->offset, name, ops, what, "op", step.op));
    if (const JsonNode *workspace = fields.find("workspace"))
      REPRISE_RETURN_IF_ERROR(readOffset(*workspace, "the workspace of " + what,
                                         step.workspaceOffset));
    REPRISE_RETURN_IF_ERROR(readOutputs(fields.find("outputs"), what, step));
    std::vector<const JsonNode *> frees;
    REPRISE_RETURN_IF_ERROR(fields.read("frees", frees));
    for (const JsonNode *freed : frees) {
      step.frees.push_back(kNone);
      REPRISE_RETURN_IF_ERROR(find(freed->offset, freed->text, values, what,
                                   "value", step.frees.back()));
    }
    plan.steps.push_back(std::move(step));
    return {};
  }

  Status readOutputs(const JsonNode *node, const std::string &what,
                     PlanStep &step) const {
    const std::vector<ValueId> &outputs = graph.ops[step.op].outputs;
    step.outputOffsets.assign(outputs.size(), kNoOffset);
    if (!node)
      return {};
    if (node->kind != JsonNode::Kind::Object)
      return json.error(*node, "'outputs' of " + what + " is " +
                                   node->kindName() + "; it must be an object");
    for (const JsonNode &member : node->items) {
      ValueId id = kNone;
      REPRISE_RETURN_IF_ERROR(
          find(member.keyOffset, member.key, values, what, "value", id));
      auto at = std::find(outputs.begin(), outputs.end(), id);
      if (at == outputs.end())
        return json.errorAt(member.keyOffset,
                            "'" + member.key + "' is not an output of op '" +
                                graph.ops[step.op].name + "'");
      REPRISE_RETURN_IF_ERROR(
          readOffset(member, "value '" + member.key + "'",
                     step.outputOffsets[at - outputs.begin()]));
    }
    return {};
  }

  const JsonText &json;
  const Graph &graph;
  Ids ops, values;
};

} // namespace

rt::Expected<Plan> readPlan(const std::string &name, std::string text,
                            const Graph &graph) {
  REPRISE_EXPECT(json, JsonText::parse(name, std::move(text)));
  PlanReader reader(*json, graph);
  REPRISE_RETURN_IF_ERROR(reader.read());
  return std::move(reader.plan);
}

/// One line per step, so that plans can be compared with diff.
std::string writePlan(const Graph &graph, const Plan &plan) {
  using Json = nlohmann::ordered_json;
  Json inputs = Json::object();
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (plan.inputOffsets[id] != kNoOffset)
      inputs[graph.values[id].name] = plan.inputOffsets[id];
  std::string text = "{\n  \"version\": 1,\n  \"max_live_bytes\": " +
                     std::to_string(plan.maxLive) +
                     ",\n  \"height_bytes\": " + std::to_string(plan.height) +
                     ",\n  \"cost_ms\": " + Json(plan.milliseconds).dump() +
                     ",\n  \"solver\": " + Json(plan.solver).dump() +
                     ",\n  \"placement\": " + Json(plan.strategy).dump() +
                     ",\n  \"inputs\": " + inputs.dump() + ",\n  \"steps\": [";
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep &step = plan.steps[i];
    const Op &op = graph.ops[step.op];
    Json line = {{"op", op.name}};
    if (step.workspaceOffset != kNoOffset)
      line["workspace"] = step.workspaceOffset;
    for (size_t k = 0; k < op.outputs.size(); ++k)
      if (step.outputOffsets[k] != kNoOffset)
        line["outputs"][graph.values[op.outputs[k]].name] =
            step.outputOffsets[k];
    for (ValueId freed : step.frees)
      line["frees"].push_back(graph.values[freed].name);
    text += (i ? ",\n    " : "\n    ") + line.dump();
  }
  return text + "\n  ]\n}\n";
}

} // namespace reprise::plan::format
