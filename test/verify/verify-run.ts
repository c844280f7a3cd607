// verify in this process on a simulated host, with a machine of the test's own around the simulated one.
import type {Machine} from '../../src/machine/machine.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus, type RunResultDocument, type TimedEvent} from '../../src/pipeline/run/events.js'
import {runVerify} from '../../src/runs/verify/verify.js'
import {ADMIN_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {assets} from '../fixtures/assets.js'
import {type HostFolder, profileOf} from '../steps/host-folder.js'

/** Below C:\. */
export const ADMIN_FILE = 'admin.conf'

export const ALL = ['smoke-dns', 'smoke-service', 'smoke-pods']
export const all = (result: string): Record<string, string> => Object.fromEntries(ALL.map((id) => [id, result]))

export interface VerifySetting {
  /** An administrator's by default; undefined is the node's own. */
  readonly kubeconfig?: string | undefined
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  wrap?(machine: Machine): Machine
}

export interface VerifyEnd {
  /** result, "not checked" or undefined by ID. */
  readonly checks: Readonly<Record<string, string>>
  readonly events: readonly TimedEvent[]
  readonly result: RunResultDocument
}

export async function verifyOn(host: HostFolder, setting: VerifySetting = {}): Promise<VerifyEnd> {
  const {signal = new AbortController().signal, timeoutMs = 600_000, wrap} = setting
  const kubeconfig = 'kubeconfig' in setting ? setting.kubeconfig : `C:\\${ADMIN_FILE}`
  if (!host.has(ADMIN_FILE)) host.put(ADMIN_FILE, makeKubeconfig(host.world.cluster.serverURL, ADMIN_CERTIFICATE))
  const simulated = await openSimulator({dir: host.dir, profile: profileOf(host.dir)})
  const bus = new EventBus(() => simulated.clock.now())
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const result = await runVerify({
    assets,
    bus,
    environment: {},
    kubeconfig,
    machine: wrap?.(simulated) ?? simulated,
    redactor: createRedactor(),
    signal,
    timeoutMs,
  })
  return {checks: checksOf(result), events, result}
}

export const checksOf = ({checks}: RunResultDocument): Record<string, string> =>
  Object.fromEntries(
    checks
      .filter(({id}) => id.startsWith('smoke-'))
      .map(({id, result}) => [id, result === 'not-checked' ? 'not checked' : result]),
  )

/** What the cluster has of the test's pods. */
export const podsLeft = ({world}: HostFolder): string[] =>
  (world.cluster.pods ?? []).flatMap(({deletedAt, name}) =>
    name.startsWith('k8s-win-verify-') && deletedAt === undefined ? [name] : [],
  )

/** How often a pod was asked for. */
export const creations = (host: HostFolder): number =>
  host.transcript.filter(({what}) => /^POST .*\/pods$/.test(what)).length
