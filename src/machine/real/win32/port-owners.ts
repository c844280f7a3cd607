// Which processes use a port, from the tables of the IP helper library (iphlpapi.h, tcpmib.h, udpmib.h).
import type {PortOwner, Win32} from '../../win32.js'
import {ERROR_INSUFFICIENT_BUFFER, ERROR_SUCCESS} from './codes.js'
import {demandSuccess, functionsOf, lazily, type LazyNative} from './library.js'

const AF_INET = 2
const AF_INET6 = 23
const TCP_TABLE_OWNER_PID_LISTENER = 3
const UDP_TABLE_OWNER_PID = 1
/** Behind a count of rows: the size of a row, and where in it the local address, its port and the process are. */
const COUNT_BYTES = 4
const TABLES = {
  tcp: [
    {address: 4, bytes: 24, family: AF_INET, port: 8, process: 20},
    {address: 0, bytes: 56, family: AF_INET6, port: 20, process: 52},
  ],
  udp: [
    {address: 0, bytes: 12, family: AF_INET, port: 4, process: 8},
    {address: 0, bytes: 28, family: AF_INET6, port: 20, process: 24},
  ],
} as const

export function openPortOwners(native: LazyNative): Pick<Win32, 'portOwners'> {
  const open = lazily(native, (opened) =>
    functionsOf(opened, 'iphlpapi.dll', {
      tcp: 'uint32_t GetExtendedTcpTable(void *, inout uint32_t, int32_t, uint32_t, int32_t, uint32_t)',
      udp: 'uint32_t GetExtendedUdpTable(void *, inout uint32_t, int32_t, uint32_t, int32_t, uint32_t)',
    }),
  )

  return {
    async portOwners(protocol, port) {
      const owners: PortOwner[] = []
      const read = (await open())[protocol]
      const kind = protocol === 'tcp' ? TCP_TABLE_OWNER_PID_LISTENER : UDP_TABLE_OWNER_PID
      for (const {address, bytes: rowBytes, family, port: portAt, process} of TABLES[protocol]) {
        let table = Buffer.alloc(COUNT_BYTES)
        for (let result = ERROR_INSUFFICIENT_BUFFER; result !== ERROR_SUCCESS;) {
          const size = [table.length]
          result = await demandSuccess(protocol, read(table, size, 0, family, kind, 0), ERROR_INSUFFICIENT_BUFFER)
          // It may have grown since: twice what was needed a moment ago.
          if (result !== ERROR_SUCCESS) table = Buffer.alloc(Math.max(size[0]!, table.length) * 2)
        }
        for (let row = 0; row < table.readUInt32LE(); row++) {
          const at = COUNT_BYTES + row * rowBytes
          if (table.readUInt16BE(at + portAt) !== port) continue
          owners.push({address: addressAt(table, at + address, family), processId: table.readUInt32LE(at + process)})
        }
      }
      return owners
    },
  }
}

const V6_BYTES = 16
/** What comes before an IPv4 address that a socket for both families has: it gets the connections to that. */
const MAPPED = '00000000000000000000ffff'

function addressAt(table: Buffer, at: number, family: number): string {
  const hex = table.toString('hex', at, at + (family === AF_INET ? 4 : V6_BYTES))
  if (family === AF_INET || hex.startsWith(MAPPED)) return [...Buffer.from(hex.slice(-8), 'hex')].join('.')
  return new URL(`http://[${hex.replaceAll(/.{4}(?!$)/g, '$&:')}]`).hostname.slice(1, -1)
}
