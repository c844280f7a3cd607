// The health endpoint of a daemon on this host.
import {type Http, HttpError} from '../machine/http.js'

export interface DaemonHealth {
  readonly said: string
  readonly state: 'ok' | 'refused' | 'sick'
}

/** They return a word, or a few lines. */
const LARGEST_BYTES = 64 * 1024

export async function daemonHealth(
  http: Http,
  url: string,
  options: {readonly deadlineMs: number; readonly signal?: AbortSignal},
): Promise<DaemonHealth> {
  try {
    // While the daemon does not run, any account can listen on its port: nothing leads k8s-win from there to another address.
    const limits = {followRedirects: false, maxBytes: LARGEST_BYTES}
    const {status} = await http.request({...options, ...limits, effect: 'read', isProbe: true, method: 'GET', url})
    return {said: `${url} returned ${status}`, state: status === 200 ? 'ok' : 'sick'}
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return {said: `${url} does not respond (${error.code})`, state: 'refused'}
  }
}

export const answersWell = (http: Http, url: string): Promise<boolean> =>
  daemonHealth(http, url, {deadlineMs: 5000}).then(
    ({state}) => state === 'ok',
    () => false,
  )
