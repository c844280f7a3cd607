/* Counts this process' blocks of COM's allocator (CoTaskMemAlloc) by an IMallocSpy: how many were made, how many are left. */
#include <windows.h>
#include <objbase.h>

static volatile LONG made, left;

static HRESULT WINAPI query(IMallocSpy *self, REFIID id, void **object) {
  (void)id;
  *object = self;
  return S_OK;
}
static ULONG WINAPI count_reference(IMallocSpy *self) { return self ? 1 : 0; }
static SIZE_T WINAPI pre_alloc(IMallocSpy *self, SIZE_T size) { return self ? size : 0; }
static void *WINAPI post_alloc(IMallocSpy *self, void *block) {
  (void)self;
  if (block) InterlockedIncrement(&made), InterlockedIncrement(&left);
  return block;
}
static void *WINAPI pre_free(IMallocSpy *self, void *block, BOOL counted) {
  (void)self;
  if (block && counted) InterlockedDecrement(&left);
  return block;
}
static void WINAPI post_free(IMallocSpy *self, BOOL counted) { (void)self, (void)counted; }
static SIZE_T WINAPI pre_realloc(IMallocSpy *self, void *block, SIZE_T size, void **at, BOOL counted) {
  (void)self, (void)counted;
  *at = block;
  return size;
}
static void *WINAPI same_block(IMallocSpy *self, void *block, BOOL counted) {
  (void)self, (void)counted;
  return block;
}
static SIZE_T WINAPI same_size(IMallocSpy *self, SIZE_T size, BOOL counted) {
  (void)self, (void)counted;
  return size;
}
static int WINAPI same_answer(IMallocSpy *self, void *block, BOOL counted, int answer) {
  (void)self, (void)block, (void)counted;
  return answer;
}
static void WINAPI nothing(IMallocSpy *self) { (void)self; }

static IMallocSpyVtbl methods = {
    .QueryInterface = query,
    .AddRef = count_reference,
    .Release = count_reference,
    .PreAlloc = pre_alloc,
    .PostAlloc = post_alloc,
    .PreFree = pre_free,
    .PostFree = post_free,
    .PreRealloc = pre_realloc,
    .PostRealloc = same_block,
    .PreGetSize = same_block,
    .PostGetSize = same_size,
    .PreDidAlloc = same_block,
    .PostDidAlloc = same_answer,
    .PreHeapMinimize = nothing,
    .PostHeapMinimize = nothing,
};
static IMallocSpy spy = {&methods};

__declspec(dllexport) HRESULT WINAPI WatchBlocks(void) { return CoRegisterMallocSpy(&spy); }
__declspec(dllexport) LONG WINAPI BlocksMade(void) { return made; }
__declspec(dllexport) LONG WINAPI BlocksLeft(void) { return left; }
