// Everything a run leaves behind or shows, by name: where secrets must not be.
import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {SimulatedHost} from '../setup/simulated-host.js'

export function evidenceOf(host: SimulatedHost, shown: Readonly<Record<string, string>>): Record<string, string> {
  const transcript = join(host.dir, 'transcript.ndjson')
  const {registry, services} = host.world
  const environments = Object.entries(registry).filter(([key]) =>
    /\\services\\(?:flanneld|kubelet|kubeproxy)$/i.test(key),
  )
  return {
    ...ownFiles(host),
    ...shown,
    'service configurations': JSON.stringify([Object.values(services).map(({config}) => config), environments]),
    ...(existsSync(transcript) ? {'transcript.ndjson': readFileSync(transcript, 'utf8')} : {}),
  }
}

/** Logs, state, configurations: every file of k8s-win but the kubeconfigs, which hold secrets by their nature. */
function ownFiles(host: SimulatedHost): Record<string, string> {
  const root = host.file('k')
  if (!existsSync(root)) return {}
  return Object.fromEntries(
    readdirSync(root, {recursive: true, withFileTypes: true})
      .filter((entry) => entry.isFile() && !/kubeconfig|\.exe$|\.t(?:ar\.)?gz$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  )
}
