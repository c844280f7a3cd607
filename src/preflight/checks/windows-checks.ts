// Checks of the Windows version: edition, patch level, processor, and whether it supports the Kubernetes release.
import {kubernetesDigests, newestRelease} from '../../artifacts/digests.js'
import {endedSupport} from '../../components/releases/end-of-life.js'
import {
  flannelProblem,
  isSupportedBuild,
  releaseProblem,
  releaseWarnings,
  testedMinor,
} from '../../components/releases/windows-support.js'
import {DOCKER_MINOR, NEWEST_MINOR, PREVIEW_SOURCE} from '../../config/version.js'
import {architectureUnsupported, patchMissing} from '../../errors/condition.js'
import {flannelUnsupported, windowsUnsupported} from '../../errors/host.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {WindowsVersion} from '../../host/os.js'
import {check, type Check, pass, warn} from '../check.js'
import type {Facts} from '../facts.js'
import {newerPatch, ofCatalogue} from '../newer-releases.js'

const WS2019 = 17_763
const WS2022 = 20_348
const WS2025 = 26_100

/** Builds that are refused, and why (docs/facts.md#windows-builds). */
const REFUSED: Readonly<Record<number, string>> = {
  14_393: 'Windows Server 2016 does not support overlay networks for Kubernetes',
  18_362: 'semi-annual releases are out of support',
  18_363: 'semi-annual releases are out of support',
  19_041: 'semi-annual releases are out of support, and this one loses its static address to the virtual switch',
  19_042: 'semi-annual releases are out of support, and this one loses its static address to the virtual switch',
  25_398: "the annual channel was never tested with flannel's overlay network",
}

interface Patches {
  readonly advised: number
  readonly advisedFor: string
  /** Updates that break the network of pods: from the first one until the one that fixes it. */
  readonly broken?: {readonly fixed: number; readonly from: number; readonly why: string}
  readonly needed?: number
  readonly update?: string
}

/** Required and recommended patch levels (docs/facts.md#windows-builds). */
const PATCHES: Readonly<Record<number, Patches>> = {
  [WS2019]: {
    advised: 1554,
    advisedFor: 'direct server return and reliable removal of networks require KB4580390 (October 2020)',
    needed: 379,
    update: 'KB4489899 (March 2019)',
  },
  [WS2022]: {
    advised: 681,
    advisedFor: 'the overlay network is known to work from KB5012637 (April 2022)',
    // microsoft/Windows-Containers#516; the notes of KB5044281 name the fix (projectcalico/calico#8529).
    broken: {
      fixed: 2762,
      from: 2582,
      why: 'the updates of July to September 2024 (from KB5040437 on) break the network of pods; KB5044281 (October 2024) fixes it',
    },
  },
  // Promised for October 2025 in rancher#50915; KB5065426 of September is 26100.6584.
  [WS2025]: {
    advised: 6585,
    advisedFor: 'overlay networks fail on earlier builds (fixed by the cumulative update of October 2025)',
  },
}

const windowsVersion = check('windows-version', 'Windows version', async (facts) => {
  const version = await facts.version()
  const {build = 0, installation = '', ubr = 0} = version ?? {}
  if (installation === 'Client') throw unsupported(facts, version, 'it is a desktop edition of Windows')
  if (installation === 'Nano Server') throw unsupported(facts, version, 'Nano Server is supported only in containers')
  if (isSupportedBuild(build)) {
    return pass(`${version?.productName ?? 'Windows'}, build ${build}.${ubr}`)
  }
  throw unsupported(facts, version, REFUSED[build] ?? "Kubernetes with flannel's overlay network was not tested on it")
})

const releaseWindows = check('release-windows', 'Kubernetes release', async (facts) => {
  const version = await facts.version()
  const {digests, origin, release, versions} = facts.config
  const build = version?.build ?? 0
  const problem = releaseProblem(release, build)
  if (problem) throw unsupported(facts, version, problem.reason, await otherRelease(problem.minor))
  const flannel = flannelProblem(versions.flannel)
  if (flannel !== undefined) throw flannelUnsupported({reason: flannel, version: versions.flannel.text})
  // Its flags and fields are those of its minor; only its bytes are not known, until they are installed.
  const isNew = origin.sources.release !== 'stored'
  const isUnknown = isNew && !digests.kubernetes && (await kubernetesDigests())[release.text] === undefined
  const isPreview = release.minor > NEWEST_MINOR
  const warnings = [
    ...(isPreview ? [`k8s-win knows 1.${release.minor} only from its release candidate (${PREVIEW_SOURCE})`] : []),
    ...(isUnknown ? ['k8s-win does not know its digest, and takes it from the server of the archive'] : []),
    ...releaseWarnings(release, build),
  ]
  const ended = endedSupport(release.minor, facts.host.clock.now())
  const outdated = ended === undefined ? [] : [`upstream support of 1.${release.minor} ended on ${ended}`]
  const notice = await ofCatalogue(facts.config)
  if (warnings.length + outdated.length > 0) {
    const fix =
      warnings.length === 0
        ? newerRelease(build, facts.host.clock.now())
        : isUnknown
          ? `Pass the SHA-512 that its CHANGELOG lists ("--digest kubernetes=sha512:<hex>"), or --release ${await newestRelease(Math.min(release.minor, NEWEST_MINOR))}.`
          : await betterRelease(release.minor, build, facts.host.clock.now())
    const where = warnings.length === 0 ? '' : ` on build ${build}`
    const message = `Kubernetes ${release.text}${where}: ${[...outdated, ...warnings].join('; ')}`
    return {...warn(message, fix), ...notice}
  }
  return {...pass(`Kubernetes ${release.text} on build ${version?.build ?? 'unknown'}`), ...notice}
})

const OTHER_WINDOWS =
  'Use Windows Server 2019 (build 17763), 2022 (build 20348) or 2025 (build 26100), with a release of Kubernetes that runs on it.'

/** Names only a release that --release accepts. */
async function otherRelease(minor: number): Promise<string> {
  const release = minor > NEWEST_MINOR ? undefined : await newestRelease(minor)
  if (release === undefined) return OTHER_WINDOWS
  // A newer one has containerd, and this host was asked for Docker.
  return `Pass --release ${release}${minor === DOCKER_MINOR ? '' : ' or newer'}.`
}

/** One that upstream tests on this Windows and supports: without it one warning would lead to the other. */
const hasSupportedRelease = (build: number, now: number): boolean =>
  Array.from({length: NEWEST_MINOR}, (_, index) => index + 1).some(
    (minor) => testedMinor(minor, build) === minor && endedSupport(minor, now) === undefined,
  )

const NEWER_WINDOWS =
  'Set up the node on Windows Server 2022 or 2025: upstream supports no release any more that it tests on this Windows. Until then this warning stays with every release.'

const newerRelease = (build: number, now: number): string =>
  hasSupportedRelease(build, now)
    ? 'Upgrade the cluster to a supported version where it is older, then this node ("k8s-win upgrade").'
    : NEWER_WINDOWS

/** The newest patch, of this minor or, where upstream does not test that on this Windows, of the nearest one that it tests. */
async function betterRelease(minor: number, build: number, now: number): Promise<string> {
  const tested = Math.min(testedMinor(minor, build), NEWEST_MINOR)
  if (tested < minor && !hasSupportedRelease(build, now)) return NEWER_WINDOWS
  const pass = `Pass --release ${await newestRelease(tested)}`
  // The kubelet must not be newer than the API server.
  return tested > minor ? `${pass} when the API server is at 1.${tested} or newer.` : `${pass}.`
}

const windowsPatch = check('windows-patch', {on: 'host', title: 'Windows patch level'}, async (facts) => {
  const {build = 0, ubr = 0} = (await facts.version()) ?? {}
  const patches = PATCHES[build]
  if (patches?.needed !== undefined && ubr < patches.needed) {
    const needed = String(patches.needed)
    throw patchMissing({build: String(build), needed, seen: String(ubr), update: patches.update ?? ''})
  }
  if (patches && ubr < patches.advised) {
    return warn(
      `build ${build}.${ubr} is older than ${build}.${patches.advised}: ${patches.advisedFor}`,
      'Install the newest cumulative update of Windows before pods run on the node.',
    )
  }
  const {broken} = patches ?? {}
  if (broken && ubr >= broken.from && ubr < broken.fixed) {
    return warn(
      `patch level ${build}.${ubr}: ${broken.why}, ${build}.${broken.fixed}`,
      'Install the newest cumulative update of Windows before pods run on the node.',
    )
  }
  return pass(`patch level ${build}.${ubr}`)
})

const architecture = check('architecture', {on: 'host', title: 'Processor architecture'}, async ({host}) => {
  const seen = await host.environment.get('PROCESSOR_ARCHITECTURE')
  if (seen !== undefined && seen.toUpperCase() !== 'AMD64') throw architectureUnsupported({architecture: seen})
  return pass(seen ?? 'not reported by Windows')
})

function unsupported(
  {config}: Facts,
  version: WindowsVersion | undefined,
  reason: string,
  advice = OTHER_WINDOWS,
): K8sWinError {
  const build = String(version?.build ?? 'unknown')
  return windowsUnsupported({
    advice,
    build,
    product: version?.productName ?? 'This Windows',
    reason,
    release: config.release.text,
  })
}

export const WINDOWS_CHECKS: readonly Check[] = [windowsVersion, releaseWindows, newerPatch, windowsPatch, architecture]
