// A daemon reads its files when it starts. The mark of what it must have read stands in its service's environment, so
// that a changed file shows as a changed service, which is then restarted, also after a killed run.
import {createHash} from 'node:crypto'

export function configurationMark(...inputs: readonly string[]): {readonly K8S_WIN_CONFIGURATION: string} {
  const hash = createHash('sha256').update(JSON.stringify(inputs)).digest('hex')
  return {K8S_WIN_CONFIGURATION: hash.slice(0, 16)}
}
