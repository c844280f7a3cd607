// What --output wide adds: the same parts in full, one thing a line.
import type {StatusDocument} from '../../pipeline/run/status-report.js'

export function statusDetails(document: StatusDocument): string[] {
  const {drift, firewall, identities, images, network, node, programs, runtime, services} = document
  return [
    `base directory: ${document.baseDir}, Kubernetes ${document.release}`,
    ...(node ? [`API server: ${node.server}`] : []),
    ...(node && node.readyMessage !== '' ? [`node: ${node.readyMessage}`] : []),
    ...(identities ?? []).map(
      ({file, usedBy, validUntil}) =>
        `kubeconfig: ${file}, of ${usedBy.join(', ')}, valid until ${validUntil ?? 'unknown'}`,
    ),
    ...(runtime?.running ? [`docker: API ${runtime.apiVersion}, service ${runtime.service}`] : []),
    ...services.map(
      ({exitCode, name, processId, serviceExitCode, startType}) =>
        `${name}: process ${processId || 'none'}, start ${startType}, exit codes ${exitCode} and ${serviceExitCode}`,
    ),
    ...(network?.present
      ? [
          `network: HNS id ${network.id}, type ${network.type}, host ${network.managementIP || 'unknown'}, lease ${network.subnetEnv ?? 'none'}`,
        ]
      : []),
    ...(firewall ?? []).map(({name, state}) => `firewall: "${name}" ${state}`),
    ...(programs ?? []).map(({path, state, version}) => `program: ${path} ${version} ${state}`),
    ...(images ?? []).map(
      ({digest, id, osVersion, reference, state}) =>
        `image: ${reference} ${state} ${osVersion} ${id.slice(0, 19)}${digest && ` pulled as ${digest}`}`,
    ),
    ...(drift ?? []).map(({evidence, state, step}) => `step ${step}: ${state}: ${evidence.join('; ')}`),
  ]
}
