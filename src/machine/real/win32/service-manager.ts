// Handles of the service control manager, each closed whatever happens; and its functions, bound once.
import {Win32Error} from '../../win32.js'
import {functionsOf, type Native, type NativeFunction, type NativeType, type Pointer} from './library.js'
import {serviceStructs} from './service-structs.js'

const SC_MANAGER_CONNECT = 0x1
const SC_MANAGER_CREATE_SERVICE = 0x2

export type ServiceManager = ReturnType<typeof openServiceManager>

export function openServiceManager(native: Native) {
  const {bind, koffi} = native
  const structs = serviceStructs(koffi)
  /** ChangeServiceConfig2W takes another structure for each level. */
  const changeConfig2 = (struct: NativeType) =>
    bind<number>('advapi32.dll', 'ChangeServiceConfig2W', 'int32_t', ['void *', 'uint32_t', koffi.pointer(struct)])

  const calls = {
    ...functionsOf(native, 'advapi32.dll', {
      changeConfig:
        'int32_t ChangeServiceConfigW(void *, uint32_t, uint32_t, uint32_t, str16, str16, void *, void *, str16, str16, str16)',
      closeHandle: 'int32_t CloseServiceHandle(void *)',
      control: 'int32_t ControlService(void *, uint32_t, void *)',
      create:
        'void *CreateServiceW(void *, str16, str16, uint32_t, uint32_t, uint32_t, uint32_t, str16, str16, void *, void *, str16, str16)',
      delete: 'int32_t DeleteService(void *)',
      enumDependents: 'int32_t EnumDependentServicesW(void *, uint32_t, void *, uint32_t, out uint32_t, out uint32_t)',
      openManager: 'void *OpenSCManagerW(str16, str16, uint32_t)',
      openService: 'void *OpenServiceW(void *, str16, uint32_t)',
      queryConfig: 'int32_t QueryServiceConfigW(void *, void *, uint32_t, out uint32_t)',
      queryConfig2: 'int32_t QueryServiceConfig2W(void *, uint32_t, void *, uint32_t, out uint32_t)',
      queryStatus: 'int32_t QueryServiceStatusEx(void *, int32_t, void *, uint32_t, out uint32_t)',
      start: 'int32_t StartServiceW(void *, uint32_t, void *)',
    }),
    changeBool: changeConfig2(structs.BOOL_INFO),
    changeDescription: changeConfig2(structs.SERVICE_DESCRIPTIONW),
    changeFailureActions: changeConfig2(structs.SERVICE_FAILURE_ACTIONSW),
  }

  /** Uses a handle and closes it; a call that gives none has failed. */
  async function using<T>(
    [call, subject]: readonly [string, string],
    opening: ReturnType<NativeFunction<Pointer>>,
    work: (handle: bigint) => Promise<T>,
  ): Promise<T> {
    const {lastError, result} = await opening
    if (result === null) throw new Win32Error(call, lastError, subject)
    try {
      return await work(result)
    } finally {
      await calls.closeHandle(result)
    }
  }

  let first: Promise<unknown> | undefined
  /** Alone the first time: processes that connect twice at once get two sessions in Wine 10, and error 6 for handles of the other. */
  async function openManager(access: number): ReturnType<NativeFunction<Pointer>> {
    if (first) await first
    const opening = calls.openManager(null, null, access)
    first ??= opening.catch(() => undefined)
    return opening
  }

  const manager = <T>(access: number, subject: string, work: (handle: bigint) => Promise<T>) =>
    using(['OpenSCManagerW', subject], openManager(access), work)

  return {
    calls,
    koffi,
    structs,
    /** Works on the service that `create` makes. */
    withNewService: <T>(
      name: string,
      create: (manager: bigint) => ReturnType<typeof calls.create>,
      work: (service: bigint) => Promise<T>,
    ) =>
      manager(SC_MANAGER_CONNECT | SC_MANAGER_CREATE_SERVICE, name, (handle) =>
        using(['CreateServiceW', name], create(handle), work),
      ),
    withService: <T>(name: string, access: number, work: (service: bigint) => Promise<T>) =>
      manager(SC_MANAGER_CONNECT, name, (handle) =>
        using(['OpenServiceW', name], calls.openService(handle, name, access), work),
      ),
  }
}

/** For calls that answer TRUE or FALSE. */
export async function demand(
  call: string,
  subject: string,
  pending: ReturnType<NativeFunction<number>>,
): Promise<void> {
  const {lastError, result} = await pending
  if (result === 0) throw new Win32Error(call, lastError, subject)
}
