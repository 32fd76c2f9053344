/*===- CHook.h - Hooks in C -----------------------------------------------===
 *
 * A shared library that defines rp_hook_create is a hook (see Hook.h): `reprise
 * train --hook ./mine.so` loads it. Functions return NULL on success, or one
 * sentence that describes the failure and lives until the hook's next call.
 *
 *===----------------------------------------------------------------------===*/
#ifndef REPRISE_RUNTIME_TRAINER_CHOOK_H
#define REPRISE_RUNTIME_TRAINER_CHOOK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RP_HOOK_VERSION 1

typedef struct rp_hook_step {
  double loss, mean_loss, learning_rate;
  double step_seconds, images_per_second, seconds_left;
  uint64_t high_water_bytes; /* of the arena */
  uint64_t resident_bytes;   /* of the process */
} rp_hook_step;

typedef struct rp_hook_evaluation {
  uint64_t images;
  double loss;
  double accuracy; /* a share; negative if the model has none */
} rp_hook_evaluation;

/* A run and its requests; valid during a call only. */
typedef struct rp_hook_run {
  const char *model;
  uint64_t step; /* done, including earlier runs */
  uint64_t epoch;
  uint64_t total_steps, steps_per_epoch;
  void *impl;
  /* Return NULL, or the failure; the text lives until their next call. */
  const char *(*save)(const struct rp_hook_run *run, const char *path);
  const char *(*evaluate)(const struct rp_hook_run *run,
                          rp_hook_evaluation *evaluation);
  /* Ends the run after this step. */
  void (*stop)(const struct rp_hook_run *run, const char *reason);
} rp_hook_run;

/* Any function may be NULL. */
typedef struct rp_hook {
  const char *name; /* lives as long as the hook */
  void *user;       /* passed to every function */
  const char *(*begin)(void *user, const rp_hook_run *run);
  const char *(*after_step)(void *user, const rp_hook_run *run,
                            const rp_hook_step *step);
  const char *(*after_epoch)(void *user, const rp_hook_run *run);
  const char *(*evaluated)(void *user, const rp_hook_run *run,
                           const rp_hook_evaluation *evaluation);
  const char *(*end)(void *user, const rp_hook_run *run, int was_stopped);
  const char *(*failed)(void *user, const rp_hook_run *run, const char *error);
  void (*destroy)(void *user);
} rp_hook;

/* The function that a library defines. `version` is RP_HOOK_VERSION of the
 * caller; refuse unknown ones. `options` is the user's text after the library's
 * path, "" for nothing. `hook` is filled with zeros. */
const char *rp_hook_create(uint32_t version, const char *options,
                           rp_hook *hook);

#ifdef __cplusplus
}

#include "reprise/Runtime/Trainer/Hook.h"
#include <memory>

namespace reprise::rt {

/// Takes ownership of the hook and calls its destroy in the end.
std::unique_ptr<Hook> wrapHook(const rp_hook &hook);

/// Loads the library "FILE" or "FILE:OPTIONS". It runs code: load only
/// libraries that you trust.
Expected<std::unique_ptr<Hook>> loadHook(const std::string &library);

} // namespace reprise::rt
#endif

#endif /* REPRISE_RUNTIME_TRAINER_CHOOK_H */
