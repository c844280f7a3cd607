// The real CLI on a fresh lab machine, from nothing to a Ready node and once more: what Windows has then, and who runs.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {DoctorDocument} from '../../../src/output/doctor/doctor-document.js'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import type {StatusDocument} from '../../../src/pipeline/run/status-report.js'
import {parseRule} from '../../../src/host/firewall.js'
import {type Lab, type LabResult, openLab} from '../lab.js'
import {ask} from './ask.js'
import {type LabNode, startLabNode} from './lab-node.js'
import type {LabNodeView} from './node-view.js'

interface LogEntry {
  readonly component: string
}

const POWERSHELL_TELLS = '-all,fixme+powershell'
/** Of docs/facts.md#a-node-with-the-defaults. */
const IMAGE_PATHS = {
  flanneld: String.raw`C:\k\shawl.exe run --name flanneld --log-dir C:\k\logs\flanneld --restart --stop-timeout 4000 -- C:\k\flanneld.exe --kubeconfig-file=C:\k\kubeconfig --iface=10.0.0.5 --kube-subnet-mgr --iptables-forward-rules=false`,
  kubelet: String.raw`C:\k\kubernetes\node\bin\kubelet.exe --windows-service --config=C:\k\kubelet-config.yaml --kubeconfig=C:\k\kubeconfig --hostname-override=win-1 --node-ip=10.0.0.5 --pod-infra-container-image=kubeletwin/pause --network-plugin=cni --cni-bin-dir=C:\k\cni --cni-conf-dir=C:\k\cni\config --image-pull-progress-deadline=20m --cgroups-per-qos=false --enforce-node-allocatable= --resolv-conf= --log-dir=C:\k\logs\kubelet --logtostderr=false --v=2`,
  kubeproxy: String.raw`C:\k\kubernetes\node\bin\kube-proxy.exe --windows-service --proxy-mode=kernelspace --kubeconfig=C:\k\kubeconfig --hostname-override=win-1 --bind-address=10.0.0.5 --network-name=vxlan0 --source-vip=10.244.3.2 --cluster-cidr=10.244.0.0/16 --feature-gates=WinOverlay=true,IPv6DualStack=false --log-dir=C:\k\logs\kubeproxy --logtostderr=false --v=2`,
}

let lab: Lab
let node: LabNode
let first: LabResult
let seen: LabNodeView

const resultOf = ({stdout}: LabResult): RunResultDocument => JSON.parse(stdout) as RunResultDocument
const setup = (): Promise<LabResult> =>
  node.setup(['-BaseDir', 'c:\\k', '--json'], {env: {WINEDEBUG: POWERSHELL_TELLS}})

beforeAll(async () => {
  lab = await openLab()
  node = await startLabNode(lab)
  first = await setup()
  seen = await node.look()
})

afterAll(async () => {
  await lab.close()
})

describe('a fresh setup', () => {
  test('ends with a Ready node', async () => {
    expect(first, first.stderr).toMatchObject({code: 0})
    const {node: told, outcome, steps} = resultOf(first)
    // Steps that only wait find the node or not: who is quicker differs from run to run.
    const unchanged = steps.filter(({state}) => state !== 'changed').map(({id, state}) => `${id} ${state}`)
    const others = unchanged.filter((one) => !['node-ready in-place', 'node-registered in-place'].includes(one))
    expect({others, outcome, steps: steps.length, told}).toEqual({
      others: ['docker in-place'],
      outcome: 'done',
      steps: 19,
      told: {ip: '10.0.0.5', name: 'win-1', podCIDR: '10.244.3.0/24', ready: true},
    })
    const joined = (await node.world()).cluster.nodes.find(({name}) => name === 'win-1')
    expect(joined).toMatchObject({podCIDR: '10.244.3.0/24', ready: true, readyReason: 'KubeletReady'})
  })

  test('starts no PowerShell', () => {
    expect(first.stderr).not.toMatch(/powershell/i)
  })

  test.each(['flanneld', 'kubelet', 'kubeproxy'] as const)('registers %s, and it runs', (name) => {
    const {config, key, status} = seen.services[name]!
    const [program = '', ...rest] = IMAGE_PATHS[name].split(' ')
    expect(key['ImagePath']?.data).toBe([`"${program}"`, ...rest].join(' '))
    expect(config).toMatchObject({account: 'LocalSystem', failureFlag: true, startType: 'automatic'})
    expect(status).toMatchObject({state: 'running', win32ExitCode: 0})
  })

  test('writes files, rules and environment', async () => {
    expect(await node.machine.read('C:\\etc\\kube-flannel\\net-conf.json')).toBe(
      '{"Network":"10.244.0.0/16","Backend":{"Name":"vxlan0","Type":"vxlan","VNI":4096,"Port":4789}}\n',
    )
    expect(await node.machine.read('C:\\run\\flannel\\subnet.env')).toContain('FLANNEL_SUBNET=10.244.3.1/24')
    expect(await node.machine.read('C:\\var\\lib\\cni\\networks\\vxlan0\\10.244.3.2')).toMatch(
      /^kube-proxy\r?\nsource-vip/,
    )
    const rules = Object.values(seen.firewall).map(({data}) => parseRule(String(data)))
    expect(rules.map(({name, port, protocol}) => `${name}: ${protocol} ${port}`).sort()).toEqual([
      'k8s-win flannel VXLAN UDP 4789: UDP 4789',
      'k8s-win kube-proxy TCP 10256: TCP 10256',
      'k8s-win kubelet TCP 10250: TCP 10250',
    ])
    expect(seen.environment['KUBECONFIG']?.data).toBe('C:\\k\\kubeconfig')
  })

  test('asks the true addresses for its downloads', async () => {
    const log = await runLog()
    expect(log).toContain('https://dl.k8s.io/v1.21.5/kubernetes-node-windows-amd64.tar.gz')
    expect(log).toContain('https://10.0.0.10:6443/api/v1/nodes/win-1')
  })

  test('leaves what flanneld says in the log of the real shawl', async () => {
    const log = await node.machine.read('C:\\k\\logs\\flanneld\\shawl_for_flanneld_rCURRENT.log')
    expect(log).toContain('Attempting to create HostComputeNetwork vxlan0')
  })
})

test('the adapter has its old name under the switch, which Windows would change', async () => {
  // Linux has no names of more than 15 letters, nor with blanks: what Windows does is in docs/facts.md#virtual-switch.
  expect(seen.adapters.map(({name}) => name)).toContain('Ethernet0')
  expect((await node.world()).adapters.map(({name}) => name)).toContain('vEthernet (Ethernet0)')
})

describe('once more', () => {
  test('changes nothing and starts nothing anew', async () => {
    const again = await setup()
    expect(again, again.stderr).toMatchObject({code: 0})
    expect(resultOf(again).recap).toEqual({changed: 0, failed: 0, ok: 19, skipped: 0})
    expect(await node.look()).toEqual(seen)
  })

  test('flanneld that is killed is started again by shawl, and the node stays Ready', async () => {
    const flanneld = async (): Promise<number | undefined> => (await node.world()).services['flanneld']?.processId
    const before = await flanneld()
    const {code} = await node.machine.run({
      args: ['/F', '/PID', String(before)],
      program: 'C:\\windows\\system32\\taskkill.exe',
    })
    expect(code).toBe(0)
    await expect.poll(flanneld, {interval: 200, timeout: 90_000}).not.toBe(before)
    expect(resultOf(await setup())).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })
})

describe('asked', () => {
  test('status: everything is as setup left it', async () => {
    const {code, stderr, stdout} = await ask(node, 'status', '--json')
    const {problems, notChecked} = JSON.parse(stdout) as StatusDocument
    expect({code, problems, stderr, notChecked}).toEqual({code: 0, problems: [], stderr: '', notChecked: []})
  })

  test('doctor: nothing is wrong', async () => {
    const {code, stderr, stdout} = await ask(node, 'doctor', '--json')
    const {groups} = JSON.parse(stdout) as DoctorDocument
    const failed = groups.flatMap(({checks}) => checks).filter(({result}) => result === 'fail')
    expect({code, failed, stderr}).toEqual({code: 0, failed: [], stderr: ''})
  })

  test('logs: the words of each daemon', async () => {
    const {code, stdout} = await ask(node, 'logs', 'kubelet', 'flanneld', 'kubeproxy', '--output', 'ndjson')
    const entries = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LogEntry]))
    expect(code).toBe(0)
    expect([...new Set(entries.map(({component}) => component))].sort()).toEqual(['flanneld', 'kubelet', 'kubeproxy'])
  })

  test('logs --bundle: a file for a colleague, and nothing that could not be collected', async () => {
    const {code, stdout} = await ask(node, 'logs', '--bundle', 'C:\\support.zip', '--json')
    expect(code, stdout).toBe(0)
    expect((await node.machine.read('C:\\support.zip')).slice(0, 2)).toBe('PK')
  })
})

async function runLog(): Promise<string> {
  const {stdout} = await node.machine.linux(['sh', '-c', 'cat /lab/prefix/drive_c/k/logs/k8s-win/setup-*.log.trace'])
  return stdout
}
