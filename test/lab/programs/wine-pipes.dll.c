/* Wine 10's server dies, and everything with it, when the handle of a pipe is closed just as an operation on it ends: it
   wakes those who wait for the handle's object, which is gone by then (wake_up, called from set_fd_signaled in server/fd.c).
   Handles that are never signalled are spared, and libuv waits for none: it has its completion port. */
#include <string.h>
#include <windows.h>

static __typeof__(CreateIoCompletionPort) *create_port;

static HANDLE WINAPI create_port_unsignalled(HANDLE file, HANDLE port, ULONG_PTR key, DWORD threads) {
  if (file != INVALID_HANDLE_VALUE) SetFileCompletionNotificationModes(file, FILE_SKIP_SET_EVENT_ON_HANDLE);
  return create_port(file, port, key, threads);
}

/* libuv is a part of node.exe: the program's own import is replaced. */
static BOOL replace_import(const char *name, void *replacement, void **original) {
  BYTE *module = (BYTE *)GetModuleHandleW(NULL);
  IMAGE_NT_HEADERS *headers = (void *)(module + ((IMAGE_DOS_HEADER *)module)->e_lfanew);
  DWORD table = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress, protection;
  for (IMAGE_IMPORT_DESCRIPTOR *library = (void *)(module + table); library->Name; library++) {
    IMAGE_THUNK_DATA *named = (void *)(module + library->OriginalFirstThunk);
    void **functions = (void *)(module + library->FirstThunk);
    for (; named->u1.AddressOfData; named++, functions++) {
      if (IMAGE_SNAP_BY_ORDINAL(named->u1.Ordinal)) continue;
      if (strcmp(((IMAGE_IMPORT_BY_NAME *)(module + named->u1.AddressOfData))->Name, name) != 0) continue;
      *original = *functions;
      VirtualProtect(functions, sizeof *functions, PAGE_READWRITE, &protection);
      *functions = replacement;
      VirtualProtect(functions, sizeof *functions, protection, &protection);
      return TRUE;
    }
  }
  return FALSE;
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved) {
  HMODULE pinned;
  (void)self, (void)reserved;
  if (reason != DLL_PROCESS_ATTACH) return TRUE;
  /* koffi frees a library that nobody uses any more. */
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                     (LPCWSTR)create_port_unsignalled, &pinned);
  return replace_import("CreateIoCompletionPort", (void *)create_port_unsignalled, (void **)&create_port);
}
