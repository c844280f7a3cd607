/* What runs in the lab's containers: the little of cmd.exe that the suite asks for, as a static Linux program. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Process 1 of a container is not ended by a signal that it does not expect. */
static void end(int signal_number) { _exit(128 + signal_number); }

int main(int argc, char **argv) {
  if (argc < 3 || strcmp(argv[1], "/c") != 0) return 1;
  if (strcmp(argv[2], "ver") == 0) {
    printf("\r\nMicrosoft Windows [Version 10.0.17763.2237]\r\n");
    return 0;
  }
  if (strcmp(argv[2], "exit") == 0) return argc > 3 ? atoi(argv[3]) : 0;
  if (strcmp(argv[2], "echo") == 0) {
    int is_error = argc > 3 && strcmp(argv[argc - 1], "1>&2") == 0;
    for (int at = 3; at < argc - is_error; at++) fprintf(is_error ? stderr : stdout, at == 3 ? "%s" : " %s", argv[at]);
    fprintf(is_error ? stderr : stdout, "\r\n");
    return 0;
  }
  if (strcmp(argv[2], "ping") == 0) {
    signal(SIGTERM, end);
    for (;;) sleep(60);
  }
  fprintf(stderr, "'%s' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n", argv[2]);
  return 1;
}
