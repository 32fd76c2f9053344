/* Loaded in front of the C library: the clock of the day jumps by hours, back and
   forth, and the steady clock stands still, as a coarse one seems to. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static time_t jump(void) {
  static unsigned calls;
  static const time_t hours[] = {0, -5, 9, -30, 2, -1};
  return 3600 * hours[__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % 6];
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static struct timespec stopped;
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME)
    now->tv_sec += jump();
  if (clock == CLOCK_MONOTONIC) {
    if (!stopped.tv_sec)
      stopped = *now;
    *now = stopped;
  }
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result)
    *result = now.tv_sec;
  return now.tv_sec;
}
