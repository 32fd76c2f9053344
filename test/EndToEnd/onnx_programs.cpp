//===- onnx_programs.cpp - ONNX's own test cases, compiled ----------------===//
//
// onnx_programs ROOT PARTS PART < LIST compiles the cases of the list "FOLDER:
// RESULT" that pass in the reference, every PARTS-th from PART on, and compares
// their outputs. onnx_programs ROOT FOLDER... runs single cases.
//
//===----------------------------------------------------------------------===//

#include "CompiledRun.h"
#include "OnnxCases.h"
#include "reprise/Runtime/reprise.h"
#include <iostream>

using namespace reprise;
using namespace reprise::end_to_end;
using reference::Tensor;

static std::string take(rp_status *status) {
  if (!status)
    return "";
  std::string message = rp_status_message(status);
  rp_status_free(status);
  return "wrong: " + message;
}

#define RETURN_IF_WRONG(expr)                                                  \
  if (std::string wrong = take(expr); !wrong.empty())                          \
  return wrong

namespace {
struct Program {
  rp_program *program = nullptr;
  rp_session *session = nullptr;
  ~Program() {
    if (session)
      rp_session_destroy(session);
    if (program)
      rp_program_close(program);
  }
};
} // namespace

static constexpr const char *kEntry = "eval_step";

/// Runs a program on the case's data.
static std::string run(onnx::Case &it, const Bytes &file,
                       llvm::SmallVectorImpl<Tensor> &results) {
  Program p;
  RETURN_IF_WRONG(rp_program_from_memory(file.data(), file.size(), &p.program));
  rp_session_options options = {/*device=*/nullptr, /*poison=*/1,
                                /*profile=*/0, /*check_memory=*/1};
  RETURN_IF_WRONG(rp_session_create(p.program, &options, &p.session));
  for (auto &[name, value] : it.variables) {
    Bytes bytes = toBytes(value);
    RETURN_IF_WRONG(rp_session_write_variable(p.session, name.c_str(),
                                              bytes.data(), bytes.size()));
  }
  for (size_t k = 0; k < it.arguments.size(); ++k) {
    rp_tensor_info info;
    RETURN_IF_WRONG(rp_program_input(p.program, kEntry, k, &info));
    Bytes bytes = toBytes(it.arguments[k]);
    RETURN_IF_WRONG(rp_session_set_input(p.session, kEntry, info.name,
                                         bytes.data(), bytes.size()));
  }
  RETURN_IF_WRONG(rp_session_run(p.session, kEntry));
  auto function = onnx::functionOf(it);
  for (size_t k = 0; k < function.getNumResults(); ++k) {
    rp_tensor_info info;
    RETURN_IF_WRONG(rp_program_output(p.program, kEntry, k, &info));
    Bytes bytes(info.bytes);
    RETURN_IF_WRONG(rp_session_get_output(p.session, kEntry, info.name,
                                          bytes.data(), bytes.size()));
    results.push_back(fromBytes(
        mlir::cast<mlir::RankedTensorType>(function.getResultTypes()[k]),
        bytes));
  }
  return "";
}

/// Compiles a case for inference; its outputs may differ by 1e-4 of the
/// largest element, since it is computed in f32.
static std::string runCompiled(mlir::MLIRContext &context,
                               const std::string &folder) {
  onnx::Case it = onnx::loadCase(context, folder);
  if (!it.verdict.empty())
    return it.verdict;
  CompileOptions options = trainingOptions();
  options.training = false;
  options.evaluation = true;
  options.threads = 1;
  std::vector<Bytes> files;
  std::string wrong =
      compileVariants(*it.imported.module, {{"wrong", options}}, files);
  if (!wrong.empty())
    return wrong;
  llvm::SmallVector<Tensor> results;
  wrong = run(it, files.front(), results);
  return wrong.empty() ? onnx::compareOutputs(it, results, 1e-4) : wrong;
}

int main(int argc, char **argv) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context);
  hideWarnings(context);
  std::string root = argc > 1 ? argv[1] : ".";
  size_t parts = 1, part = 0, cases = 0, passed = 0, line = 0;
  bool isList = argc == 4 && llvm::to_integer(argv[2], parts) &&
                llvm::to_integer(argv[3], part) && parts > 0;
  for (int k = 2; !isList && k < argc; ++k)
    std::cout << argv[k] << ": " << runCompiled(context, root + "/" + argv[k])
              << "\n";
  if (!isList)
    return argc < 3;
  for (std::string text; std::getline(std::cin, text);) {
    llvm::StringRef folder = text;
    if (!folder.consume_back(": pass") || line++ % parts != part)
      continue;
    std::string result = runCompiled(context, root + "/" + folder.str());
    ++cases;
    passed += result == "pass";
    if (result != "pass")
      std::cout << folder.str() << ": " << result << "\n";
  }
  std::cout << cases << " cases, " << passed << " pass\n";
  return cases == 0 || passed != cases;
}
