/* What Wine 10's service manager takes and does not tell: failure actions and their flag, dependencies and dependents.
   Kept where Windows keeps it, in the service's own key. */
#include <stdio.h>
#include <wchar.h>
#include <winsock2.h>
#include <windows.h>
#include <aclapi.h>
#include <iphlpapi.h>
#include <sddl.h>
#include "advapi-gaps.h"

#define SERVICES L"SYSTEM\\CurrentControlSet\\Services"
#define NAME_LENGTH 257
#define REMEMBERED 256
#define MOST_ACTIONS 32
#define MOST_DEPENDENTS 32

/* FailureActions as the registry has it: a SERVICE_FAILURE_ACTIONS with offsets in place of pointers. */
typedef struct {
  DWORD reset, reboot_message, command, count, actions_at;
  SC_ACTION actions[MOST_ACTIONS];
} StoredActions;
#define STORED_HEAD (5 * sizeof(DWORD))

static SRWLOCK lock = SRWLOCK_INIT;
static struct {
  SC_HANDLE handle;
  wchar_t name[NAME_LENGTH];
} opened[REMEMBERED];
static unsigned next_opened;

static __typeof__(OpenServiceW) *open_service;
static __typeof__(CreateServiceW) *create_service;
static __typeof__(QueryServiceConfigW) *query_config;
static __typeof__(QueryServiceConfig2W) *query_config2;
static __typeof__(ChangeServiceConfig2W) *change_config2;
static __typeof__(GetNamedPipeServerProcessId) *server_process_id;
static __typeof__(GetSecurityInfo) *get_security_info;
static __typeof__(GetExtendedTcpTable) *get_tcp_table;

static SC_HANDLE remember(SC_HANDLE handle, const wchar_t *name) {
  DWORD error = GetLastError();
  AcquireSRWLockExclusive(&lock);
  if (handle) {
    opened[next_opened % REMEMBERED].handle = handle;
    wcsncpy(opened[next_opened++ % REMEMBERED].name, name, NAME_LENGTH - 1);
  }
  ReleaseSRWLockExclusive(&lock);
  SetLastError(error);
  return handle;
}

/* The service's key; the newest handle of that value counts. */
static const wchar_t *key_of(SC_HANDLE handle, wchar_t *into) {
  wcscpy(into, SERVICES L"\\");
  AcquireSRWLockShared(&lock);
  for (unsigned back = 1; back <= REMEMBERED && back <= next_opened; back++) {
    unsigned at = (next_opened - back) % REMEMBERED;
    if (opened[at].handle != handle) continue;
    wcscat(into, opened[at].name);
    break;
  }
  ReleaseSRWLockShared(&lock);
  return into;
}

static BOOL answer(LSTATUS status) {
  SetLastError(status);
  return status == ERROR_SUCCESS;
}

static SC_HANDLE WINAPI gap_OpenServiceW(SC_HANDLE manager, LPCWSTR name, DWORD access) {
  return remember(open_service(manager, name, access), name);
}

static SC_HANDLE WINAPI gap_CreateServiceW(SC_HANDLE manager, LPCWSTR name, LPCWSTR display, DWORD access, DWORD type,
                                           DWORD start, DWORD control, LPCWSTR path, LPCWSTR group, LPDWORD tag,
                                           LPCWSTR dependencies, LPCWSTR account, LPCWSTR password) {
  return remember(create_service(manager, name, display, access, type, start, control, path, group, tag, dependencies,
                                 account, password),
                  name);
}

static BOOL WINAPI gap_ChangeServiceConfig2W(SC_HANDLE service, DWORD level, LPVOID info) {
  wchar_t key[NAME_LENGTH + 64];
  if (level == SERVICE_CONFIG_FAILURE_ACTIONS_FLAG) {
    DWORD flag = ((SERVICE_FAILURE_ACTIONS_FLAG *)info)->fFailureActionsOnNonCrashFailures != 0;
    return answer(RegSetKeyValueW(HKEY_LOCAL_MACHINE, key_of(service, key), L"FailureActionsOnNonCrashFailures",
                                  REG_DWORD, &flag, sizeof flag));
  }
  if (level != SERVICE_CONFIG_FAILURE_ACTIONS) return change_config2(service, level, info);
  SERVICE_FAILURE_ACTIONSW *given = info;
  StoredActions stored = {given->dwResetPeriod, 0, 0, given->cActions, STORED_HEAD, {{0}}};
  if (given->cActions > MOST_ACTIONS) return answer(ERROR_INVALID_PARAMETER);
  memcpy(stored.actions, given->lpsaActions, given->cActions * sizeof(SC_ACTION));
  return answer(RegSetKeyValueW(HKEY_LOCAL_MACHINE, key_of(service, key), L"FailureActions", REG_BINARY, &stored,
                                STORED_HEAD + given->cActions * sizeof(SC_ACTION)));
}

static BOOL WINAPI gap_QueryServiceConfig2W(SC_HANDLE service, DWORD level, LPBYTE data, DWORD size, LPDWORD needed) {
  wchar_t key[NAME_LENGTH + 64];
  if (level == SERVICE_CONFIG_FAILURE_ACTIONS_FLAG) {
    DWORD bytes = *needed = sizeof(DWORD);
    if (size < bytes) return answer(ERROR_INSUFFICIENT_BUFFER);
    memset(data, 0, bytes);
    RegGetValueW(HKEY_LOCAL_MACHINE, key_of(service, key), L"FailureActionsOnNonCrashFailures", RRF_RT_REG_DWORD, NULL,
                 data, &bytes);
    return answer(ERROR_SUCCESS);
  }
  if (level != SERVICE_CONFIG_FAILURE_ACTIONS) return query_config2(service, level, data, size, needed);
  StoredActions stored = {0};
  DWORD bytes = sizeof stored;
  RegGetValueW(HKEY_LOCAL_MACHINE, key_of(service, key), L"FailureActions", RRF_RT_REG_BINARY, NULL, &stored, &bytes);
  *needed = sizeof(SERVICE_FAILURE_ACTIONSW) + stored.count * sizeof(SC_ACTION);
  if (size < *needed) return answer(ERROR_INSUFFICIENT_BUFFER);
  SC_ACTION *actions = (SC_ACTION *)(data + sizeof(SERVICE_FAILURE_ACTIONSW));
  memcpy(actions, stored.actions, stored.count * sizeof(SC_ACTION));
  *(SERVICE_FAILURE_ACTIONSW *)data = (SERVICE_FAILURE_ACTIONSW){
      .dwResetPeriod = stored.reset, .cActions = stored.count, .lpsaActions = stored.count ? actions : NULL};
  return answer(ERROR_SUCCESS);
}

/* Wine stores the dependencies and answers without them. */
static BOOL WINAPI gap_QueryServiceConfigW(SC_HANDLE service, LPQUERY_SERVICE_CONFIGW config, DWORD size,
                                           LPDWORD needed) {
  wchar_t key[NAME_LENGTH + 64], list[2048] = {0};
  DWORD bytes = sizeof list;
  BOOL known = query_config(service, config, size, needed);
  if (!known && GetLastError() != ERROR_INSUFFICIENT_BUFFER) return FALSE;
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key_of(service, key), L"DependOnService", RRF_RT_REG_MULTI_SZ, NULL, list,
                   &bytes) != ERROR_SUCCESS)
    bytes = 2 * sizeof(wchar_t);
  DWORD at = (*needed + 1) & ~1u;
  *needed = at + bytes;
  if (!known || size < *needed) return answer(ERROR_INSUFFICIENT_BUFFER);
  config->lpDependencies = memcpy((BYTE *)config + at, list, bytes);
  return TRUE;
}

static int depends_on(const wchar_t *service, const wchar_t *name) {
  wchar_t key[NAME_LENGTH + 64], list[2048];
  DWORD bytes = sizeof list;
  swprintf(key, NAME_LENGTH + 64, SERVICES L"\\%ls", service);
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, L"DependOnService", RRF_RT_REG_MULTI_SZ, NULL, list, &bytes)) return 0;
  for (const wchar_t *one = list; *one; one += wcslen(one) + 1)
    if (_wcsicmp(one, name) == 0) return 1;
  return 0;
}

/* Those that can be stopped first come first. */
static unsigned collect(const wchar_t *name, wchar_t (*found)[NAME_LENGTH], unsigned count) {
  HKEY services;
  wchar_t service[NAME_LENGTH];
  if (RegOpenKeyW(HKEY_LOCAL_MACHINE, SERVICES, &services) != ERROR_SUCCESS) return count;
  for (DWORD at = 0; RegEnumKeyW(services, at, service, NAME_LENGTH) == ERROR_SUCCESS; at++) {
    int known = 0;
    for (unsigned seen = 0; seen < count; seen++) known |= _wcsicmp(found[seen], service) == 0;
    if (known || !depends_on(service, name)) continue;
    count = collect(service, found, count);
    if (count < MOST_DEPENDENTS) wcscpy(found[count++], service);
  }
  RegCloseKey(services);
  return count;
}

static BOOL WINAPI gap_EnumDependentServicesW(SC_HANDLE service, DWORD state, LPENUM_SERVICE_STATUSW list, DWORD size,
                                              LPDWORD needed, LPDWORD count) {
  wchar_t key[NAME_LENGTH + 64], found[MOST_DEPENDENTS][NAME_LENGTH];
  (void)state;
  *count = collect(key_of(service, key) + wcslen(SERVICES) + 1, found, 0);
  *needed = *count * (sizeof *list + sizeof found[0]);
  if (size < *needed) return answer(ERROR_MORE_DATA);
  wchar_t(*names)[NAME_LENGTH] = (void *)(list + *count);
  SC_HANDLE manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT);
  for (DWORD at = 0; at < *count; at++) {
    SC_HANDLE one = open_service(manager, found[at], SERVICE_QUERY_STATUS);
    list[at] = (ENUM_SERVICE_STATUSW){.lpServiceName = wcscpy(names[at], found[at]), .lpDisplayName = names[at]};
    QueryServiceStatus(one, &list[at].ServiceStatus);
    CloseServiceHandle(one);
  }
  CloseServiceHandle(manager);
  return TRUE;
}

/* One process of the lab serves the pipes of all services: it registers each as that of its service's process
   (test/lab/world/pipe-door.ts). */
static BOOL WINAPI gap_GetNamedPipeServerProcessId(HANDLE pipe, PULONG id) {
  union {
    FILE_NAME_INFO info;
    wchar_t letters[NAME_LENGTH];
  } name = {0};
  DWORD size = sizeof *id;
  if (GetFileInformationByHandleEx(pipe, FileNameInfo, &name, sizeof name - sizeof(wchar_t)) &&
      RegGetValueW(HKEY_LOCAL_MACHINE, L"SOFTWARE\\k8s-win-lab\\pipes", name.info.FileName + 1, RRF_RT_REG_DWORD, NULL,
                   id, &size) == ERROR_SUCCESS)
    return TRUE;
  return server_process_id(pipe, id);
}

/* And their ports (test/lab/world/local-ports.ts). */
static DWORD WINAPI gap_GetExtendedTcpTable(PVOID table, PDWORD size, WINBOOL sorted, ULONG family, TCP_TABLE_CLASS kind,
                                            ULONG reserved) {
  DWORD result = get_tcp_table(table, size, sorted, family, kind, reserved);
  MIB_TCPTABLE_OWNER_PID *rows = table;
  if (result != NO_ERROR || family != AF_INET) return result;
  if (kind != TCP_TABLE_OWNER_PID_LISTENER && kind != TCP_TABLE_OWNER_PID_CONNECTIONS) return result;
  for (DWORD at = 0; at < rows->dwNumEntries; at++) {
    wchar_t port[NAME_LENGTH];
    DWORD id, bytes = sizeof id;
    swprintf(port, NAME_LENGTH, L"%u", ntohs((u_short)rows->table[at].dwLocalPort));
    if (RegGetValueW(HKEY_LOCAL_MACHINE, L"SOFTWARE\\k8s-win-lab\\ports", port, RRF_RT_REG_DWORD, NULL, &id, &bytes) ==
        ERROR_SUCCESS)
      rows->table[at].dwOwningPid = id;
  }
  return result;
}

/* Wine gives a pipe no descriptor, where Windows gives it what the token of its creator has: here an administrator's. */
static DWORD WINAPI gap_GetSecurityInfo(HANDLE handle, SE_OBJECT_TYPE type, SECURITY_INFORMATION parts, PSID *owner,
                                        PSID *group, PACL *dacl, PACL *sacl, PSECURITY_DESCRIPTOR *descriptor) {
  if (GetFileType(handle) != FILE_TYPE_PIPE)
    return get_security_info(handle, type, parts, owner, group, dacl, sacl, descriptor);
  return ConvertStringSecurityDescriptorToSecurityDescriptorW(L"O:BAD:(A;;FA;;;SY)(A;;FA;;;BA)", SDDL_REVISION_1,
                                                              descriptor, NULL)
             ? ERROR_SUCCESS
             : GetLastError();
}

static const Gap PIPE_GAPS[] = {GAP(GetNamedPipeServerProcessId, &server_process_id)};

static const Gap PORT_GAPS[] = {GAP(GetExtendedTcpTable, &get_tcp_table)};

static const Gap GAPS[] = {
    GAP(OpenServiceW, &open_service),
    GAP(CreateServiceW, &create_service),
    GAP(QueryServiceConfigW, &query_config),
    GAP(QueryServiceConfig2W, &query_config2),
    GAP(ChangeServiceConfig2W, &change_config2),
    GAP(EnumDependentServicesW, NULL),
    GAP(GetSecurityInfo, &get_security_info),
};

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved) {
  (void)self, (void)reserved;
  return reason != DLL_PROCESS_ATTACH ||
         (fill_gaps(GAPS, sizeof GAPS / sizeof *GAPS) && fill_gaps_of(L"kernel32.dll", PIPE_GAPS, 1) &&
          LoadLibraryW(L"iphlpapi.dll") && fill_gaps_of(L"iphlpapi.dll", PORT_GAPS, 1));
}
