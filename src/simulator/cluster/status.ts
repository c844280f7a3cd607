// The Status documents of the Kubernetes API.
import {json, type ModelRequest, type ModelResponse} from '../model.js'
import type {Access} from './rbac.js'

/** `reason`: the empty text for an answer without one. */
export const failure = (code: number, reason: string, message: string, details?: object): ModelResponse =>
  json(code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason && {reason}),
    ...(details && {details}),
    code,
  })

export const unauthorized = (): ModelResponse => failure(401, 'Unauthorized', 'Unauthorized')

export function forbidden(user: string, access: Access, reason = ''): ModelResponse {
  const {group, name, namespace, resource, verb} = access
  // Recorded of 1.20.2: a subresource is not part of what is forbidden, but of what cannot be done.
  const [main = ''] = resource.split('/')
  const subject = name ? `${qualified(main, group)} "${name}"` : qualified(main, group)
  const scope = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope'
  const message = `${subject} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${scope}${reason && `: ${reason}`}`
  return failure(403, 'Forbidden', message, {...(name && {name}), ...(group && {group}), kind: main})
}

const qualified = (resource: string, group: string): string => (group ? `${resource}.${group}` : resource)
const detailsOf = ({group, name}: Access, kind: string): object => ({name, ...(group && {group}), kind})

/** Refused by an admission plugin (admission.NewForbidden). */
export function notAdmitted(access: Access, reason: string): ModelResponse {
  const [main = ''] = access.resource.split('/')
  const message = `${qualified(main, access.group)} "${access.name}" is forbidden: ${reason}`
  return failure(403, 'Forbidden', message, detailsOf(access, main))
}

const about =
  (code: number, reason: string, said: string) =>
  (access: Access): ModelResponse => {
    const {group, name, resource} = access
    return failure(code, reason, `${qualified(resource, group)} "${name}" ${said}`, detailsOf(access, resource))
  }
export const notFound = about(404, 'NotFound', 'not found')
export const alreadyExists = about(409, 'AlreadyExists', 'already exists')

export const noSuchPath = (): ModelResponse =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {})

export const notAllowed = (): ModelResponse =>
  failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

/** An unknown path is forbidden, too; administrators get a list of paths. */
export const forbiddenPath = (user: string, verb: string, path: string): ModelResponse =>
  failure(403, 'Forbidden', `forbidden: User "${user}" cannot ${verb} path "${path}"`, {})

export const pathList = (paths: readonly string[]): ModelResponse => ({
  body: `${JSON.stringify({paths}, undefined, 2)}\n`,
  headers: {'content-type': 'application/json'},
  status: 404,
})

export const unsupportedType = (): ModelResponse =>
  failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})

export const badRequest = (message: string): ModelResponse => failure(400, 'BadRequest', message)

export const conflict = (message: string): ModelResponse => failure(409, 'Conflict', message)

interface Cause {
  readonly field: string
  readonly message: string
}

/** field.ErrorList, of one error. */
export function invalid(access: Access, kind: string, {field, message}: Cause): ModelResponse {
  const said = `${qualified(kind, access.group)} "${access.name}" is invalid: ${field}: ${message}`
  const causes = [{reason: 'FieldValueInvalid', message, field}]
  return failure(422, 'Invalid', said, {...detailsOf(access, kind), causes})
}

export function deleted(access: Access, uid: string): ModelResponse {
  const details = {...detailsOf(access, access.resource), uid}
  return json(200, {kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details})
}

/** Undefined where the body is not a JSON object. */
export function readBody<T extends object>({body}: ModelRequest): T | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}
