/* Runs the rest of its command line as it stands and writes down the true exit code, which Linux sees modulo 256.
   lab-exec.exe <file for the process id> <file for the exit code> <program> [arguments] */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

static wchar_t *after_argument(wchar_t *at) {
  int quoted = 0;
  for (; *at && (quoted || (*at != L' ' && *at != L'\t')); at++)
    if (*at == L'"') quoted = !quoted;
  while (*at == L' ' || *at == L'\t') at++;
  return at;
}

static void write_number(const wchar_t *file, DWORD number) {
  FILE *out = _wfopen(file, L"w");
  if (!out) ExitProcess(125);
  fprintf(out, "%lu", number);
  fclose(out);
}

int wmain(int argc, wchar_t **argv) {
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION process;
  DWORD code;
  if (argc < 4) return 125;

  wchar_t *rest = GetCommandLineW();
  for (int skipped = 0; skipped < 3; skipped++) rest = after_argument(rest);

  /* Killed itself, it takes what it started along. */
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
  HANDLE job = CreateJobObjectW(NULL, NULL);
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);

  if (!CreateProcessW(NULL, rest, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &startup, &process)) {
    fprintf(stderr, "lab-exec: CreateProcess answered %lu\n", GetLastError());
    return 126;
  }
  AssignProcessToJobObject(job, process.hProcess);
  write_number(argv[1], process.dwProcessId);
  ResumeThread(process.hThread);
  WaitForSingleObject(process.hProcess, INFINITE);
  GetExitCodeProcess(process.hProcess, &code);

  /* An ordinary end leaves children running, as Windows does. */
  limits.BasicLimitInformation.LimitFlags = 0;
  SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  write_number(argv[2], code);
  return (int)code;
}
