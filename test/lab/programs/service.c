/* Stands in for kubelet and kube-proxy (with --windows-service) and for flanneld (without it, as shawl starts it).
   It runs until it is asked to stop, and logs as klog does where it has a --log-dir. Anything else is asked for by
   arguments, or by the lines of <program>.lab beside it, which leave the arguments as the product made them:
     --lab-tell=<file>       writes its arguments, environment and process id there, as JSON
     --lab-die=<code>        ends before it connects to the service manager
     --lab-crash=<code>      ends once it runs, without a word to the service manager
     --lab-stopped=<code>    says STOPPED once it runs, with this code of its own
     --lab-fatal=<text>      the last line it logs before any of these
     --lab-slow-stop=<ms>    takes so long to stop
     --lab-child=<program>   starts this program, which it leaves behind */
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

#define MOST_WORDS 256

static wchar_t *words[MOST_WORDS];
static int word_count;
static HANDLE stopping;
static SERVICE_STATUS_HANDLE service;

static const wchar_t *option(const wchar_t *name) {
  size_t length = wcslen(name);
  for (int at = 0; at < word_count; at++)
    if (wcsncmp(words[at], name, length) == 0 && words[at][length] == L'=') return words[at] + length + 1;
  return NULL;
}

static int has(const wchar_t *word) {
  for (int at = 0; at < word_count; at++)
    if (wcscmp(words[at], word) == 0) return 1;
  return 0;
}

static void read_orders(const wchar_t *program) {
  wchar_t file[MAX_PATH];
  char line[4096];
  swprintf(file, MAX_PATH, L"%ls.lab", program);
  FILE *orders = _wfopen(file, L"r");
  if (!orders) return;
  while (word_count < MOST_WORDS && fgets(line, sizeof line, orders)) {
    line[strcspn(line, "\r\n")] = 0;
    wchar_t *word = calloc(sizeof line, sizeof *word);
    MultiByteToWideChar(CP_UTF8, 0, line, -1, word, sizeof line);
    words[word_count++] = word;
  }
  fclose(orders);
}

/* All that is not plain ASCII as \u: lone surrogates survive it. */
static void write_json(FILE *out, const wchar_t *text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text < L' ' || *text > L'~' || *text == L'"' || *text == L'\\') fprintf(out, "\\u%04x", *text);
    else fputc(*text, out);
  }
  fputc('"', out);
}

static void tell(int argc, wchar_t **argv, const wchar_t *file) {
  wchar_t part[MAX_PATH];
  swprintf(part, MAX_PATH, L"%ls.part", file);
  FILE *out = _wfopen(part, L"w");
  if (!out) ExitProcess(125);
  fprintf(out, "{\"pid\":%lu,\"argv\":[", GetCurrentProcessId());
  for (int at = 0; at < argc; at++) {
    if (at > 0) fputc(',', out);
    write_json(out, argv[at]);
  }
  fputs("],\"environment\":[", out);
  wchar_t *environment = GetEnvironmentStringsW();
  for (wchar_t *at = environment; *at; at += wcslen(at) + 1) {
    if (at > environment) fputc(',', out);
    write_json(out, at);
  }
  fputs("]}", out);
  fclose(out);
  MoveFileExW(part, file, MOVEFILE_REPLACE_EXISTING);
}

/* <program>.<host>.<user>.log.<severity>.<start>.<pid>: one a severity, each with the lines of its severity and above. */
static void log_line(char severity, const wchar_t *text) {
  static const wchar_t *const names[] = {L"INFO", L"WARNING", L"ERROR", L"FATAL"};
  static SYSTEMTIME started;
  wchar_t file[1024], program[MAX_PATH], host[256] = L"", user[256] = L"", domain[256] = L"";
  char utf8[4096];
  SYSTEMTIME now;
  const wchar_t *folder = option(L"--log-dir");
  if (!folder) return;
  GetLocalTime(&now);
  if (!started.wYear) started = now;
  GetModuleFileNameW(NULL, program, MAX_PATH);
  GetEnvironmentVariableW(L"COMPUTERNAME", host, 256);
  GetEnvironmentVariableW(L"USERNAME", user, 256);
  if (GetEnvironmentVariableW(L"USERDOMAIN", domain, 256)) wcscat(domain, L"_");
  WideCharToMultiByte(CP_UTF8, 0, text, -1, utf8, sizeof utf8, NULL, NULL);
  for (int level = 0; level <= (int)(strchr("IWEF", severity) - "IWEF"); level++) {
    swprintf(file, 1024, L"%ls\\%ls.%ls.%ls%ls.log.%ls.%04d%02d%02d-%02d%02d%02d.%lu", folder,
             wcsrchr(program, L'\\') + 1, host, domain, user, names[level], started.wYear, started.wMonth,
             started.wDay, started.wHour, started.wMinute, started.wSecond, GetCurrentProcessId());
    FILE *out = _wfopen(file, L"ab");
    if (!out) continue;
    fseek(out, 0, SEEK_END);
    if (ftell(out) == 0) fputs("Log line format: [IWEF]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\n", out);
    fprintf(out, "%c%02d%02d %02d:%02d:%02d.%06d %7lu server.go:1] %s\n", severity, now.wMonth, now.wDay, now.wHour,
            now.wMinute, now.wSecond, now.wMilliseconds * 1000, GetCurrentProcessId(), utf8);
    fclose(out);
  }
}

static void report(DWORD state, DWORD code) {
  SERVICE_STATUS status = {.dwServiceType = SERVICE_WIN32_OWN_PROCESS, .dwCurrentState = state};
  status.dwControlsAccepted = state == SERVICE_RUNNING ? SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN : 0;
  status.dwWin32ExitCode = code ? ERROR_SERVICE_SPECIFIC_ERROR : NO_ERROR;
  status.dwServiceSpecificExitCode = code;
  if (service) SetServiceStatus(service, &status);
}

static void end_if_asked(const wchar_t *name) {
  const wchar_t *code = option(name), *fatal = option(L"--lab-fatal");
  if (!code) return;
  if (fatal) log_line('F', fatal);
  ExitProcess(wcstoul(code, NULL, 10));
}

static void work(void) {
  const wchar_t *slow = option(L"--lab-slow-stop"), *stopped = option(L"--lab-stopped");
  wchar_t *child = (wchar_t *)option(L"--lab-child");
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION process;
  report(SERVICE_RUNNING, 0);
  log_line('I', L"running");
  log_line('W', L"this is a stand-in");
  if (child && !CreateProcessW(NULL, child, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process)) ExitProcess(125);
  end_if_asked(L"--lab-crash");
  if (!stopped) WaitForSingleObject(stopping, INFINITE);
  report(SERVICE_STOP_PENDING, 0);
  if (slow) Sleep(wcstoul(slow, NULL, 10));
  log_line('I', L"stopped");
  report(SERVICE_STOPPED, stopped ? wcstoul(stopped, NULL, 10) : 0);
}

static DWORD WINAPI on_control(DWORD control, DWORD event, void *data, void *context) {
  (void)event, (void)data, (void)context;
  if (control == SERVICE_CONTROL_STOP || control == SERVICE_CONTROL_SHUTDOWN) {
    report(SERVICE_STOP_PENDING, 0);
    SetEvent(stopping);
  }
  return NO_ERROR;
}

static BOOL WINAPI on_console(DWORD event) {
  (void)event;
  return SetEvent(stopping);
}

static void WINAPI service_main(DWORD argc, wchar_t **argv) {
  (void)argc, (void)argv;
  service = RegisterServiceCtrlHandlerExW(L"", on_control, NULL);
  report(SERVICE_START_PENDING, 0);
  work();
}

int wmain(int argc, wchar_t **argv) {
  SERVICE_TABLE_ENTRYW table[] = {{L"", service_main}, {NULL, NULL}};
  wchar_t program[MAX_PATH];
  for (; word_count < argc && word_count < MOST_WORDS; word_count++) words[word_count] = argv[word_count];
  GetModuleFileNameW(NULL, program, MAX_PATH);
  read_orders(program);
  stopping = CreateEventW(NULL, TRUE, FALSE, NULL);
  if (option(L"--lab-tell")) tell(argc, argv, option(L"--lab-tell"));
  end_if_asked(L"--lab-die");
  if (has(L"--windows-service")) return StartServiceCtrlDispatcherW(table) ? 0 : 126;
  /* Its lines go to shawl's log, as flanneld's do. */
  fputs("stand-in started\n", stderr);
  fflush(stderr);
  SetConsoleCtrlHandler(on_console, TRUE);
  work();
  return 0;
}
