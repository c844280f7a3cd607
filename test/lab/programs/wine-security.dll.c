/* Wine 10 makes Unix permissions of security descriptors, and tells of them what is left. Here they are kept as they were
   given, by file. */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>
#include "advapi-gaps.h"

#define DESCRIPTORS L"SOFTWARE\\k8s-win lab\\Security"

static __typeof__(GetNamedSecurityInfoW) *get_security;

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

static DWORD WINAPI gap_GetNamedSecurityInfoW(LPCWSTR path, SE_OBJECT_TYPE type, SECURITY_INFORMATION parts, PSID *owner,
                                              PSID *group, PACL *dacl, PACL *sacl, PSECURITY_DESCRIPTOR *descriptor) {
  wchar_t name[1024], sddl[4096];
  DWORD bytes = sizeof sddl;
  /* Nobody in the lab asks for the parts. */
  if (type == SE_FILE_OBJECT && !owner && !group && !dacl && !sacl && descriptor_name(path, name, 1024) &&
      RegGetValueW(HKEY_LOCAL_MACHINE, DESCRIPTORS, name, RRF_RT_REG_SZ, NULL, sddl, &bytes) == ERROR_SUCCESS)
    return ConvertStringSecurityDescriptorToSecurityDescriptorW(sddl, SDDL_REVISION_1, descriptor, NULL)
               ? ERROR_SUCCESS
               : GetLastError();
  return get_security(path, type, parts, owner, group, dacl, sacl, descriptor);
}

static DWORD WINAPI gap_SetNamedSecurityInfoW(LPWSTR path, SE_OBJECT_TYPE type, SECURITY_INFORMATION parts, PSID owner,
                                              PSID group, PACL dacl, PACL sacl) {
  wchar_t name[1024], *sddl;
  SECURITY_DESCRIPTOR descriptor;
  (void)sacl;
  if (type != SE_FILE_OBJECT) return ERROR_NOT_SUPPORTED;
  if (!descriptor_name(path, name, 1024)) return GetLastError();
  InitializeSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION);
  if (parts & OWNER_SECURITY_INFORMATION) SetSecurityDescriptorOwner(&descriptor, owner, FALSE);
  if (parts & GROUP_SECURITY_INFORMATION) SetSecurityDescriptorGroup(&descriptor, group, FALSE);
  if (parts & DACL_SECURITY_INFORMATION) SetSecurityDescriptorDacl(&descriptor, TRUE, dacl, FALSE);
  if (parts & PROTECTED_DACL_SECURITY_INFORMATION) descriptor.Control |= SE_DACL_PROTECTED | SE_DACL_AUTO_INHERITED;
  if (!ConvertSecurityDescriptorToStringSecurityDescriptorW(&descriptor, SDDL_REVISION_1, parts & 0xf, &sddl, NULL))
    return GetLastError();
  DWORD stored = RegSetKeyValueW(HKEY_LOCAL_MACHINE, DESCRIPTORS, name, REG_SZ, sddl, (wcslen(sddl) + 1) * sizeof *sddl);
  LocalFree(sddl);
  return stored;
}

static const Gap GAPS[] = {
    GAP(GetNamedSecurityInfoW, &get_security),
    GAP(SetNamedSecurityInfoW, NULL),
};

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved) {
  (void)self, (void)reserved;
  return reason != DLL_PROCESS_ATTACH || fill_gaps(GAPS, sizeof GAPS / sizeof *GAPS);
}
