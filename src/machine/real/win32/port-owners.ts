// Which processes use a port or a connection, from the tables of the IP helper library (iphlpapi.h, tcpmib.h, udpmib.h).
import {setTimeout} from 'node:timers/promises'
import type {Endpoint, PortOwner, Win32} from '../../win32.js'
import {ERROR_INSUFFICIENT_BUFFER, ERROR_SUCCESS} from './codes.js'
import {demandSuccess, functionsOf, lazily, type LazyNative} from './library.js'

const AF_INET = 2
const AF_INET6 = 23
const TCP_TABLE_OWNER_PID_LISTENER = 3
const TCP_TABLE_OWNER_PID_CONNECTIONS = 4
const UDP_TABLE_OWNER_PID = 1
/** Behind a count of rows: the size of a row, and where in it the addresses, their ports and the process are. */
const COUNT_BYTES = 4
const TABLES = {
  tcp: [
    {address: 4, bytes: 24, family: AF_INET, port: 8, process: 20, remoteAddress: 12, remotePort: 16},
    {address: 0, bytes: 56, family: AF_INET6, port: 20, process: 52, remoteAddress: 24, remotePort: 44},
  ],
  udp: [
    {address: 0, bytes: 12, family: AF_INET, port: 4, process: 8},
    {address: 0, bytes: 28, family: AF_INET6, port: 20, process: 24},
  ],
} as const
/** Of no process: one that has ended, or a connection that nobody has accepted yet. */
const NO_PROCESS = 0
const TRIES = 20
const PAUSE_MS = 50

type Table = (typeof TABLES)['tcp' | 'udp'][number]

interface Row {
  /** Address and port, by where they are in the row. */
  end(address: number, port: number): Endpoint
  readonly process: number
}

export function openPortOwners(
  native: LazyNative,
  pause: (ms: number) => Promise<unknown> = setTimeout,
): Pick<Win32, 'peerProcess' | 'portOwners'> {
  const open = lazily(native, (opened) =>
    functionsOf(opened, 'iphlpapi.dll', {
      tcp: 'uint32_t GetExtendedTcpTable(void *, inout uint32_t, int32_t, uint32_t, int32_t, uint32_t)',
      udp: 'uint32_t GetExtendedUdpTable(void *, inout uint32_t, int32_t, uint32_t, int32_t, uint32_t)',
    }),
  )

  const rowsOf = async (protocol: 'tcp' | 'udp', kind: number, layout: Table): Promise<Row[]> => {
    const read = (await open())[protocol]
    let table = Buffer.alloc(COUNT_BYTES)
    for (let result = ERROR_INSUFFICIENT_BUFFER; result !== ERROR_SUCCESS;) {
      const size = [table.length]
      result = await demandSuccess(protocol, read(table, size, 0, layout.family, kind, 0), ERROR_INSUFFICIENT_BUFFER)
      // It may have grown since: twice what was needed a moment ago.
      if (result !== ERROR_SUCCESS) table = Buffer.alloc(Math.max(size[0]!, table.length) * 2)
    }
    return Array.from({length: table.readUInt32LE()}, (_, row) => {
      const from = COUNT_BYTES + row * layout.bytes
      return {
        end: (address, port) => ({
          address: addressAt(table, from + address, layout.family),
          port: table.readUInt16BE(from + port),
        }),
        process: table.readUInt32LE(from + layout.process),
      }
    })
  }

  return {
    async peerProcess({local, remote}) {
      for (let tries = 0; tries < TRIES; tries++) {
        if (tries > 0) await pause(PAUSE_MS)
        for (const layout of TABLES.tcp) {
          // The peer's own end is the one that is remote from here.
          const peer = (await rowsOf('tcp', TCP_TABLE_OWNER_PID_CONNECTIONS, layout)).find(
            ({end}) =>
              isSame(end(layout.address, layout.port), remote) &&
              isSame(end(layout.remoteAddress, layout.remotePort), local),
          )
          if (peer && peer.process !== NO_PROCESS) return peer.process
        }
      }
      return undefined
    },
    async portOwners(protocol, port) {
      const owners: PortOwner[] = []
      const kind = protocol === 'tcp' ? TCP_TABLE_OWNER_PID_LISTENER : UDP_TABLE_OWNER_PID
      for (const layout of TABLES[protocol]) {
        for (const {end, process: processId} of await rowsOf(protocol, kind, layout)) {
          const own = end(layout.address, layout.port)
          if (own.port === port) owners.push({address: own.address, processId})
        }
      }
      return owners
    },
  }
}

const isSame = (a: Endpoint, b: Endpoint): boolean => a.address === b.address && a.port === b.port

const V6_BYTES = 16
/** What comes before an IPv4 address that a socket for both families has: it gets the connections to that. */
const MAPPED = '00000000000000000000ffff'

function addressAt(table: Buffer, at: number, family: number): string {
  const hex = table.toString('hex', at, at + (family === AF_INET ? 4 : V6_BYTES))
  if (family === AF_INET || hex.startsWith(MAPPED)) return [...Buffer.from(hex.slice(-8), 'hex')].join('.')
  return new URL(`http://[${hex.replaceAll(/.{4}(?!$)/g, '$&:')}]`).hostname.slice(1, -1)
}
