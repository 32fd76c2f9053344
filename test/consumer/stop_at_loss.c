/* A hook: ends a run when the mean loss of its last steps is as low as its text
 * says, and leaves the state of that moment in low.safetensors. */
#include "reprise/Runtime/Trainer/CHook.h"
#include <stdio.h>
#include <stdlib.h>

struct watch {
  double wanted, loss;
};

static const char *after_step(void *user, const rp_hook_run *run,
                              const rp_hook_step *step) {
  struct watch *watch = user;
  watch->loss = step->mean_loss;
  if (watch->loss > watch->wanted)
    return NULL;
  run->stop(run, "the loss is low enough");
  return run->save(run, "low.safetensors");
}

static const char *end(void *user, const rp_hook_run *run, int was_stopped) {
  struct watch *watch = user;
  fprintf(stderr, "stop_at_loss: %s is at %.4f after step %lu%s\n", run->model,
          watch->loss, (unsigned long)run->step,
          was_stopped ? ", stopped by a signal" : "");
  return NULL;
}

const char *rp_hook_create(uint32_t version, const char *options,
                           rp_hook *hook) {
  struct watch *watch;
  char *rest;
  double wanted = strtod(options, &rest);
  if (version != RP_HOOK_VERSION)
    return "it is of another version of reprise";
  if (rest == options || *rest)
    return "give a loss after its path, as in ./stop_at_loss.so:2.2";
  watch = calloc(1, sizeof *watch);
  if (!watch)
    return "out of memory";
  watch->wanted = wanted;
  hook->name = "stop_at_loss";
  hook->user = watch;
  hook->after_step = after_step;
  hook->end = end;
  hook->destroy = free;
  return NULL;
}
