/* What arrived, as JSON in ASCII: the command line, how the C runtime takes it apart, and the variables whose names
   begin with ECHO_. */
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

/* mingw's start-up code would put names of files in place of an argument like *. */
int _dowildcard = 0;

static char *text, *at;

static void put(const char *ascii) {
  while (*ascii) *at++ = *ascii++;
}

static void put_string(const wchar_t *wide) {
  *at++ = '"';
  for (; *wide; wide++)
    if (*wide < L' ' || *wide > L'~' || *wide == L'"' || *wide == L'\\') at += sprintf(at, "\\u%04x", *wide);
    else *at++ = (char)*wide;
  *at++ = '"';
}

static void put_all(int argc, wchar_t **argv) {
  wchar_t *line = GetCommandLineW(), *variables = GetEnvironmentStringsW();
  const char *between = "";
  size_t letters = wcslen(line) * 2;
  for (wchar_t *entry = variables; *entry; entry += wcslen(entry) + 1) letters += wcslen(entry);
  at = text = malloc(letters * 6 + (size_t)argc * 3 + 4096);
  if (!text) ExitProcess(125);

  put("{\"line\":");
  put_string(line);
  put(",\"argv\":[");
  for (int index = 0; index < argc; index++, between = ",") put(between), put_string(argv[index]);
  put("],\"environment\":[");
  between = "";
  for (wchar_t *entry = variables; *entry; entry += wcslen(entry) + 1)
    if (!wcsncmp(entry, L"ECHO_", 5)) put(between), put_string(entry), between = ",";
  put("]}");
}

static void write_echo(HANDLE out, int argc, wchar_t **argv) {
  DWORD written, size;
  put_all(argc, argv);
  size = (DWORD)(at - text);
  if (!WriteFile(out, text, size, &written, NULL) || written != size) ExitProcess(124);
  CloseHandle(out);
}
