/* Loaded in front of oneDNN: the execution after the first ENDLESS_AFTER ones
   never ends, as that of a kernel whose threads wait for one that is not there.
   Says so on standard error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

int dnnl_primitive_execute(const void *primitive, void *stream, int count,
                           const void *arguments) {
  static long executions;
  static int (*next)(const void *, void *, int, const void *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "dnnl_primitive_execute");
  if (executions++ == atol(getenv("ENDLESS_AFTER"))) {
    static const char text[] = "endless\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) > 0)
      for (volatile int spin = 1; spin;)
        continue;
  }
  return next(primitive, stream, count, arguments);
}
