// The pod of the smoke test: short-lived, on this node, with one container per check, whose exit code is the verdict.
import type {SmokeCheckId} from '../config/check-ids.js'

export const SMOKE_NAMESPACE = 'default'
/** A pod of this name without these labels was not created by k8s-win. */
const LABELS: Readonly<Record<string, string>> = {
  'app.kubernetes.io/managed-by': 'k8s-win',
  'app.kubernetes.io/name': 'k8s-win-verify',
}

/** Windows needs half a minute and more to start three containers; then curl has its own limits. */
export const SMOKE_POD_MS = 300_000

/** What curl does with one address; it is in nanoserver and servercore since 1803 (docs/facts.md#the-smoke-test). */
export interface SmokeTarget {
  readonly id: SmokeCheckId
  readonly url: string
}

/** A name has at most 253 characters and ends in a letter or a digit (RFC 1123). */
export const smokePodName = (node: string): string =>
  `k8s-win-verify-${node}`.slice(0, 253).replace(/(?<![.-])[.-]+$/, '')

export const isSmokePod = ({labels}: {readonly labels: Readonly<Record<string, string>>}): boolean =>
  Object.entries(LABELS).every(([key, value]) => labels[key] === value)

/**
 * It passes the level "restricted" of PodSecurity (as a Windows pod from 1.25 on) and a quota that demands limits, gets no token
 * and runs beside every taint: spec.nodeName makes it independent of the scheduler.
 */
export function smokePod(node: string, image: string, targets: readonly SmokeTarget[]) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {labels: LABELS, name: smokePodName(node), namespace: SMOKE_NAMESPACE},
    spec: {
      activeDeadlineSeconds: SMOKE_POD_MS / 1000,
      automountServiceAccountToken: false,
      containers: targets.map(({id, url}) => ({
        command: [...CURL, url],
        image,
        // Setup has pulled it.
        imagePullPolicy: 'Never',
        name: id,
        resources: {limits: {cpu: '500m', memory: '512Mi'}, requests: {cpu: '10m', memory: '32Mi'}},
      })),
      enableServiceLinks: false,
      nodeName: node,
      os: {name: 'windows'},
      restartPolicy: 'Never',
      securityContext: {runAsNonRoot: true, windowsOptions: {runAsUserName: 'ContainerUser'}},
      terminationGracePeriodSeconds: 0,
      tolerations: [{operator: 'Exists'}],
    },
  }
}

/**
 * Any HTTP response is a success. The time limit of a connection is longer than Windows takes to give up a name (12 s) or an
 * address (21 s): a name that is not resolved must be 6, not 28. curl tries 6 and 28 again (src/tool_operate.c), as the first
 * seconds of a Windows pod often require, and 7 with --retry-connrefused.
 */
const CURL = [
  String.raw`C:\Windows\System32\curl.exe`,
  '--silent',
  '--insecure',
  ...['--noproxy', '*'],
  ...['--output', 'NUL'],
  ...['--connect-timeout', '30'],
  ...['--max-time', '40'],
  ...['--retry', '20'],
  ...['--retry-delay', '3'],
  ...['--retry-max-time', '60'],
  '--retry-connrefused',
]

/** The section EXIT CODES of the manual of curl. */
export const NOT_RESOLVED = 6
const NOT_CONNECTED: Readonly<Record<number, string>> = {
  [NOT_RESOLVED]: 'the name could not be resolved',
  7: 'the connection failed',
  28: 'no response in time',
  35: 'the TLS handshake failed',
  52: 'the connection was closed without a response',
  55: 'the connection broke',
  56: 'the connection broke',
}

/** In words; undefined for an exit code that says nothing about the network. */
export const curlProblem = (exitCode: number): string | undefined => NOT_CONNECTED[exitCode]
