/* Puts functions of a lab DLL in place of a library's own, in that library's export table: who asks for them by name
   after the DLL was loaded, as koffi does, gets the lab's. */
#include <string.h>
#include <windows.h>

typedef struct {
  const char *name;
  void *replacement, **original;
} Gap;
#define GAP(name, original) {#name, (void *)gap_##name, (void **)original}

/* Exports are told as 32-bit distances: the jumps to us lie within that of the library. */
static BYTE *page_behind(BYTE *module) {
  for (SIZE_T distance = 0x1000000; distance < 0xf0000000; distance += 0x100000) {
    BYTE *page = VirtualAlloc(module + distance, 4096, MEM_RESERVE | MEM_COMMIT, PAGE_EXECUTE_READWRITE);
    if (page) return page;
  }
  return NULL;
}

static void replace(BYTE *module, const char *name, DWORD distance) {
  IMAGE_NT_HEADERS *headers = (void *)(module + ((IMAGE_DOS_HEADER *)module)->e_lfanew);
  IMAGE_EXPORT_DIRECTORY *exports = (void *)(module + headers->OptionalHeader.DataDirectory[0].VirtualAddress);
  DWORD *names = (void *)(module + exports->AddressOfNames), *functions = (void *)(module + exports->AddressOfFunctions);
  WORD *ordinals = (void *)(module + exports->AddressOfNameOrdinals);
  for (DWORD at = 0; at < exports->NumberOfNames; at++) {
    DWORD *entry = &functions[ordinals[at]], protection;
    if (strcmp((char *)module + names[at], name) != 0) continue;
    VirtualProtect(entry, sizeof *entry, PAGE_READWRITE, &protection);
    *entry = distance;
    VirtualProtect(entry, sizeof *entry, protection, &protection);
  }
}

static BOOL fill_gaps_of(const wchar_t *library, const Gap *gaps, size_t count) {
  BYTE *module = (BYTE *)GetModuleHandleW(library), *jump = page_behind(module);
  HMODULE self;
  if (!jump) return FALSE;
  /* koffi frees a library that nobody uses any more. */
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                     (LPCWSTR)gaps[0].replacement, &self);
  for (size_t at = 0; at < count; at++, jump += 16) {
    if (gaps[at].original) *gaps[at].original = (void *)GetProcAddress((HMODULE)module, gaps[at].name);
    /* jmp [rip+0], and the address behind it. */
    memcpy(jump, "\xff\x25\0\0\0\0", 6);
    memcpy(jump + 6, &gaps[at].replacement, sizeof(void *));
    replace(module, gaps[at].name, (DWORD)(jump - module));
  }
  return TRUE;
}

static BOOL fill_gaps(const Gap *gaps, size_t count) {
  return fill_gaps_of(L"advapi32.dll", gaps, count);
}
