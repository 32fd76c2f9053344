//===- driver.h - Precompiled: for the driver's commands ------------------===//
#include "dialects.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
