// What is wrong with a containerd that was on the host before.
import {defineError} from './define.js'

export const containerdUnfit = defineError('CONTAINERD_UNFIT', 3, {
  cause: '{reasons}',
  fix: '{changes} Then run the same command again.',
  message: 'The containerd of this host cannot be used as it is',
})

export const containerdChanged = defineError('CONTAINERD_CHANGED', 3, {
  cause: 'Since it was checked: {changes}.',
  fix: 'If that is intended, drain the node, run "k8s-win reset" and then "k8s-win setup". Otherwise restore its former configuration, restart it, and run the same command again.',
  message: 'The containerd of this host is not the one that the node was set up with',
})
