// Registry values as bytes and back.
import type {RegistryValue} from '../../win32.js'
import {readWideList, readWideString, wideList, wideString} from './text.js'

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

/** Undefined for the types nobody here reads (binary, 64-bit numbers, resource lists). */
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
