// Requests with the usual values, and what they fail with.
import {expect} from 'vitest'
import {HttpError} from '../../../src/machine/http.js'
import type {HttpRequest} from '../../../src/machine/http.js'

export function get(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return {deadlineMs: 5000, effect: 'read', method: 'GET', url, ...more}
}

export async function failure(promise: Promise<unknown>): Promise<HttpError> {
  const error = await promise.then(
    () => expect.unreachable('it should have failed'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(HttpError)
  return error as HttpError
}
