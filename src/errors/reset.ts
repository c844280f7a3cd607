// Exit code 7: reset could not remove everything; exit code 2: it cannot prompt.
import {defineError} from './define.js'

export const resetIncomplete = defineError('RESET_INCOMPLETE', 7, {
  cause: 'Remaining: {left}.',
  fix: 'Fix the problem reported for each, and run the same command again: it continues with what is left.',
  message: 'Not everything could be removed',
})

export const resetUnproven = defineError('RESET_UNPROVEN', 7, {
  cause:
    '{journal}, which records what setup created, was lost or damaged, so k8s-win cannot prove that it created the following, and did not remove it: {left}.',
  fix: 'Check each. Remove by hand what nothing else on this host needs. "k8s-win reset" repeats this list until they are gone, or until "k8s-win reset --purge" has removed the records.',
  message: 'Something that k8s-win created may remain on this host',
})

export const yesNeeded = defineError('YES_NEEDED', 2, {
  cause:
    '{journal}, which records what setup created, is lost, so k8s-win recognises what it created only by its marks: {found}. There is no terminal to prompt on.',
  fix: 'Check the list; to remove all of it, run the same command with --yes.',
  message: 'Removing without a journal requires confirmation',
})

export const resetEndsPods = defineError('RESET_ENDS_PODS', 2, {
  cause:
    'These pods and containers would end, and no DaemonSet creates them: {pods}. There is no terminal to prompt on.',
  fix: 'Run the same command with --drain, which evicts pods first, or with --yes, which ends them.',
  message: 'Ending pods requires confirmation',
})

export const networkUnclear = defineError('NETWORK_UNCLEAR', 7, {
  cause:
    'Several HNS networks have the same name, and neither the recorded ID nor the subnet of flanneld shows which of them is that of this node: {networks}.',
  fix: 'Remove the one that is not needed ("hnsdiag list networks", "hnsdiag delete networks <id>"), and run the same command again.',
  message: 'It is unknown which HNS network belongs to this node; all of them were kept',
})

export const containerdKept = defineError('CONTAINERD_KEPT', 7, {
  cause:
    'Neither could its pods and images be removed through it, nor could it be ended and their layers be removed without it: {reason}.',
  fix: 'Restart Windows, then run the same command again.',
  message: 'containerd was kept with what is in it',
})

export const containerdShared = defineError('CONTAINERD_SHARED', 7, {
  cause:
    'Its pods and images could not be removed through it, and to remove them without it would also remove what k8s-win did not create: {others}.',
  fix: 'Save what is needed of it. Then stop containerd ("net stop containerd"), move C:\\ProgramData\\containerd to another place, and run the same command again.',
  message: 'containerd was kept because it has, or may have, what k8s-win did not create',
})
