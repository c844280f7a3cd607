// Which process uses a port, from the tables of the IP helper library (iphlpapi.h, tcpmib.h, udpmib.h).
import type {Win32} from '../../win32.js'
import {ERROR_INSUFFICIENT_BUFFER, ERROR_SUCCESS} from './codes.js'
import {demandSuccess, functionsOf, lazily, type LazyNative} from './library.js'

const AF_INET = 2
const AF_INET6 = 23
const TCP_TABLE_OWNER_PID_LISTENER = 3
const UDP_TABLE_OWNER_PID = 1
/** Behind a count of rows: the size of a row, and where in it the local port and the process are. */
const COUNT_BYTES = 4
const TABLES = {
  tcp: [
    {bytes: 24, family: AF_INET, port: 8, process: 20},
    {bytes: 56, family: AF_INET6, port: 20, process: 52},
  ],
  udp: [
    {bytes: 12, family: AF_INET, port: 4, process: 8},
    {bytes: 28, family: AF_INET6, port: 20, process: 24},
  ],
} as const

export function openPortOwners(native: LazyNative): Pick<Win32, 'portOwner'> {
  const open = lazily(native, (opened) =>
    functionsOf(opened, 'iphlpapi.dll', {
      tcp: 'uint32_t GetExtendedTcpTable(void *, inout uint32_t, int32_t, uint32_t, int32_t, uint32_t)',
      udp: 'uint32_t GetExtendedUdpTable(void *, inout uint32_t, int32_t, uint32_t, int32_t, uint32_t)',
    }),
  )

  return {
    async portOwner(protocol, port) {
      const read = (await open())[protocol]
      const kind = protocol === 'tcp' ? TCP_TABLE_OWNER_PID_LISTENER : UDP_TABLE_OWNER_PID
      for (const {bytes: rowBytes, family, port: portAt, process} of TABLES[protocol]) {
        let table = Buffer.alloc(COUNT_BYTES)
        for (let result = ERROR_INSUFFICIENT_BUFFER; result !== ERROR_SUCCESS;) {
          const size = [table.length]
          result = await demandSuccess(protocol, read(table, size, 0, family, kind, 0), ERROR_INSUFFICIENT_BUFFER)
          // It may have grown since: twice what was needed a moment ago.
          if (result !== ERROR_SUCCESS) table = Buffer.alloc(Math.max(size[0]!, table.length) * 2)
        }
        for (let row = 0; row < table.readUInt32LE(); row++) {
          const at = COUNT_BYTES + row * rowBytes
          if (table.readUInt16BE(at + portAt) === port) return table.readUInt32LE(at + process)
        }
      }
      return undefined
    },
  }
}
