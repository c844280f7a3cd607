// What containerd says of itself, its pods, containers and images, through crictl: by field, because annotations and the
// environment of containers may hold anything.
import {CRICTL_MS, openPrograms} from '../host/containerd/programs.js'
import {at, listAt, parseJson, textAt, textsAt} from '../host/document.js'
import {trustedRun} from '../host/security/trust.js'
import type {Reader} from './collector.js'
import {json} from './readers.js'

const LONGEST_REASON = 500
/** Settings in the answer of info that a node's problem may come from. */
const SETTINGS = [
  'cni',
  'containerdEndpoint',
  'containerdRootDir',
  'rootDir',
  'stateDir',
  'sandboxImage',
  'pinnedImages',
]

/** The labels that say which pod it is of. With Docker annotations, which may hold anything, are labels too. */
const POD_LABELS = /^io\.kubernetes\.(?:container\.name|docker\.type|pod\.(?:name|namespace|uid)|sandbox\.id)$/

export const podLabels = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => POD_LABELS.test(name)))

export const CONTAINERD_FILES: Readonly<Record<string, Reader>> = {
  'containerd/version.txt': async (context) => {
    const text = await crictl(context, 'version')
    return text === undefined ? undefined : {content: {text}}
  },
  'containerd/info.json': answer(['info', '-o', 'json'], (info) => ({
    cniLoad: textAt(info, 'lastCNILoadStatus'),
    config: Object.fromEntries(SETTINGS.map((name) => [name, at(info, 'config', name)])),
    golang: textAt(info, 'golang'),
    status: at(info, 'status'),
  })),
  'containerd/pods.json': answer(['pods', '-o', 'json'], (pods) =>
    listAt(pods, 'items').map((pod) => ({
      created: at(pod, 'createdAt'),
      id: textAt(pod, 'id'),
      kubernetes: podLabels(textsAt(pod, 'labels')),
      metadata: at(pod, 'metadata'),
      runtime: textAt(pod, 'runtimeHandler'),
      state: textAt(pod, 'state'),
    })),
  ),
  'containerd/containers.json': answer(['ps', '-a', '-o', 'json'], (containers) =>
    listAt(containers, 'containers').map((container) => ({
      created: at(container, 'createdAt'),
      id: textAt(container, 'id'),
      image: textAt(container, 'image', 'image'),
      kubernetes: podLabels(textsAt(container, 'labels')),
      metadata: at(container, 'metadata'),
      pod: textAt(container, 'podSandboxId'),
      state: textAt(container, 'state'),
    })),
  ),
  'containerd/images.json': answer(['images', '-o', 'json'], (images) =>
    listAt(images, 'images').map((image) => ({
      digests: at(image, 'repoDigests'),
      id: textAt(image, 'id'),
      pinned: at(image, 'pinned'),
      size: at(image, 'size'),
      tags: at(image, 'repoTags'),
    })),
  ),
  'containerd/filesystems.json': answer(['imagefsinfo', '-o', 'json'], (filesystems) => filesystems),
}

function answer(args: readonly string[], outline: (answer: unknown) => unknown): Reader {
  return json(async (context) => {
    const text = await crictl(context, ...args)
    return text === undefined ? undefined : outline(parseJson(text) ?? text.slice(0, LONGEST_REASON))
  })
}

/** Undefined on a node without containerd. */
async function crictl(
  {config: {baseDir, containerd, runtime}, host: {pipes, trust}, machine, signal}: Parameters<Reader>[0],
  ...args: readonly string[]
): Promise<string | undefined> {
  if (runtime !== 'containerd') return undefined
  const programs = openPrograms({pipes, run: trustedRun(machine.run, trust)}, baseDir, containerd)
  const options = {deadlineMs: CRICTL_MS, effect: 'read', operation: `answer crictl ${args[0] ?? ''}`, signal} as const
  const {exitCode, stderr, stdout} = await programs.crictl(args, options)
  if (exitCode === 0) return stdout
  const said = (stderr || stdout).trim().slice(0, LONGEST_REASON)
  throw new Error(`crictl ${args[0] ?? ''} ended with ${exitCode}: ${said}`)
}
