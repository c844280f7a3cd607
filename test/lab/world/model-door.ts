// A model of the simulator behind a real HTTP server: requests as a server gets them, answers piece by piece.
import type {IncomingMessage, RequestListener, ServerResponse} from 'node:http'
import {buffer} from 'node:stream/consumers'
import type {ModelRequest, ModelResponse} from '../../../src/simulator/model.js'

export type AnswerModel = (asked: ModelRequest, request: IncomingMessage) => Promise<ModelResponse | undefined>

/** Where there is no answer the connection breaks. `isCut` is asked again for every piece. */
export function modelDoor(
  answer: AnswerModel,
  onRequest: () => void,
  isCut: () => boolean = () => false,
): RequestListener {
  return (request, response) => {
    onRequest()
    converse(answer, isCut, request, response).catch(() => request.socket.destroy())
  }
}

async function converse(
  answer: AnswerModel,
  isCut: () => boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const {headers, method = '', url = ''} = request
  const {pathname, searchParams} = new URL(url, 'http://x')
  const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const body = await buffer(request)
  const answered = isCut()
    ? undefined
    : await answer({body, headers: plain, method, path: pathname, query: searchParams}, request)
  if (answered === undefined || isCut()) return void request.socket.destroy()
  response.writeHead(answered.status, answered.headers)
  if (typeof answered.body === 'string') return void response.end(answered.body)
  for await (const piece of answered.body) {
    if (isCut()) return void request.socket.destroy()
    response.write(piece)
  }
  response.end()
}
