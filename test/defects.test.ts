// The fifteen defects of the original script (docs/facts.md#the-original-script), each a test named after it: what was built does not have it.
import {readFile} from 'node:fs/promises'
import ts from 'typescript'
import {expect, test} from 'vitest'
import {FIREWALL_RULES} from '../src/components/firewall-rules.js'
import {baseImages, tagsOf} from '../src/components/images.js'
import {COMMON_DAEMONS, logsOf} from '../src/config/daemons.js'
import {NET_CONF} from '../src/config/layout.js'
import {FLANNELD, KUBE_PROXY, KUBELET} from '../src/config/model.js'
import * as bytes from '../src/errors/downloads-and-images.js'
import * as clusterErrors from '../src/errors/cluster.js'
import * as health from '../src/errors/health.js'
import * as hostErrors from '../src/errors/host.js'
import * as windows from '../src/errors/windows.js'
import {isInPlan, type Step} from '../src/pipeline/run/step.js'
import {CHECKS} from '../src/preflight/index.js'
import {ADMIN_CERTIFICATE} from '../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../src/simulator/cluster/kubeconfig.js'
import type {World} from '../src/simulator/world.js'
import {flannelBinary} from '../src/steps/binaries.js'
import {firewallRules} from '../src/steps/firewall-rules.js'
import {STEPS} from '../src/steps/index.js'
import {kubeletServiceStep} from '../src/steps/services/kubelet-service.js'
import {exampleNode} from './components/example.js'
import {SimulatedHost} from './setup/simulated-host.js'
import {HostFolder} from './steps/host-folder.js'
import {Rig} from './steps/rig.js'
import {removeStep} from '../src/pipeline/owned/kinds.js'

/** A node that was set up in this process. */
async function readyRig(options?: Parameters<typeof Rig.open>[0]): Promise<Rig> {
  const rig = await Rig.open(options)
  expect((await rig.runAll()).error).toBeUndefined()
  return rig
}

const text = async (rig: Rig, path: string): Promise<string> => String(await rig.machine.files.read(path))

test('defect 1: net-conf.json is written once, to the path flanneld reads, with the network asked for', async () => {
  const clusterCIDR = '10.200.0.0/16'
  const sicken = ({cluster}: World): void => void (cluster.clusterCIDR = clusterCIDR)
  const rig = await readyRig({given: {'cluster-cidr': clusterCIDR}, sicken})
  const written = rig.changes.filter(({args, what}) => what === 'write' && args[0]?.includes('net-conf'))
  expect(written.map(({args}) => args[0])).toEqual([NET_CONF])
  expect(JSON.parse(await text(rig, NET_CONF))).toMatchObject({Network: clusterCIDR})
})

test('defect 2: the source VIP is looked up before it is added: a second run keeps it', async () => {
  const rig = await readyRig()
  const again = await rig.reopen()
  await again.runAll()
  expect(again.effects.filter(({via}) => via === 'run')).toEqual([])
  expect(again.world.services.kubeproxy?.config.imagePath).toContain('--source-vip=10.244.3.2 ')
  expect(await rig.machine.files.list(String.raw`C:\var\lib\cni\networks\vxlan0`)).toContain('10.244.3.2')
})

test('defect 3: a second run does not fail half-way: it finds everything in place', async () => {
  const rig = await readyRig()
  const again = await rig.reopen()
  const {error, results} = await again.runAll()
  expect({changes: again.changes, error}).toEqual({changes: [], error: undefined})
  expect(new Set(results.map(({state}) => state))).toEqual(new Set(['in-place']))
})

test('defect 4: no failure ends with exit code 0', async () => {
  const all = [bytes, clusterErrors, health, hostErrors, windows].flatMap(
    (page) => Object.values(page) as {exitCode: number}[],
  )
  expect(all.filter(({exitCode}) => exitCode === 0)).toEqual([])
  const host = await SimulatedHost.make()
  host.remove(String.raw`k\kubeconfig`)
  expect((await host.setup()).code).toBe(3)
})

test('defect 5: a daemon that dies comes again, by the service manager or by shawl', async () => {
  const rig = await readyRig()
  for (const name of ['kubelet', 'kubeproxy', 'flanneld']) {
    const {process, processId = 0} = rig.world.services[name] ?? {}
    const dies = String(process?.childProcessId ?? processId)
    const taskkill = String.raw`C:\Windows\System32\taskkill.exe`
    const killed = await rig.machine.run(taskkill, ['/F', '/PID', dies], {deadlineMs: 9000, effect: 'change'})
    expect(killed.exitCode).toBe(0)
    await rig.machine.clock.sleep(15_000)
    const after = rig.world.services[name]
    expect({restarts: after?.restarts, state: after?.state}).toEqual({restarts: 1, state: 'running'})
  }
})

test('defect 6: an undefined variable does not compile, and all checks of the sources run with the tests', async () => {
  const {config} = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as {config: unknown}
  const {options} = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const source = ts.createSourceFile('x.ts', 'export const logs = `${KubeProxyLogDir}`', ts.ScriptTarget.ES2022)
  const compiler = ts.createCompilerHost(options)
  compiler.getSourceFile = (name) => (name === 'x.ts' ? source : undefined)
  const program = ts.createProgram(['x.ts'], {...options, noLib: true, types: []}, compiler)
  expect(program.getSemanticDiagnostics(source).map(({code}) => code)).toEqual([2304])
  const {scripts} = JSON.parse(await readFile('package.json', 'utf8')) as {scripts: Record<string, string>}
  expect(scripts.test).toContain('npm run check')
  expect(scripts.check).toBe('node check.mjs')
  const checks = await readFile('check.mjs', 'utf8')
  for (const check of ['typecheck', 'lint', 'unused']) expect(checks).toContain(`'${check}'`)
})

test('defect 7: Running at first sight is not enough: a daemon that dies a second later is an error', async () => {
  const rig = await Rig.open()
  await rig.runBefore('kubelet-service')
  await rig.machine.files.remove(String.raw`C:\k\client-ca.crt`)
  expect((await rig.run(kubeletServiceStep)).error).toMatchObject({exitCode: 6, id: 'SERVICE_NOT_HEALTHY'})
})

test('defect 8: daemons come to rest before their networks go, and nothing of k8s-win is left', async () => {
  const rig = await readyRig()
  const down = await rig.reopen()
  const each = async (pass: (step: Step) => Promise<void> | undefined): Promise<void> => {
    for (const step of STEPS.filter((one) => isInPlan(one, down.config)).toReversed()) await pass(step)
  }
  await each((step) => step.stop?.(down.context))
  await each((step) => removeStep(step, down.context))

  const done = down.changes.map(({args, what}) => [what, ...args].join(' '))
  const networkGone = done.findIndex((line) => line.startsWith('hnsCall DELETE /networks/'))
  const stopped = done.findLastIndex((line) => line.startsWith('stopService'))
  expect(stopped).toBeGreaterThanOrEqual(0)
  expect(networkGone).toBeGreaterThan(stopped)
  const {environment, firewall, hns, services} = down.world
  expect({firewall, policyLists: hns.policyLists}).toEqual({firewall: {}, policyLists: []})
  expect(hns.networks.map(({Name}) => Name)).toEqual(['nat'])
  expect(Object.keys(services).filter((name) => [KUBELET, FLANNELD, KUBE_PROXY].includes(name))).toEqual([])
  expect(
    Object.entries(environment).filter(([name, value]) => name === 'KUBECONFIG' || value.includes('C:\\k')),
  ).toEqual([])
  expect(await down.machine.files.status(String.raw`C:\etc\kube-flannel`)).toBeUndefined()
  expect(await down.context.host.ipam.find('vxlan0')).toBeUndefined()
})

test('defect 9: a firewall rule is removed by its name, and is gone', async () => {
  const rig = await Rig.open()
  await rig.run(firewallRules)
  expect(Object.keys(rig.world.firewall).sort()).toEqual(FIREWALL_RULES.map(({name}) => name).sort())
  const again = await rig.reopen()
  await removeStep(firewallRules, again.context)
  expect(again.world.firewall).toEqual({})
})

test('defect 10: a file that is there is not done: one cut short is fetched again and verified', async () => {
  const rig = await readyRig()
  const cut = String.raw`C:\k\flanneld.exe`
  const whole = await text(rig, cut)
  // As it lies on the drive: no one could write the file of a program that runs.
  new HostFolder(rig.dir).put(String.raw`k\flanneld.exe`, whole.slice(0, 9))
  const again = await rig.reopen()
  await again.run(flannelBinary)
  expect(await text(again, cut)).toBe(whole)
})

test('defect 11: a kubeconfig of system:masters is warned about, and each daemon can have its own', async () => {
  const host = await SimulatedHost.make()
  host.put(String.raw`admin\kubeconfig`, makeKubeconfig('https://10.0.0.10:6443', ADMIN_CERTIFICATE))
  const {code, result} = await host.setupJson('--flanneld-kubeconfig', String.raw`c:\admin\kubeconfig`)
  expect(code).toBe(0)
  // A process has the clock of this computer: the support of 1.21 has ended.
  const others = ['flannel-daemonset', 'release-windows']
  const warned = result.checks.filter(({id, result: verdict}) => verdict === 'warn' && !others.includes(id))
  expect(warned.map(({message}) => message)).toEqual([
    'flanneld would have cluster administrator rights (system:masters)',
  ])
  expect(host.world.services.flanneld?.config.imagePath).toContain(String.raw`=C:\k\flanneld.kubeconfig`)
  expect(host.world.services.kubelet?.config.imagePath).toContain(String.raw`--kubeconfig=C:\k\kubeconfig `)
})

test('defect 12: the log folder of a daemon has the name of its service', () => {
  expect(COMMON_DAEMONS.map((daemon) => logsOf(exampleNode(), daemon))).toEqual(
    [KUBELET, FLANNELD, KUBE_PROXY].map((name) => String.raw`C:\k\logs` + `\\${name}`),
  )
})

test('defect 13: the image tags come from the build of Windows, and are no old patch level', async () => {
  const {config} = await Rig.open()
  expect(Object.values(baseImages(config)).map(({reference}) => reference.split(':')[1])).toEqual(['1809', 'ltsc2019'])
  expect(tagsOf(20_348)).toMatchObject({nanoserver: 'ltsc2022', servercore: 'ltsc2022'})
})

test('defect 14: another adapter name than Ethernet0 and two addresses on it do not break it', async () => {
  const addresses = ['10.0.0.5', '10.0.0.6'].map((address) => ({address, prefixLength: 24}))
  for (const name of ['Ethernet', 'Ethernet0 2']) {
    const rig = await Rig.open({
      sicken: (world) =>
        (world.adapters = world.adapters.map((one) => (one.name === 'Ethernet0' ? {...one, addresses, name} : one))),
    })
    expect(rig.config).toMatchObject({adapterName: name, nodeIP: '10.0.0.5'})
  }
})

test('defect 15: rights, build and features are checked before anything is changed, and all is reported at once', async () => {
  expect(CHECKS.map(({id}) => id)).toEqual(
    expect.arrayContaining(['administrator', 'windows-version', 'docker', 'ports']),
  )
  const host = await SimulatedHost.make((world) => {
    world.os.administrator = false
    world.docker.mode = 'linux'
    world.os.build = 14_393
  })
  const before = host.state
  const {code, result} = await host.setupJson()
  expect(code).toBe(3)
  const ids = new Set(result.errors?.map(({id}) => id))
  expect(ids).toEqual(new Set(['NOT_ADMINISTRATOR', 'WINDOWS_UNSUPPORTED', 'DOCKER_LINUX_MODE']))
  expect(host.state).toEqual(before)
})
