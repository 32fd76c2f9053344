//===- CInterfaceTest.cpp - What the C interface says of a program --------===//
#include "../conformance/ArtifactBuilder.h"
#include "../conformance/SessionHandle.h"

#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

static std::vector<uint8_t> smallArtifact() {
  ArtifactBuilder b;
  Tensor v = b.variable("v", {3});
  Tensor x = b.input("x", {3}), y = b.activation("y", {3});
  b.copy(x, v);
  b.copy(x, y);
  b.output("y", y);
  b.finish();
  return b.seal();
}

TEST(CInterface, ListsEntriesWithInputsAndOutputs) {
  SessionHandle s;
  ASSERT_EQ(s.open(smallArtifact(), {}).message, "");
  ASSERT_EQ(rp_program_entry_count(s.program), 1u);
  const char *entry = rp_program_entry(s.program, 0);
  EXPECT_STREQ(entry, "step");
  EXPECT_STREQ(rp_program_entry(s.program, 1), "");
  rp_tensor_info info = {};
  ASSERT_EQ(rp_program_input_count(s.program, entry), 1u);
  ASSERT_EQ(take(rp_program_input(s.program, entry, 0, &info)).message, "");
  EXPECT_STREQ(info.name, "x");
  ASSERT_EQ(rp_program_output_count(s.program, entry), 1u);
  ASSERT_EQ(take(rp_program_output(s.program, entry, 0, &info)).message, "");
  EXPECT_STREQ(info.name, "y");
}

TEST(CInterface, SitesTellWhichLineFoundTheError) {
  SessionHandle s;
  ASSERT_EQ(s.open(smallArtifact(), {}).message, "");
  std::vector<float> three(3), four(4);
  std::string unknown = s.setInput("z", three).site,
              tooLong = s.setInput("x", four).site, unset = s.run().site;
  EXPECT_EQ(unknown.find("Session.cpp:"), 0u) << unknown;
  EXPECT_EQ(tooLong.find("Session.cpp:"), 0u) << tooLong;
  EXPECT_EQ(unset.find("Session.cpp:"), 0u) << unset;
  EXPECT_NE(unknown, tooLong);
  EXPECT_NE(unknown, unset);
  EXPECT_NE(tooLong, unset);
  EXPECT_STREQ(rp_status_site(nullptr), "");
}

TEST(CInterface, EachRunConsumesItsInputs) {
  SessionHandle s;
  ASSERT_EQ(s.open(smallArtifact(), {}).message, "");
  ASSERT_EQ(s.setInput("x", std::vector<float>(3)).message, "");
  ASSERT_EQ(s.run().message, "");
  Outcome again = s.run();
  EXPECT_EQ(again.code, RP_INVALID_ARGUMENT);
  EXPECT_EQ(again.message,
            "input 'x' of entry 'step' was not set since the last run");
}

TEST(CInterface, EmptyDeviceIsTheProgramsOwn) {
  rp_session_options options = {};
  options.device = "";
  SessionHandle s;
  EXPECT_EQ(s.open(smallArtifact(), options).message, "");
}

TEST(CInterface, FollowsNoNullPointer) {
  SessionHandle s;
  ASSERT_EQ(s.open(smallArtifact(), {}).message, "");
  float value = 0;
  rp_tensor_info info = {};
  size_t bytes = 0;
  for (rp_status *status :
       {rp_program_open(nullptr, nullptr),
        rp_program_from_memory(nullptr, 1, nullptr),
        rp_session_create(nullptr, nullptr, nullptr),
        rp_session_switch(s.session, nullptr),
        rp_session_set_input(s.session, nullptr, "x", &value, 4),
        rp_session_set_input(s.session, "step", nullptr, &value, 4),
        rp_session_set_input(s.session, "step", "", &value, 4),
        rp_session_set_input(s.session, "step", "x", nullptr, 12),
        rp_session_run(s.session, nullptr), rp_session_run(s.session, ""),
        rp_session_get_output(s.session, "step", nullptr, &value, 4),
        rp_session_read_variable(s.session, nullptr, &value, 4),
        rp_session_write_variable(s.session, "", &value, 4),
        rp_session_memory(s.session, nullptr),
        rp_program_variable(s.program, 0, nullptr),
        rp_program_input(s.program, nullptr, 0, &info),
        rp_program_peak_bytes(s.program, nullptr, &bytes)})
    EXPECT_EQ(take(status).code, RP_INVALID_ARGUMENT);
  EXPECT_EQ(rp_program_entry_count(nullptr), 0u);
  EXPECT_STREQ(rp_program_entry(nullptr, 0), "");
  EXPECT_STREQ(rp_program_model(nullptr), "");
  EXPECT_EQ(rp_program_input_count(s.program, nullptr), 0u);
  EXPECT_EQ(rp_session_step_count(s.session, ""), 0u);
  rp_program_close(nullptr);
  rp_session_destroy(nullptr);
  rp_status_free(nullptr);
}
