// A host on which others live: twenty of each kind of thing that reset could remove by mistake.
import type {World} from '../../src/simulator/world.js'
import type {HostFolder} from '../steps/host-folder.js'

export const EACH = 20
const NUMBERS = Array.from({length: EACH}, (_, index) => index + 1)
const ENVIRONMENT = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

/** Where files of others lie: beside k8s-win's, and in the folders that others have on the same drive. */
const FILES: readonly ((n: number) => string)[] = [
  (n) => String.raw`k\theirs-${n}.txt`,
  (n) => String.raw`k\theirs\folder-${n}\file.txt`,
  (n) => String.raw`k\downloads\theirs-${n}.zip`,
  (n) => String.raw`k\logs\theirs-${n}.log`,
  (n) => String.raw`etc\theirs-${n}.conf`,
  (n) => String.raw`var\lib\theirs-${n}\data.db`,
  (n) => String.raw`var\log\theirs-${n}.log`,
  (n) => String.raw`var\lib\cni\networks\theirs-pods\10.99.0.${n}`,
  (n) => String.raw`run\theirs-${n}\state.env`,
  (n) => String.raw`usr\theirs-${n}\tool.txt`,
]

/** `each`: how many of each kind; fewer where the host is copied often. */
export function seedForeigners(host: HostFolder, each = EACH): void {
  const numbers = NUMBERS.slice(0, each)
  for (const n of numbers) for (const path of FILES) host.put(path(n), `theirs ${n}`)
  host.edit((world) => {
    for (const n of numbers) {
      seedService(world, n)
      seedNetwork(world, n)
      seedDocker(world, n)
      seedRegistry(world, n)
      const rule = {action: 'allow', description: 'Made by others.', direction: 'in', enabled: true} as const
      const port = n === 1 ? '10250' : String(8000 + n)
      world.firewall[`theirs ${n}`] = [
        {...rule, localPort: port, name: `theirs ${n}`, profiles: 'any', protocol: 'TCP'},
      ]
    }
  })
}

function seedService(world: World, n: number): void {
  const name = `theirs-${n}`
  const docker = world.services['docker']
  if (!docker) throw new Error('the fresh host has Docker')
  world.services[name] = {
    ...structuredClone(docker),
    config: {
      ...docker.config,
      description: 'A service of others.',
      displayName: name,
      imagePath: String.raw`C:\theirs.exe`,
    },
    name,
    processId: n % 2 === 0 ? 0 : 20_000 + n * 4,
    state: n % 2 === 0 ? 'stopped' : 'running',
  }
}

function seedNetwork({hns}: World, n: number): void {
  const subnet = {AddressPrefix: `192.168.${n}.0/24`, GatewayAddress: `192.168.${n}.1`}
  hns.networks.push({ID: guid(1, n), Name: `theirs-${n}`, Subnets: [subnet], Type: 'nat'})
  const endpoint = {
    ID: guid(2, n),
    IPAddress: `192.168.${n}.2`,
    Name: `theirs-${n}`,
    State: 1,
    VirtualNetwork: guid(1, n),
  }
  hns.endpoints.push({...endpoint, VirtualNetworkName: `theirs-${n}`})
  hns.policyLists.push(policyList(n))
}

const guid = (kind: number, n: number): string => `0000000${kind}-0000-4000-8000-${String(n).padStart(12, '0')}`

const policyList = (n: number): Record<string, unknown> => ({
  ID: guid(3, n),
  Policies: [{Type: 'ELB'}],
  References: [`/endpoints/${guid(2, n)}`],
})

/**
 * kube-proxy removes every policy list of the host when it starts (pkg/proxy/winkernel, deleteAllHnsLoadBalancerPolicy):
 * those of others are lost by running one, and whoever made them makes them anew. Reset must leave them alone.
 */
export function makePolicyListsAnew(host: HostFolder, each = EACH): void {
  host.edit(({hns}) => void hns.policyLists.unshift(...NUMBERS.slice(0, each).map(policyList)))
}

function seedDocker({docker}: World, n: number): void {
  const id = `sha256:${String(n).padStart(64, 'f')}`
  // The first has a name that setup gives to an image of its own, and must get it back.
  const tags = n === 1 ? ['mcr.microsoft.com/windows/nanoserver:latest'] : [`theirs/image-${n}:latest`]
  const image = {created: '2021-09-01T00:00:00Z', labels: {theirs: 'yes'}, osVersion: '10.0.17763.1', size: 1000 + n}
  docker.images.push({...image, id, tags})
  docker.containers.push({
    exitCode: 0,
    id: String(n).padStart(64, 'c'),
    image: tags[0] ?? '',
    labels: {'com.example.owner': `theirs ${n}`},
    name: `theirs-${n}`,
    state: n % 2 === 0 ? 'exited' : 'running',
  })
}

function seedRegistry(world: World, n: number): void {
  const environment = world.registry[ENVIRONMENT]
  const path = environment?.['Path']
  if (!environment || typeof path?.data !== 'string') throw new Error('the fresh host has a Path')
  environment['Path'] = {data: `${path.data};C:\\Theirs\\${n}`, type: 'REG_EXPAND_SZ'}
  environment[`THEIRS_${n}`] = {data: `value ${n}`, type: 'REG_SZ'}
  world.environment[`THEIRS_${n}`] = `value ${n}`
  world.environment['Path'] = `${world.environment['Path']};C:\\Theirs\\${n}`
  const key = String.raw`HKLM\SOFTWARE\Theirs`
  world.registry[key] = {...world.registry[key], [`value ${n}`]: {data: n, type: 'REG_DWORD'}}
}
