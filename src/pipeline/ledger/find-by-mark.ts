// What is ours where the journal is lost, by our marks only: descriptions of services and rules, names that nobody else
// gives, contents that nobody else writes. Given as the journal would have it, so that it is removed in the same way.
// What may as well have been there before us is left, and told: a lost journal must not cost anybody's files.
import {homeOfService, isSameHome} from '../../components/node-home.js'
import {FIREWALL_RULES, isOurRule} from '../../components/firewall.js'
import {EXTERNAL_NETWORK, FLANNELD} from '../../components/flanneld.js'
import {HOST_NETWORK, NETWORK_LABEL, TEMPLATE_LABEL} from '../../components/images.js'
import {KUBE_PROXY} from '../../components/kube-proxy.js'
import {KUBELET} from '../../components/kubelet.js'
import {isMadeByFlanneld} from '../../components/overlay.js'
import {layoutOf} from '../../config/layout.js'
import {NETWORK_NAME, PAUSE_IMAGE, type SetupConfig} from '../../config/model.js'
import type {Host} from '../../host/host.js'
import {toUserError} from '../run/to-user-error.js'
import type {Journal, JournalLine} from './journal.js'
import {damagedCopy} from './journal-file.js'
import {isNamedIn, isSure} from './missing-entries.js'
import {findMarkedFiles, findMarkedState, type Marks} from './find-our-files.js'
import type {StepId} from '../run/step-id.js'
import {goingPaths, tellAccess, tellFolders, tellImages} from './keep-unproven.js'

export interface MarkedThings {
  /** In words: what setup may have created and reset does not remove, and why. */
  readonly left: readonly string[]
  /** As the steps would have noted them, oldest first. */
  readonly lines: readonly JournalLine[]
  /** In words: what is not of this node. */
  readonly remarks: readonly string[]
}

const SERVICES: readonly (readonly [StepId, string])[] = [
  ['kubelet-service', KUBELET],
  ['flanneld-service', FLANNELD],
  ['kubeproxy-service', KUBE_PROXY],
]

/** `journal`: what is left of it. What it names goes by it, and is not told as left. */
export async function findByMarks(
  host: Host,
  config: SetupConfig,
  journal: Pick<Journal, 'all'>,
): Promise<MarkedThings> {
  const lines: JournalLine[] = []
  const left: string[] = []
  const remarks: string[] = []
  const marks: Marks = {
    claim: (step, ...entries) => lines.push(...entries.map((entry) => ({entry, step}))),
    config,
    host,
    isNamed: isNamedIn(journal),
    leave: (what) => left.push(what),
    remark: (what) => remarks.push(what),
  }
  /** What cannot be asked keeps nobody from finding the rest. */
  const look = async <T>(what: string, looking: Promise<T>): Promise<T | undefined> => {
    try {
      return await looking
    } catch (error) {
      const known = toUserError(error, what)
      if (!known) throw error
      const text = `${what} could not be looked at, and may have something of ours: ${known.message}`
      if (!left.includes(text)) left.push(text)
      return undefined
    }
  }

  const services = (await look('the services', findServices(marks))) ?? {elsewhere: [], here: []}
  const isHome = services.here.length > 0 || (await look(config.baseDir, hasRecords(marks))) === true
  if (isHome) {
    await look(config.baseDir, findMarkedFiles(marks))
    await look('PATH and KUBECONFIG', findEnvironment(marks))
  }

  if (services.elsewhere.length > 0) {
    remarks.push(
      `firewall rules, networks and images belong to the node in ${services.elsewhere.join(', ')}: run reset with that --base-dir`,
    )
    return {left, lines, remarks}
  }

  const rules = (await look('the firewall', findRules(marks))) ?? 0
  const isFlannelOurs = services.here.includes(FLANNELD) || rules > 0
  await look("the daemons' files", findMarkedState(marks, isFlannelOurs))
  await look('the networks of the Host Network Service', findNetworks(marks, isFlannelOurs))
  // Alone it says nothing of this base directory: a reset of another one leaves it for the next setup there.
  if (!isHome && lines.length === 0) return {left: [], lines, remarks: [...remarks, ...left]}
  await look('Docker', findPauseImage(marks))
  await look('Docker', tellImages(marks))
  const all = [...journal.all(), ...lines]
  const found = {...marks, isGoing: goingPaths(all), isNamed: isNamedIn({all: () => all})}
  await look('the folders of the daemons', tellFolders(found))
  await look(config.baseDir, tellAccess(found))
  return {left, lines, remarks}
}

/** Only what says itself that it is ours, and is noted before it is made: of a journal that is whole it is named there. */
export async function findSureMarks(host: Host, config: SetupConfig): Promise<JournalLine[]> {
  const lines: JournalLine[] = []
  const marks: Marks = {
    claim: (step, ...entries) => lines.push(...entries.map((entry) => ({entry, step}))),
    config,
    host,
    isNamed: () => false,
    leave: () => {},
    remark: () => {},
  }
  const {elsewhere} = await findServices(marks)
  if (elsewhere.length === 0) await findRules(marks)
  return lines.filter(isSure)
}

interface FoundServices {
  /** Base directories. */
  readonly elsewhere: readonly string[]
  readonly here: readonly string[]
}

async function findServices({claim, config, host, remark}: Marks): Promise<FoundServices> {
  const here: string[] = []
  const elsewhere = new Set<string>()
  for (const [step, name] of SERVICES) {
    if (!(await host.services.isOurs(name))) continue
    const imagePath = (await host.services.imagePath(name)) ?? ''
    const home = homeOfService(imagePath)
    if (home !== undefined && !isSameHome(home, config.baseDir)) {
      elsewhere.add(home)
      remark(`the service ${name} is of the node in ${home}`)
      continue
    }

    here.push(name)
    claim(step, {kind: 'service', name})
    const node = name === KUBELET ? /--hostname-override=([\w.-]+)/.exec(imagePath)?.[1] : undefined
    if (node !== undefined) claim('node-registered', {kind: 'node', name: node})
  }

  return {elsewhere: [...elsewhere], here}
}

/** A setup that came to its end, or one that began and whose journal is still there in some shape. */
async function hasRecords({config, host}: Marks): Promise<boolean> {
  const {journal, nodeConfig} = layoutOf(config.baseDir)
  const seen = await Promise.all([journal, damagedCopy(journal), nodeConfig].map((path) => host.files.status(path)))
  return seen.some((status) => status !== undefined)
}

async function findEnvironment({claim, config, host, isNamed, leave}: Marks): Promise<void> {
  const {binaries, kubeconfig} = layoutOf(config.baseDir)
  const step = 'machine-environment'
  if (await host.environment.isOnPath(binaries)) claim(step, {folder: binaries, kind: 'path-entry'})
  const name = 'KUBECONFIG'
  if ((await host.environment.get(name)) !== kubeconfig) return
  claim(step, {kind: 'environment', name})
  if (!isNamed({kind: 'environment', name}))
    leave(`the variable ${name} is removed, and the value that it may have had before setup is not known`)
}

async function findRules({claim, host, leave}: Marks): Promise<number> {
  let found = 0
  for (const {name} of FIREWALL_RULES) {
    const rules = await host.firewall.find(name)
    const ours = rules.filter((rule) => isOurRule(rule.description))
    if (ours.length === 0) continue
    if (ours.length < rules.length) leave(`the firewall rule "${name}", for another one that is not ours has its name`)
    else claim('firewall-rules', {kind: 'firewall-rule', name})
    found++
  }

  return found
}

async function findNetworks({claim, host, isNamed, leave}: Marks, isFlannelOurs: boolean): Promise<void> {
  const step = 'overlay-network'
  const overlay = await host.hns.network(NETWORK_NAME)
  // Rancher's agent calls its network so, too, and makes it in the same way.
  if (overlay && isMadeByFlanneld(overlay) && isFlannelOurs) claim(step, {kind: 'network', name: NETWORK_NAME})
  else if (overlay && !isNamed({kind: 'network', name: NETWORK_NAME}))
    leave(networkLeft(overlay.Name, overlay.ID, 'nothing else says that our flanneld made it'))
  const external = await host.hns.network(EXTERNAL_NETWORK)
  const why = "the original script and Microsoft's make the same one"
  if (external && isFlannelOurs && !isNamed({kind: 'network', name: EXTERNAL_NETWORK}))
    leave(networkLeft(external.Name, external.ID, why))
}

const networkLeft = (name: string, id: string, why: string): string =>
  `the HNS network ${name}, for ${why}. If nobody needs it: hnsdiag delete networks ${id}`

async function findPauseImage({claim, host, isNamed, leave}: Marks): Promise<void> {
  if ((await host.docker.network(HOST_NETWORK))?.labels[NETWORK_LABEL] !== undefined) {
    claim('pause-image', {kind: 'docker-network', name: HOST_NETWORK})
  }

  const reference = `${PAUSE_IMAGE}:latest`
  const image = await host.docker.image(reference)
  if (image?.labels[TEMPLATE_LABEL] === undefined || isNamed({kind: 'image-tag', reference})) return
  claim('pause-image', {kind: 'image-tag', reference})
  leave(`the name ${reference}, which may have been another image's before setup, is not given back`)
}
