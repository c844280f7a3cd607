// What a command reads on a node, made untrustworthy in every way: it is not read, and the command says so or refuses.
import {describe, expect, test} from 'vitest'
import {UTC_ZONE} from '../../src/logs/zone.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {runLogs} from '../../src/runs/logs/logs.js'
import {readLogsRequest} from '../../src/runs/logs/logs-request.js'
import {NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {examine, setUpNode} from '../doctor/doctor-rig.js'
import {handClock} from '../fakes/hand-clock.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import type {HostFolder} from '../steps/host-folder.js'

const BOB = 'S-1-5-21-1-2-3-1001'
const give = (host: HostFolder, path: string, sddl: string): void =>
  host.edit(({security}) => (security[`c:\\${path}`.toLowerCase()] = sddl))

type Threat = (host: HostFolder, path: string) => void

const OF_FILES: Readonly<Record<string, Threat>> = {
  'a hard link': (host, path) => host.hardLink(path, 'other-name'),
  'a link': (host, path) => {
    host.move(path, 'other-name')
    host.link(path, 'other-name')
  },
  'owned by a user': (host, path) => give(host, path, `O:${BOB}D:PAI(A;;FA;;;SY)(A;;FA;;;BA)`),
  'writable by a user': (host, path) => give(host, path, `O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FW;;;${BOB})`),
}
const OF_FOLDERS: Readonly<Record<string, Threat>> = {
  'a junction': (host, path) => {
    host.move(path, 'elsewhere')
    host.link(path, 'elsewhere')
  },
  'made by a user who may still have it open': (host, path) =>
    give(host, path, `O:${BOB}D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)`),
}

const KEYS = String.raw`var\lib\kubelet\pki`
const CERTIFICATE = `${KEYS}\\kubelet-client-current.pem`

const CASES: readonly (readonly [string, string, Threat])[] = [
  ...['k8s-win\\journal.ndjson', 'k8s-win\\node.yaml', 'kubeconfig'].flatMap((name) =>
    Object.entries(OF_FILES).map(([threat, make]) => [`k\\${name}`, threat, make] as const),
  ),
  ...['k\\k8s-win', 'k\\logs\\kubelet', KEYS].flatMap((path) =>
    Object.entries(OF_FOLDERS).map(([threat, make]) => [path, threat, make] as const),
  ),
  // A link is what the kubelet itself has there, to a file beside it.
  ...Object.entries(OF_FILES)
    .filter(([threat]) => threat !== 'a link')
    .map(([threat, make]) => [CERTIFICATE, threat, make] as const),
]

type Wrap = (machine: Machine) => Machine

/** Resolves with whether the command refused, or said what is wrong. */
const COMMANDS: Readonly<Record<string, (host: HostFolder, wrap: Wrap) => Promise<boolean>>> = {
  doctor: async (host, wrap) => (await examine(host, {wrap})).document.exitCode === 3,
  async logs(host, wrap) {
    const notes: string[] = []
    await runLogs({
      clock: handClock(),
      emit: async () => true,
      environment: {},
      machine: wrap(await openSimulator({dir: host.dir, profile: 'ws2019', readOnly: true})),
      note: (text) => void notes.push(text),
      redactor: createRedactor(),
      request: readLogsRequest([], {}, UTC_ZONE),
      signal: new AbortController().signal,
      zone: UTC_ZONE,
    })
    return notes.length > 0
  },
  reset: async (host, wrap) => (await resetOn(host.dir, {given: {yes: true}, wrap})).result.exitCode === 3,
  setup: async (host, wrap) => (await setupOn(host.dir, {}, {wrap})).result.exitCode === 3,
  status: async (host, wrap) => (await statusOn(host.dir, {wrap})).document.exitCode === 8,
}

/** Reset leaves the cluster by itself where it cannot ask, keeps logs, and goes by its defaults without node.yaml; logs need no kubeconfig. */
const SILENT: Readonly<Record<string, RegExp>> = {
  logs: /kubeconfig$|pki/,
  reset: /kubeconfig$|node\.yaml$|logs\\kubelet$|pki/,
}

describe.each(Object.keys(COMMANDS))('review S1, S5, S13: %s', (command) => {
  test.each(CASES)('does not use %s, %s', async (path, _, make) => {
    const host = await setUpNode()
    if (path.startsWith(KEYS)) {
      // In place of the kubelet's own link.
      host.remove(CERTIFICATE)
      host.put(CERTIFICATE, `${NODE_CERTIFICATE.cert}${NODE_CERTIFICATE.key}`)
    }
    make(host, path)
    const effects: Effect[] = []
    const isTold = await COMMANDS[command]?.(host, (machine) =>
      interceptMachine(machine, (effect, perform) => {
        effects.push(effect)
        return perform()
      }),
    )
    const below = `c:\\${path}`.toLowerCase()
    const read = effects.filter(({args, what}) => {
      const used = String(args[0] ?? '').toLowerCase()
      return (
        (used === below || used.startsWith(`${below}\\`)) && /^(?:append|digest|read|readChunks|readRange)$/.test(what)
      )
    })
    expect(read.map(({args, what}) => `${what} ${args[0] ?? ''}`)).toEqual([])
    if (!SILENT[command]?.test(path)) expect(isTold).toBe(true)
  })
})

test.each(['doctor', 'logs', 'status'])('%s has nothing to say of a node that was not touched', async (command) => {
  expect(await COMMANDS[command]?.(await setUpNode(), (machine) => machine)).toBe(false)
})
