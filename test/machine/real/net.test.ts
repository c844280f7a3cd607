import {createSocket} from 'node:dgram'
import {createServer} from 'node:net'
import type {AddressInfo} from 'node:net'
import {describe, expect, it, onTestFinished} from 'vitest'
import {openNet} from '../../../src/machine/real/net.js'

const net = openNet()

async function listener(host: string): Promise<number> {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function receiver(host: string): Promise<number> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, host, resolve))
  onTestFinished(() => void socket.close())
  return socket.address().port
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const {port} = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('a TCP port', () => {
  it.each(['127.0.0.1', '0.0.0.0', '127.0.0.3'])('with a listener on %s is not free', async (host) => {
    expect(await net.isPortFree('tcp', await listener(host))).toBe(false)
  })

  it('without one is free, and is still after the look', async () => {
    const port = await freePort()
    expect(await net.isPortFree('tcp', port)).toBe(true)
    expect(await net.isPortFree('tcp', port)).toBe(true)
  })

  it('can be reached, or not', async () => {
    expect(await net.canConnect('127.0.0.1', await listener('127.0.0.1'), 1000)).toBe(true)
    expect(await net.canConnect('127.0.0.1', await freePort(), 1000)).toBe(false)
  })

  it('that does not answer is given up', async () => {
    // TEST-NET-1 is never routed; where the network refuses it at once the answer is the same.
    expect(await net.canConnect('192.0.2.1', 9, 30)).toBe(false)
  })
})

describe('a UDP port', () => {
  it.each(['127.0.0.1', '0.0.0.0'])('with a receiver on %s is not free', async (host) => {
    expect(await net.isPortFree('udp', await receiver(host))).toBe(false)
  })

  it('is another than the TCP port of the same number', async () => {
    expect(await net.isPortFree('udp', await listener('0.0.0.0'))).toBe(true)
  })
})

describe('a datagram', () => {
  it('leaves, whether something receives it or not', async () => {
    expect(await net.canSend('127.0.0.1', await receiver('127.0.0.1'), 1000)).toBe(true)
    expect(await net.canSend('127.0.0.1', await freePort(), 1000)).toBe(true)
  })

  it('that the system does not let out', async () => {
    expect(await net.canSend('255.255.255.255', 9, 1000)).toBe(false)
  })
})
