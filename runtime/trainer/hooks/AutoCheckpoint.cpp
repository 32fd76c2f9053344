//===- AutoCheckpoint.cpp - Save the state when a run is interrupted ------===//
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/State.h"
#include "reprise/Runtime/Trainer/Trainer.h"

using namespace reprise::rt;

Status AutoCheckpoint::begin(HookContext &run) { return checkWritable(path); }

Status AutoCheckpoint::end(HookContext &run, bool wasStopped) {
  if (!wasStopped)
    return {};
  Status status = run.save(path);
  saved = status.ok();
  return status;
}

Status AutoCheckpoint::save(Backend &backend, const RunPosition &position) {
  Status status = saveState(backend, path, position);
  saved = status.ok();
  return status;
}

Status AutoCheckpoint::failed(HookContext &run, const Status &error) {
  return end(run, true);
}
