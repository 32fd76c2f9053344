//===- DriverTest.cpp - Models and budgets without a command line ---------===//

#include "reprise/Budget/Refusal.h"
#include "reprise/Driver/ModelRequest.h"
#include "reprise/Program/ArtifactFile.h"
#include "reprise/Target/Target.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::driver;

/// A request for the smallest model of the zoo.
static ModelRequest requestForMlp() {
  registerAllTargets();
  ModelRequest request;
  request.source = "mlp";
  request.model.batch = 4;
  request.compile.checkpointing = {};
  request.compile.threads = 1;
  return request;
}

TEST(Driver, PeakOfAProgramIsThatOfItsArtifact) {
  ModelRequest request = requestForMlp();
  Compiler compiler;
  ASSERT_TRUE(compiler.load(request.source, request.model).ok());
  ASSERT_TRUE(compiler.lower(request.compile, CompileLevel::Program).ok());
  rt::Expected<ProgramFacts> program = compiler.facts();
  ASSERT_TRUE(program.ok()) << program.status().message();
  const EntryFacts *step = program->entry("train_step");
  ASSERT_NE(step, nullptr);
  EXPECT_GT(step->peak, program->fixed);

  rt::Expected<std::vector<uint8_t>> bytes = compiler.emit();
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  auto file = ArtifactFile::fromMemory(bytes->data(), bytes->size());
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(factsOf(*file).entry("train_step")->peak, step->peak);
}

TEST(Driver, UnknownModelNamesTheNearest) {
  rt::Expected<bool> artifact = isArtifact("resnet19");
  ASSERT_FALSE(artifact.ok());
  EXPECT_NE(artifact.status().message().find("did you mean 'resnet18'?"),
            std::string::npos)
      << artifact.status().message();
}

TEST(Driver, SourcesAreToldApartByEnding) {
  EXPECT_TRUE(*isArtifact("missing.rpx"));
  EXPECT_FALSE(*isArtifact("missing.mlir"));
  EXPECT_FALSE(*isArtifact("mlp"));
  EXPECT_EQ(fileOf("missing.mlir"), "missing.mlir");
  EXPECT_EQ(fileOf("mlp"), "");
  EXPECT_FALSE(isArtifact("missing.unknown").ok());
}

TEST(Driver, FileWithoutModelIsRefused) {
  std::string path = ::testing::TempDir() + "empty.mlir";
  std::ofstream(path) << "module {}";
  Compiler compiler;
  EXPECT_EQ(compiler.load(path, {}).message(),
            "'" + path + "' holds no function; a model is one func.func");
}

TEST(Budget, SmallestBudgetIsBetweenTheProofAndThePlainStep) {
  ModelRequest request = requestForMlp();
  rt::Expected<PlannedRequest> planned = planRequest(request, kNoSearch);
  ASSERT_TRUE(planned.ok()) << planned.status().message();
  uint64_t plain = planned->plans->plain().bytes();
  EXPECT_LE(planned->plans->smallest().bytes(), plain);
  EXPECT_LE(planned->plans->provenBytes().bound.bytes,
            planned->plans->smallest().bytes());
}

TEST(Budget, RefusalNamesTheSmallestBudget) {
  ModelRequest request = requestForMlp();
  request.compile.budget = plan::Budget{plan::Budget::Kind::Bytes, 100, 0};
  Compiler compiler;
  ASSERT_TRUE(compiler.load(request.source, request.model).ok());
  rt::Status status =
      lowerLoaded(compiler, request, CompileLevel::Program, Advice::Numbers);
  EXPECT_EQ(status.code(), RP_INVALID_ARGUMENT);
  EXPECT_NE(status.message().find("is the smallest budget found"),
            std::string::npos)
      << status.message();
}
