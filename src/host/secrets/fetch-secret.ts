// Fetches a secret with the identity of this virtual machine, and waits for what is not ready minutes after its start.
import {type CloudName, SECRET_SERVICES, type SecretService, type SecretSource} from '../../config/model.js'
import {secretForm} from '../../config/options/secret-source.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {
  secretDenied,
  secretHostUntrusted,
  secretIdentityMissing,
  secretNotFound,
  secretOtherCloud,
  secretUnreachable,
  secretUnusable,
} from '../../errors/secrets.js'
import {jittered} from '../../machine/clock.js'
import {cloudByFirmware} from '../cloud.js'
import type {Hardware} from '../condition.js'
import {at, parseJson} from '../document.js'
import {type Asking, LARGEST_SECRET, NoSecret, type SecretStore} from './ask.js'
import {aws} from './aws.js'
import {azure} from './azure.js'
import {gcp} from './gcp.js'

/**
 * Roles and managed identities are assigned while the machine starts already, and Azure takes up to 10 minutes to make a new
 * assignment known (learn.microsoft.com, "Troubleshoot Azure RBAC"): until then what was allowed is denied.
 */
const PATIENCE_MS = 600_000
const FIRST_PAUSE_MS = 2000
const LONGEST_PAUSE_MS = 30_000

const STORES: Readonly<Record<SecretService, SecretStore>> = {
  'aws-sm': aws,
  'aws-ssm': aws,
  'azure-kv': azure,
  'gcp-sm': gcp,
}

/** Whose virtual machines have an identity for it. */
const CLOUDS: Readonly<Record<SecretService, CloudName>> = {
  'aws-sm': 'aws',
  'aws-ssm': 'aws',
  'azure-kv': 'azure',
  'gcp-sm': 'gce',
}

/** What can never be fetched is not waited for. */
export function demandOwnCloud(hardware: Hardware, {service, text: source}: SecretSource): void {
  const cloud = cloudByFirmware(hardware)
  if (cloud === undefined || cloud === CLOUDS[service]) return
  const own = SECRET_SERVICES.filter((one) => CLOUDS[one] === cloud)
  throw secretOtherCloud({cloud, forms: own.map(secretForm).join(' or '), source})
}

export interface Fetching extends Asking {
  /** What is waited for, as the end of a sentence. */
  readonly inform: (message: string) => void
}

/** Rejects with an error of the catalogue, or with the signal's reason. */
export async function fetchSecret(fetching: Fetching, source: SecretSource, endpoint?: string): Promise<string> {
  const {clock, inform, register, signal} = fetching
  // Not by the time of day: the clock of a machine that has just started may still be set.
  const patience = clock.deadline(PATIENCE_MS)
  let [hasExpired, said] = [false, '']
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const stored = await STORES[source.service].fetch(fetching, source, endpoint)
        // A byte order mark, which is no JSON.
        const secret = stored.replace(/^\uFEFF/, '')
        if (secret.length > LARGEST_SECRET)
          throw new NoSecret('unusable', `It has more than ${LARGEST_SECRET} characters.`)
        register(secret)
        return memberOf(fetching, secret, source)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof NoSecret)) throw error
        const {afterMs = 0, lack, message} = error
        const isPassing = ['busy', 'denied', 'unready'].includes(lack) || (lack === 'expired' && !hasExpired)
        if (!isPassing || afterMs > PATIENCE_MS || patience.signal.aborted) throw errorOf(error, source)
        if (message !== said) inform(`${source.text}: ${message}`)
        said = message
        hasExpired ||= lack === 'expired'
        const pause = clock.sleep(
          jittered(clock, Math.max(pauseMs, afterMs)),
          AbortSignal.any([signal, patience.signal]),
        )
        // At the end of the patience it is asked for the last time.
        await pause.catch(() => signal.throwIfAborted())
      }
    }
  } finally {
    patience.cancel()
  }
}

function memberOf({register}: Asking, secret: string, {key}: SecretSource): string {
  if (key === undefined) return secret
  const member = at(parseJson(secret), key)
  if (typeof member !== 'string') throw new NoSecret('unusable', `It is not a JSON object with a text "${key}".`)
  register(member)
  return member
}

function errorOf(cause: NoSecret, {service, text: source}: SecretSource): K8sWinError {
  const {lack, message: reason} = cause
  const {identity, permission} = STORES[service]
  const waited = `${PATIENCE_MS / 60_000} minutes`
  if (lack === 'busy' || lack === 'expired') return secretUnreachable({reason, source}, {cause})
  if (lack === 'unready') return secretIdentityMissing({identity, reason, source, waited}, {cause})
  if (lack === 'untrusted') return secretHostUntrusted({host: reason, source}, {cause})
  if (lack === 'missing') return secretNotFound({reason, source}, {cause})
  if (lack === 'unusable') return secretUnusable({reason, source}, {cause})
  return secretDenied({permission, reason, source, waited}, {cause})
}
