//===- PlanProcess.cpp - The memory of processes that train ---------------===//
#include "reprise/Run/PlanProcess.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Report/ProcessTable.h"
#include "reprise/Run/RunOptions.h"
#include "reprise/Run/RunSource.h"
#include "reprise/Runtime/Expect.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

rt::Status driver::planProcesses(const std::vector<std::string> &sources,
                                 const std::string &data,
                                 const ModelSettings &model,
                                 const CompileSettings &compile, bool json) {
  auto plans = nlohmann::ordered_json::array();
  std::string text;
  for (const std::string &source : sources) {
    RunOptions flags;
    flags.source = source;
    flags.data = data;
    flags.model = model;
    flags.compile = compile;
    REPRISE_RETURN_IF_ERROR(flags.read());
    REPRISE_EXPECT(prepared, prepareRun(flags, RunRequest()));
    plans.push_back({{"source", source}, {"data", data}});
    addProcessJson(prepared->memory, plans.back());
    text += (text.empty() ? "" : "\n") + source + ", data " + data + "\n" +
            processTable(prepared->memory);
  }
  return json ? printJson({{"plans", plans}}) : print(text);
}
