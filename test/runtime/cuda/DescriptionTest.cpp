//===- DescriptionTest.cpp - Files that describe GPUs ---------------------===//
#include "reprise/Runtime/Cuda/Cuda.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace reprise::rt;
using namespace reprise::rt::cuda;

static std::string small() {
  return R"({
  "key": "tiny",
  "name": "A small GPU",
  "architecture": "sm_90",
  "memory_bytes": 1073741824,
  "gflops": 100,
  "narrow_gflops": 200.5,
  "gigabytes_per_second": 50,
  "cudnn": {"warpSize": 32, "maxGridSize": [1, 2, 3], "deviceName": "x"}
})";
}

/// The text with `from` replaced, which must be there.
static std::string with(const std::string &from, const std::string &to) {
  std::string text = small();
  size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

static std::string messageOf(const std::string &text) {
  Expected<DeviceDescription> d = readDescription(text);
  EXPECT_FALSE(d.ok()) << text;
  EXPECT_EQ(d.status().code(), RP_INVALID_ARGUMENT);
  return d.status().message();
}

static void expectEqual(const DeviceDescription &l,
                        const DeviceDescription &r) {
  EXPECT_EQ(l.source, r.source);
  EXPECT_EQ(l.key, r.key);
  EXPECT_EQ(l.name, r.name);
  EXPECT_EQ(l.architecture, r.architecture);
  EXPECT_EQ(l.memoryBytes, r.memoryBytes);
  EXPECT_EQ(l.roofline.gflops, r.roofline.gflops);
  EXPECT_EQ(l.roofline.narrowGflops, r.roofline.narrowGflops);
  EXPECT_EQ(l.roofline.gigabytesPerSecond, r.roofline.gigabytesPerSecond);
  EXPECT_EQ(l.properties, r.properties);
}

TEST(Description, ReadsWhatTheFileSays) {
  Expected<DeviceDescription> d = readDescription(small());
  ASSERT_TRUE(d.ok()) << d.status().message();
  EXPECT_EQ(d->key, "tiny");
  EXPECT_EQ(d->name, "A small GPU");
  EXPECT_EQ(d->architecture, "sm_90");
  EXPECT_EQ(d->memoryBytes, 1073741824u);
  EXPECT_EQ(d->roofline.gflops, 100);
  EXPECT_EQ(d->roofline.narrowGflops, 200.5);
  EXPECT_EQ(d->roofline.gigabytesPerSecond, 50);
  EXPECT_EQ(d->properties,
            R"({"warpSize":32,"maxGridSize":[1,2,3],"deviceName":"x"})");
}

TEST(Description, ShippedOnesAreSortedAndRoundTrip) {
  std::vector<std::string> keys = descriptionKeys();
  EXPECT_EQ(keys, (std::vector<std::string>{"a100", "h100", "h200"}));
  for (const std::string &key : keys) {
    Expected<DeviceDescription> d = describe(key);
    ASSERT_TRUE(d.ok()) << d.status().message();
    EXPECT_EQ(d->key, key);
    Expected<DeviceDescription> again = readDescription(writeDescription(*d));
    ASSERT_TRUE(again.ok()) << again.status().message();
    expectEqual(*d, *again);
  }
}

TEST(Description, RoundTripsOddNumbers) {
  DeviceDescription d = *readDescription(small());
  d.roofline.gflops = 1.0 / 3;
  d.roofline.narrowGflops = 1e300;
  d.memoryBytes = UINT64_MAX;
  d.name = "quotes \" and \\ and \xC3\xA9";
  Expected<DeviceDescription> again = readDescription(writeDescription(d));
  ASSERT_TRUE(again.ok()) << again.status().message();
  expectEqual(d, *again);
}

/// The small one with calls as `text` says them.
static std::string withCalls(const std::string &text) {
  std::string all = small();
  all.insert(all.rfind('}'), ",\n  " + text + "\n");
  return all;
}

TEST(Description, ReadsAndWritesMeasuredCalls) {
  std::string text = withCalls(R"("call_libraries": "cuDNN 9.19.0",
  "calls": [{"call": "b", "implementation": "cudnn eng1",
             "workspace_bytes": 64, "seconds": 0.25},
            {"call": "a", "implementation": "cublaslt",
             "workspace_bytes": 0, "seconds": 1e-6}])");
  Expected<DeviceDescription> d = readDescription(text);
  ASSERT_TRUE(d.ok()) << d.status().message();
  ASSERT_EQ(d->calls.size(), 2u);
  EXPECT_EQ(d->callLibraries, "cuDNN 9.19.0");
  EXPECT_EQ(d->calls["b"].implementation, "cudnn eng1");
  EXPECT_EQ(d->calls["b"].workspaceBytes, 64u);
  EXPECT_EQ(d->calls["b"].seconds, 0.25);
  EXPECT_EQ(d->calls["a"].workspaceBytes, 0u);
  Expected<DeviceDescription> again = readDescription(writeDescription(*d));
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(writeDescription(*again), writeDescription(*d));
  EXPECT_EQ(again->calls.size(), 2u);
  for (size_t size = 0; size < text.size(); ++size)
    messageOf(text.substr(0, size));
}

TEST(Description, RefusesWrongCalls) {
  const struct {
    const char *calls, *part;
  } cases[] = {
      {R"("calls": [])", "\"call_libraries\" is missing"},
      {R"("call_libraries": "x")", "\"calls\" is not a list"},
      {R"("call_libraries": 7, "calls": [])", "\"call_libraries\" is number"},
      {R"("call_libraries": "x", "calls": {})", "\"calls\" is not a list"},
      {R"("call_libraries": "x", "calls": [7])", "a call is number"},
      {R"("call_libraries": "x", "calls": [{}])", "\"call\" is missing"},
      {R"("call_libraries": "x", "calls": [{"other": 1}])",
       "\"other\" is unknown"},
      {R"("call_libraries": "x", "calls": [{"call": "c"}])",
       "\"implementation\" is missing"},
      {R"("call_libraries": "x", "calls": [{"call": "c",
          "implementation": "i"}])",
       "\"seconds\" is missing"},
      {R"("call_libraries": "x", "calls": [{"call": "c",
          "implementation": "i", "seconds": 0, "workspace_bytes": 1}])",
       "\"seconds\" is 0"},
      {R"("call_libraries": "x", "calls": [{"call": "c",
          "implementation": "i", "seconds": 1, "workspace_bytes": -1}])",
       "\"workspace_bytes\" of 'c' is not a whole number"},
      {R"("call_libraries": "x", "calls": [{"call": "c",
          "implementation": "i", "seconds": 1, "workspace_bytes": 1},
          {"call": "c", "implementation": "i", "seconds": 1,
          "workspace_bytes": 1}])",
       "'c' is there twice"},
  };
  for (const auto &c : cases)
    EXPECT_NE(messageOf(withCalls(c.calls)).find(c.part), std::string::npos)
        << c.calls << ": " << messageOf(withCalls(c.calls));
}

TEST(Description, NamesThoseThereAre) {
  Expected<DeviceDescription> d = describe("b300");
  ASSERT_FALSE(d.ok());
  EXPECT_EQ(d.status().code(), RP_INVALID_ARGUMENT);
  EXPECT_EQ(d.status().message(),
            "no device 'b300' is described; there are a100, h100, h200");
}

TEST(Description, SaysWhereTheTextBreaks) {
  EXPECT_EQ(messageOf("{\n  \"key\": x\n}"),
            "device description: no JSON at line 2, column 10");
  EXPECT_EQ(messageOf(""), "device description: no JSON at line 1, column 1");
  EXPECT_EQ(messageOf("[1]"),
            "device description: the text is array; an object is needed");
}

TEST(Description, RefusesFieldsThatAreMissingOrUnknown) {
  for (const char *field :
       {"key", "name", "architecture", "memory_bytes", "gflops",
        "narrow_gflops", "gigabytes_per_second", "cudnn"}) {
    std::string quoted = "\"" + std::string(field) + "\"";
    // Another name for the field: it is unknown, and with that gone, missing.
    EXPECT_EQ(messageOf(with(quoted, "\"extra\"")),
              "device description: \"extra\" is unknown");
    EXPECT_EQ(messageOf(with(quoted, "\"source\"")),
              "device description: " + quoted + " is missing");
  }
}

TEST(Description, RefusesWrongValues) {
  const struct {
    const char *from, *to, *part;
  } cases[] = {
      {"\"A small GPU\"", "7", "\"name\" is number"},
      {"\"A small GPU\"", "\"\"", "\"name\" is string; a text that is not"},
      {"\"sm_90\"", "\"sm90\"", "one like \"sm_90\" is needed"},
      {"\"sm_90\"", "\"sm_\"", "one like \"sm_90\" is needed"},
      {"\"sm_90\"", "\"sm_9x0\"", "one like \"sm_90\" is needed"},
      {"1073741824", "-1", "\"memory_bytes\" is -1"},
      {"1073741824", "1.5", "\"memory_bytes\" is 1.5"},
      {"1073741824", "0", "\"memory_bytes\" is 0"},
      {"1073741824", "99999999999999999999", "\"memory_bytes\" is 1e+20"},
      {": 100,", ": -100,", "\"gflops\" is -100"},
      {": 100,", ": 0,", "\"gflops\" is 0"},
      {": 100,", ": \"100\",", "\"gflops\" is string"},
      {": 100,", ": null,", "\"gflops\" is null"},
      {": 100,", ": NaN,", "no JSON at line 6, column 13"},
      {": 100,", ": 1e999,", "no JSON"},
      {": 50,", ": true,", "\"gigabytes_per_second\" is boolean"},
      {"32", "{}", "\"warpSize\" in \"cudnn\" is object"},
      {"[1, 2, 3]", "[[1]]", "\"maxGridSize\" in \"cudnn\" is array"},
  };
  for (const auto &c : cases)
    EXPECT_NE(messageOf(with(c.from, c.to)).find(c.part), std::string::npos)
        << c.to << ": " << messageOf(with(c.from, c.to));
}

TEST(Description, RefusesEveryTruncation) {
  std::string text = small();
  for (size_t size = 0; size < text.size(); ++size)
    messageOf(text.substr(0, size));
}

TEST(Description, RefusesNestingAndSizeWithoutACrash) {
  std::string deep(60000, '[');
  messageOf(deep);
  std::string closed = deep.substr(0, 30000) + std::string(30000, ']');
  EXPECT_EQ(messageOf(with(": 100,", ": " + closed + ",")),
            "device description: values are nested more than 8 deep");
  messageOf(with("32", closed));
  messageOf(std::string(5000000, ' ') + small());
}

TEST(Description, SurvivesDamage) {
  std::mt19937 random(7);
  std::string text = small();
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = text;
    for (int k = 0, count = 1 + int(random() % 4); k < count; ++k)
      damaged[random() % damaged.size()] = char(random());
    Expected<DeviceDescription> d = readDescription(damaged);
    if (!d.ok()) {
      EXPECT_EQ(d.status().code(), RP_INVALID_ARGUMENT);
      continue;
    }
    ++read;
    EXPECT_GT(d->memoryBytes, 0u);
    EXPECT_TRUE(d->roofline.gflops > 0 && std::isfinite(d->roofline.gflops));
    Expected<DeviceDescription> again = readDescription(writeDescription(*d));
    ASSERT_TRUE(again.ok()) << again.status().message();
    expectEqual(*d, *again);
  }
  EXPECT_GT(read, 0);
}
