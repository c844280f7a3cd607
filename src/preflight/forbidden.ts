// Questions an identity need not be allowed to ask: a refusal is no problem of the host.
import {K8sWinError} from '../errors/k8s-win-error.js'

/** Undefined where the API server forbids it. */
export async function unlessForbidden<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof K8sWinError && error.id === 'API_SERVER_FORBIDS') return undefined
    throw error
  }
}
