// The Container Runtime Interface over a unix socket, with answers in the form of Go's protojson.
import {readFileSync} from 'node:fs'
import {Client, credentials, type ServiceError, status} from '@grpc/grpc-js'
import protobuf from 'protobufjs'

export type Service = 'ImageService' | 'RuntimeService'

/** An error of the daemon or of the connection, in grpc-go's words. */
export class RpcError extends Error {
  constructor(
    readonly code: string,
    readonly description: string,
  ) {
    super(`rpc error: code = ${code} desc = ${description}`)
  }
}

export interface Answer {
  readonly [key: string]: unknown
}

export interface Cri {
  /** Rejects with an RpcError. Without a deadline it waits for as long as it takes. */
  ask(method: string, request?: object, deadlineMs?: number): Promise<Answer>
  close(): void
}

/** `proto`: the file api.proto of k8s.io/cri-api. */
export function openCri(proto: string, socket: string, service: Service): Cri {
  const {methods} = protobuf.parse(readFileSync(proto, 'utf8')).root.lookupService(`runtime.v1.${service}`)
  const client = new Client(`unix:${socket}`, credentials.createInsecure())
  return {
    ask: (name, request = {}, deadlineMs) =>
      new Promise((resolve, reject) => {
        const {resolvedRequestType: asked, resolvedResponseType: answered} = methods[name]!.resolve() as protobuf.Method
        client.makeUnaryRequest(
          `/runtime.v1.${service}/${name}`,
          (value: object) => Buffer.from(asked!.encode(asked!.fromObject(value)).finish()),
          (bytes) => inOrder(answered!.toObject(answered!.decode(bytes), EVERYTHING), answered) as Answer,
          request,
          deadlineMs === undefined ? {} : {deadline: Date.now() + deadlineMs},
          (error, answer) => (error ? reject(rpcError(error, socket)) : resolve(answer!)),
        )
      }),
    close: () => client.close(),
  }
}

const EVERYTHING = {arrays: true, defaults: true, enums: String, longs: String, objects: true} as const

/** The fields in the order of the proto file; messages that are not there are left out. */
function inOrder(value: unknown, type: protobuf.Type | protobuf.Enum | null): unknown {
  if (Array.isArray(value)) return value.map((one) => inOrder(one, type))
  if (!(type instanceof protobuf.Type) || typeof value !== 'object' || value === null) return value
  const entries = type.fieldsArray.map((field) => {
    const inner = (value as Answer)[field.name]
    return [field.name, field.map ? inner : inOrder(inner, field.resolvedType)] as const
  })
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined && inner !== null))
}

/** NOT_FOUND is NotFound; one has another spelling (grpc-go, codes/code_string.go). */
const nameOf = (code: status): string =>
  status[code]
    .toLowerCase()
    .replaceAll(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase())
    .replace('Cancelled', 'Canceled')

const DIALLING: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOENT: 'no such file or directory',
}

/** What the client library says of the connection, as grpc-go says it (internal/transport/http2_client.go). */
function rpcError({code, details}: ServiceError, socket: string): RpcError {
  const dialling = DIALLING[/connect ([A-Z]+)/u.exec(details)?.[1] ?? '']
  if (code === status.UNAVAILABLE && dialling !== undefined) {
    const reason = `transport: Error while dialing: dial unix ${socket}: connect: ${dialling}`
    return new RpcError('Unavailable', `connection error: desc = ${JSON.stringify(reason)}`)
  }

  const isBroken = code === status.UNAVAILABLE && /Connection dropped|ECONNRESET|closed/iu.test(details)
  return new RpcError(nameOf(code), isBroken ? 'error reading from server: EOF' : details)
}
