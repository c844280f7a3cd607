// Sockets: tries a connection, and tries to take a port for a moment.
import {createSocket} from 'node:dgram'
import {connect, createServer} from 'node:net'
import {networkInterfaces} from 'node:os'
import type {Net} from '../machine.js'
import {endsOf} from './judged-connection.js'

/** The address does not exist here, or this host has no IPv6: nothing can listen there either. */
const NOT_AN_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'])

export function openNet(): Net {
  return {
    canConnect: (host, port, deadlineMs, judgePeer) =>
      new Promise((resolve, reject) => {
        const socket = connect({host, port})
        const timer = setTimeout(() => finish(false), deadlineMs)
        const finish = (reached: boolean) => {
          clearTimeout(timer)
          socket.destroy()
          resolve(reached)
        }
        const judged = async (): Promise<void> => judgePeer?.(endsOf(socket))
        const refuse = (error: unknown): void => {
          reject(error)
          finish(false)
        }
        // It is connected: the judge has deadlines of its own.
        socket.once('connect', () => {
          clearTimeout(timer)
          void judged().then(() => finish(true), refuse)
        })
        socket.once('error', () => finish(false))
      }),
    canSend,
    async isPortFree(protocol, port) {
      const take = protocol === 'tcp' ? listen : bind
      // Windows lets a listener on 0.0.0.0 stand beside one on a single address, so each address is tried.
      for (const address of localAddresses()) {
        const code = await take(address, port)
        if (code !== undefined && !NOT_AN_ADDRESS.has(code)) return false
      }
      return true
    },
  }
}

/** Over a connected socket: the way to the other is looked up before anything is sent. */
function canSend(host: string, port: number, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    const timer = setTimeout(() => finish(false), deadlineMs)
    const finish = (isSent: boolean): void => {
      clearTimeout(timer)
      socket.removeAllListeners()
      // Where a refusal is handed on, it comes after this.
      socket.on('error', () => {})
      socket.close(() => resolve(isSent))
    }
    socket.once('error', () => finish(false))
    socket.once('connect', () => socket.send(Buffer.alloc(0), (error) => finish(!error)))
    socket.connect(port, host)
  })
}

function localAddresses(): string[] {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  // A link-local IPv6 address cannot be bound without naming its interface.
  const usable = own.map(({address}) => address).filter((address) => !address.toLowerCase().startsWith('fe80'))
  return [...new Set(['0.0.0.0', '::', ...usable])]
}

/** Undefined where the address could be taken, otherwise why not. */
function listen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'UNKNOWN'))
    server.listen({exclusive: true, host, port}, () => server.close(() => resolve(undefined)))
  })
}

function bind(address: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close()
      resolve(error.code ?? 'UNKNOWN')
    })
    socket.bind({address, exclusive: true, port}, () => socket.close(() => resolve(undefined)))
  })
}
