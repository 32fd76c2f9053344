/* Loaded in front of the C library: memory is given back by malloc_trim() for
   ever where another thread than the first one does so, as that does which
   compiles programs beside a run, so that no program of it is ever done. Says so
   on standard error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

int malloc_trim(size_t pad) {
  static const char text[] = "endless\n";
  int (*next)(size_t);
  if (gettid() == getpid()) {
    *(void **)&next = dlsym(RTLD_NEXT, "malloc_trim");
    return next(pad);
  }
  if (write(STDERR_FILENO, text, sizeof text - 1) > 0)
    for (;;)
      pause();
  return 0;
}
