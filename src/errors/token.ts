// Errors of "k8s-win token": what is given cannot be a token, or the cluster does not let its bootstrap tokens be managed.
import {defineError} from './define.js'

export const adminKubeconfigNotGiven = defineError('ADMIN_KUBECONFIG_NOT_GIVEN', 2, {
  cause: 'The bootstrap tokens of a cluster are managed with the kubeconfig of one of its administrators.',
  fix: 'Pass --kubeconfig <file>, or set the environment variable KUBECONFIG. On a control plane made by kubeadm it is /etc/kubernetes/admin.conf.',
  message: 'Neither --kubeconfig nor KUBECONFIG names a kubeconfig',
})

/** Without the text, which may be a secret. */
export const tokenMalformed = defineError('TOKEN_MALFORMED', 2, {
  cause: 'It has {length} characters. An ID is 6 characters of a-z and 0-9; a token is <id>.<16 characters>.',
  fix: 'Pass the ID that "k8s-win token list" shows.',
  message: 'The argument is not the ID of a bootstrap token',
})

export const tokenForbidden = defineError('TOKEN_FORBIDDEN', 3, {
  cause: '{said}',
  fix: 'Use the kubeconfig of a cluster administrator (kubeadm: /etc/kubernetes/admin.conf), or let one of them grant "{verb}" on Secrets in the namespace kube-system.',
  message: 'The user of the kubeconfig may not {verb} bootstrap tokens',
})

export const tokenUnknown = defineError('TOKEN_UNKNOWN', 3, {
  cause: '{server} has no Secret bootstrap-token-{id} in kube-system: it was deleted, or has expired.',
  fix: 'List the tokens of the cluster: "k8s-win token list".',
  message: 'There is no bootstrap token {id}',
})

export const tokenNotGiven = defineError('TOKEN_NOT_GIVEN', 2, {
  cause: '"k8s-win token delete" deletes the one token that it is given.',
  fix: 'Write the ID after the command: "k8s-win token delete <id>". "k8s-win token list" shows the IDs.',
  message: 'No token ID is given',
})
