// Exit code 2: invalid by itself, before the host is checked.
import {defineError} from './define.js'

/** `where` is how it was given: --release, K8S_WIN_RELEASE, or file, line and key. */
export const badValue = defineError('BAD_VALUE', 2, {
  cause: '{reason}',
  fix: (p: {flag: string; wanted: string; where: string}) => {
    // A key of the configuration file that has no flag has a dot.
    const option = p.where.startsWith('K8S_WIN_') ? p.where : p.flag.includes('.') ? p.flag : `--${p.flag}`
    return p.wanted.startsWith('together') ? `Pass ${option} ${p.wanted}.` : `Set ${option} to ${p.wanted}.`
  },
  message: (p: {value: string; wanted: string; where: string}) =>
    p.wanted === 'true or false'
      ? `${p.where} must be true or false, not "${p.value}"`
      : `${p.where} "${p.value}" cannot be used`,
})

export const overlappingCIDRs = defineError('OVERLAPPING_CIDRS', 2, {
  cause: 'Pods and services must not share addresses.',
  fix: 'Pass the networks of the cluster to --cluster-cidr and --service-cidr; they must not overlap.',
  message: '{clusterWhere} {cluster} and {serviceWhere} {service} overlap',
})

export const releaseUnsupported = defineError('RELEASE_UNSUPPORTED', 2, {
  cause: 'k8s-win sets up Kubernetes {supported}: {reason}.',
  fix: (p: {reason: string; supported: string}) =>
    `Pass a stable release of Kubernetes ${p.supported} to --release${p.reason.includes('newer') ? ', or update k8s-win' : ''}.`,
  message: '{where}: Kubernetes {release} cannot be set up',
})

/**
 * kube-proxy lists endpoints by network from 1.24.2 on, and HNS does not list those that were made with its v1 API, as CNI
 * plugins do under Docker (kubernetes#110591); from 1.25 on it has no other way (kubernetes#110957).
 */
export const dockerUnsupported = defineError('DOCKER_UNSUPPORTED', 2, {
  cause:
    'From 1.24 on the kubelet does not support Docker, and kube-proxy does not find pods that Docker runs: Services with a pod on this node would not work.',
  fix: 'Remove --runtime: Kubernetes 1.24 and newer is set up with containerd. To keep Docker, in a cluster of 1.25 or older, pass a version from 1.21.0 to 1.23.17 to --release.',
  message: '{where}: Kubernetes {release} cannot be set up with Docker',
})

export const remoteDocker = defineError('REMOTE_DOCKER', 2, {
  cause: 'The kubelet requires the Docker Engine of the same machine, through a named pipe.',
  fix: 'Pass --docker-endpoint npipe:////./pipe/docker_engine, or clear DOCKER_HOST.',
  message: '{origin} {endpoint} is not a local pipe',
})

/** A field of KubeletConfiguration or a flag of a daemon. `owner` has it or not: "the kubelet of Kubernetes 1.36". */
export const unknownSetting = defineError('UNKNOWN_SETTING', 2, {
  cause: '{reason}',
  fix: (p: {suggestion: string}) =>
    p.suggestion === '' ? 'Remove it.' : `Did you mean ${p.suggestion}? Otherwise, remove it.`,
  message: '{where}: {owner} has no {kind} "{given}"',
})
