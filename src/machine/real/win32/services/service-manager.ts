// Handles of the service control manager, each closed whatever happens; and its functions, bound once.
import {demand, functionsOf, type Native, type Pointer, type Reply} from '../library.js'
import {serviceStructs} from './service-structs.js'

const SC_MANAGER_CONNECT = 0x1
const SC_MANAGER_CREATE_SERVICE = 0x2

export type ServiceManager = ReturnType<typeof openServiceManager>

export function openServiceManager(native: Native) {
  const {koffi} = native
  const structs = serviceStructs(koffi)
  const prototypes = {
    // It takes another structure for each level.
    changeBool: 'int32_t ChangeServiceConfig2W(void *, uint32_t, in BOOL_INFO)',
    changeDescription: 'int32_t ChangeServiceConfig2W(void *, uint32_t, in SERVICE_DESCRIPTIONW)',
    changeFailureActions: 'int32_t ChangeServiceConfig2W(void *, uint32_t, in SERVICE_FAILURE_ACTIONSW)',
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
  } as const
  const calls = functionsOf(native, 'advapi32.dll', prototypes, structs)

  /** Uses a handle and closes it; a call that gives none has failed. */
  async function using<T>(
    subject: string,
    opening: Promise<Reply<Pointer>>,
    work: (handle: bigint) => Promise<T>,
  ): Promise<T> {
    const handle = await demand(subject, opening)
    try {
      return await work(handle)
    } finally {
      await calls.closeHandle(handle)
    }
  }

  let first: Promise<unknown> | undefined
  /** Alone the first time: processes that connect twice at once get two sessions in Wine 10, and error 6 for handles of the other. */
  async function openManager(access: number): Promise<Reply<Pointer>> {
    if (first) await first
    const opening = calls.openManager(null, null, access)
    first ??= opening.catch(() => undefined)
    return opening
  }

  const manager = <T>(access: number, subject: string, work: (handle: bigint) => Promise<T>) =>
    using(subject, openManager(access), work)

  return {
    calls,
    koffi,
    structs,
    /** Works on the service that `create` makes. */
    withNewService: <T>(
      name: string,
      create: (manager: bigint) => ReturnType<typeof calls.create>,
      work: (service: bigint) => Promise<T>,
    ) => manager(SC_MANAGER_CONNECT | SC_MANAGER_CREATE_SERVICE, name, (handle) => using(name, create(handle), work)),
    withService: <T>(name: string, access: number, work: (service: bigint) => Promise<T>) =>
      manager(SC_MANAGER_CONNECT, name, (handle) => using(name, calls.openService(handle, name, access), work)),
  }
}
