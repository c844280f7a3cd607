/* Wine 10 makes Unix permissions of security descriptors, and tells of them what is left. Here they are kept as they were
   given, by file; what was given none has what the folders above hand down, in the end the drive of a Windows Server. */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>
#include "advapi-gaps.h"

#define DESCRIPTORS L"SOFTWARE\\k8s-win lab\\Security"

#define ROOT                                                                                              \
  L"O:BAD:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;CI;LC;;;BU)(A;CI;DC;;;BU)(A;OICIIO;GA;;;CO)"

static __typeof__(GetNamedSecurityInfoW) *get_security;
static __typeof__(CreateDirectoryW) *create_directory;
static __typeof__(CreateFileW) *create_file;

/* Files keep their number when they are renamed, folders are never renamed here: theirs may change on an overlay. */
static int descriptor_name(const wchar_t *path, wchar_t *into, size_t length) {
  BY_HANDLE_FILE_INFORMATION info;
  HANDLE file = CreateFileW(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                            FILE_FLAG_BACKUP_SEMANTICS, NULL);
  if (file == INVALID_HANDLE_VALUE) return 0;
  GetFileInformationByHandle(file, &info);
  if (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) {
    GetFinalPathNameByHandleW(file, into, length, 0);
    _wcslwr(into);
  } else {
    swprintf(into, length, L"%lu %lu", info.nFileIndexHigh, info.nFileIndexLow);
  }
  CloseHandle(file);
  return 1;
}

static int stored(const wchar_t *name, wchar_t *sddl, DWORD bytes) {
  return RegGetValueW(HKEY_LOCAL_MACHINE, DESCRIPTORS, name, RRF_RT_REG_SZ, NULL, sddl, &bytes) == ERROR_SUCCESS;
}

/* Entries that files (OI) or folders (CI) get of a list; what is a creator's (CO) stays for those below. */
static void hand_down(const wchar_t *sddl, int to_folder, wchar_t *into) {
  wcscpy(into, L"O:BAD:AI");
  for (const wchar_t *entry = wcschr(sddl, L'('); entry; entry = wcschr(entry + 1, L'(')) {
    wchar_t type[8], flags[32], rest[256], own[64] = L"";
    if (swscanf(entry, L"(%7l[A-Z];%31l[A-Z];%255l[^)])", type, flags, rest) != 3) continue;
    int files = wcsstr(flags, L"OI") != NULL, folders = wcsstr(flags, L"CI") != NULL;
    if (to_folder ? !files && !folders : !files) continue;
    if (to_folder) {
      int below = !folders || wcscmp(rest + wcslen(rest) - 2, L"CO") == 0;
      swprintf(own, 64, L"%ls%ls%ls", files ? L"OI" : L"", folders ? L"CI" : L"", below ? L"IO" : L"");
    }
    swprintf(into + wcslen(into), 300, L"(%ls;%lsID;%ls)", type, own, rest);
  }
}

/* Of a path that is there. */
static int inherited(const wchar_t *path, wchar_t *into) {
  wchar_t above[1024], sddl[4096];
  HANDLE file = CreateFileW(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                            FILE_FLAG_BACKUP_SEMANTICS, NULL);
  if (file == INVALID_HANDLE_VALUE) return 0;
  BY_HANDLE_FILE_INFORMATION info;
  GetFileInformationByHandle(file, &info);
  GetFinalPathNameByHandleW(file, above, 1024, 0);
  CloseHandle(file);
  _wcslwr(above);
  const wchar_t *from = ROOT;
  for (wchar_t *end = wcsrchr(above, L'\\'); end && end > above + 3; end = wcsrchr(above, L'\\')) {
    *end = 0;
    if (!stored(above, sddl, sizeof sddl)) continue;
    from = sddl;
    break;
  }
  hand_down(from, (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0, into);
  return 1;
}

static DWORD WINAPI gap_GetNamedSecurityInfoW(LPCWSTR path, SE_OBJECT_TYPE type, SECURITY_INFORMATION parts, PSID *owner,
                                              PSID *group, PACL *dacl, PACL *sacl, PSECURITY_DESCRIPTOR *descriptor) {
  wchar_t name[1024], sddl[4096];
  /* Nobody in the lab asks for the parts. */
  int is_ours = type == SE_FILE_OBJECT && !owner && !group && !dacl && !sacl && descriptor_name(path, name, 1024);
  if (is_ours && (stored(name, sddl, sizeof sddl) || inherited(path, sddl)))
    return ConvertStringSecurityDescriptorToSecurityDescriptorW(sddl, SDDL_REVISION_1, descriptor, NULL)
               ? ERROR_SUCCESS
               : GetLastError();
  return get_security(path, type, parts, owner, group, dacl, sacl, descriptor);
}

static DWORD keep(const wchar_t *path, SECURITY_DESCRIPTOR *descriptor, SECURITY_INFORMATION parts) {
  wchar_t name[1024], *sddl;
  if (!descriptor_name(path, name, 1024)) return GetLastError();
  if (!ConvertSecurityDescriptorToStringSecurityDescriptorW(descriptor, SDDL_REVISION_1, parts & 0xf, &sddl, NULL))
    return GetLastError();
  DWORD kept = RegSetKeyValueW(HKEY_LOCAL_MACHINE, DESCRIPTORS, name, REG_SZ, sddl, (wcslen(sddl) + 1) * sizeof *sddl);
  LocalFree(sddl);
  return kept;
}

static DWORD WINAPI gap_SetNamedSecurityInfoW(LPWSTR path, SE_OBJECT_TYPE type, SECURITY_INFORMATION parts, PSID owner,
                                              PSID group, PACL dacl, PACL sacl) {
  wchar_t name[1024];
  SECURITY_DESCRIPTOR descriptor;
  (void)sacl;
  if (type != SE_FILE_OBJECT) return ERROR_NOT_SUPPORTED;
  /* What takes its entries from the folder has none of its own here. */
  if (parts & UNPROTECTED_DACL_SECURITY_INFORMATION) {
    if (!descriptor_name(path, name, 1024)) return GetLastError();
    RegDeleteKeyValueW(HKEY_LOCAL_MACHINE, DESCRIPTORS, name);
    return ERROR_SUCCESS;
  }
  InitializeSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION);
  if (parts & OWNER_SECURITY_INFORMATION) SetSecurityDescriptorOwner(&descriptor, owner, FALSE);
  if (parts & GROUP_SECURITY_INFORMATION) SetSecurityDescriptorGroup(&descriptor, group, FALSE);
  if (parts & DACL_SECURITY_INFORMATION) SetSecurityDescriptorDacl(&descriptor, TRUE, dacl, FALSE);
  if (parts & PROTECTED_DACL_SECURITY_INFORMATION) descriptor.Control |= SE_DACL_PROTECTED | SE_DACL_AUTO_INHERITED;
  return keep(path, &descriptor, parts);
}

#define OWNER_AND_LIST (OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION)

static BOOL WINAPI gap_CreateDirectoryW(LPCWSTR path, LPSECURITY_ATTRIBUTES attributes) {
  BOOL made = create_directory(path, attributes);
  if (made && attributes) keep(path, attributes->lpSecurityDescriptor, OWNER_AND_LIST);
  return made;
}

static HANDLE WINAPI gap_CreateFileW(LPCWSTR path, DWORD access, DWORD share, LPSECURITY_ATTRIBUTES attributes,
                                     DWORD disposition, DWORD flags, HANDLE template) {
  HANDLE file = create_file(path, access, share, attributes, disposition, flags, template);
  if (file == INVALID_HANDLE_VALUE || disposition != CREATE_NEW || !attributes) return file;
  /* The number of a file that is open to nobody else cannot be asked by its name. */
  CloseHandle(file);
  keep(path, attributes->lpSecurityDescriptor, OWNER_AND_LIST);
  return create_file(path, access, share, NULL, OPEN_EXISTING, flags, template);
}

static const Gap GAPS[] = {
    GAP(GetNamedSecurityInfoW, &get_security),
    GAP(SetNamedSecurityInfoW, NULL),
};

static const Gap FILE_GAPS[] = {
    GAP(CreateDirectoryW, &create_directory),
    GAP(CreateFileW, &create_file),
};

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved) {
  (void)self, (void)reserved;
  return reason != DLL_PROCESS_ATTACH ||
         (fill_gaps(GAPS, sizeof GAPS / sizeof *GAPS) &&
          fill_gaps_of(L"kernel32.dll", FILE_GAPS, sizeof FILE_GAPS / sizeof *FILE_GAPS));
}
