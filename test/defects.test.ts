// The defects of the original script (facts.md a), each a test named after it, as far as they show without a host.
import {readFile} from 'node:fs/promises'

import ts from 'typescript'
import {describe, expect, it} from 'vitest'

import {fetchArtifact} from '../src/artifacts/fetch.js'
import {FIREWALL_RULES} from '../src/components/firewall.js'
import {FLANNELD, flanneldLogs, flanneldService} from '../src/components/flanneld.js'
import {tagsOf} from '../src/components/images.js'
import {KUBE_PROXY, kubeProxyLogs, kubeProxyService} from '../src/components/kube-proxy.js'
import {KUBELET, kubeletLogs, kubeletService} from '../src/components/kubelet.js'
import {IPAM_STORE, NET_CONF} from '../src/config/layout.js'
import * as bytes from '../src/errors/bytes.js'
import * as health from '../src/errors/health.js'
import * as hostErrors from '../src/errors/host.js'
import * as windows from '../src/errors/windows.js'
import {openFirewall} from '../src/host/firewall.js'
import type {Host} from '../src/host/host.js'
import {openIpam} from '../src/host/ipam.js'
import {openServices} from '../src/host/services.js'
import type {Http} from '../src/machine/http.js'
import type {RegistryValue, Win32} from '../src/machine/win32.js'
import {openJournal} from '../src/pipeline/journal.js'
import type {StepContext} from '../src/pipeline/step.js'
import {clusterAdministrator} from '../src/preflight/cluster-checks.js'
import type {HostFacts} from '../src/preflight/facts.js'
import {administrator, windowsVersion} from '../src/preflight/host-checks.js'
import {CHECKS} from '../src/preflight/index.js'
import {chooseInterface} from '../src/preflight/interface.js'
import {ADMIN_CERTIFICATE, NODE_CERTIFICATE} from '../src/simulator/cluster/certificates.js'
import {netConfStep} from '../src/steps/net-conf.js'
import {sourceVip} from '../src/steps/source-vip.js'
import {exampleNode} from './components/example.js'
import {handClock} from './fakes/hand-clock.js'
import {memoryFiles} from './fakes/memory-files.js'
import {only} from './fakes/partial.js'
import {serviceManager} from './fakes/service-manager.js'

const {signal} = new AbortController()
const SILENT = {changed: () => {}, progress: () => {}, warn: () => {}}

async function contextOf(host: Partial<Host>, given = {}): Promise<StepContext> {
  const journal = await openJournal(memoryFiles(), String.raw`C:\k\journal`, () => 0)
  return {...SILENT, config: exampleNode(given), host: only<Host>('host', host), journal, signal}
}

describe('defect', () => {
  it('1: net-conf.json is written once, with our network, where flanneld reads it', async () => {
    const files = memoryFiles()
    const context = await contextOf({files}, {'cluster-cidr': '10.200.0.0/16'})
    await netConfStep.apply(context)
    expect(Object.keys(files.contents())).toEqual([NET_CONF])
    expect(JSON.parse(String(await files.read(NET_CONF)))).toMatchObject({Network: '10.200.0.0/16'})
  })

  it('2: the source VIP is looked up before it is added, so that a second run adds none', async () => {
    const files = memoryFiles()
    const asked: string[] = []
    const ipam = openIpam(
      files,
      async (_program, _args, {env}) => {
        asked.push(String(env?.CNI_COMMAND))
        const store = `${IPAM_STORE}\\vxlan0`
        if (env?.CNI_COMMAND === 'DEL') await files.remove(store)
        else if ((await files.list(store)).length > 0)
          return {durationMs: 1, exitCode: 1, stderr: '', stdout: 'duplicate'}
        await files.makeDirectory(store)
        if (env?.CNI_COMMAND === 'ADD') await files.write(`${store}\\10.244.3.2`, 'kube-proxy\r\nsource-vip')
        return {durationMs: 1, exitCode: 0, stderr: '', stdout: '{"ips":[{"address":"10.244.3.2/24"}]}'}
      },
      String.raw`C:\k\cni\host-local.exe`,
    )
    const network = {
      ID: '1',
      Name: 'vxlan0',
      Subnets: [{AddressPrefix: '10.244.3.0/24', GatewayAddress: ''}],
      Type: 'Overlay',
    }
    const context = await contextOf({files, hns: only<Host['hns']>('hns', {network: async () => network}), ipam})
    await sourceVip.apply(context)
    expect((await sourceVip.inspect(context)).state).toBe('in-place')
    await sourceVip.apply(context)
    expect(asked).toEqual(['ADD', 'DEL', 'ADD'])
  })

  it('4: no failure ends with exit code 0', () => {
    const all = [bytes, health, hostErrors, windows].flatMap((page) => Object.values(page) as {exitCode: number}[])
    expect(all.filter(({exitCode}) => exitCode === 0)).toEqual([])
  })

  it('5: a daemon that dies is started again: failure actions, the failure flag, and shawl --restart', async () => {
    const node = exampleNode()
    const {services, win32} = serviceManager()
    const host = openServices(win32, handClock())
    for (const spec of [kubeletService(node), flanneldService(node), kubeProxyService(node, '10.244.3.2')]) {
      await host.ensure(spec, signal)
      const config = services.get(spec.name)?.config
      expect(config?.failureFlag).toBe(true)
      expect(config?.failureActions.restartDelaysMs.length).toBeGreaterThan(0)
    }

    expect(flanneldService(node).command).toContain('--restart')
  })

  it('6: an undefined variable does not compile, and every check of the sources runs with the tests', async () => {
    const read = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path))
    const {options} = ts.parseJsonConfigFileContent(read.config, ts.sys, '.')
    const source = ts.createSourceFile('x.ts', 'export const logs = `${KubeProxyLogDir}`', ts.ScriptTarget.ES2022)
    const host = {
      ...ts.createCompilerHost(options),
      getSourceFile: (name: string) => (name === 'x.ts' ? source : undefined),
    }
    const program = ts.createProgram(['x.ts'], {...options, noLib: true, types: []}, host)
    expect(program.getSemanticDiagnostics(source).map(({code}) => code)).toEqual([2304])
    const {scripts} = JSON.parse(await readFile('package.json', 'utf8')) as {scripts: Record<string, string>}
    expect(scripts.test).toContain('npm run check')
    for (const check of ['typecheck', 'lint', 'unused']) expect(scripts.check).toContain(`npm run ${check}`)
  })

  it('9: a firewall rule is removed by its name, and is gone', async () => {
    const rule = FIREWALL_RULES[0]
    const values: Record<string, RegistryValue> = {'{1}': {data: `v2.29|Name=${rule?.name}|`, type: 'REG_SZ'}}
    const firewall = openFirewall(
      async (_program, args) => {
        expect(args.at(-1)).toBe(`name=${rule?.name}`)
        delete values['{1}']
        return {durationMs: 1, exitCode: 0, stderr: '', stdout: ''}
      },
      only<Win32>('win32', {registryValues: async () => values}),
    )
    await firewall.remove(String(rule?.name))
    expect(await firewall.find(String(rule?.name))).toEqual([])
  })

  it('10: a file that is there is not done: cut short it is fetched again, wrong it is refused', async () => {
    const path = String.raw`C:\k\downloads\flanneld.exe`
    const files = memoryFiles({[path]: 'cut'})
    const digest = {algorithm: 'sha256', hex: await files.digest(path, 'sha256'), source: 'a pin'} as const
    await files.write(path, 'cu')
    const fetched = (body: string) =>
      fetchArtifact(
        {digest, fileName: 'flanneld.exe', id: 'flanneld', url: 'https://example.com/flanneld.exe', version: '1'},
        {
          files,
          folder: String.raw`C:\k\downloads`,
          http: only<Http>('http', {
            async download({to}) {
              await files.write(to, body)
              return {bytes: 1, sha256: '', sha512: '', status: 200}
            },
          }),
          onProgress: () => {},
          signal,
        },
      )
    await expect(fetched('wrong')).rejects.toMatchObject({id: 'WRONG_DIGEST'})
    expect(await files.status(path)).toBeUndefined()
    expect(await fetched('cut')).toBe(path)
  })

  it('11: a kubeconfig of system:masters is warned about, and each daemon can have its own', async () => {
    const judge = (certificate: string) =>
      clusterAdministrator.run(
        only<HostFacts>('facts', {kubeconfig: async () => ({certificate, server: '', tls: {}, whole: ''})}),
      )
    expect(await judge(ADMIN_CERTIFICATE.cert)).toMatchObject({result: 'warn'})
    expect(await judge(NODE_CERTIFICATE.cert)).toMatchObject({result: 'pass'})
    const node = exampleNode({'flanneld-kubeconfig': 'f', 'kube-proxy-kubeconfig': 'p', 'kubelet-kubeconfig': 'k'})
    const services = [kubeletService(node), flanneldService(node), kubeProxyService(node, '')]
    const identities = services.map(({command}) => command.find((argument) => argument.startsWith('--kubeconfig')))
    expect(new Set(identities.map((argument) => argument?.split('=')[1])).size).toBe(3)
  })

  it('12: the log folder of a daemon has the name of its service', () => {
    expect([kubeletLogs, flanneldLogs, kubeProxyLogs].map((of) => of(exampleNode()))).toEqual(
      [KUBELET, FLANNELD, KUBE_PROXY].map((name) => String.raw`C:\k\logs` + `\\${name}`),
    )
  })

  it('13: the tags come from the build of Windows', () => {
    expect(tagsOf(17_763)).not.toEqual(tagsOf(20_348))
    for (const build of [17_763, 20_348]) expect(tagsOf(build)?.nanoserver).not.toMatch(/\d+\.\d+\.\d+\.\d+/)
  })

  it('14: the adapter is found where it is not called Ethernet0, and one of two addresses is taken', () => {
    const addresses = ['10.0.0.5', '10.0.0.6'].map((address) => ({address, prefixLength: 24}))
    const wired = {addresses, dhcp: false, dnsServers: [], gateways: ['10.0.0.1'], index: 1, up: true}
    for (const name of ['Ethernet', 'Ethernet0 2']) {
      expect(chooseInterface([{...wired, name}], {})).toMatchObject({address: '10.0.0.5', name})
    }
  })

  it('15: rights and build are checked before anything is changed', async () => {
    expect(CHECKS).toEqual(expect.arrayContaining([administrator, windowsVersion]))
    const os = only<Host['os']>('os', {isAdministrator: async () => false})
    const version = async () => ({build: 14_393, productName: 'Windows Server 2016', ubr: 0})
    const facts = only<HostFacts>('facts', {config: exampleNode(), host: only<Host>('host', {os}), version})
    await expect(administrator.run(facts)).rejects.toMatchObject({exitCode: 3, id: 'NOT_ADMINISTRATOR'})
    await expect(windowsVersion.run(facts)).rejects.toMatchObject({exitCode: 3, id: 'WINDOWS_UNSUPPORTED'})
  })
})
