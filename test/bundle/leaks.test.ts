// review S11: secrets of every shape in every kind of collected file, and none of them readable in the unpacked bundle.
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {type Canary, formsOf, sightings} from '../secrets/canaries.js'
import {SHAPES, word} from '../secrets/planted.js'
import {setupOn} from '../setup/in-process.js'
import {DiskHost} from '../steps/host-folder.js'
import {bundleOn, type Made} from './bundle-on.js'

interface Plant extends Canary {
  readonly carrier: number
  readonly text: string
}

/** What a bundle is collected from: each gets a third of the shapes, so that every shape is in three or more. */
const CARRIERS = [
  'a log of the kubelet',
  'a log in UTF-16',
  'a log of k8s-win',
  'kubelet-config.yaml',
  'net-conf.json',
  'subnet.env',
  'the journal',
  'result.json',
  'health.json',
  'the transcript',
  'an event of Windows',
  'a ConfigMap of flannel',
  'an endpoint of HNS',
] as const
const EACH = 3

const PLANTS: readonly Plant[] = SHAPES.flatMap(({name, secret, text}, shape) =>
  Array.from({length: EACH}, (_, copy) => {
    const seed = shape * 100 + copy
    const planted = secret?.(seed) ?? word(seed)
    const carrier = (shape + copy * 5) % CARRIERS.length
    return {carrier, kind: `${name} in ${CARRIERS[carrier] ?? ''}`, secret: planted, text: text(planted)}
  }),
)
const textOf = (carrier: (typeof CARRIERS)[number]): string =>
  PLANTS.filter((plant) => CARRIERS[plant.carrier] === carrier)
    .map(({text}) => `ordinary line before\n${text}\n`)
    .join('\n')

/** Users, arguments and variables of a kubeconfig, seen again in a log with nothing around them. */
const KUBECONFIG: readonly Canary[] = ['current', 'other', 'argument', 'variable', 'provider', 'password'].map(
  (kind, index) => ({
    kind: `kubeconfig: ${kind}`,
    secret: word(90_000 + index),
  }),
)
const [current, other, argument, variable, provider, password] = KUBECONFIG.map(({secret}) => secret)
/** In the names of files. */
const NAMES: readonly Canary[] = [
  {kind: 'name of a log', secret: `ghp_${'0aB1cD2eF3'.repeat(4)}`.slice(0, 40)},
  {kind: 'name of a file', secret: word(95_001)},
]
const ALL = [...PLANTS, ...KUBECONFIG, ...NAMES]

const host = DiskHost.empty()
let made: Made

beforeAll(async () => {
  await setupOn(host.dir)
  const kubeconfig = {
    apiVersion: 'v1',
    clusters: [{cluster: {server: 'https://10.0.0.10:6443'}, name: 'c'}],
    contexts: [{context: {cluster: 'c', user: 'u'}, name: 'x'}],
    'current-context': 'x',
    kind: 'Config',
    users: [
      {name: 'u', user: {token: current}},
      {name: 'admin', user: {password: other, username: 'admin'}},
      {
        name: 'plugin',
        user: {
          exec: {args: ['get-token', '--client-secret', argument], command: 'x', env: [{name: 'X', value: variable}]},
        },
      },
      {name: 'old', user: {'auth-provider': {config: {'refresh-token': provider}, name: 'oidc'}}},
      {name: 'basic', user: {password, username: 'bob'}},
    ],
  }
  host.put(String.raw`k\flanneld.kubeconfig`, JSON.stringify(kubeconfig))
  host.put(
    String.raw`k\logs\kubelet\planted.log`,
    `${textOf('a log of the kubelet')}\n${KUBECONFIG.map(({secret}) => `I0101 saw ${secret} there`).join('\n')}\n`,
  )
  writeFileSync(
    host.file(String.raw`k\logs\kubelet\utf16.log`),
    Buffer.from(`\uFEFF${textOf('a log in UTF-16')}`, 'utf16le'),
  )
  host.put(String.raw`k\logs\k8s-win\planted.log`, textOf('a log of k8s-win'))
  host.put(`k\\logs\\flanneld\\run-${NAMES[0]?.secret ?? ''}.log`, 'nothing\n')
  host.put(`k\\password=${NAMES[1]?.secret ?? ''}.txt`, 'nothing\n')
  host.put(String.raw`k\kubelet-config.yaml`, textOf('kubelet-config.yaml'))
  host.put(String.raw`etc\kube-flannel\net-conf.json`, textOf('net-conf.json'))
  host.put(String.raw`run\flannel\subnet.env`, textOf('subnet.env'))
  const journal = String.raw`k\k8s-win\journal.ndjson`
  host.put(journal, `${host.read(journal)}${textOf('the journal')}`)
  host.put(String.raw`k\k8s-win\result.json`, JSON.stringify({log: textOf('result.json')}))
  host.put(String.raw`k\k8s-win\health.json`, JSON.stringify({detail: textOf('health.json')}))
  const transcript = join(host.dir, 'transcript.ndjson')
  writeFileSync(transcript, `${readFileSync(transcript, 'utf8')}${textOf('the transcript')}`)
  host.edit((world) => {
    world.os.eventLogs = {
      Application: [
        {at: 1_600_000_000_000, data: [textOf('an event of Windows')], id: 1, level: 2, provider: 'docker'},
      ],
    }
    world.cluster.configMaps[0]!.data['extra'] = textOf('a ConfigMap of flannel')
    world.hns.endpoints.push({ID: 'E', Name: 'e', Policies: [{Note: textOf('an endpoint of HNS')}]})
  })
  made = await bundleOn(host)
}, 600_000)

afterAll(() => host.discard())

describe('review S11: the bundle leaks nothing', () => {
  it('of at least 120 secrets of at least 40 shapes', () => {
    expect(SHAPES.length).toBeGreaterThanOrEqual(40)
    expect(new Set(ALL.map(({secret}) => secret)).size).toBeGreaterThanOrEqual(120)
    expect(new Set(PLANTS.map(({carrier}) => carrier)).size).toBe(CARRIERS.length)
    // The search itself finds each of them.
    for (const plant of PLANTS) {
      const readable = [
        plant.text,
        Buffer.from(plant.text.replaceAll('\n', ''), 'base64').toString('utf8'),
        decodeURIComponent(plant.text.replaceAll(/%(?![0-9A-F]{2})/g, '')),
      ]
      expect(formsOf(plant).length, plant.kind).toBeGreaterThan(3)
      if (!/base64|basic|docker's|encoded|Secret of|wrapped|key|end of|beginning/i.test(plant.kind)) {
        expect(
          readable.flatMap((text) => sightings([plant], 'it', text)),
          plant.kind,
        ).not.toEqual([])
      }
    }
  })

  it('in every kind of collected file', () => {
    for (const member of [
      'logs/kubelet/planted.log',
      'logs/kubelet/utf16.log',
      'logs/k8s-win/planted.log',
      'configuration/kubelet-config.yaml',
      'configuration/net-conf.json',
      'configuration/subnet.env',
      'state/journal.ndjson',
      'state/result.json',
      'state/health.json',
      'simulator/transcript.ndjson',
      'windows/events-application.ndjson',
      'cluster/flannel.json',
      'hns/endpoints.json',
    ]) {
      expect(made.text(member), member).toContain('***')
      // Of configuration only what is known to hold no secret is collected.
      expect(made.text(member).includes('ordinary line before'), member).toBe(!member.startsWith('configuration/'))
    }
  })

  it('neither as it is, nor in base64, URL-encoded, as JSON or in UTF-16', () => {
    const found = [...made.members].flatMap(([name, bytes]) => [
      ...sightings(ALL, name, bytes.toString('utf8')),
      ...sightings(ALL, `${name} as UTF-16`, bytes.toString('utf16le')),
      ...sightings(ALL, 'its name', name),
    ])
    expect(found).toEqual([])
  })

  it('nor in what is reported of it', () => {
    expect(sightings(ALL, 'the report', JSON.stringify(made.report))).toEqual([])
  })
})
