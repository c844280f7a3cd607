// The health endpoint of a daemon on this host.
import {type Http, HttpError} from '../machine/http.js'

export interface DaemonHealth {
  readonly said: string
  readonly state: 'ok' | 'refused' | 'sick'
}

export async function daemonHealth(
  http: Http,
  url: string,
  options: {readonly deadlineMs: number; readonly signal?: AbortSignal},
): Promise<DaemonHealth> {
  try {
    const {status} = await http.request({...options, effect: 'read', isProbe: true, method: 'GET', url})
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
