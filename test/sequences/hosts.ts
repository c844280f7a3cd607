// The hosts of a sequence: before anything is set up, and as a single setup leaves them, which is what is compared.
import {expect} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {remembered} from '../../src/machine/remembered.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {reboot} from '../boot/reboot.js'
import {allowEverything} from '../fakes/administrator.js'
import {FITTING, hostWith} from '../fixtures/present-containerd.js'
import {claimsOf} from '../interruption/records.js'
import {setupOn} from '../setup/in-process.js'
import {comparable, type Comparable, type Forgiveness} from '../steps/comparable.js'
import {HostFolder, securityBut} from '../steps/host-folder.js'
import {type Stage, STAGES} from './acts.js'
import type {Node} from './model.js'

export const PROFILE = 'ws2022-containerd'
/** The larger image would only take time. */
export const SMALL: GivenOptions = {'base-images': 'nanoserver'}
/** So that daemons have removed pods that are gone. */
export const SETTLED_MS = 120_000

export const stageOf = (name: string): Stage => {
  const stage = STAGES[name]
  if (!stage) throw new Error(`there is no stage ${name}`)
  return stage
}

export async function freshOn({present, server}: Stage): Promise<HostFolder> {
  const host = await (present === undefined ? HostFolder.fresh(undefined, PROFILE) : hostWith(FITTING[present]))
  host.edit((world) => {
    world.cluster = makeCluster(`v${server}`)
    allowEverything(world)
  })
  return host
}

/** The version of the containerd that is there already. */
export const presentOn = ({present}: Stage): string | undefined =>
  present && (FITTING[present]?.version ?? 'v2.3.4').replace('v', '')

interface Made {
  readonly claims: readonly string[]
  readonly node: Comparable
}

const made = remembered(async (key: string): Promise<Made> => {
  const [name, release, containerd] = JSON.parse(key) as [string, string, string]
  const stage = stageOf(name)
  const host = await freshOn(stage)
  const ofOwn = stage.present === undefined ? {'containerd-version': containerd} : {}
  const {result} = await setupOn(host.dir, {...SMALL, ...ofOwn, release}, {}, PROFILE)
  expect(result.error).toBeUndefined()
  // Who has opened the root is of the way here, and images in a root of k8s-win go with it.
  const others = stage.present === undefined ? /"kind":"(?:image-\w+|root-opened)"/ : /"kind":"root-opened"/
  const claims = claimsOf(host).filter((claim) => !others.test(claim))
  return {claims, node: await settled(host)}
})

/** The node of a setup that nothing came before. */
export const nodeOn = (stage: string, {containerd, release}: Node): Promise<Made> =>
  made(JSON.stringify([stage, release, containerd]))

/** Without pods, and without what the way to this node leaves by contract. */
export async function settled(host: HostFolder): Promise<Comparable> {
  const copy = host.copy()
  await removePods(copy)
  return withoutSourceVip(copy, {
    // Of pods that were there, and containerd's own data.
    files: /^(?:var\/lib\/cni\/(?:networks\/vxlan0\/last_reserved_ip\.0|flannel|results)|ProgramData\/.*\/meta\.db)$/,
    world({containerd, services}) {
      // Sandbox images of other releases stay until a reset.
      const used = containerd.config?.sandboxImage
      const isOther = (tag: string): boolean => tag.includes('/pause:') && tag !== used
      containerd.images = containerd.images.filter(({tags}) => !tags.every((tag) => isOther(tag)))
      Reflect.deleteProperty(containerd, 'openedBy')
      forgetStarts(services)
    },
  })
}

/** What k8s-win keeps for itself, without the log and the result of a run. */
const RECORDS = /^k\/(?:downloads|k8s-win)\/(?!result\.json$)/

/**
 * What a refused run must not change, so much later. Daemons continue meanwhile, with other lines in their logs and other
 * identifiers each time.
 */
export async function untouchedAt(host: HostFolder, time: number): Promise<Comparable> {
  const copy = host.copy()
  const {clock} = await openSimulator({dir: copy.dir, profile: PROFILE})
  await clock.sleep(time - clock.now())
  const {cluster, containerd} = copy.world
  const isOther = (name: string): boolean => !RECORDS.test(name)
  const others: [string, unknown][] = [
    ...(cluster.pods ?? []).map(({deletedAt, name}): [string, unknown] => [`pod ${name}`, deletedAt]),
    ...containerd.images.map(({id, namespace = '', tags}): [string, unknown] => [
      `image ${namespace} ${id}`,
      [...tags].sort().join(' '),
    ]),
  ]
  return {
    ...(await settled(copy)),
    ...copy.filesBut(isOther),
    ...securityBut(copy.world, isOther),
    ...Object.fromEntries<unknown>(others),
  }
}

/** After a killed run kube-proxy may have the next free address: equal, not the same. */
function withoutSourceVip(host: HostFolder, forgive: Forgiveness): Comparable {
  const {imagePath = ''} = host.world.services['kubeproxy']?.config ?? {}
  const [, address = ''] = /--source-vip=([\d.]+)/.exec(imagePath) ?? []
  const hidden = (text: string): string =>
    address === '' ? text : text.replace(new RegExp(`(?<![\\d.])${address}(?![\\d.])`, 'g'), 'source-vip')
  const all = Object.entries(comparable(host, forgive))
  return Object.fromEntries(
    all.map(([path, value]) => [hidden(path), typeof value === 'string' ? hidden(value) : value]),
  )
}

export async function removePods(host: HostFolder): Promise<void> {
  const hasPods = (host.world.cluster.pods ?? []).length > 0
  host.edit(({cluster}) => Reflect.deleteProperty(cluster, 'pods'))
  if (hasPods) await (await openSimulator({dir: host.dir, profile: PROFILE})).clock.sleep(SETTLED_MS)
}

/** A process of Windows itself, and variables that were set before or after the last restart, are of the way here. */
export function forgetStarts(services: World['services']): void {
  for (const service of Object.values(services)) {
    if (service.name === 'hns') delete service.process
    for (const name of ['Path', 'KUBECONFIG']) Reflect.deleteProperty(service.process?.environment ?? {}, name)
  }
}

/** Until somebody can log on. */
export async function restart(host: HostFolder): Promise<void> {
  host.edit((world) => reboot(world))
  await (await openSimulator({dir: host.dir, profile: PROFILE})).clock.sleep(SETTLED_MS)
}

/** Per path, so that what is equal is not printed. */
export function differing(wanted: Comparable, found: Comparable): string[] {
  const paths = [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
  const shown = (value: unknown): string => String(value).slice(0, 100)
  return paths
    .filter((path) => wanted[path] !== found[path])
    .map((path) => `${path}: ${shown(wanted[path])} -> ${shown(found[path])}`)
}
