// What is kept of a node: our own records, its images, its certificate, its CNI configuration, its firewall rules.
import {X509Certificate} from 'node:crypto'
import {win32} from 'node:path'
import {FIREWALL_RULES, isOurRule} from '../components/firewall.js'
import {KUBELET_KEYS} from '../config/layout.js'
import {PAUSE_IMAGE} from '../config/model.js'
import {nodeOptionsLost} from '../errors/configuration.js'
import {
  imageOutdated,
  kubeletCertificateLapsed,
  recordsLost,
  resetUnfinished,
  ruleMissing,
} from '../errors/sick-node.js'
import {type ProblemsError} from '../errors/k8s-win-error.js'
import {matches} from '../host/firewall.js'
import {FileError} from '../machine/files.js'
import {lossInWords, unnamedIn} from '../pipeline/journal-loss.js'
import {findSureMarks} from '../pipeline/marks.js'
import {type Check, notLookedAt, pass, warn} from '../preflight/check.js'

/** The kubelet rotates at 70 to 90 % of its certificate's life: one with so little left was not rotated. */
const SOON_MS = 7 * 24 * 60 * 60_000

/** Setup notes only what it has to make again. */
const JOURNAL_LOST =
  'The node works without it. A reset goes by our marks, and asks first or needs --yes: "k8s-win reset --yes" and a new setup begin the journal anew; "k8s-win setup" alone notes only what it has to make again.'

export interface NodeRecords {
  /** A setup came to its end, and what it stored is gone. */
  readonly areOptionsLost?: boolean
  /** What is wrong with the journal, in words. */
  readonly damage?: string
  /** A reset that did not come to its end, as it is run again: it explains what is not there. */
  readonly leavingBy?: string
  /** Services of ours that run from here, where nothing else tells of a setup. */
  readonly orphans?: readonly string[]
  /** Why what the last setup stored cannot be used. */
  readonly problem?: ProblemsError
  readonly state: 'absent' | 'begun' | 'set-up' | 'unknown'
  /** Why they cannot be read. */
  readonly unread?: string
}

/** What setup left of itself, which is read before any check is. */
export const recordsCheck = ({
  areOptionsLost,
  damage,
  leavingBy,
  orphans,
  problem,
  state,
  unread,
}: NodeRecords): Check => ({
  id: 'node-records',
  async run(facts) {
    const {config, host, journal, layout} = facts
    if (problem) throw problem
    if (unread !== undefined) return notLookedAt(unread)
    if (leavingBy !== undefined) throw resetUnfinished({again: leavingBy, folder: config.baseDir})
    if (areOptionsLost) throw nodeOptionsLost({node: await facts.nodeName(), path: layout.nodeConfig})
    if (orphans) throw recordsLost({folder: layout.state, services: orphans.join(', ')})
    if (damage !== undefined) return warn(damage, 'Run "k8s-win setup" again: it mends the journal.')
    const unnoted = unnamedIn(journal, await findSureMarks(host, config))
    if (unnoted.length > 0) return warn(lossInWords(layout.journal, unnoted), JOURNAL_LOST)
    if (state === 'set-up') return pass('a setup came to its end')
    return warn(
      'a setup began here and did not come to its end',
      'Run "k8s-win setup" again, with the options it was run with, to go on.',
    )
  },
  title: 'Records of the last setup',
})

/** Only major.minor.build must be the same: an update of Windows within its release does no harm (facts d.8). */
export const imageBuild: Check = {
  id: 'image-build',
  async run(facts) {
    const version = await facts.version()
    const isSilent = await facts.docker().then(
      () => false,
      () => true,
    )
    if (isSilent) return notLookedAt('not looked at, for Docker does not answer')
    const image = await facts.host.docker.image(PAUSE_IMAGE)
    const [, build] = /^10\.0\.(\d{4,6})(?:\.|$)/.exec(image?.osVersion ?? '') ?? []
    if (!image) return warn(`${PAUSE_IMAGE} is not there, so no pod starts`, 'Run "k8s-win setup" again: it builds it.')
    if (build === undefined || !version) return notLookedAt('not told by Docker')
    if (Number(build) === version.build) return pass(`${PAUSE_IMAGE} is of build ${build}, as the host`)
    throw imageOutdated({host: String(version.build), image: PAUSE_IMAGE, seen: build})
  },
  title: 'Pause image and Windows',
}

export const kubeletCertificate: Check = {
  id: 'kubelet-certificate',
  async run({host}) {
    const path = win32.join(KUBELET_KEYS, 'kubelet-client-current.pem')
    let content
    try {
      content = await host.files.read(path)
    } catch (error) {
      if (error instanceof FileError) return notLookedAt(`${path} cannot be read (${error.code})`)
      throw error
    }
    if (content === undefined) return pass("the kubelet uses the kubeconfig's")
    const until = endOf(content.toString('utf8'))
    if (until === undefined) return notLookedAt(`${path} holds no certificate`)
    const now = host.clock.now()
    const day = new Date(until).toISOString().slice(0, 10)
    if (until < now) throw kubeletCertificateLapsed({day, path})
    const days = Math.floor((until - now) / (24 * 60 * 60_000))
    if (until - now > SOON_MS) return pass(`${days} days left`)
    return warn(
      `the kubelet's certificate ends on ${day}, and was not rotated`,
      'See that kube-controller-manager signs ("kubectl get csr"), and approve what waits.',
    )
  },
  title: "The kubelet's certificate",
}

function endOf(pem: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo)
  } catch {
    return undefined
  }
}

/** The first by name counts; another check tells of one that comes before ours. */
export const cniDuplicates: Check = {
  id: 'cni-duplicates',
  async run({host, layout}) {
    const {cniConfig, cniConfigFolder: folder} = layout
    const all = (await host.files.list(folder)).filter((name) => /\.(?:conf|conflist|json)$/i.test(name))
    const own = win32.basename(cniConfig).toLowerCase()
    const others = all.filter((name) => name.toLowerCase() !== own)
    if (!all.some((name) => name.toLowerCase() === own)) {
      return warn(`${cniConfig} is not there, so the node is not Ready`, 'Run "k8s-win setup" again: it writes it.')
    }
    if (others.length === 0) return pass('ours, and no other')
    return warn(
      `${folder} has ${others.join(', ')} beside ours: two of them give the same address to two pods`,
      `Remove what is not used from ${folder}.`,
    )
  },
  title: 'One CNI configuration',
}

export const nodeFirewall: Check = {
  id: 'node-firewall',
  async run({host}) {
    const stored = await Promise.all(
      FIREWALL_RULES.map(async (rule) => ({rule, seen: await host.firewall.find(rule.name)})),
    )
    // Of one that somebody else made the check "firewall-rules" tells, and that it takes --adopt.
    const own = stored.filter(({seen}) => seen.every(({description}) => isOurRule(description)))
    const wrong = own.filter(({rule, seen}) => !seen.some((one) => matches(one, rule))).map(({rule}) => rule.name)
    if (wrong.length > 0) throw ruleMissing({rules: wrong.join(', ')})
    if (own.length < stored.length) return notLookedAt('not looked at, for somebody else made rules of our names')
    return pass(`${FIREWALL_RULES.length} rules as setup made them`)
  },
  title: 'Open ports',
}
