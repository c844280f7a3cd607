// A run as events, for all views: steps side by side, a download, a warning, and two ways to end.
import type {RunEvent, RunResultDocument, StepResult, TimedEvent} from '../../../src/pipeline/run/events.js'

const START = Date.parse('2026-03-01T12:00:00.000Z')

const step = (id: StepResult['id'], title: string, state: StepResult['state'], durationMs: number): StepResult => ({
  changes: state === 'changed' ? [`made ${id}`] : [],
  durationMs,
  id,
  state,
  title,
})

const baseDir = step('base-dir', String.raw`Prepare C:\k`, 'in-place', 120)
const docker = step('docker', 'Ask the Docker Engine', 'in-place', 40)
const binaries = step('kubernetes-binaries', 'Install the Kubernetes node binaries', 'changed', 93_400)

export const done: RunResultDocument = {
  changesPending: false,
  checks: [],
  command: 'setup',
  durationMs: 95_000,
  exitCode: 0,
  finishedAt: '2026-03-01T12:01:35.000Z',
  node: {ip: '10.0.0.5', name: 'win-1', podCIDR: '10.244.3.0/24', ready: true},
  outcome: 'done',
  recap: {changed: 1, failed: 0, ok: 2, skipped: 0},
  schemaVersion: 1,
  simulated: false,
  startedAt: '2026-03-01T12:00:00.000Z',
  steps: [baseDir, docker, binaries],
}

const error = {
  cause:
    'The digest of what came is not the one that was published, so nothing of it was installed: somebody may stand between this host and the server, or the file is damaged.',
  fix: 'Run the same command again; if it stays, download the file elsewhere and compare.',
  id: 'DOWNLOAD_FAILED',
  message: 'kubernetes-node-windows-amd64.tar.gz has the wrong digest',
  command: null,
  url: 'docs/errors.md#download_failed',
}

export const failed: RunResultDocument = {
  ...done,
  error,
  exitCode: 4,
  outcome: 'failed',
  recap: {changed: 0, failed: 1, ok: 2, skipped: 0},
  steps: [baseDir, docker, {...binaries, error, state: 'failed'}],
}

const opening: readonly RunEvent[] = [
  {command: 'setup', steps: [baseDir, docker, binaries].map(({id, title}) => ({id, title})), type: 'run-started'},
  {check: {durationMs: 3, id: 'admin', message: 'it is', result: 'pass', title: 'Administrator'}, type: 'check'},
  {
    check: {
      durationMs: 3,
      fix: 'Give each daemon its own.',
      id: 'identity',
      message: 'the kubeconfig belongs to system:masters, which may do everything in the cluster',
      result: 'warn',
      title: 'Identity',
    },
    type: 'check',
  },
  {id: 'base-dir', title: baseDir.title, type: 'step-started'},
  {step: baseDir, type: 'step-finished'},
  {id: 'docker', title: docker.title, type: 'step-started'},
  {id: 'kubernetes-binaries', title: binaries.title, type: 'step-started'},
  {
    current: 0,
    id: 'kubernetes-binaries',
    text: 'downloading kubernetes-node-windows-amd64.tar.gz',
    total: 91_000_000,
    type: 'progress',
  },
  {
    current: 45_500_000,
    id: 'kubernetes-binaries',
    text: 'downloading kubernetes-node-windows-amd64.tar.gz',
    total: 91_000_000,
    type: 'progress',
  },
  {
    level: 'warn',
    message: 'This network adapter was chosen because it is the only one with a default gateway: "Ethernet 2".',
    step: 'docker',
    type: 'log',
  },
]

/** A second passes between two events. */
const timed = (events: readonly RunEvent[]): TimedEvent[] =>
  events.map((event, index) => ({at: new Date(START + index * 1000).toISOString(), ...event}))

export const midway = timed(opening)
export const success = timed([
  ...opening,
  {step: docker, type: 'step-finished'},
  {step: binaries, type: 'step-finished'},
  {result: done, type: 'run-finished'},
])
export const failure = timed([
  ...opening,
  {step: docker, type: 'step-finished'},
  {step: {...binaries, error, state: 'failed'}, type: 'step-finished'},
  {result: failed, type: 'run-finished'},
])
export const planned = timed([
  ...opening.slice(0, 3),
  {id: 'base-dir', title: baseDir.title, type: 'step-started'},
  {step: baseDir, type: 'step-finished'},
  {id: 'net-conf', title: 'Write net-conf.json', type: 'step-started'},
  {
    step: {
      changes: [
        'netsh.exe advfirewall firewall add rule "name=k8s-win flannel VXLAN UDP 4789" dir=in action=allow protocol=UDP',
        [
          'replace C:\\etc\\kube-flannel\\net-conf.json',
          '@@ -1,3 +1,3 @@',
          ' {',
          '-  "VNI": 1,',
          '+  "VNI": 4096,',
          ' }',
        ].join('\n'),
      ],
      durationMs: 0,
      id: 'net-conf',
      state: 'would-change',
      title: 'Write net-conf.json',
    },
    type: 'step-finished',
  },
  {result: {...done, changesPending: true, outcome: 'planned'}, type: 'run-finished'},
])
export const NOW = START + 12_000
export const NEXT = [
  'Run the same command again: everything is in place, nothing changes.',
  'See the node from the cluster: kubectl get nodes -o wide',
]
