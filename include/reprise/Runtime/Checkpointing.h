/*===- Checkpointing.h - Switched on and off while training ----------------===
 *
 * A session whose checkpointing is switched between two steps: each number of
 * segments is a program of the same model, which somebody makes when it is
 * first wanted, such as by opening an artifact ('reprise compile
 * --checkpointing segments=4') or by compiling. Variables keep their values,
 * and what is trained is what it would be without any switch, to the bit.
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

/* Makes the program that computes the activations of `segments` segments again;
 * 0: the one that computes nothing again. The program is then the switch's.
 * Called once for each number. */
typedef rp_status *(*rp_make_program)(void *context, uint32_t segments,
                                      rp_program **program);

/* Of a session that runs the program of `segments` segments (0: none).
 * `session` and `context` outlive it. */
rp_status *rp_checkpointing_create(rp_session *session, uint32_t segments,
                                   rp_make_program make, void *context,
                                   rp_checkpointing **checkpointing);
/* The session must run no more after it, since its program may be gone. */
void rp_checkpointing_destroy(rp_checkpointing *checkpointing);

/* Goes on with the program of so many segments, at least one. Where it fails,
 * the session goes on as before; see rp_session_switch. */
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
