// The shape of machine.json as JSON Schema. schemas/machine.schema.json is this object; world-check.ts reads it too.
import {clusterSchema as cluster} from './cluster/schema.js'
import {anyObject, boolean, list, map, moment, number, object, oneOf, span, string} from './schema-parts.js'
import {DOCKER_PROPERTIES, RESOURCE_PROPERTIES} from './world-resources.js'

const os = object(
  {
    administrator: boolean,
    build: number,
    computerName: string,
    listening: {...list(string), description: 'Ports something foreign listens on, e.g. "tcp/10250".'},
    offlineUntil: {...moment, description: 'Until when the connections are cut, in milliseconds since 1970.'},
    productName: string,
    profile: string,
    time: {...moment, description: 'The simulated clock, in milliseconds since 1970.'},
    ubr: number,
  },
  {
    ...RESOURCE_PROPERTIES,
    accountSid: {...string, description: 'SID of the account k8s-win runs as; the built-in Administrator by default.'},
    bootEnvironment: map(string),
    vswitch: {
      ...object(
        {},
        {
          losesAddress: boolean,
          losesDnsServers: boolean,
          losesRoutes: list(string),
          offlineMs: span,
          physical: {...anyObject, description: 'The adapter under the switch. Of the simulator itself.'},
          returning: {...anyObject, description: 'What the adapter gets back, and when. Of the simulator itself.'},
        },
      ),
      description: 'How this host takes the making of a virtual switch over its adapter.',
    },
  },
)

const adapter = object({
  addresses: list(object({address: string, prefixLength: number})),
  dhcp: boolean,
  dnsServers: list(string),
  gateways: list(string),
  index: number,
  name: string,
  up: boolean,
})

const service = object(
  {
    config: object({
      account: string,
      dependencies: list(string),
      description: string,
      displayName: string,
      failureActions: object({resetAfterSeconds: number, restartDelaysMs: list(number)}),
      failureFlag: boolean,
      imagePath: string,
      startType: oneOf('automatic', 'boot', 'demand', 'disabled', 'system'),
    }),
    deleting: boolean,
    exitCode: number,
    name: string,
    processId: number,
    restarts: number,
    serviceExitCode: number,
    stage: string,
    startedAt: moment,
    state: oneOf('continue-pending', 'pause-pending', 'paused', 'running', 'start-pending', 'stop-pending', 'stopped'),
  },
  {failures: number, listening: list(string), process: anyObject, restartAt: moment, stopAt: moment},
)

const firewallRule = object(
  {
    action: oneOf('allow', 'block'),
    description: string,
    direction: oneOf('in', 'out'),
    enabled: boolean,
    localPort: string,
    name: string,
    profiles: string,
    protocol: oneOf('TCP', 'UDP'),
  },
  {stored: {...string, description: 'As the registry has it, in place of what the rest makes.'}},
)

const hns = object(
  {
    endpoints: list(anyObject),
    networks: list(anyObject),
    policyLists: list(anyObject),
    version: object({Major: number, Minor: number}),
  },
  {
    balancerMs: {...number, description: 'How long each load balancer takes.'},
    stuckOnce: {...boolean, description: 'The next flanneld hangs until it is started again.'},
  },
)

const docker = object(
  {
    apiVersion: string,
    containers: list(
      object(
        {
          exitCode: number,
          id: string,
          image: string,
          labels: map(string),
          name: string,
          state: oneOf('created', 'exited', 'running'),
        },
        {
          command: list(string),
          error: string,
          isolation: oneOf('default', 'hyperv', 'process'),
          output: list(object({stream: oneOf('stderr', 'stdout'), text: string})),
        },
      ),
    ),
    images: list(
      object(
        {created: string, id: string, labels: map(string), osVersion: string, size: number, tags: list(string)},
        {buildSteps: list(string), command: list(string), digests: list(string), user: string},
      ),
    ),
    minApiVersion: string,
    mode: oneOf('linux', 'windows'),
    running: boolean,
    version: string,
  },
  DOCKER_PROPERTIES,
)

const download = object(
  {},
  {
    fault: oneOf('cut-once', 'missing-member', 'not-found', 'truncated', 'unreachable', 'wrong-bytes'),
    sha256: string,
    sha512: string,
  },
)

export const WORLD_SCHEMA = {
  ...object({
    $schema: string,
    adapters: list(adapter),
    cluster,
    docker,
    downloads: {...map(download), description: 'By URL, or by image as registry/path:tag.'},
    environment: map(string),
    firewall: {...map(list(firewallRule)), description: 'By rule name.'},
    hns,
    os,
    registry: map(map(object({data: {}, type: oneOf('REG_DWORD', 'REG_EXPAND_SZ', 'REG_MULTI_SZ', 'REG_SZ')}))),
    routes: list(object({destination: string, interfaceIndex: number, metric: number, nextHop: string})),
    security: {...map(string), description: 'SDDL by lower-cased path.'},
    services: {...map(service), description: 'By lower-cased name.'},
  }),
  $id: 'k8s-win/machine.schema.json',
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'The simulated host of k8s-win (machine.json)',
} as const
