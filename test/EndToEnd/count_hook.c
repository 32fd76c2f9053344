/* A hook in C: counts what it is told, stops where its text says, and fails
 * where that says so. Prints at the end. Options: "stop=N", "fail", "refuse",
 * "sleep=SECONDS" after the third step. */
#include "reprise/Runtime/Trainer/CHook.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct count {
  unsigned steps, epochs, evaluations;
  unsigned long stop, seconds;
  int fails;
};

static const char *after_step(void *user, const rp_hook_run *run,
                              const rp_hook_step *step) {
  struct count *count = user;
  ++count->steps;
  if (count->steps == 3)
    sleep((unsigned)count->seconds);
  if (run->step == count->stop)
    run->stop(run, "as many as asked");
  return count->fails && step->loss > 0 ? "asked to fail" : NULL;
}

static const char *after_epoch(void *user, const rp_hook_run *run) {
  struct count *count = user;
  rp_hook_evaluation evaluation;
  const char *error = run->evaluate(run, &evaluation);
  ++count->epochs;
  return error;
}

static const char *evaluated(void *user, const rp_hook_run *run,
                             const rp_hook_evaluation *evaluation) {
  struct count *count = user;
  (void)run;
  ++count->evaluations;
  return evaluation->images > 0 ? NULL : "nothing was evaluated";
}

static const char *end(void *user, const rp_hook_run *run, int was_stopped) {
  struct count *count = user;
  fprintf(stderr, "%s: %u steps, %u epochs, %u evaluations, stopped %d\n",
          run->model, count->steps, count->epochs, count->evaluations,
          was_stopped);
  return NULL;
}

const char *rp_hook_create(uint32_t version, const char *options,
                           rp_hook *hook) {
  struct count *count;
  if (version != RP_HOOK_VERSION)
    return "another version of the interface";
  if (strcmp(options, "refuse") == 0)
    return "asked to refuse";
  count = calloc(1, sizeof *count);
  if (!count)
    return "out of memory";
  if (strncmp(options, "stop=", 5) == 0)
    count->stop = strtoul(options + 5, NULL, 10);
  if (strncmp(options, "sleep=", 6) == 0)
    count->seconds = strtoul(options + 6, NULL, 10);
  count->fails = strcmp(options, "fail") == 0;
  hook->name = "count";
  hook->user = count;
  hook->after_step = after_step;
  hook->after_epoch = after_epoch;
  hook->evaluated = evaluated;
  hook->end = end;
  hook->destroy = free;
  return NULL;
}
