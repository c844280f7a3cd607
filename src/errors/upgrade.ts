// Another release over a node, or other settings of its daemons. Exit code 3: refused before anything was changed; 6: the node is as before; 7: neither.
import {defineError} from './define.js'

/** kubernetes.io, releases/version-skew-policy: in-place minor upgrades of the kubelet are not supported. */
export const drainNeeded = defineError('DRAIN_NEEDED', 3, {
  cause:
    'Kubernetes does not support another minor version of the kubelet under running pods. These would have to be evicted: {pods}.',
  fix: 'Run "k8s-win upgrade --release {release:word} --drain".',
  message: 'The node must be drained before it goes from {from} to {release}',
})

export const podsWithoutController = defineError('PODS_WITHOUT_CONTROLLER', 3, {
  cause: 'These pods have no controller: {pods}.',
  fix: 'Delete them yourself when they are not needed any more, or run the same command with --yes: then they are evicted too.',
  message: 'Draining the node would delete pods that nothing recreates',
})

export const runtimeChange = defineError('RUNTIME_CHANGE', 3, {
  cause:
    'Kubernetes {release} is set up with {to}, and the containers, images and networks of {from} cannot be taken over.',
  fix: 'Remove the node first: "k8s-win reset --drain". Then stop and disable {from}, and run "k8s-win setup --release {release:word}".',
  message: 'This node was set up with {from}',
})

export const upgradeRolledBack = defineError('UPGRADE_ROLLED_BACK', 6, {
  cause: '{reason}',
  fix: '{fix}',
  message: 'The upgrade to {to} failed; the node is at {from} again, and healthy',
})

export const upgradeUnfinished = defineError('UPGRADE_UNFINISHED', 3, {
  cause: '{cause}',
  fix: 'Run "k8s-win {again}": it resumes. To stay at {from}, run "k8s-win setup" instead.',
  message: 'An upgrade from {from} to {to} began and did not finish',
  wanted: 'an upgrade that has finished',
})

export const upgradeStuck = defineError('UPGRADE_STUCK', 7, {
  cause: '{left}',
  fix: 'Fix the reported problem. Then run the same command again for {to}, or "k8s-win setup --release {from:word}" to return to {from}.',
  message: 'The upgrade to {to} failed, and {from} could not be restored',
})

export const settingsRolledBack = defineError('SETTINGS_ROLLED_BACK', 6, {
  cause: '{reason}',
  fix: 'Correct the settings, and run setup with them again: none of them was stored.',
  message:
    'The node does not work with the new settings of its daemons; it has those of the last setup again, and is healthy',
})

export const settingsStuck = defineError('SETTINGS_STUCK', 7, {
  cause: '{left}',
  fix: 'Fix the reported problem. Then run "k8s-win setup" without the new settings to return to those of the last setup.',
  message:
    'The node does not work with the new settings of its daemons, and those of the last setup could not be restored',
})
