/* Stands for kubelet.exe, kube-proxy.exe and dockerd.exe, which speak to the service manager, for flanneld.exe,
   containerd.exe, crictl.exe and ctr.exe, which do not, and for kube-log-runner.exe, which runs another program. The
   lab's world (test/lab/world/daemon-pipe.ts) is told how it was started, and says what it does. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

#define PIPE L"\\\\.\\pipe\\k8s-win-lab-daemons"
#define LINE_BYTES 8192
/* What a program ends with that has nothing else to say: the world is gone. */
#define WORLD_GONE 90
#define WORLD_WITHIN_MS 180000

static HANDLE pipe;
/* The world has said something. Before that, a lost connection is one that its opening pipe dropped: Wine's does, at a boot. */
static BOOL heard;
static SERVICE_STATUS_HANDLE status_handle;

static HANDLE open_pipe(void) {
  for (DWORD began = GetTickCount(); GetTickCount() - began < WORLD_WITHIN_MS;) {
    HANDLE opened = CreateFileW(PIPE, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (opened != INVALID_HANDLE_VALUE) return opened;
    /* Not there yet, or all its instances are taken: five programs come at once after a boot. */
    Sleep(50);
  }
  ExitProcess(WORLD_GONE);
}

static BOOL send_bytes(const void *bytes, DWORD length) {
  DWORD sent;
  for (const BYTE *at = bytes; length > 0; at += sent, length -= sent)
    if (!WriteFile(pipe, at, length, &sent, NULL)) return FALSE;
  return TRUE;
}

/* Length in bytes, then UTF-16: process id, program and command line, each with a NUL; then the environment block. */
static BOOL introduce(void) {
  wchar_t id[16], program[32768];
  wchar_t *environment = GetEnvironmentStringsW(), *end = environment;
  while (*end) end += wcslen(end) + 1;
  swprintf(id, 16, L"%lu", GetCurrentProcessId());
  GetModuleFileNameW(NULL, program, 32768);
  struct {
    const wchar_t *text;
    size_t length;
  } parts[] = {{id, wcslen(id) + 1},
               {program, wcslen(program) + 1},
               {GetCommandLineW(), wcslen(GetCommandLineW()) + 1},
               {environment, end - environment}};
  DWORD total = 0;
  for (int at = 0; at < 4; at++) total += parts[at].length * sizeof(wchar_t);
  BOOL sent = send_bytes(&total, sizeof total);
  for (int at = 0; sent && at < 4; at++) sent = send_bytes(parts[at].text, parts[at].length * sizeof(wchar_t));
  return sent;
}

static void join(void) {
  do {
    if (pipe) CloseHandle(pipe);
    pipe = open_pipe();
  } while (!introduce());
}

static const char *read_line(void) {
  static char line[LINE_BYTES];
  DWORD length = 0, read;
  while (length < LINE_BYTES - 1) {
    if (!ReadFile(pipe, line + length, 1, &read, NULL) || read == 0) {
      if (heard) ExitProcess(WORLD_GONE);
      join();
      continue;
    }
    heard = TRUE;
    if (line[length] == '\n') break;
    length++;
  }
  line[length] = 0;
  return line;
}

/* Ends with it, as kube-log-runner does. */
static void run_child(const char *command_line) {
  wchar_t wide[LINE_BYTES];
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION child;
  DWORD code = 1;
  MultiByteToWideChar(CP_UTF8, 0, command_line, -1, wide, LINE_BYTES);
  if (CreateProcessW(NULL, wide, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &child)) {
    WaitForSingleObject(child.hProcess, INFINITE);
    GetExitCodeProcess(child.hProcess, &code);
  }
  ExitProcess(code);
}

static void print(FILE *stream, const char *line) {
  fprintf(stream, "%s\n", line);
  fflush(stream);
}

/* Obeys until it is told how to go on; the service manager's calls need the thread back. */
static const char *obey(void) {
  for (;;) {
    const char *line = read_line();
    if (strncmp(line, "stderr ", 7) == 0) {
      print(stderr, line + 7);
    } else if (strncmp(line, "stdout ", 7) == 0) {
      print(stdout, line + 7);
    } else if (strncmp(line, "child ", 6) == 0) {
      run_child(line + 6);
    } else if (strncmp(line, "exit ", 5) == 0) {
      ExitProcess(strtoul(line + 5, NULL, 10));
    } else {
      return line;
    }
  }
}

static DWORD WINAPI obey_for_ever(void *unused) {
  for (;;) obey();
  return unused != NULL;
}

static void report(DWORD state) {
  SERVICE_STATUS status = {.dwServiceType = SERVICE_WIN32_OWN_PROCESS,
                           .dwCurrentState = state,
                           .dwControlsAccepted = state == SERVICE_RUNNING ? SERVICE_ACCEPT_STOP : 0};
  SetServiceStatus(status_handle, &status);
}

static DWORD WINAPI control(DWORD code, DWORD type, void *data, void *context) {
  (void)type, (void)data, (void)context;
  if (code == SERVICE_CONTROL_STOP) report(SERVICE_STOPPED);
  return code == SERVICE_CONTROL_STOP || code == SERVICE_CONTROL_INTERROGATE ? NO_ERROR : ERROR_CALL_NOT_IMPLEMENTED;
}

static void WINAPI service_main(DWORD argc, wchar_t **argv) {
  (void)argc;
  status_handle = RegisterServiceCtrlHandlerExW(argv[0], control, NULL);
  report(SERVICE_RUNNING);
}

static DWORD WINAPI join_later(void *unused) {
  join();
  return obey_for_ever(unused);
}

/* Of those that speak to the service manager only hns.exe is started without such an option. */
static BOOL is_service(void) {
  const wchar_t *line = GetCommandLineW();
  return wcsstr(line, L"--windows-service") || wcsstr(line, L"--run-service") || wcsstr(line, L"hns.exe");
}

int wmain(void) {
  SERVICE_TABLE_ENTRYW table[] = {{L"", service_main}, {NULL, NULL}};
  /* Programs written in Go end their lines as Unix does. */
  _setmode(_fileno(stdout), _O_BINARY);
  _setmode(_fileno(stderr), _O_BINARY);
  /* After a boot services start before the world does, which the service manager does not wait for. What is no service
     (flanneld below shawl) would take the pipe that Wine's service manager has just made for the next one. */
  if (is_service() && !WaitNamedPipeW(PIPE, 1) && GetLastError() == ERROR_FILE_NOT_FOUND) {
    HANDLE joining = CreateThread(NULL, 0, join_later, NULL, 0, NULL);
    if (!StartServiceCtrlDispatcherW(table)) WaitForSingleObject(joining, INFINITE);
    return 0;
  }
  join();
  if (strcmp(obey(), "connect") != 0) obey_for_ever(NULL);
  CloseHandle(CreateThread(NULL, 0, obey_for_ever, NULL, 0, NULL));
  /* Without a service manager behind it (1063) a program that wants to be a service ends with 1. */
  return StartServiceCtrlDispatcherW(table) ? 0 : 1;
}
