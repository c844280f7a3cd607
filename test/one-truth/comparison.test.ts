// The comparison can fail: one argument, one file, one order other than meant, and it says exactly that.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {Machine} from '../../src/machine/machine.js'
import {SIGNER} from '../../src/simulator/cluster/certificates.js'
import {issueCertificate, makeRequest, parseRequest} from '../../src/simulator/cluster/x509.js'
import {makeKey} from '../../src/simulator/daemons/kubelet/kubelet-rotation.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupInProcess} from './in-process.js'
import {describeIssued} from './issued-certificate.js'
import {differences, type Observation, tell} from './observation.js'
import {type EndedRun, observeRun} from './run-record.js'
import type {Scenario} from './scenario.js'
import {SCENARIOS} from './scenarios.js'
import {SimulatedTruth} from './simulated-host.js'

const [fresh] = SCENARIOS as [Scenario]
let host: SimulatedTruth
let run: EndedRun

beforeAll(async () => {
  host = await SimulatedTruth.make(fresh, HostFolder.empty())
  run = (await setupInProcess(host, []))!
})
afterAll(() => host.common.close())

/** What the comparison makes of the same run with another log. */
const toldOfLog = (change: (log: string) => string): string[] => {
  const log = change(run.log)
  if (log === run.log) throw new Error('The log is as it was.')
  return differences(observeRun(run), observeRun({...run, log})).map((one) => tell(one))
}

/** The first line with `one` and the first with `other` change places. */
const swapped =
  (one: string, other: string) =>
  (log: string): string => {
    const lines = log.split('\n')
    const [a, b] = [one, other].map((text) => lines.findIndex((line) => line.includes(text))) as [number, number]
    ;[lines[a], lines[b]] = [lines[b] ?? '', lines[a] ?? '']
    return lines.join('\n')
  }

const CA = 'files change write ["C:\\\\k\\\\client-ca.crt"]'
const CONFIGURATION = 'files change write ["C:\\\\k\\\\kubelet-config.yaml"]'
const NET_CONF = 'files change makeDirectory ["C:\\\\etc"]'

test('an argument of a program', () => {
  const told = toldOfLog((log) => log.replace('localport=10250', 'localport=10255'))
  expect(told.map((line) => line.replace(/"advfirewall.*(localport=\d+).*/, '$1'))).toEqual([
    String.raw`changes of firewall-rules | - run change C:\Windows\System32\netsh.exe [localport=10250`,
    String.raw`changes of firewall-rules | + run change C:\Windows\System32\netsh.exe [localport=10255`,
  ])
})

test('a change less, and an answer other than before', () => {
  expect(toldOfLog((log) => log.replace(/.*broadcastEnvironmentChange.*\n/, ''))).toEqual([
    'changes of machine-environment | - win32 change broadcastEnvironmentChange [] -> ok',
  ])
  const version = 'http read GET ["https://10.0.0.10:6443/version"] -> status'
  expect(toldOfLog((log) => log.replaceAll(`${version} 200`, `${version} 500`))).toEqual([
    `asked, and what was last answered | - ${version} 200`,
    `asked, and what was last answered | + ${version} 500`,
  ])
})

test('the order within a step, not that of steps side by side', () => {
  expect(toldOfLog(swapped(CA, CONFIGURATION))).toEqual([
    `changes of kubelet-config | - ${CA} -> ok`,
    `changes of kubelet-config | + ${CA} -> ok`,
  ])
  expect(toldOfLog(swapped(CA, NET_CONF))).toEqual([])
})

test('a step before one that it needs', () => {
  const ended = '"id":"pause-image","state":"changed"'
  const began = '{"id":"kubelet-service","title":"Start kubelet","type":"step-started"}'
  expect(toldOfLog(swapped(ended, began))).toEqual([
    'steps out of order | + kubelet-service began before pause-image had ended',
  ])
})

test('how often something is asked is not reported', () => {
  const health = /.*127\.0\.0\.1:10256\/healthz.*ECONNREFUSED.*\n/
  expect(toldOfLog((log) => log.replace(health, ''))).toEqual([])
})

describe('a certificate that the cluster issued', () => {
  const issue = ({days = 365, node = 'win-1', signer = SIGNER} = {}): string => {
    const key = makeKey()
    const request = parseRequest(
      makeRequest(key, {commonName: `system:node:${node}`, organizations: ['system:nodes']}),
    )!
    const notBefore = Date.now()
    const notAfter = notBefore + days * 24 * 3_600_000
    return issueCertificate({notAfter, notBefore, request, signer, usages: ['digital signature', 'client auth']}) + key
  }
  const seen = (text: string): Observation => ({files: [describeIssued(text) ?? text]})

  test('is the same with another key and another number', () => {
    expect(differences(seen(issue()), seen(issue()))).toEqual([])
    expect(issue()).not.toBe(issue())
  })

  test.each([
    ['of another node', issue({node: 'win-2'})],
    ['for less time', issue({days: 364})],
    ['with the key of another', issue().replace(/-----BEGIN EC[^]*/, makeKey())],
    ['without a key', issue().replace(/-----BEGIN EC[^]*/, '')],
    ['of another authority', issue({signer: {...SIGNER, key: makeKey()}})],
    ['with more in its file', `${issue()}${makeKey()}`],
  ])('is another %s', (_name, other) => {
    expect(differences(seen(issue()), seen(other))).toHaveLength(2)
  })
})

test('whether setup waited for the certificate is not reported, all else of its step is', () => {
  const asked = 'https://10.0.0.10:6443/apis/certificates.k8s.io/v1/certificatesigningrequests?limit=500'
  const version = /(.*) http read GET \["https:\/\/10\.0\.0\.10:6443\/version"\]/
  expect(toldOfLog((log) => log.replace(version, `$1 http read GET ["${asked}"] -> status 200 (1 ms)\n$&`))).toEqual([])
  const ending = (changes: string[]): Observation => {
    const step = {changes, durationMs: 0, id: 'node-certificate', state: 'changed', title: ''} as const
    return observeRun({...run, log: '', result: {...run.result, steps: [step]}})
  }
  const told = differences(ending(['remove x']), ending(['the cluster issued the certificate of x', 'remove y']))
  expect(told.map(({line}) => line)).toEqual(['remove x', 'remove y'].map((one) => `step node-certificate did: ${one}`))
})

test.each<{change: (machine: Machine) => Promise<unknown>; name: string; told: RegExp[]}>([
  {
    change: ({files}) => files.write(String.raw`C:\k\cni\config\cni.conf`, '{}'),
    name: 'a byte of a file',
    told: [
      /^files \| - C:\\k\\cni\\config\\cni\.conf "\{.*vxlan0/,
      /^files \| \+ C:\\k\\cni\\config\\cni\.conf "\{\}"$/,
    ],
  },
  {
    change: async ({win32}) => {
      const config = (await win32.queryServiceConfig('kubelet'))!
      await win32.changeService('kubelet', {...config, imagePath: config.imagePath.replace('--v=2', '--v=4')})
    },
    name: 'an argument of a service',
    told: [
      /^services \| - kubelet imagePath .* --v=2"$/,
      /^services \| \+ kubelet imagePath .* --v=4"$/,
      /^services \| - kubelet in the registry ImagePath data .* --v=2"$/,
      /^services \| \+ kubelet in the registry ImagePath data .* --v=4"$/,
    ],
  },
  {
    change: ({http}) =>
      http.request({
        deadlineMs: 1000,
        effect: 'change',
        method: 'DELETE',
        pipe: String.raw`\\.\pipe\docker_engine`,
        url: 'http://docker/images/mcr.microsoft.com/windows/nanoserver:latest',
      }),
    name: 'a tag of an image',
    told: [
      /^docker \| - image .*nanoserver:1809","mcr.*nanoserver:latest"\]\}$/,
      /^docker \| \+ image .*nanoserver:1809"\]\}$/,
    ],
  },
])('of the node: $name', async ({change, told}) => {
  const before = await host.common.state()
  await change(await host.machine())
  const found = differences(before, await host.common.state()).map((one) => tell(one))
  expect(found).toHaveLength(told.length)
  for (const [index, pattern] of told.entries()) expect(found[index]).toMatch(pattern)
})
