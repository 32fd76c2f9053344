/*===- reprise.h - C interface of the runtime --------------------------===
 *
 * Loads an artifact (.rpx), allocates its one arena, and runs its entries.
 * Nothing here prints, exits or throws. Functions return NULL on success and
 * otherwise a status that the caller owns (rp_status_free).
 *
 * No null pointer is followed. A function that returns a status fails with
 * RP_INVALID_ARGUMENT if an object, a name or the place for a result is NULL,
 * except for `options` and where documented otherwise; NULL and "" are names of
 * no entry, input, output or variable. Functions that return a number or a text
 * return 0 or "" for NULL and for unknown names. Functions that close, destroy
 * or free accept NULL and do nothing.
 *
 * Objects are not thread safe; different objects may be used by different
 * threads. Sizes are bytes unless a name states another unit.
 *
 *===----------------------------------------------------------------------===*/
#ifndef REPRISE_RUNTIME_REPRISE_H
#define REPRISE_RUNTIME_REPRISE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rp_code {
  RP_OK = 0,
  RP_INVALID_ARGUMENT = 1, /* the caller's mistake */
  RP_DATA_LOSS = 2,        /* a damaged, truncated or foreign file */
  RP_INCOMPATIBLE = 3,     /* an artifact for another processor or library */
  RP_OUT_OF_MEMORY = 4,
  RP_IO_ERROR = 5,    /* the operating system refused */
  RP_UNAVAILABLE = 6, /* e.g. a device this machine does not have */
  RP_INTERNAL = 7
} rp_code;

typedef struct rp_status rp_status;
typedef struct rp_program rp_program;
typedef struct rp_session rp_session;

rp_code rp_status_code(const rp_status *status);
/* One sentence, lower case, without a final stop. Lives as long as status. */
const char *rp_status_message(const rp_status *status);
/* "file.cpp:123", the line of the runtime that found the error; "" for NULL. */
const char *rp_status_site(const rp_status *status);
void rp_status_free(rp_status *status);

typedef enum rp_element_type {
  RP_F32,
  RP_BF16,
  RP_F16,
  RP_F64,
  RP_I1,
  RP_I8,
  RP_I32,
  RP_I64
} rp_element_type;

typedef enum rp_role {
  RP_PARAMETER,
  RP_OPTIMIZER_STATE,
  RP_RUNNING_STATISTICS,
  RP_COUNTER,
  RP_SEED
} rp_role;

/* The role of an input or output of an entry; described at BindingRole in
 * runtime/schemas/program.fbs. An entry has at most one of each, except for
 * RP_BINDING_DATA, RP_BINDING_METRIC and RP_BINDING_GRADIENT. */
typedef enum rp_binding_role {
  RP_BINDING_DATA,
  RP_BINDING_LABEL,
  RP_BINDING_LEARNING_RATE,
  RP_BINDING_SEED,
  RP_BINDING_STEP,
  RP_BINDING_LOSS,
  RP_BINDING_LOGITS,
  RP_BINDING_METRIC,
  RP_BINDING_NONFINITE,
  RP_BINDING_GRADIENT,
  RP_BINDING_MIX_RATIO
} rp_binding_role;

/* The contents of a buffer, and the phase of a step of the program; the same as
 * BufferKind and Phase in runtime/schemas/program.fbs. */
typedef enum rp_buffer_kind {
  RP_BUFFER_PARAMETER,
  RP_BUFFER_OPTIMIZER_STATE,
  RP_BUFFER_STATE,
  RP_BUFFER_CONSTANT,
  RP_BUFFER_INPUT,
  RP_BUFFER_OUTPUT,
  RP_BUFFER_ACTIVATION, /* computed by the forward pass */
  RP_BUFFER_GRADIENT,   /* computed by the backward pass */
  RP_BUFFER_RECOMPUTED, /* recomputed */
  RP_BUFFER_WORKSPACE,
  RP_BUFFER_UPDATE /* a variable's next value */
} rp_buffer_kind;
#define RP_BUFFER_KINDS 11

typedef enum rp_phase {
  RP_PHASE_FORWARD,
  RP_PHASE_BACKWARD,
  RP_PHASE_RECOMPUTE,
  RP_PHASE_UPDATE
} rp_phase;

/* The bytes of the arena that the plan uses while a step runs. */
typedef struct rp_step_memory {
  rp_phase phase;
  size_t live_bytes[RP_BUFFER_KINDS]; /* by kind, including fixed ones */
  size_t end_bytes;                   /* the highest end of them */
} rp_step_memory;

/* A named tensor of the program. Pointers live as long as the program. */
typedef struct rp_tensor_info {
  const char *name;
  rp_element_type type;
  uint32_t rank;
  const int64_t *shape;
  size_t bytes;
  rp_role role;                    /* of variables */
  const int32_t *file_permutation; /* of variables; NULL: identity */
  rp_binding_role binding;         /* of inputs and outputs */
  const char *variable;            /* of gradients; else NULL */
  /* Of a variable of which each rank holds a shard, as `shape` says; else 0 and
   * NULL. The file permutation is one of these dimensions. */
  uint32_t whole_rank;
  const int64_t *whole_shape;
} rp_tensor_info;

/* The meaning of an element of an input; see runtime/schemas/program.fbs. */
typedef enum rp_index_use {
  RP_INDEX_CLASS,
  RP_INDEX_ROW,
  RP_INDEX_PROBABILITY
} rp_index_use;

/* Elements of an input that are in range: integers in [0, limit), and the one
 * that is ignored; probabilities in [0, limit]. Pointers live as long as the
 * program. */
typedef struct rp_index_range {
  rp_index_use use;
  int64_t limit;
  int has_ignored;
  int64_t ignored;
  const int64_t *runs; /* pairs of elements of a row: first, one after last */
  size_t run_numbers;  /* twice the number of pairs */
} rp_index_range;

/* ---- programs ---- */
rp_status *rp_program_open(const char *path, rp_program **program);
/* Copies the bytes. */
rp_status *rp_program_from_memory(const void *data, size_t size,
                                  rp_program **program);
void rp_program_close(rp_program *program);
const char *rp_program_model(const rp_program *program);
const char *rp_program_plan_note(const rp_program *program);
uint32_t rp_program_threads(const rp_program *program);
size_t rp_program_arena_bytes(const rp_program *program);
size_t rp_program_fixed_bytes(const rp_program *program);
/* Code of the compiled kernels. */
size_t rp_program_code_bytes(const rp_program *program);
const char *rp_program_device(const rp_program *program);
/* Memory of the host that the program's device takes, without code: for the
 * arena, 0 if that is in the device's own memory; and upper estimates of what
 * it keeps, and of the heap that its library calls take in addition to their
 * workspaces while they run. Fails with RP_UNAVAILABLE if there is no such
 * device. */
rp_status *rp_program_host_bytes(const rp_program *program, size_t *arena,
                                 size_t *kept, size_t *during_calls);
size_t rp_program_variable_count(const rp_program *program);
rp_status *rp_program_variable(const rp_program *program, size_t index,
                               rp_tensor_info *info);
/* Entries, such as "train_step" and "eval_step", and their names; "" from the
 * count on. Inputs and outputs of an entry are listed below. */
size_t rp_program_entry_count(const rp_program *program);
const char *rp_program_entry(const rp_program *program, size_t index);
int rp_program_has_entry(const rp_program *program, const char *entry);
size_t rp_program_input_count(const rp_program *program, const char *entry);
size_t rp_program_output_count(const rp_program *program, const char *entry);
rp_status *rp_program_input(const rp_program *program, const char *entry,
                            size_t index, rp_tensor_info *info);
rp_status *rp_program_output(const rp_program *program, const char *entry,
                             size_t index, rp_tensor_info *info);
/* The number of ranges of an input; 0 if it takes any element. */
size_t rp_program_index_range_count(const rp_program *program,
                                    const char *entry, size_t input);
rp_status *rp_program_index_range(const rp_program *program, const char *entry,
                                  size_t input, size_t index,
                                  rp_index_range *range);
/* The predicted peak of an entry: arena bytes in use at its highest. */
rp_status *rp_program_peak_bytes(const rp_program *program, const char *entry,
                                 size_t *bytes);
/* The budget of an entry's plan; 0: it has none. */
rp_status *rp_program_budget_bytes(const rp_program *program, const char *entry,
                                   size_t *bytes);
/* The checkpointing mode that it was compiled with, for people. */
const char *rp_program_checkpointing(const rp_program *program);
/* The steps of an entry. */
size_t rp_program_step_count(const rp_program *program, const char *entry);
/* Fills one element for each step of the entry; `count` is their number. The
 * highest end_bytes is the predicted peak. */
rp_status *rp_program_step_memory(const rp_program *program, const char *entry,
                                  rp_step_memory *steps, size_t count);

/* ---- sessions ---- */
typedef struct rp_session_options {
  /* "cpu", or "cuda:1" for the second GPU; devices other than the program's
   * are refused. NULL and "": the program's. */
  const char *device;
  int32_t poison;  /* nonzero: fill buffers with NaN as they die (tests) */
  int32_t profile; /* nonzero: time every step */
  /* Nonzero: before each step fill all memory except its operands with a
   * pattern, and check every byte of the arena and around it afterwards.
   * rp_session_run fails with RP_INTERNAL, naming the step, if a step changed
   * bytes that it must not change. For tests: each step runs twice, and the
   * host holds a second arena. Not with profile. */
  int32_t check_memory;
} rp_session_options;

/* Allocates and touches the arena, loads the code, prepares library calls and
 * fills the constants. Variables are zero until initialized or written.
 * `options` may be NULL: the program's device, and no other option. */
rp_status *rp_session_create(const rp_program *program,
                             const rp_session_options *options,
                             rp_session **session);
void rp_session_destroy(rp_session *session);
/* Continues with another program of the same variables, as one of the same
 * model with other checkpointing or another batch: their values are kept,
 * inputs and outputs are lost. The memory is shared if that of the first
 * program suffices and the device supports it; else it is freed and allocated
 * again, with the variables on the host meanwhile. Fails with
 * RP_INVALID_ARGUMENT if the variables differ; on any failure the session
 * continues with its current program. Switching back and forth prepares nothing
 * again while the memory is shared. */
rp_status *rp_session_switch(rp_session *session, const rp_program *program);
/* Gives every variable its initial value: the program's data, or numbers from
 * Philox 4x32-10 keyed by seed with one stream per variable (a hash of its
 * name), so that it depends on nothing else. A variable of role RP_SEED is set
 * to seed. */
rp_status *rp_session_initialize(rp_session *session, uint64_t seed);
/* Inputs are dense row-major in the type and shape of their info. `data` has
 * been copied on return. Each run consumes the inputs: set all of them again
 * before the next one. Setting an input of another entry discards those set so
 * far. */
rp_status *rp_session_set_input(rp_session *session, const char *entry,
                                const char *name, const void *data,
                                size_t bytes);
/* Fails with RP_INVALID_ARGUMENT, naming the input, if one was not set since
 * the last run. On an asynchronous device this may return while the entry is
 * running. The next call that waits for the run then returns its errors, with
 * the entry's name and the number of the run. */
rp_status *rp_session_run(rp_session *session, const char *entry);
/* Runs an entry as rp_session_run does, but ends once output, a floating-point
 * scalar, is not finite, if no parameter was updated by then: *stopped is 1,
 * and variables other than running statistics keep their values. Otherwise
 * *stopped is 0, as always on a device that works asynchronously. */
rp_status *rp_session_run_guarded(rp_session *session, const char *entry,
                                  const char *output, int32_t *stopped);

/* The origin of values that are not finite. */
typedef enum rp_origin {
  RP_ORIGIN_NONE, /* all values that matter were finite */
  RP_ORIGIN_INPUT,
  RP_ORIGIN_VARIABLE, /* was not finite when the step began */
  RP_ORIGIN_CONSTANT,
  RP_ORIGIN_STEP
} rp_origin;
/* Runs an entry on the inputs that were set since the last run, step by step,
 * and reads every floating-point operand and result. Follows operands that are
 * not finite back from the output, if it is not finite itself; otherwise from
 * the first gradient, new value of a variable, or value after the forward pass
 * that is not. *text names the first such tensor for people and lives until the
 * next call; it is "" for RP_ORIGIN_NONE. Variables keep their values. The call
 * takes host memory for all variables and one more tensor. */
rp_status *rp_session_find_nonfinite(rp_session *session, const char *entry,
                                     const char *output, rp_origin *origin,
                                     const char **text);
/* Nonzero if set_input does not change the outputs of the last run, so that the
 * inputs of the next run can be copied while this one is running. */
int32_t rp_session_stages_inputs(const rp_session *session);
/* Outputs are valid until the next run, or set_input if
 * rp_session_stages_inputs is 0. Waits for the run. */
rp_status *rp_session_get_output(rp_session *session, const char *entry,
                                 const char *name, void *data, size_t bytes);
/* Variables in the program's layout (not permuted). */
rp_status *rp_session_read_variable(rp_session *session, const char *name,
                                    void *data, size_t bytes);
rp_status *rp_session_write_variable(rp_session *session, const char *name,
                                     const void *data, size_t bytes);

typedef struct rp_memory_stats {
  size_t arena_bytes;      /* allocated */
  size_t high_water_bytes; /* highest byte of the arena passed to steps of
                              the current program so far, including fixed
                              bytes */
  size_t changed_bytes;    /* with check_memory: the highest byte of the arena,
                              or after it, that was changed; else 0 */
} rp_memory_stats;
rp_status *rp_session_memory(const rp_session *session, rp_memory_stats *stats);

/* Sets the ranks with which the session makes collective calls: a
 * reprise::rt::Communicator of C++, which outlives the session. Fails with
 * RP_UNAVAILABLE on a device that makes none. */
rp_status *rp_session_set_communicator(rp_session *session, void *communicator);
/* Sets whether later runs are timed step by step, as with profile; other runs
 * have no overhead. Refused with check_memory. */
rp_status *rp_session_set_profile(rp_session *session, int32_t profile);
/* Steps of the last run with profile; seconds of one step, in program order. */
size_t rp_session_step_count(const rp_session *session, const char *entry);
rp_status *rp_session_step_seconds(const rp_session *session, const char *entry,
                                   size_t step, double *seconds);
/* When a step of the last run with profile began and ended, in seconds since
 * the run did. A call between ranks, or a copy to or from host memory, that ran
 * beside the steps after it began and ended at the other two times, and its own
 * two are those of its start; otherwise these are 0. Between two steps the
 * second one waited for such a call. */
typedef struct rp_step_times {
  double begin, end;
  double beside_begin, beside_end;
} rp_step_times;
rp_status *rp_session_step_times(const rp_session *session, const char *entry,
                                 size_t step, rp_step_times *times);

#ifdef __cplusplus
}
#endif
#endif /* REPRISE_RUNTIME_REPRISE_H */
