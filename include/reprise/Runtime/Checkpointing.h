/*===- Checkpointing.h - Switching checkpointing while training ------------===
 *
 * A session whose checkpointing is switched between two steps: each number of
 * segments is a program of the same model, which the caller provides when it is
 * first needed, for instance by opening an artifact ('reprise compile
 * --checkpointing segments=4') or by compiling. Variables keep their values,
 * and training has the same bits as without any switch.
 *
 * Not thread safe, as sessions are not.
 *
 *===----------------------------------------------------------------------===*/
#ifndef REPRISE_RUNTIME_CHECKPOINTING_H
#define REPRISE_RUNTIME_CHECKPOINTING_H

#include "reprise/Runtime/reprise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_checkpointing rp_checkpointing;

/* Provides the program that recomputes the activations of `segments` segments;
 * 0: the one that recomputes nothing. The rp_checkpointing then owns the
 * program. Called once for each number. */
typedef rp_status *(*rp_make_program)(void *context, uint32_t segments,
                                      rp_program **program);

/* Creates the switch of a session that runs the program of `segments` segments
 * (0: none). `session` and `context` outlive it. */
rp_status *rp_checkpointing_create(rp_session *session, uint32_t segments,
                                   rp_make_program make, void *context,
                                   rp_checkpointing **checkpointing);
/* The session must not run afterwards, since its program may be destroyed. */
void rp_checkpointing_destroy(rp_checkpointing *checkpointing);

/* Continues with the program of so many segments, at least one. On failure the
 * session continues as before; see rp_session_switch. */
rp_status *rp_checkpointing_enable(rp_checkpointing *checkpointing,
                                   uint32_t segments);
rp_status *rp_checkpointing_disable(rp_checkpointing *checkpointing);
int32_t rp_checkpointing_is_enabled(const rp_checkpointing *checkpointing);
/* The program that the session runs; NULL before the first switch. */
const rp_program *
rp_checkpointing_program(const rp_checkpointing *checkpointing);

#ifdef __cplusplus
}
#endif
#endif /* REPRISE_RUNTIME_CHECKPOINTING_H */
