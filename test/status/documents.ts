// Documents of status that are the same every time: a healthy node, and one with something of everything wrong.
import {COMMON_DAEMONS} from '../../src/config/daemons.js'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'

const AT = '2026-11-15T12:00:00.000Z'

export const HEALTHY: StatusDocument = {
  baseDir: String.raw`C:\k`,
  command: 'status',
  simulated: false,
  drift: [
    {
      evidence: [String.raw`C:\k is up to date`],
      state: 'in-place',
      step: 'base-dir',
      title: 'Prepare base directory',
    },
    {
      evidence: ['kubelet is running as configured'],
      state: 'in-place',
      step: 'kubelet-service',
      title: 'Start kubelet',
    },
  ],
  durationMs: 312,
  exitCode: 0,
  finishedAt: '2026-11-15T12:00:00.312Z',
  notices: [],
  firewall: [
    {name: 'k8s-win kubelet TCP 10250', port: 10_250, protocol: 'TCP', state: 'open'},
    {name: 'k8s-win flannel VXLAN UDP 4789', port: 4789, protocol: 'UDP', state: 'open'},
  ],
  identities: [
    {
      file: String.raw`C:\k\kubeconfig`,
      usedBy: ['kubelet', 'kube-proxy', 'flanneld'],
      user: 'system:node:win-1',
      validUntil: '2027-11-15T00:00:00.000Z',
    },
  ],
  images: [
    {
      id: `sha256:${'ab'.repeat(32)}`,
      digest: `sha256:${'d'.repeat(64)}`,
      osVersion: '10.0.17763.2237',
      reference: 'mcr.microsoft.com/windows/nanoserver:1809',
      state: 'present',
    },
    {
      id: `sha256:${'cd'.repeat(32)}`,
      digest: `sha256:${'d'.repeat(64)}`,
      osVersion: '10.0.17763.2237',
      reference: 'kubeletwin/pause:latest',
      state: 'present',
    },
  ],
  network: {
    id: 'EB1418E5-80BD-421F-8273-5F5B86DF2D5A',
    managementIP: '10.0.0.5',
    name: 'vxlan0',
    port: 4789,
    present: true,
    sourceVip: '10.244.3.2',
    subnet: '10.244.3.0/24',
    subnetEnv: '10.244.3.0/24',
    type: 'Overlay',
    vni: 4096,
  },
  node: {
    addresses: ['10.0.0.5'],
    name: 'win-1',
    podCIDR: '10.244.3.0/24',
    ready: true,
    readyMessage: 'kubelet is posting ready status',
    registered: true,
    schedulable: true,
    server: 'https://10.0.0.10:6443',
    version: 'v1.21.5',
  },
  problems: [],
  programs: [
    {
      artifact: 'kubernetes',
      path: String.raw`C:\k\kubernetes\node\bin\kubelet.exe`,
      state: 'verified',
      version: '1.21.5',
    },
    {artifact: 'flanneld', path: String.raw`C:\k\flanneld.exe`, state: 'verified', version: '0.28.9'},
  ],
  release: '1.21.5',
  runtime: {apiVersion: '1.41', mode: 'windows', name: 'docker', running: true, service: 'running', version: '20.10.9'},
  schemaVersion: 1,
  services: COMMON_DAEMONS.map(({health, service: name}, index) => ({
    exitCode: 0,
    health: health ? 'ok' : 'none',
    name,
    processId: 2004 + 4 * index,
    restarts: index,
    serviceExitCode: 0,
    since: AT,
    startType: 'automatic',
    state: 'running',
  })),
  startedAt: AT,
  notChecked: [],
  verdict: 'healthy',
  warnings: [],
}

const [kubelet, ...others] = HEALTHY.services

export const SICK_DOCUMENT: StatusDocument = {
  ...HEALTHY,
  drift: [
    ...(HEALTHY.drift ?? []),
    {
      evidence: [String.raw`C:\k\cni\config\cni.conf does not exist`],
      state: 'missing',
      step: 'cni-config',
      title: 'Write cni.conf',
    },
  ],
  exitCode: 8,
  node: null,
  problems: [
    {
      area: 'services',
      id: 'SERVICE_DOWN',
      cause: 'The program exited without notifying the service manager: it crashed, or rejected its configuration.',
      command: 'k8s-win setup',
      next: 'k8s-win setup (logs: k8s-win logs kubelet)',
      seen: 'it is stopped (exit code 1067)',
      signature: 'service-error-1067',
      subject: 'kubelet',
      wanted: 'running, and started with Windows',
    },
    {
      area: 'drift',
      id: 'DRIFTED',
      cause: 'It was changed \u001B[31mor taken away\u0007 after setup; \u043A\u0442\u043E-\u0442\u043E did it.',
      command: 'k8s-win setup',
      next: 'k8s-win setup',
      seen: String.raw`C:\k\cni\config\cni.conf does not exist`,
      subject: 'cni-config',
      wanted: 'as setup left it ("Write cni.conf")',
    },
  ],
  services: [
    ...(kubelet
      ? [
          {
            ...kubelet,
            exitCode: 1067,
            health: 'not asked' as const,
            processId: 0,
            restarts: null,
            since: null,
            state: 'stopped' as const,
          },
        ]
      : []),
    ...others,
  ],
  notChecked: [
    {what: 'the node in the cluster', why: 'no response within 5 s: GET https://10.0.0.10:6443/api/v1/nodes/win-1'},
  ],
  verdict: 'degraded',
  notices: ['Kubernetes 1.36.4: the newest release this k8s-win knows; the API server is v1.37.1'],
  warnings: [String.raw`the credentials in C:\k\kubeconfig are valid only until 2026-11-20`],
}

export const ABSENT: StatusDocument = {
  ...HEALTHY,
  drift: null,
  exitCode: 9,
  firewall: null,
  identities: null,
  images: null,
  network: null,
  node: null,
  problems: [
    {
      area: 'setup',
      id: 'NO_NODE',
      cause: 'Setup was never run for this folder, or reset has removed the node.',
      command: 'k8s-win setup',
      next: 'k8s-win setup',
      seen: 'k8s-win has created nothing there',
      subject: String.raw`C:\k`,
      wanted: 'a node that was set up',
    },
  ],
  programs: null,
  runtime: null,
  services: [],
  verdict: 'not set up',
}
