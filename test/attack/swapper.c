/* Exchanges pairs of names as fast as the kernel can: swapper A1 B1 A2 B2 ... until its stdin closes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **names) {
  unsigned long swaps = 0;
  struct pollfd in = {.fd = 0, .events = POLLIN};
  puts("ready");
  fflush(stdout);
  for (;;) {
    for (int i = 1; i + 1 < count; i += 2)
      if (syscall(SYS_renameat2, AT_FDCWD, names[i], AT_FDCWD, names[i + 1], 2) == 0) swaps++;
    if (swaps % 256 < (unsigned long)count && poll(&in, 1, 0) > 0) break;
  }
  printf("%lu\n", swaps);
  return 0;
}
