// The scenarios that every way of running must agree on, for each runtime. Those of later commands join here.
import type {RuntimeName} from '../../src/config/model.js'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import {hashOf, SERVER} from '../join/joining-host.js'
import {ADMIN_FILE, type Scenario, TOKEN_FILE} from './scenario.js'

const DEFAULT = String.raw`C:\k`
const GIVEN = String.raw`C:\k\kubeconfig`
const NATIONAL = 'C:\\Kübernetes node 中文'
/** A folder that no host has: setup creates it. */
const JOINED = String.raw`C:\joined`
const JOIN = ['--server', SERVER, '--token-file', TOKEN_FILE, '--ca-cert-hash', hashOf(CLUSTER_CA)]
/** Downloads and logs under it pass the 260 letters of MAX_PATH; programs, which Windows itself must start, do not. */
const LONG = `C:\\${'deep folder '.repeat(4)}x\\${'0123456789'.repeat(5)}\\${'abcdefghij'.repeat(10)}xyz`

interface Setting {
  /** Long after the kubelet's configuration was written, long before the kubelet starts. */
  readonly busy: string
  readonly newer: string
  /** Options without which base images would be pulled while the kubelet starts, as far as they get. */
  readonly nothingBeside: readonly string[]
  /** Options of the release before. */
  readonly older: readonly string[]
}

const SETTINGS: Readonly<Record<RuntimeName, Setting>> = {
  // A pull with crictl is one effect, in the log when it has ended; then the kubelet may have started.
  containerd: {
    busy: 'win32 change startService ["containerd"]',
    newer: '1.36.4',
    nothingBeside: ['--base-images', 'none'],
    older: ['--release', '1.36.3'],
  },
  docker: {
    busy: 'images/create?fromImage=mcr.microsoft.com%2Fwindows%2Fservercore',
    newer: '1.21.14',
    nothingBeside: [],
    older: [],
  },
}

/** A base directory that is not there is made where a kubeconfig is given. */
const into = (folder: string, kubeconfig = GIVEN): string[] => ['--base-dir', folder, '--kubeconfig', kubeconfig]

const SETTINGS_OF_DAEMONS = ['--kubelet-arg', 'v=4', '--kube-proxy-arg', 'v=3', '--flanneld-arg', 'healthz-port=8471']

/** With a containerd that was there before, which k8s-win leaves. */
const PRESENT: readonly Omit<Scenario, 'runtime'>[] = [
  {
    acts: [{happens: 'containerd-installed'}, {setup: []}, {setup: []}, {reset: ['--purge']}],
    baseDir: DEFAULT,
    ends: 'done',
    name: 'a containerd of the host: set up with it, again, and taken apart',
  },
  {
    acts: [{happens: 'containerd-installed-without-cri'}, {setup: []}, {setup: ['--adopt']}, {reset: ['--purge']}],
    baseDir: DEFAULT,
    ends: 'done',
    name: 'adopts a containerd of the host that it refused, and restores it',
  },
]

export const SCENARIOS: readonly Scenario[] = (['docker', 'containerd'] as const).flatMap((runtime) =>
  [...scenariosWith(SETTINGS[runtime]), ...(runtime === 'containerd' ? PRESENT : [])].map((one) => ({
    ...one,
    name: `${runtime}: ${one.name}`,
    runtime,
  })),
)

function scenariosWith({busy, newer, nothingBeside, older}: Setting): readonly Omit<Scenario, 'runtime'>[] {
  return [
    {
      acts: [
        {setup: []},
        {setup: []},
        {happens: 'services-drifted'},
        {setup: ['--dry-run']},
        {setup: []},
        {verify: ['--kubeconfig', ADMIN_FILE]},
      ],
      baseDir: DEFAULT,
      ends: 'done',
      name: 'fresh, again, and with drifted services, first as a dry run; then verified by an administrator',
    },
    {
      acts: [{moment: {at: busy, then: {removed: String.raw`C:\k\kubelet-config.yaml`}}, setup: nothingBeside}],
      baseDir: DEFAULT,
      ends: 'SERVICE_NOT_HEALTHY',
      name: 'a daemon that dies at once: somebody tidied its configuration away while setup was busy',
    },
    {
      acts: [{moment: {at: busy, then: {setup: into(NATIONAL)}}, setup: into(NATIONAL)}],
      baseDir: NATIONAL,
      ends: 'done',
      name: 'a base directory with spaces and letters of any language, and two runs at once',
    },
    {
      acts: [{setup: into(LONG, ADMIN_FILE)}],
      baseDir: LONG,
      ends: 'done',
      name: 'long paths, by an administrator, whose identity allows the smoke test',
    },
    {
      acts: [
        {setup: [...SETTINGS_OF_DAEMONS, '--dry-run']},
        {setup: SETTINGS_OF_DAEMONS},
        {setup: []},
        {daemons: 'stop'},
        {daemons: 'stop'},
        {daemons: 'start'},
        {daemons: 'restart'},
      ],
      baseDir: DEFAULT,
      ends: 'done',
      name: 'set up with settings of the daemons, stopped, stopped again, started and restarted',
    },
    {
      acts: [{setup: []}, {reset: []}, {reset: []}, {setup: []}, {reset: ['--purge']}],
      baseDir: DEFAULT,
      ends: 'done',
      name: 'set up, taken apart, once more, set up again, and nothing left',
    },
    {
      acts: [
        {setup: ['--interface-name', 'Netz-Ä2', ...older, '--dry-run']},
        {setup: ['--interface-name', 'Netz-Ä2', ...older]},
        {by: 'upgrade', setup: ['--release', newer]},
        {setup: ['--release', newer]},
      ],
      baseDir: DEFAULT,
      ends: 'done',
      interfaceName: 'Netz-Ä2',
      name: 'an interface of another name, first as a dry run; then a newer release over running services, and again',
    },
    {
      acts: [
        {setup: ['--base-dir', JOINED, ...JOIN]},
        {setup: ['--base-dir', JOINED]},
        {reset: ['--base-dir', JOINED, '--purge', '--kubeconfig', ADMIN_FILE]},
      ],
      baseDir: JOINED,
      ends: 'done',
      name: 'joins with a token, is set up again without one, and leaves with an administrator',
    },
    {
      acts: [{moment: {at: 'win32 change startService ["kubelet"]', then: 'killed'}, setup: []}, {setup: []}],
      baseDir: DEFAULT,
      ends: 'done',
      name: 'killed while the kubelet starts, and run again',
      nodeOnly: true,
    },
    {
      acts: [
        // In the lab Ctrl-C reaches netsh too: it may end first, and its step fails before setup has the signal.
        {moment: {at: busy, then: 'interrupted'}, setup: ['--skip', 'firewall-rules']},
        {moment: {at: 'win32 change startService ["flanneld"]', then: 'killed'}, setup: []},
        {setup: []},
      ],
      baseDir: DEFAULT,
      ends: 'done',
      name: 'interrupted while setup is busy, then killed while flanneld starts, and run again',
      nodeOnly: true,
    },
  ]
}
