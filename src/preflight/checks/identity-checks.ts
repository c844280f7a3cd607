// Checks of identities: whether this is the machine of the node; of the daemons how long they are valid, for which node, and
// their permissions.
import {certificateRotation} from '../../components/kubelet.js'
import {copiedFrom} from '../../components/node-machine.js'
import {adviseOn, DAEMON_NAMES, isNode, refusal} from '../../components/permission-advice.js'
import {isJudgedAsNode, missingOf, NEEDS, type Permission, permissionsText} from '../../components/permissions.js'
import {IDENTITIES, type Identity} from '../../config/model.js'
import {credentialsLapsed} from '../../errors/cluster.js'
import {nodeIsACopy} from '../../errors/host.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {pasted} from '../../errors/define.js'
import type {Access} from '../../host/cluster/cluster.js'
import {day, userOf, validUntil, whyLapsed} from '../../host/cluster/credential-validity.js'
import {certificateIn} from '../../host/cluster/key-material.js'
import type {Kubeconfig} from '../../host/cluster/kubeconfig.js'
import {check, type Check, notChecked, pass, warn} from '../check.js'
import {type Facts, unlessForbidden} from '../facts.js'

/** Enough time to get new credentials: nothing renews those in a kubeconfig. */
export const SOON_MS = 30 * 24 * 3_600_000

/**
 * `isKept`: the kubelet has a valid certificate of its own, and does not present that of the kubeconfig. `isRenewed`: the
 * kubeconfig names the certificate that the kubelet renews.
 */
export function judgeCredentials(
  kubeconfig: Kubeconfig,
  users: readonly Identity[],
  {isKept, isRenewed}: {readonly isKept: boolean; readonly isRenewed: boolean},
  now: number,
): {readonly problem?: K8sWinError; readonly warning?: string} {
  const [reason, until] = [whyLapsed(kubeconfig, now), validUntil(kubeconfig)]
  const who = users.filter((identity) => reason === undefined || !isKept || identity !== 'kubelet').join(', ')
  if (reason !== undefined) {
    return who === ''
      ? {warning: `${reason} The kubelet uses its own certificate as long as that is valid`}
      : {problem: credentialsLapsed({reason, who})}
  }
  const isSoon = until !== undefined && until - now <= Math.min(SOON_MS, isRenewed ? unrenewedMs(kubeconfig) : SOON_MS)
  return isSoon ? {warning: `the credentials of ${who} are valid only until ${day(until)}`} : {}
}

/**
 * The kubelet renews its certificate at 70 to 90 % of its life (client-go, certificate_manager.go, nextRotationDeadline),
 * so one with less left was not renewed.
 */
export const UNRENEWED_SHARE = 0.1

function unrenewedMs({certificate}: Kubeconfig): number {
  if (certificate === undefined) return SOON_MS
  const {validFrom, validTo} = certificateIn(certificate)
  return (Date.parse(validTo) - Date.parse(validFrom)) * UNRENEWED_SHARE
}

const credentials = check('credentials', {title: 'Credentials', warnedBy: 'node-identities'}, async (facts) => {
  if (facts.config.bootstrap) return pass('a bootstrap token: the kubelet requests a certificate with it')
  const now = facts.host.clock.now()
  const judged = await Promise.all(
    (await byKubeconfig(facts)).map(async ({kubeconfig, users}) => {
      const isKept = users.includes('kubelet') && (await facts.kubeletHasOwn())
      return judgeCredentials(kubeconfig, users, {isKept, isRenewed: facts.config.join !== undefined}, now)
    }),
  )
  const problems = judged.flatMap(({problem}) => problem ?? [])
  if (problems.length > 0) throw new ProblemsError(problems)
  const warnings = judged.flatMap(({warning}) => warning ?? [])
  const kubelet = await facts.kubeconfig('kubelet')
  if (warnings.length === 0 && kubelet.certificate !== undefined && !certificateRotation(kubelet).kubeletRotates) {
    return warn(
      "the kubelet will not renew its certificate: its kubeconfig's proxy-url has a password, and renewal uses the proxy in the environment of the service, which every user of this host can read",
      'Use a proxy that does not require a password from this host, or pass a new kubeconfig before the certificate expires.',
    )
  }

  if (warnings.length === 0)
    return pass(facts.config.join ? 'valid, and renewed by the kubelet' : 'valid for at least 30 days')
  if (facts.config.join) {
    return warn(
      warnings.join('; '),
      'The kubelet should have renewed it: check that the cluster approves and signs its requests ("kubectl get csr").',
    )
  }

  return warn(
    warnings.join('; '),
    'Get a new kubeconfig from the cluster before they expire, and run the same command again with it.',
  )
})

/** Each kubeconfig once, with the daemons that share it. */
async function byKubeconfig(facts: Facts) {
  const all = await Promise.all(
    IDENTITIES.map(async (identity) => ({identity, kubeconfig: await facts.kubeconfig(identity)})),
  )
  return all
    .filter(({kubeconfig}, index) => all.findIndex((other) => other.kubeconfig.key === kubeconfig.key) === index)
    .map(({kubeconfig}) => ({
      kubeconfig,
      users: all.filter((other) => other.kubeconfig.key === kubeconfig.key).map(({identity}) => identity),
    }))
}

const UNKNOWN = 'If this is a copy of another host, run "k8s-win reset" and join it as a node of its own.'

const nodeCopy = check('node-copy', 'Copy of another node', async ({computerName, config, host}) => {
  if (!config.madeOn) return pass('this host has no node yet')
  const uuid = await host.os.systemUuid()
  if (uuid === undefined && config.madeOn.uuid !== '')
    return warn('unknown: Windows does not report the UUID of this machine', UNKNOWN)
  const original = copiedFrom(config, uuid)
  if (original === undefined) return pass('the machine on which setup has run')
  throw nodeIsACopy({copy: `${await computerName()} with ${uuid}`, original})
})

/** The admission plugin NodeRestriction lets a node change only its own objects. */
const nodeIdentity = check('node-identity', 'Kubelet certificate', async (facts) => {
  const user = userOf(await facts.kubeconfig('kubelet'))
  const name = await facts.nodeName()
  if (facts.config.bootstrap) return pass(`to be issued for system:node:${name}`)
  const [, node] = /^system:node:(.*)$/.exec(user ?? '') ?? []
  if (node === undefined || node === name) return pass(user === undefined ? 'known only to the cluster' : user)
  return warn(
    `the kubelet's certificate is for the node ${node}, and this node is ${name}; clusters with NodeRestriction (the default of kubeadm) reject it`,
    `Pass --node-name ${pasted(node)}, or give the kubelet a certificate for system:node:${name}.`,
  )
})

const permissions = check('permissions', {needs: ['cluster'], title: 'Permissions'}, async (facts) => {
  const {bootstrap} = facts.config
  const reviewed = await reviewedOf(facts)
  const found = await Promise.all(reviewed.map((identity) => lackingOf(facts, identity)))
  const problems = found.filter(({required}) => required.length > 0)
  if (problems.length > 0) {
    throw new ProblemsError(
      problems.map(({identity, kubeconfig, node, required}) => refusal(identity, kubeconfig, node, required)),
    )
  }

  const lesser = found.filter(({optional}) => optional.length > 0)
  if (lesser.length === 0 && bootstrap) return notChecked('the node has no certificate yet')
  if (lesser.length === 0 && reviewed.length < IDENTITIES.length) return pass('the cluster forbids no request')
  if (lesser.length === 0) return pass('every daemon has its required permissions')
  return warn(
    lesser
      .map(
        ({identity, optional}) =>
          `${DAEMON_NAMES[identity]} is not allowed: ${permissionsText(optional)}, so its events are lost`,
      )
      .join('; '),
    [...new Set(lesser.map(({identity, kubeconfig, node}) => adviseOn(identity, kubeconfig, node).fix))].join('\n'),
  )
})

async function reviewedOf(facts: Facts): Promise<readonly Identity[]> {
  const {bootstrap, identityFiles} = facts.config
  // The others are checked as soon as the node has its certificate (steps/node-certificate.ts).
  const known = IDENTITIES.filter((identity) => !bootstrap || identityFiles[identity] !== undefined)
  const {reviews = 'all'} = facts.options
  if (reviews === 'all' || (await isForbidden(facts))) return known
  if (reviews === 'none') return []
  const nodes = await Promise.all(known.map(async (identity) => isNode(await facts.kubeconfig(identity))))
  return known.filter((_, index) => nodes[index] !== true)
}

/** By requests that other checks of a running node make, too: what they need is what a lost binding takes from a node. */
async function isForbidden(facts: Facts): Promise<boolean> {
  const cluster = await facts.cluster('kube-proxy')
  const [services, slices] = [cluster.services('kube-system'), cluster.endpointSlices('kube-system')]
  const answers = [facts.nodeMetadata(), services, slices].map((one) => unlessForbidden<unknown>(one))
  return (await Promise.all(answers)).includes(undefined)
}

async function lackingOf(facts: Facts, identity: Identity) {
  const {optional, renewal, required} = NEEDS[identity]
  const [kubeconfig, node] = await Promise.all([facts.kubeconfig(identity), facts.nodeName()])
  const {minor} = facts.config.release
  const may = (access: Access): Promise<boolean> => facts.may(identity, access)
  const isGranted = identity === 'kubelet' && isNode(kubeconfig) && (await isJudgedAsNode(node, may))
  const missing = async (all: readonly Permission[]): Promise<readonly Permission[]> =>
    isGranted ? [] : missingOf(all, {minor, node}, may)

  const wanted = kubeconfig.certificate === undefined ? required : [...required, ...renewal]
  const [lesser, needed] = await Promise.all([missing(optional), missing(wanted)])
  return {identity, kubeconfig, node, optional: lesser, required: needed}
}

export const IDENTITY_CHECKS: readonly Check[] = [nodeCopy, credentials, nodeIdentity, permissions]
