// Secrets that are fetched from a store of the cloud (--token-from, --kubeconfig-from): exit code 3. No text has a secret.
import {defineError, defineTransientError} from './define.js'

export const secretUnreachable = defineTransientError('SECRET_UNREACHABLE', 3, {
  cause: '{reason}',
  fix: 'If it throttles, wait and run the same command again. Otherwise check that this host reaches the metadata service (169.254.169.254, never through a proxy) and the secret store (routes, firewall, DNS, HTTPS_PROXY and NO_PROXY; --secret-endpoint for a private endpoint), and that its clock is correct.',
  message: '{source} cannot be fetched',
})

export const secretIdentityMissing = defineTransientError('SECRET_IDENTITY_MISSING', 3, {
  cause: '{reason} k8s-win waited {waited} for it.',
  fix: '{identity} Then run the same command again.',
  message: 'This virtual machine has no identity to fetch {source} with',
})

export const secretDenied = defineError('SECRET_DENIED', 3, {
  cause: '{reason} k8s-win waited {waited}, in case the permission is new.',
  fix: '{permission} Then run the same command again.',
  message: 'The identity of this virtual machine may not read {source}',
})

export const secretNotFound = defineError('SECRET_NOT_FOUND', 3, {
  cause: '{reason}',
  fix: 'Check the name, and the region, vault or project, or create the secret.',
  message: '{source} does not exist',
})

export const secretUnusable = defineError('SECRET_UNUSABLE', 3, {
  cause: '{reason}',
  fix: 'Check what is stored there, and the key after the # if there is one. If the answer is not from the secret store, check --secret-endpoint and the proxy.',
  message: 'No secret can be read from {source}',
})

export const secretHostUntrusted = defineError('SECRET_HOST_UNTRUSTED', 3, {
  cause:
    'The metadata service names {host}, which is not a host of this secret store that k8s-win knows. The credentials of this virtual machine were not sent to it.',
  fix: 'If this host is in a cloud with a domain of its own, add --trust-secret-endpoint {host:word} to the same command. Otherwise find out who answers for 169.254.169.254 in this network.',
  message: '{source} was not fetched from {host}',
})

export const secretOtherCloud = defineError('SECRET_OTHER_CLOUD', 3, {
  cause: 'The firmware of this host is that of {cloud}, whose virtual machines have no identity for this secret store.',
  fix: (p: {forms: string}) =>
    `${p.forms === '' ? 'Pass' : `Store it in this cloud, and pass ${p.forms}; or pass`} a file: --token-file or --kubeconfig.`,
  message: '{source} is in the secret store of another cloud',
})
