// HNS behind the lab's vmcompute.dll: a named pipe on which any function answers. programs/vmcompute.dll.c has the framing.
import {createServer, type Socket} from 'node:net'
import type {Stage} from '../../../src/simulator/model.js'
import {hnsCall} from '../../../src/simulator/windows/hns.js'

export const HNS_PIPE = String.raw`\\.\pipe\k8s-win-lab-hns`

const LENGTHS = 3
const HEADER_BYTES = LENGTHS * 4
const NO_ANSWER = 0xff_ff_ff_ff

export interface HnsAnswer {
  readonly hresult: number
  /** Undefined: no answer at all, a NULL pointer. Any UTF-16 arrives as it is, up to its first NUL. */
  readonly response: string | undefined
}

export type AnswerHns = (method: string, path: string, request: string) => Promise<HnsAnswer>

export interface HnsServer {
  /** HNS stops: calls under way fail as with a server that went away, later ones with 0x80070426. */
  close(): Promise<void>
}

export async function serveHns(answer: AnswerHns, pipe = HNS_PIPE): Promise<HnsServer> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    // A caller that went away in the middle needs no answer.
    socket.on('close', () => open.delete(socket)).on('error', () => undefined)
    onRequest(socket, async (method, path, request) => {
      const frame = frameOf(await answer(method, path, request))
      // The DLL closes the connection when it has read all of it.
      if (socket.writable) socket.write(frame)
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(pipe, resolve))
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

/** The simulator's HNS. */
export function simulatedHns(stage: Stage): AnswerHns {
  return async (method, path, request) => {
    const {hresult, response} = await hnsCall(stage, method as 'DELETE' | 'GET' | 'POST', path, request)
    return {hresult, response: response === '' ? undefined : response}
  }
}

const GUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/giu

/** IDs in capitals and every other mention of them in small letters, as HNS mixes them; asked of in any letters. */
export function mixedCases(answer: AnswerHns): AnswerHns {
  const spellings = new Map<string, string>()
  const asKept = (text: string) => text.replaceAll(GUID, (guid) => spellings.get(guid.toLowerCase()) ?? guid)
  return async (method, path, request) => {
    const {hresult, response} = await answer(method, asKept(path), asKept(request))
    for (const [guid] of response?.matchAll(GUID) ?? []) spellings.set(guid.toLowerCase(), guid)
    const mixed = response
      ?.replaceAll(GUID, (guid) => guid.toLowerCase())
      .replaceAll(/"ID":"[^"]*"/gu, (field) => `"ID":${field.slice('"ID":'.length).toUpperCase()}`)
    return {hresult, response: mixed}
  }
}

function onRequest(socket: Socket, answer: (method: string, path: string, request: string) => Promise<void>): void {
  const chunks: Buffer[] = []
  let received = 0
  let wanted = HEADER_BYTES
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    received += chunk.length
    if (received < wanted) return
    const bytes = Buffer.concat(chunks.splice(0))
    const lengths = Array.from({length: LENGTHS}, (_, index) => bytes.readUInt32LE(index * 4))
    wanted = lengths.reduce((sum, length) => sum + length, HEADER_BYTES)
    chunks.push(bytes)
    if (received < wanted) return
    let at = HEADER_BYTES
    const [method, path, request] = lengths.map((length) => bytes.toString('utf16le', at, (at += length)))
    // An answer that rejects is a defect of the test: no one catches it.
    void answer(method!, path!, request!)
  })
}

function frameOf({hresult, response}: HnsAnswer): Buffer {
  const head = Buffer.alloc(8)
  head.writeInt32LE(hresult | 0, 0)
  const text = Buffer.from(response ?? '', 'utf16le')
  head.writeUInt32LE(response === undefined ? NO_ANSWER : text.length, 4)
  return Buffer.concat([head, text])
}
