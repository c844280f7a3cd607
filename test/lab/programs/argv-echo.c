/* Writes back what arrived, to standard output. Nothing but the C runtime is loaded: it is started 10,000 times. */
#include "argv-echo.h"

int wmain(int argc, wchar_t **argv) {
  write_echo(GetStdHandle(STD_OUTPUT_HANDLE), argc, argv);
  return 0;
}
