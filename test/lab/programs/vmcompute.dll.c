/* HNS in the lab: HNSCall hands its texts to a server behind a named pipe and gives back what that answers.
   To the server: three lengths in bytes, then the texts. From it: HRESULT, length or NO_ANSWER, text. All UTF-16LE. */
#include <wchar.h>
#include <windows.h>

#define PIPE L"\\\\.\\pipe\\k8s-win-lab-hns"
#define BUSY_MS 60000
#define NO_ANSWER 0xffffffffu

static HANDLE open_pipe(void) {
  for (;;) {
    HANDLE pipe = CreateFileW(PIPE, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (pipe != INVALID_HANDLE_VALUE || GetLastError() != ERROR_PIPE_BUSY) return pipe;
    /* Every instance is taken for the moment: several calls at once. */
    if (!WaitNamedPipeW(PIPE, BUSY_MS)) return INVALID_HANDLE_VALUE;
  }
}

static BOOL send_all(HANDLE pipe, const void *bytes, DWORD left) {
  for (const char *at = bytes; left > 0;) {
    DWORD done;
    if (!WriteFile(pipe, at, left, &done, NULL)) return FALSE;
    at += done;
    left -= done;
  }
  return TRUE;
}

static BOOL receive_all(HANDLE pipe, void *bytes, DWORD left) {
  for (char *at = bytes; left > 0;) {
    DWORD done;
    if (!ReadFile(pipe, at, left, &done, NULL) || done == 0) return FALSE;
    at += done;
    left -= done;
  }
  return TRUE;
}

static HRESULT exchange(HANDLE pipe, const PCWSTR texts[3], PWSTR *response) {
  DWORD lengths[3];
  struct {
    HRESULT result;
    DWORD length;
  } answer;
  /* What a client of an RPC server sees when the server goes away in the middle of a call. */
  const HRESULT gone = HRESULT_FROM_WIN32(RPC_S_CALL_FAILED);

  for (int index = 0; index < 3; index++) lengths[index] = (DWORD)(wcslen(texts[index]) * sizeof(wchar_t));
  if (!send_all(pipe, lengths, sizeof lengths)) return gone;
  for (int index = 0; index < 3; index++)
    if (!send_all(pipe, texts[index], lengths[index])) return gone;

  if (!receive_all(pipe, &answer, sizeof answer)) return gone;
  if (answer.length == NO_ANSWER) return answer.result;
  PWSTR text = CoTaskMemAlloc(answer.length + sizeof(wchar_t));
  if (!text) return E_OUTOFMEMORY;
  if (!receive_all(pipe, text, answer.length)) {
    CoTaskMemFree(text);
    return gone;
  }
  text[answer.length / sizeof(wchar_t)] = 0;
  *response = text;
  return answer.result;
}

__declspec(dllexport) HRESULT WINAPI HNSCall(PCWSTR method, PCWSTR path, PCWSTR request, PWSTR *response) {
  const PCWSTR texts[3] = {method, path, request};
  *response = NULL;
  HANDLE pipe = open_pipe();
  if (pipe == INVALID_HANDLE_VALUE) {
    DWORD error = GetLastError();
    /* Nobody serves: what Windows answers while HNS is stopped (docker/for-win#8226). */
    return HRESULT_FROM_WIN32(error == ERROR_FILE_NOT_FOUND ? ERROR_SERVICE_NOT_ACTIVE : error);
  }
  HRESULT result = exchange(pipe, texts, response);
  CloseHandle(pipe);
  return result;
}
