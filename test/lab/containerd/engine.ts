// A real containerd and a real registry on loopback, in a folder of their own that goes away with them.
import type {ChildProcess} from 'node:child_process'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {build} from 'esbuild'
import {containerdConfiguration, crictlConfiguration} from '../../../src/components/containerd.js'
import {CONTAINERD_DATA, layoutOf} from '../../../src/config/layout.js'
import {CONTAINERD_PIPE, endpointOf} from '../../../src/config/model.js'
import {endDaemon, openDaemons} from '../daemons.js'
import {openPrograms} from '../debian-programs.js'
import {BASE_DIR, SETTINGS} from './rig.js'

/** The containerd of Debian 13 is the one that the recordings of crictl are of. */
const SUITE = 'trixie'
const PACKAGES = ['containerd', 'docker-registry', 'golang-github-kubernetes-cri-api-dev'] as const
const PROTO = 'usr/share/gocode/src/k8s.io/cri-api/pkg/apis/runtime/v1/api.proto'

export interface RealContainerd {
  /** Stops everything and removes the folder. */
  close(): Promise<void>
  /** The stand-in for crictl, a program of Node.js, and where it finds the CRI's definition. */
  readonly crictl: string
  readonly ctr: string
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  /** Folders, the pipe and files of the node, where they are here. */
  onLinux(text: string): string
  /** "127.0.0.1:<port>" of the registry itself. */
  readonly registry: string
  start(): Promise<void>
  /** A clean stop, or (SIGKILL) a crash. What was pulled stays. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export async function startRealContainerd(): Promise<RealContainerd> {
  const programs = await openPrograms(PACKAGES, SUITE)
  const daemons = openDaemons('containerd', programs)
  const {close, folder} = daemons
  const at = (name: string): string => join(folder, name)
  const socket = at('containerd.sock')
  const onLinux = (text: string): string =>
    [
      [endpointOf({pipe: CONTAINERD_PIPE}), `unix://${socket}`],
      [CONTAINERD_PIPE, socket],
      [CONTAINERD_DATA, at('data')],
      [BASE_DIR, at('k')],
    ]
      .reduce((replaced, [there = '', here = '']) => replaced.replaceAll(there, here), text)
      .replaceAll('\\', '/')
  let daemon: ChildProcess | undefined

  const start = async (): Promise<void> => {
    daemon = daemons.run('containerd', ['--config', onLinux(layoutOf(BASE_DIR).containerd.config)])
    await daemons.logged('containerd', daemon, /containerd successfully (booted) in/u)
  }

  try {
    const {containerd} = layoutOf(BASE_DIR)
    const config = containerdConfiguration(SETTINGS)
    mkdirSync(at('k/containerd'), {recursive: true})
    writeFileSync(onLinux(containerd.config), `${onLinux(config)}${linuxParts(folder)}`)
    writeFileSync(onLinux(containerd.crictlConfig), onLinux(crictlConfiguration()))
    // The import is of options for Go's code generator only.
    writeFileSync(at('api.proto'), readFileSync(join(programs.root, PROTO), 'utf8').replace(/^import .*$/mu, ''))
    const [registry] = await Promise.all([daemons.startRegistry(), start(), bundleCrictl(at('crictl.mjs'))])
    return {
      close,
      crictl: at('crictl.mjs'),
      ctr: programs.find('ctr'),
      environment: {...programs.environment, CRI_PROTO: at('api.proto')},
      folder,
      onLinux,
      registry,
      start,
      stop: (signal) => endDaemon(daemon, signal),
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** One file, so that it starts without a compiler. */
async function bundleCrictl(outfile: string): Promise<void> {
  await build({
    banner: {
      js: "import {createRequire as __createRequire} from 'node:module'\nconst require = __createRequire(import.meta.url)",
    },
    bundle: true,
    entryPoints: [fileURLToPath(new URL('crictl.ts', import.meta.url))],
    format: 'esm',
    logLevel: 'warning',
    outfile,
    platform: 'node',
    target: 'node20',
  })
}

/** What a Linux containerd needs beside k8s-win's own configuration; the rest keeps it in its folder. */
const linuxParts = (folder: string): string => `
[ttrpc]
  address = '${folder}/containerd.ttrpc.sock'
[plugins.'io.containerd.grpc.v1.cri'.containerd]
  snapshotter = 'native'
`
