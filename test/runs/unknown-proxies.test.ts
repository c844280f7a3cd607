// The proxies of the machine, or that of the kubelet's kubeconfig, cannot be read: each service keeps what it has.
import {beforeAll, describe, expect, test} from 'vitest'
import {MACHINE_ENVIRONMENT} from '../../src/host/environment.js'
import {FileError} from '../../src/machine/files.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import {printedCommand} from '../../src/runs/daemons/foreground-command.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {assets} from '../fixtures/assets.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'
import {repairOn} from './watch/repair-on.js'

const PROFILE = 'ws2022-containerd'
/** The cluster is reached without it. */
const PROXIES = {HTTP_PROXY: 'http://machine:3128', NO_PROXY: '10.0.0.0/8'}
const OF_KUBECONFIG = 'http://cluster:3128'
const DAEMONS = ['containerd', 'flanneld', 'kubelet', 'kubeproxy']

let made: HostFolder
beforeAll(async () => {
  made = await HostFolder.fresh(({cluster, registry}) => {
    const values = Object.entries(PROXIES).map(([name, data]) => [name, {data, type: 'REG_SZ'}] as const)
    const key = `HKLM\\${MACHINE_ENVIRONMENT}`
    registry[key] = {...registry[key], ...Object.fromEntries(values)}
    cluster.proxy = OF_KUBECONFIG
  }, PROFILE)
  const kubeconfig = made.read(String.raw`k\kubeconfig`)
  made.put(String.raw`k\kubeconfig`, kubeconfig.replace(/( +)server: .*/, `$&\n$1proxy-url: ${OF_KUBECONFIG}`))
  expect((await setupOn(made.dir, {}, {}, PROFILE)).result).toMatchObject({exitCode: 0})
})

const refusing =
  (isIt: (effect: Effect) => boolean, refusal: (effect: Effect) => Error) =>
  (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      if (isIt(effect)) throw refusal(effect)
      return perform()
    })
const ofMachine = refusing(
  ({args, what}) => what === 'registryValue' && Object.keys(PROXIES).includes(args[2] ?? ''),
  ({what}) => new Win32Error(what, 5, 'a proxy'),
)
const ofKubeconfig = refusing(
  ({args: [path = ''], via}) => via === 'files' && /\\kubeconfig$/i.test(path),
  ({args: [path = ''], what}) => new FileError(what, path, 'EIO'),
)

const servicesOf = ({world: {registry, services}}: HostFolder) =>
  Object.fromEntries(
    DAEMONS.map((name) => {
      const {Environment} = registry[String.raw`HKLM\SYSTEM\CurrentControlSet\Services` + `\\${name}`] ?? {}
      return [name, {environment: Environment?.data, processId: services[name]?.processId}]
    }),
  )

test('the services have them', () => {
  const {flanneld, kubelet} = servicesOf(made)
  expect(flanneld?.environment).toContain(`HTTP_PROXY=${PROXIES.HTTP_PROXY}`)
  expect(kubelet?.environment).toEqual(
    expect.arrayContaining([`HTTP_PROXY=${PROXIES.HTTP_PROXY}`, `HTTPS_PROXY=${OF_KUBECONFIG}`]),
  )
})

describe.each([
  ['those of the machine', ofMachine],
  ['that of the kubeconfig', ofKubeconfig],
])('%s', (_, wrap) => {
  test.each([
    ['recover', (host: HostFolder) => recoverOn(host.dir, {wrap})],
    ['a repair by the service', (host: HostFolder) => repairOn(host.dir, {wrap})],
    ['setup', (host: HostFolder) => setupOn(host.dir, {}, {wrap}, PROFILE)],
  ])('%s changes no service', async (_, run) => {
    const host = made.copy()
    await run(host)
    expect(servicesOf(host)).toEqual(servicesOf(made))
  })

  test('a dry run of recover plans nothing for the services', async () => {
    const {result} = await recoverOn(made.copy().dir, {dryRun: true, wrap})
    expect(result.steps.filter(({id}) => id.endsWith('-service')).flatMap(({changes}) => changes)).toEqual([])
  })

  test('status calls no service changed', async () => {
    const {document} = await statusOn(made.dir, {profile: PROFILE, wrap})
    const drifted = (document.drift ?? []).filter(({state}) => state === 'drifted').map(({step}) => step)
    // kube-proxy's own lists are asked with the same kubeconfig.
    expect(drifted.filter((step) => step !== 'kubeproxy-service')).toEqual([])
  })
})

test('recover repairs the rest', async () => {
  const host = made.copy()
  host.edit(({services}) => {
    const entry = services['kubelet']
    if (entry) Object.assign(entry, {exitCode: 1067, processId: 0, stage: '', state: 'stopped'})
  })
  const {result} = await recoverOn(host.dir, {wrap: ofMachine})
  expect(result).toMatchObject({exitCode: 0})
  const {kubelet, ...others} = servicesOf(host)
  const {kubelet: before, ...same} = servicesOf(made)
  expect(others).toEqual(same)
  expect(kubelet?.environment).toEqual(before?.environment)
})

test('a daemon in the foreground has those of its service', async () => {
  const print = async (wrap = (machine: Machine) => machine) => {
    const machine = wrap(await openSimulator({dir: made.dir, profile: PROFILE, readOnly: true}))
    const signal = new AbortController().signal
    return printedCommand({assets, environment: {}, machine, signal}, 'kubelet', [])
  }
  const known = await print()
  expect(known.environment).toMatchObject({HTTPS_PROXY: OF_KUBECONFIG, HTTP_PROXY: PROXIES.HTTP_PROXY})
  expect(await print(ofMachine)).toEqual(known)
})
