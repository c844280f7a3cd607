// Everything a run leaves behind or shows, by name: where secrets must not be.
import type {HostFolder} from '../steps/host-folder.js'

export function evidenceOf(host: HostFolder, shown: Readonly<Record<string, string>>): Record<string, string> {
  const {registry, services} = host.world
  const environments = Object.entries(registry).filter(([key]) =>
    /\\services\\(?:flanneld|kubelet|kubeproxy)$/i.test(key),
  )
  return {
    ...ownFiles(host),
    ...shown,
    'service configurations': JSON.stringify([Object.values(services).map(({config}) => config), environments]),
    'transcript.ndjson': host.transcriptText,
  }
}

/** Logs, state, configurations: every file of k8s-win but the kubeconfigs, which hold secrets by their nature. */
function ownFiles(host: HostFolder): Record<string, string> {
  const isOther = (name: string): boolean => !/^k\//.test(name) || /kubeconfig[^/]*$|\.exe$|\.t(?:ar\.)?gz$/.test(name)
  const files = Object.entries(host.filesBut(isOther)).filter(([, content]) => content !== 'folder')
  return Object.fromEntries(files.map(([name]) => [name, host.read(name.replaceAll('/', '\\'))]))
}
