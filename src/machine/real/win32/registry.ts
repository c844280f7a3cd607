// The registry of the machine (HKLM), read and changed in UTF-16, and that of its accounts (HKU).
import {type RegistryRoot, type RegistryValue, type Win32, Win32Error} from '../../win32.js'
import {
  ERROR_FILE_NOT_FOUND,
  ERROR_MORE_DATA,
  ERROR_NO_MORE_ITEMS,
  ERROR_SUCCESS,
  ERROR_UNSUPPORTED_TYPE,
} from './codes.js'
import {demandSuccess, functionsOf, lazily, type LazyNative, type Native} from './library.js'
import {readWideList, readWideString, wideList, wideString} from './text.js'

/** HKEY_LOCAL_MACHINE is (HKEY)(LONG)0x80000002, HKEY_USERS 0x80000003: sign-extended on 64 bits. */
const ROOTS: Readonly<Record<RegistryRoot, number>> = {HKLM: -2_147_483_646, HKU: -2_147_483_645}
const KEY_READ = 0x2_00_19
/** Any type, and %variables% left as they are. */
const RRF_RT_ANY_NOEXPAND = 0x1000_ffff
const MAX_NAME_CHARACTERS = 16_384
/** Of a key, with the zero at its end. */
const MAX_KEY_CHARACTERS = 256

type Registry = Pick<
  Win32,
  'deleteRegistryValue' | 'registryKeyExists' | 'registryKeys' | 'registryValue' | 'registryValues' | 'setRegistryValue'
>

const functions = (native: Native) =>
  functionsOf(native, 'advapi32.dll', {
    closeKey: 'int32_t RegCloseKey(intptr_t)',
    deleteKeyValue: 'int32_t RegDeleteKeyValueW(intptr_t, str16, str16)',
    enumKey: 'int32_t RegEnumKeyExW(intptr_t, uint32_t, void *, inout uint32_t, void *, void *, void *, void *)',
    enumValue:
      'int32_t RegEnumValueW(intptr_t, uint32_t, void *, inout uint32_t, void *, out uint32_t, void *, inout uint32_t)',
    getValue: 'int32_t RegGetValueW(intptr_t, str16, str16, uint32_t, out uint32_t, void *, inout uint32_t)',
    openKey: 'int32_t RegOpenKeyExW(intptr_t, str16, uint32_t, uint32_t, out intptr_t)',
    setKeyValue: 'int32_t RegSetKeyValueW(intptr_t, str16, str16, uint32_t, void *, uint32_t)',
  })

export function openRegistry(native: LazyNative): Registry {
  const calls = lazily(native, functions)
  /** Undefined where there is no such key. */
  const inKey = async <T>(
    root: RegistryRoot,
    key: string,
    work: (opened: ReturnType<typeof functions>, handle: bigint | number) => Promise<T>,
  ): Promise<T | undefined> => {
    const opened = await calls()
    const handle: [bigint | number] = [0]
    const subject = `${root}\\${key}`
    const opening = opened.openKey(ROOTS[root], key, 0, KEY_READ, handle)
    if ((await demandSuccess(subject, opening, ERROR_FILE_NOT_FOUND)) === ERROR_FILE_NOT_FOUND) return undefined
    try {
      return await work(opened, handle[0])
    } finally {
      await opened.closeKey(handle[0])
    }
  }

  return {
    async deleteRegistryValue(root, key, name) {
      await demandSuccess(`${root}\\${key}\\${name}`, (await calls()).deleteKeyValue(ROOTS[root], key, name))
    },
    async registryKeyExists(root, key) {
      return (await inKey(root, key, async () => true)) ?? false
    },
    async registryKeys(root, key) {
      const subject = `${root}\\${key}`
      return (await inKey(root, key, ({enumKey}, handle) => allKeys(enumKey, handle, subject))) ?? []
    },
    async registryValue(root, key, name) {
      const {getValue} = await calls()
      // The value may grow between two calls, so the size is learnt from the refusal each time.
      for (let data = Buffer.alloc(1024); ;) {
        const [type, size] = [[0], [data.length]]
        const {result} = await getValue(ROOTS[root], key, name, RRF_RT_ANY_NOEXPAND, type, data, size)
        if (result === ERROR_FILE_NOT_FOUND) return undefined
        const value = result === ERROR_SUCCESS ? decodeRegistryData(type[0]!, data.subarray(0, size[0])) : undefined
        if (value) return value
        if (result !== ERROR_MORE_DATA) {
          throw new Win32Error('RegGetValueW', result || ERROR_UNSUPPORTED_TYPE, `${root}\\${key}\\${name}`)
        }
        data = Buffer.alloc(Math.max(size[0]!, data.length * 2))
      }
    },
    async registryValues(root, key) {
      const subject = `${root}\\${key}`
      return (await inKey(root, key, ({enumValue}, handle) => allValues(enumValue, handle, subject))) ?? {}
    },
    async setRegistryValue(root, key, name, value) {
      const {bytes, type} = encodeRegistryData(value)
      const setting = (await calls()).setKeyValue(ROOTS[root], key, name, type, bytes, bytes.length)
      await demandSuccess(`${root}\\${key}\\${name}`, setting)
    },
  }
}

async function allKeys(
  enumKey: ReturnType<typeof functions>['enumKey'],
  key: bigint | number,
  subject: string,
): Promise<string[]> {
  const keys: string[] = []
  const name = Buffer.alloc(MAX_KEY_CHARACTERS * 2)
  for (;;) {
    const length = [MAX_KEY_CHARACTERS]
    const asked = enumKey(key, keys.length, name, length, null, null, null, null)
    if ((await demandSuccess(subject, asked, ERROR_NO_MORE_ITEMS)) === ERROR_NO_MORE_ITEMS) return keys
    keys.push(name.toString('utf16le', 0, length[0]! * 2))
  }
}

async function allValues(
  enumValue: ReturnType<typeof functions>['enumValue'],
  key: bigint | number,
  subject: string,
): Promise<Record<string, RegistryValue>> {
  const values: Record<string, RegistryValue> = {}
  const name = Buffer.alloc(MAX_NAME_CHARACTERS * 2)
  let data = Buffer.alloc(4096)
  for (let index = 0; ;) {
    const [nameLength, type, size] = [[MAX_NAME_CHARACTERS], [0], [data.length]]
    const asked = enumValue(key, index, name, nameLength, null, type, data, size)
    const result = await demandSuccess(subject, asked, ERROR_NO_MORE_ITEMS, ERROR_MORE_DATA)
    if (result === ERROR_NO_MORE_ITEMS) return values
    if (result === ERROR_MORE_DATA) {
      data = Buffer.alloc(Math.max(size[0]!, data.length * 2))
      continue
    }
    const value = decodeRegistryData(type[0]!, data.subarray(0, size[0]))
    if (value) values[name.toString('utf16le', 0, nameLength[0]! * 2)] = value
    index++
  }
}

const REG_SZ = 1
const REG_EXPAND_SZ = 2
const REG_DWORD = 4
const REG_MULTI_SZ = 7

interface RegistryData {
  readonly bytes: Buffer
  readonly type: number
}

export function encodeRegistryData(value: RegistryValue): RegistryData {
  switch (value.type) {
    case 'REG_DWORD': {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(value.data)
      return {bytes, type: REG_DWORD}
    }
    case 'REG_EXPAND_SZ':
      return {bytes: wideString(value.data), type: REG_EXPAND_SZ}
    case 'REG_MULTI_SZ':
      return {bytes: wideList(value.data), type: REG_MULTI_SZ}
    case 'REG_SZ':
      return {bytes: wideString(value.data), type: REG_SZ}
  }
}

/** Undefined for the types that k8s-win does not read (binary, 64-bit numbers, resource lists). */
export function decodeRegistryData(type: number, bytes: Buffer): RegistryValue | undefined {
  switch (type) {
    case REG_DWORD:
      return bytes.length < 4 ? undefined : {data: bytes.readUInt32LE(), type: 'REG_DWORD'}
    case REG_EXPAND_SZ:
      return {data: readWideString(bytes), type: 'REG_EXPAND_SZ'}
    case REG_MULTI_SZ:
      return {data: readWideList(bytes), type: 'REG_MULTI_SZ'}
    case REG_SZ:
      return {data: readWideString(bytes), type: 'REG_SZ'}
    default:
      return undefined
  }
}
