// One container, run until it ends and removed, whatever happens on the way.
import type {HttpRequest, HttpResponse} from '../../machine/http.js'
import {at} from '../document.js'
import type {ContainerRun} from '../runtime.js'
import {documentOf, messageOf, textOf} from './api.js'

/** One request to the engine, in the version it speaks. */
export type Send = (
  method: HttpRequest['method'],
  path: string,
  body?: object,
  signal?: AbortSignal,
  deadlineMs?: number,
) => Promise<HttpResponse>

export const SHORT_MS = 60_000
export const OWNER_LABEL = 'k8s-win.probe'

export async function runOnce(
  send: Send,
  image: string,
  command: readonly string[],
  signal: AbortSignal,
): Promise<ContainerRun> {
  signal.throwIfAborted()
  // Without the signal: a container whose id is lost with the answer could not be removed.
  const created = await send('POST', '/containers/create', {
    Cmd: command,
    HostConfig: {NetworkMode: 'none'},
    Image: image,
    Labels: {[OWNER_LABEL]: 'true'},
  })
  const making = `create a container of ${image}`
  const id = textOf(documentOf(created, making), 'Id', making)
  const remove = (): Promise<HttpResponse> => send('DELETE', `/containers/${id}?force=true`)
  try {
    signal.throwIfAborted()
    const ended = await run(send, `/containers/${id}`, image, signal)
    await remove()
    return ended
  } catch (error) {
    // The first failure is reported; a container that cannot be removed now is found by its label.
    await remove().catch(() => undefined)
    throw error
  }
}

async function run(send: Send, path: string, image: string, signal: AbortSignal): Promise<ContainerRun> {
  const started = await send('POST', `${path}/start`, undefined, signal, 5 * SHORT_MS)
  if (started.status >= 300) return {exitCode: -1, output: messageOf(started)}
  const waited = await send('POST', `${path}/wait`, undefined, signal, 5 * SHORT_MS)
  const exitCode = at(documentOf(waited, `run a container of ${image}`), 'StatusCode')
  const logs = await send('GET', `${path}/logs?stdout=1&stderr=1`, undefined, signal)
  const output = readContainerOutput(logs.body)
  return typeof exitCode === 'number' ? {exitCode, output} : {exitCode: -1, output: output || 'no exit code'}
}

export function readContainerOutput(body: Buffer): string {
  let text = ''
  let offset = 0
  while (offset + 8 <= body.length) {
    const length = body.readUInt32BE(offset + 4)
    text += body.toString('utf8', offset + 8, offset + 8 + length)
    offset += 8 + length
  }

  return text.trim()
}
