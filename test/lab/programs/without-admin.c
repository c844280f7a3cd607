/* Runs the rest of its command line as somebody who is not an administrator, and ends with its exit code. */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

static int failed(const char *what) {
  fprintf(stderr, "without-admin: %s answered %lu\n", what, GetLastError());
  return 125;
}

int wmain(int argc, wchar_t **argv) {
  SID_IDENTIFIER_AUTHORITY nt = SECURITY_NT_AUTHORITY;
  SID_AND_ATTRIBUTES administrators = {0};
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION process;
  HANDLE token, restricted;
  DWORD code;
  (void)argv;
  if (argc < 2) return 125;

  wchar_t *rest = GetCommandLineW();
  int quoted = 0;
  for (; *rest && (quoted || *rest != L' '); rest++)
    if (*rest == L'"') quoted = !quoted;
  while (*rest == L' ') rest++;

  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_ALL_ACCESS, &token)) return failed("OpenProcessToken");
  AllocateAndInitializeSid(&nt, 2, SECURITY_BUILTIN_DOMAIN_RID, DOMAIN_ALIAS_RID_ADMINS, 0, 0, 0, 0, 0, 0,
                           &administrators.Sid);
  if (!CreateRestrictedToken(token, DISABLE_MAX_PRIVILEGE, 1, &administrators, 0, NULL, 0, NULL, &restricted))
    return failed("CreateRestrictedToken");
  GetStartupInfoW(&startup);
  if (!CreateProcessAsUserW(restricted, NULL, rest, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process))
    return failed("CreateProcessAsUser");
  WaitForSingleObject(process.hProcess, INFINITE);
  GetExitCodeProcess(process.hProcess, &code);
  return (int)code;
}
