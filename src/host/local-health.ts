// A daemon's health address on this machine.
import type {Http} from '../machine/http.js'

const DEADLINE_MS = 5000

export async function answersWell(http: Http, url: string): Promise<boolean> {
  try {
    const request = {deadlineMs: DEADLINE_MS, effect: 'read', isProbe: true, method: 'GET', url} as const
    return (await http.request(request)).status === 200
  } catch {
    return false
  }
}
