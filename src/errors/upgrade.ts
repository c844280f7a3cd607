// Another release over a node. Exit code 3: refused before anything was changed; 6: the old release is back; 7: neither is.
import {defineError} from './define.js'
import {pasted} from './pasted.js'

/** kubernetes.io, releases/version-skew-policy: in-place minor upgrades of the kubelet are not supported. */
export const drainNeeded = defineError<{from: string; pods: string; release: string}>('DRAIN_NEEDED', 3, {
  cause: (p) =>
    `Kubernetes does not support another minor version of the kubelet under running pods. These would have to be evicted: ${p.pods}.`,
  fix: (p) => `Run "k8s-win upgrade --release ${pasted(p.release)} --drain".`,
  message: (p) => `The node must be drained before it goes from ${p.from} to ${p.release}`,
})

export const podsWithoutController = defineError<{pods: string}>('PODS_WITHOUT_CONTROLLER', 3, {
  cause: (p) => `These pods have no controller: ${p.pods}.`,
  fix: 'Delete them yourself when they are not needed any more, or run the same command with --yes: then they are evicted too.',
  message: 'Draining the node would delete pods that nothing recreates',
})

export const runtimeChange = defineError<{from: string; release: string; to: string}>('RUNTIME_CHANGE', 3, {
  cause: (p) =>
    `Kubernetes ${p.release} is set up with ${p.to}, and the containers, images and networks of ${p.from} cannot be taken over.`,
  fix: (p) =>
    `Remove the node first: "k8s-win reset --drain". Then stop and disable ${p.from}, and run "k8s-win setup --release ${pasted(p.release)}".`,
  message: (p) => `This node was set up with ${p.from}`,
})

export const upgradeRolledBack = defineError<{fix: string; from: string; reason: string; to: string}>(
  'UPGRADE_ROLLED_BACK',
  6,
  {
    cause: (p) => p.reason,
    fix: (p) => p.fix,
    message: (p) => `The upgrade to ${p.to} failed; the node is at ${p.from} again, and healthy`,
  },
)

export const upgradeUnfinished = defineError<{again: string; cause: string; from: string; to: string}>(
  'UPGRADE_UNFINISHED',
  3,
  {
    cause: (p) => p.cause,
    fix: (p) => `Run "k8s-win ${p.again}": it resumes. To stay at ${p.from}, run "k8s-win setup" instead.`,
    message: (p) => `An upgrade from ${p.from} to ${p.to} began and did not finish`,
    wanted: 'an upgrade that has finished',
  },
)

export const upgradeStuck = defineError<{from: string; left: string; to: string}>('UPGRADE_STUCK', 7, {
  cause: (p) => p.left,
  fix: (p) =>
    `Fix the reported problem. Then run the same command again for ${p.to}, or "k8s-win setup --release ${pasted(p.from)}" to return to ${p.from}.`,
  message: (p) => `The upgrade to ${p.to} failed, and ${p.from} could not be restored`,
})
