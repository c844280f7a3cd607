/* Writes back what arrived, to <program>.json. As kubelet.exe it is a service; under another name it is shawl's child,
   and lives until Ctrl-C. */
#include "argv-echo.h"

static SERVICE_STATUS_HANDLE service;
static HANDLE stopping;

static void tell(DWORD state, DWORD accepted) {
  SERVICE_STATUS status = {SERVICE_WIN32_OWN_PROCESS, state, accepted, 0, 0, 0, 0};
  SetServiceStatus(service, &status);
}

static DWORD WINAPI control(DWORD code, DWORD type, void *data, void *context) {
  (void)type, (void)data, (void)context;
  if (code == SERVICE_CONTROL_STOP) SetEvent(stopping);
  return NO_ERROR;
}

static void WINAPI serve(DWORD argc, wchar_t **argv) {
  (void)argc;
  stopping = CreateEventW(NULL, TRUE, FALSE, NULL);
  service = RegisterServiceCtrlHandlerExW(argv[0], control, NULL);
  tell(SERVICE_RUNNING, SERVICE_ACCEPT_STOP);
  WaitForSingleObject(stopping, INFINITE);
  tell(SERVICE_STOPPED, 0);
}

/* Not at once: shawl 1.3 aborts where the Ctrl-C it sends finds its child gone already. */
static BOOL WINAPI end_soon(DWORD event) {
  (void)event;
  Sleep(50);
  ExitProcess(0);
}

int wmain(int argc, wchar_t **argv) {
  wchar_t file[MAX_PATH], no_name[] = L"";
  SERVICE_TABLE_ENTRYW table[] = {{no_name, serve}, {NULL, NULL}};
  GetModuleFileNameW(NULL, file, MAX_PATH - 8);
  int is_service = !wcscmp(wcsrchr(file, L'\\') + 1, L"kubelet.exe");
  if (!is_service) SetConsoleCtrlHandler(end_soon, TRUE);

  /* Shared with nobody: who can read it reads all of it. */
  wcscat(file, L".json");
  write_echo(CreateFileW(file, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL), argc, argv);
  if (is_service) return StartServiceCtrlDispatcherW(table) ? 0 : 123;
  for (;;) Sleep(INFINITE);
}
