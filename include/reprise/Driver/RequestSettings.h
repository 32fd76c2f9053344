//===- RequestSettings.h - The request of a command line --------*- C++ -*-===//
#ifndef REPRISE_DRIVER_REQUESTSETTINGS_H
#define REPRISE_DRIVER_REQUESTSETTINGS_H

#include "reprise/Driver/CompileSettings.h"
#include "reprise/Driver/ModelRequest.h"
#include "reprise/Driver/ModelSettings.h"

namespace reprise::driver {

/// Costs of plans are settled when a request is read, or later, when the device
/// of a run is known.
enum class Costs { Now, Later };

/// Reads a request for a model of the zoo or a file of MLIR; rejects artifacts,
/// and options of the zoo's models for others.
rt::Expected<ModelRequest> readRequest(const std::string &source,
                                       const ModelSettings &model,
                                       const CompileSettings &compile,
                                       Costs costs = Costs::Now);

/// Fails if a flag was given together with an artifact, which no option of a
/// model or a compilation can change; succeeds if `given` is "".
rt::Status refuseFlag(const std::string &artifact, const std::string &given);
/// Fails like refuseFlag for the first flag that was given.
rt::Status refuseFlags(const std::string &artifact, const ModelSettings &model,
                       const CompileSettings &compile);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_REQUESTSETTINGS_H
