// A lab machine that can become a Kubernetes node: its network, its programs, and the world around it.
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {build} from 'esbuild'
import type {RuntimeName} from '../../../src/config/model.js'
import {CLUSTER_CA} from '../../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../../src/simulator/cluster/kubeconfig.js'
import {profileNamed} from '../../../src/simulator/profiles/index.js'
import type {World} from '../../../src/simulator/world.js'
import {profileOf} from '../../one-truth/simulated-host.js'
import {FOR_WINDOWS} from '../bundle.js'
import {IN_LAB, type Lab, type LabMachine, type LabResult} from '../lab.js'
import type {LabProcess, LabRun} from '../lab-run.js'
import {STEADY_PIPES} from '../steady-pipes.js'
import {PROXY_PORT} from '../world/mirror-door.js'
import {addToRegistry} from './add-to-registry.js'
import type {MirrorFiles} from './mirror-files.js'
import type {LabNodeView} from './node-view.js'
import {putPrograms} from './put-programs.js'

const WORLD_SOURCE = fileURLToPath(new URL('../world/world.ts', import.meta.url))
const LOOK_SOURCE = fileURLToPath(new URL('look.ts', import.meta.url))
const WORLD = 'C:\\lab\\world'
const GAPS = `${WORLD}\\fill-gaps.cjs`
const AUTHORITY = `${WORLD}\\authority.pem`
const SETUP_TIMEOUT_MS = 300_000
const READY_TIMEOUT_MS = 120_000

export interface LabNodeOptions {
  /** Ethernet0 if not said; as Linux takes it: at most 15 letters, no blank. */
  readonly adapter?: string
  /** Where the kubeconfig is put before setup; C:\k if not said. */
  readonly baseDir?: string
  /** How k8s-win is started; by node.exe from the package, if not said. */
  readonly cli?: LabCli
  /** k8s-win also runs as a service, which has the variables of the machine and none of this process. */
  readonly isDetachable?: boolean
  /** Which one the host is for; Docker, which is there, if not said. */
  readonly runtime?: RuntimeName
  /** Makes the world unhealthy before it begins. */
  arrange?(world: World): void
}

/** A program of the machine, by its Windows path, and the arguments before the command. */
export interface LabCli {
  readonly args: readonly string[]
  readonly program: string
}

export interface LabNode {
  readonly machine: LabMachine
  /** The real CLI to its end: `k8s-win setup <args>`, with the digests of what the lab's mirror has. */
  setup(args: readonly string[], run?: Pick<LabRun, 'env' | 'onOutput'>): Promise<LabResult>
  /** Any command of the real CLI, still running. */
  start(command: string, args: readonly string[], run?: Pick<LabRun, 'env' | 'onOutput'>): Promise<LabProcess>
  /** setup, still running: to be killed, or watched. */
  /** `by`: another command that does the same. */
  startSetup(
    args: readonly string[],
    run?: Pick<LabRun, 'env' | 'onOutput'>,
    by?: 'setup' | 'upgrade',
  ): Promise<LabProcess>
  /** Bundles a TypeScript file and runs it on the machine, where the product's machine sees what setup sees. */
  runSource(file: string, args?: readonly string[]): Promise<LabResult>
  look(): Promise<LabNodeView>
  /** Restarts Windows: every process ends, and the service manager starts what starts with Windows. */
  reboot(): Promise<void>
  /** The world as it is now. */
  world(): Promise<World>
  close(): Promise<void>
}

/** A fresh host, as the simulator's: nothing of k8s-win is on it but the kubeconfig. */
export async function startLabNode(lab: Lab, options: LabNodeOptions = {}): Promise<LabNode> {
  const {adapter = 'Ethernet0', arrange, baseDir = 'C:\\k', runtime = 'docker'} = options
  const machine = await lab.machine('WIN-1', {adapter})
  try {
    const world = profileNamed(profileOf({runtime})).makeWorld(Date.now())
    world.adapters = world.adapters.map((one) => (one.gateways.length > 0 ? {...one, name: adapter} : one))
    arrange?.(world)
    const {serverURL, version} = world.cluster
    const digestFlags = await putPrograms(machine, `${WORLD}\\mirror`, runtime)
    await machine.write(`${WORLD}\\machine.json`, JSON.stringify(world))
    await machine.write(`${baseDir}\\kubeconfig`, makeKubeconfig(serverURL, undefined, version))
    await machine.write(AUTHORITY, CLUSTER_CA)
    await machine.write(GAPS, FILL_GAPS)
    if (options.isDetachable === true) await addToRegistry(machine, FOR_SERVICES)
    return nodeOn(machine, digestFlags, await startWorld(machine), options.cli)
  } catch (error) {
    await machine.close()
    throw error
  }
}

/** Wine forgets much of what is set on services and files: these libraries keep it (programs/wine-*.dll.c). */
const FILL_GAPS = `const koffi = require('${IN_LAB.app.replaceAll('\\', '/')}/node_modules/koffi')
for (const name of ['wine-security', 'wine-services']) koffi.load('C:\\\\lab\\\\programs\\\\' + name + '.dll')
`

/** What every k8s-win of the lab needs. A packaged one takes no arguments of Node.js. */
const EVERYWHERE = {
  NODE_EXTRA_CA_CERTS: AUTHORITY,
  NODE_OPTIONS: [STEADY_PIPES, GAPS].map((file) => `--require ${file.replaceAll('\\', '/')}`).join(' '),
}

const FOR_SERVICES = {
  // Wine does not pass WINEDLLOVERRIDES on to services.
  HKCU: {'Software\\Wine\\DllOverrides': {'netsh.exe': 'native'}},
  HKLM: {
    'Software\\k8s-win lab\\Security': {
      // Wine's own has what the drive hands down (programs/wine-security.dll.c); on Windows only administrators may add to it.
      '\\\\?\\c:\\program files': 'O:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)',
    },
    'System\\ControlSet001\\Control\\Session Manager\\Environment': EVERYWHERE,
  },
}

function nodeOn(
  machine: LabMachine,
  digestFlags: MirrorFiles['flagsFor'],
  firstWorld: () => void,
  cli?: LabCli,
): LabNode {
  let demandWorld = firstWorld
  const start: LabNode['start'] = (command, args, run = {}) =>
    machine.start({
      ...run,
      ...(cli && {program: cli.program}),
      args: [...(cli?.args ?? [IN_LAB.cli]), command, ...args],
      env: {
        ...EVERYWHERE,
        HTTPS_PROXY: `http://127.0.0.1:${PROXY_PORT}`,
        // The API server is asked directly, as a node's environment would have it.
        NO_PROXY: '10.0.0.10',
        // Wine takes its own programs before those that are there in their place.
        WINEDLLOVERRIDES: 'netsh.exe=n',
        ...run.env,
      },
      timeoutMs: SETUP_TIMEOUT_MS,
    })
  const startSetup: LabNode['startSetup'] = (args, run, by = 'setup') => start(by, [...args, ...digestFlags(args)], run)
  const node: LabNode = {
    close: () => machine.close(),
    look: async () => {
      const {code, stderr, stdout} = await node.runSource(LOOK_SOURCE)
      if (code !== 0) throw new Error(stderr)
      return JSON.parse(stdout) as LabNodeView
    },
    machine,
    reboot: async () => {
      // The new server stays, and would keep what it writes to open.
      const restart = 'wineserver -k; wineserver -w; wineserver -p >/dev/null 2>&1'
      await machine.linux(['sh', '-c', restart])
      demandWorld = await startWorld(machine, 'booted')
    },
    runSource: async (file, args = []) => {
      const {content, name} = await bundled(file)
      return machine.run({
        args: ['--require', GAPS, '--enable-source-maps', name, ...args],
        files: {[name]: content},
        timeoutMs: SETUP_TIMEOUT_MS,
      })
    },
    setup: async (args, run) => {
      const ended = await (await startSetup(args, run)).ended
      demandWorld()
      return ended
    },
    start,
    startSetup,
    world: async () => JSON.parse(await machine.read(`${WORLD}\\machine.json`)) as World,
  }
  return node
}

interface Bundle {
  readonly content: Uint8Array
  readonly name: string
}

/** For all nodes of this process. */
const bundles: Record<string, Promise<Bundle>> = {}
const bundled = (file: string): Promise<Bundle> => (bundles[file] ??= bundle(file))

/** Beside the package's node_modules, so that koffi is found as the product finds it. */
async function bundle(file: string): Promise<Bundle> {
  const {outputFiles} = await build({...FOR_WINDOWS, entryPoints: [file], write: false})
  const name = path.basename(file).replace(/\.ts$/, '.mjs')
  return {content: outputFiles[0]!.contents, name: `${IN_LAB.app}\\suites\\${name}`}
}

/** Answers what throws once the world has ended by itself: nothing that is seen then means anything. */
async function startWorld(machine: LabMachine, ...how: readonly 'booted'[]): Promise<() => void> {
  const {content, name} = await bundled(WORLD_SOURCE)
  let ready = (): void => undefined
  const isReady = new Promise<void>((resolve) => (ready = resolve))
  const running = await machine.start({
    args: ['--require', GAPS, '--enable-source-maps', name, WORLD, ...how],
    files: {[name]: content},
    onOutput: (text) => text.includes('ready') && ready(),
    timeoutMs: 3_600_000,
  })
  let death: Error | undefined
  const died = running.ended.then(({code, stderr}) => {
    death = new Error(`the world ended with ${code}: ${stderr}`)
    throw death
  })
  const late = AbortSignal.timeout(READY_TIMEOUT_MS)
  await Promise.race([
    isReady,
    died,
    new Promise((_resolve, reject) =>
      late.addEventListener('abort', () => reject(new Error('the world is not ready'))),
    ),
  ])
  return () => {
    if (death) throw death
  }
}
