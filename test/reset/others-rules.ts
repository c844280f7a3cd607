// How others take a node apart, as their published scripts do it, over the same machine: negative controls, which show
// that the proof can fail. microsoft/SDN: Kubernetes/flannel/l2bridge/reset.ps1; rancher/rke2: bundle/bin/rke2-uninstall.ps1;
// the original script: docs/facts.md#the-original-script.
import {openDocker} from '../../src/host/docker/docker.js'
import type {Machine} from '../../src/machine/machine.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {HostPlace} from '../steps/host-folder.js'

const PIPE = String.raw`\\.\pipe\docker_engine`
const WHOLE_FOLDERS = ['C:\\usr', 'C:\\etc', 'C:\\run', 'C:\\var']

export type OthersReset = (machine: Machine) => Promise<void>

interface HnsObject {
  readonly ID: string
  readonly Name?: string
}

async function hnsObjects({win32}: Machine, kind: string): Promise<HnsObject[]> {
  const {response} = await win32.hnsCall('GET', `/${kind}/`, '')
  return (JSON.parse(response) as {Output?: HnsObject[]}).Output ?? []
}

async function removeAll(machine: Machine, kind: string, isMeant: (one: HnsObject) => boolean): Promise<void> {
  for (const one of (await hnsObjects(machine, kind)).filter(isMeant)) {
    await machine.win32.hnsCall('DELETE', `/${kind}/${one.ID}`, '')
  }
}

async function removeContainers({http}: Machine): Promise<void> {
  const {apiVersion} = await openDocker(http, PIPE).version()
  const request = {deadlineMs: 30_000, pipe: PIPE} as const
  const base = `http://docker/v${apiVersion}/containers`
  const listed = await http.request({...request, effect: 'read', method: 'GET', url: `${base}/json?all=1`})
  for (const {Id: id} of JSON.parse(listed.body.toString('utf8')) as {Id: string}[]) {
    await http.request({...request, effect: 'change', method: 'DELETE', url: `${base}/${id}?force=true`})
  }
}

/** Theirs are called as k8s-win's are. */
async function removeServices({clock, win32}: Machine): Promise<void> {
  for (const name of ['kubeproxy', 'flanneld', 'kubelet']) {
    if (!(await win32.queryServiceStatus(name))) continue
    await win32.stopService(name).catch(() => {})
    await clock.sleep(60_000)
    await win32.deleteService(name)
  }
}

export const OTHERS: Readonly<Record<string, OthersReset>> = {
  async 'microsoft/SDN'(machine) {
    await removeServices(machine)
    await removeContainers(machine)
    await removeAll(machine, 'endpoints', () => true)
    await removeAll(machine, 'networks', ({Name: name}) => name === 'vxlan0')
    for (const folder of WHOLE_FOLDERS) await machine.files.remove(folder)
  },
  async 'rancher/rke2'(machine) {
    await removeServices(machine)
    for (const folder of WHOLE_FOLDERS) await machine.files.remove(folder)
    const names = new Set(['Calico', 'External', 'flannel.4096', 'nat', 'vxlan0'])
    await removeAll(machine, 'networks', ({Name: name = ''}) => names.has(name))
    await removeAll(machine, 'policylists', () => true)
    await removeAll(machine, 'endpoints', () => true)
  },
  /** Networks while the daemons still run, every container on the host, and half of what it made stays. */
  async 'the original script'(machine) {
    await removeContainers(machine)
    await removeAll(machine, 'networks', ({Name: name}) => name === 'vxlan0' || name === 'External')
    await machine.files.remove(String.raw`C:\etc\kube-flannel`)
    await removeServices(machine)
  },
}

export async function resetAsOthers(dir: HostPlace, rules: OthersReset): Promise<void> {
  await rules(await openSimulator({dir, profile: 'ws2019'}))
}
