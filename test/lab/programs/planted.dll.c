/* A DLL that somebody put in the way: whoever loads it leaves the DLL's own path, and its program's, in a file. */
/* Without it the header declares the functions of WINMM as imported. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <wchar.h>

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved) {
  (void)reserved;
  if (reason != DLL_PROCESS_ATTACH) return TRUE;
  wchar_t library[MAX_PATH] = L"", program[MAX_PATH] = L"", text[2 * MAX_PATH + 8];
  GetModuleFileNameW(self, library, MAX_PATH);
  GetModuleFileNameW(NULL, program, MAX_PATH);
  int length = _snwprintf(text, 2 * MAX_PATH + 8, L"%ls in %ls\n", library, program);
  HANDLE file = CreateFileW(L"C:\\lab\\bait\\loaded.txt", FILE_APPEND_DATA, FILE_SHARE_READ, NULL, OPEN_ALWAYS, 0, NULL);
  DWORD written;
  if (file != INVALID_HANDLE_VALUE && length > 0) WriteFile(file, text, (DWORD)length * sizeof *text, &written, NULL);
  if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
  return TRUE;
}

/* What node.exe imports of WINMM. */
__declspec(dllexport) DWORD WINAPI timeGetTime(void) { return GetTickCount(); }
__declspec(dllexport) UINT WINAPI timeBeginPeriod(UINT period) { return period ? 0 : 97; }
__declspec(dllexport) UINT WINAPI timeEndPeriod(UINT period) { return period ? 0 : 97; }
