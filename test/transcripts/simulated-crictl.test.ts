// The simulated crictl and ctr beside what the real ones printed, on a Linux containerd: exit codes, words and JSON.
import {beforeEach, describe, expect, it} from 'vitest'
import type {RunResult} from '../../src/machine/run.js'
import type {ContainerdImage, ContainerdSandbox} from '../../src/simulator/containerd/state.js'
import {CONFIG_2, type ContainerdNode, startContainerd} from '../simulator/containerd-node.js'
import {crictlRecording} from './crictl-recordings.js'

const ID = '8ba629b03f482924719ec06b2a6592a3c90c4b6483c4ef41d625f4488ceec910'
const POD = 'f2f6ec795f8ffd3890d17eed5d930959e769f1dfac286ddc374d76e0c34b457a'
const PAUSE = 'registry.example/pause:3.10.2'
const APP = '127.0.0.1:5055/app:1'
const IMAGE: ContainerdImage = {
  digests: [],
  id: `sha256:${ID}`,
  osVersion: '10.0.17763.2237',
  pinned: true,
  size: 2_057_155,
  tags: [PAUSE],
}
const UID = '11111111-2222-3333-4444-555555555555'
const SANDBOX: ContainerdSandbox = {
  attempt: 0,
  containers: [
    {
      attempt: 0,
      createdAt: 1,
      id: 'e7e8ae69f0373163d8b1dffe197dae8198e0679e31fe2c2218cc16f6b7b8946f',
      image: PAUSE,
      imageId: `sha256:${ID}`,
      labels: {'io.kubernetes.container.name': 'app'},
      name: 'app',
      state: 'CONTAINER_RUNNING',
    },
  ],
  createdAt: 1,
  id: POD,
  labels: {
    'io.kubernetes.pod.name': 'web',
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.pod.uid': UID,
  },
  name: 'web',
  namespace: 'default',
  state: 'SANDBOX_READY',
  uid: UID,
}

let node: ContainerdNode
beforeEach(async () => {
  node = await startContainerd({config: CONFIG_2, version: 'v1.7.24'})
  node.stage.world.containerd.images = [structuredClone(IMAGE)]
})

type Answer = Pick<RunResult, 'exitCode' | 'stderr' | 'stdout'>

/** Times, process ids and moments, as they are replaced in the recordings. */
const comparable = ({exitCode, stderr, stdout}: Answer): Answer => ({
  exitCode,
  stderr: stderr.replaceAll(/time="[^"]*"/g, 'time="<TIME>"').replaceAll(/^E\d{4} [\d:.]+ +\d+ /gm, 'E<TIME> <PID> '),
  stdout: stdout.replaceAll(/"(?:createdAt|timestamp)": "\d+"/g, '"createdAt": "MOMENT"'),
})
const PIPE = 'npipe:////./pipe/containerd-containerd'
/** The pipe in place of the socket, and the words of Windows in place of those of Linux. */
const onWindows = (text: string): string =>
  text
    .replaceAll(
      'dial unix <PIPE>: connect: no such file or directory',
      'open //./pipe/containerd-containerd: The system cannot find the file specified.',
    )
    .replaceAll('unix://<PIPE>', PIPE)
    .replaceAll('"<PIPE>"', JSON.stringify(String.raw`\\.\pipe\containerd-containerd`))
    .replaceAll('no such file or directory', 'The system cannot find the file specified.')
    .replaceAll('<DIR>/none.tar', String.raw`C:\none.tar`)
const recorded = (name: string): Answer => {
  const {exitCode, stderr, stdout} = crictlRecording(name)
  return comparable({exitCode, stderr: onWindows(stderr), stdout})
}

/** Asks what was asked of the real one. */
const ask = async (name: string, replace: (arg: string) => string = (arg) => arg): Promise<Answer> => {
  const [program, ...args] = crictlRecording(name).command.map(onWindows).map(replace)
  return comparable(await (program === 'ctr' ? node.ctr(...args) : node.crictl(...args)))
}

describe('crictl', () => {
  it.each(['images', 'inspecti-missing', 'inspecti-windows', 'pods-none', 'pull-missing', 'rmi-missing', 'rmp-again'])(
    'is the real one, letter by letter: %s',
    async (name) => {
      expect(await ask(name)).toEqual(recorded(name))
    },
  )

  it.each(['pods', 'ps', 'rmp-running'])('with a pod: %s', async (name) => {
    node.stage.world.containerd.sandboxes = [structuredClone(SANDBOX)]
    expect(await ask(name)).toEqual(recorded(name))
  })

  it('removes a pod that is stopped, and lists none', async () => {
    node.stage.world.containerd.sandboxes = [{...structuredClone(SANDBOX), state: 'SANDBOX_NOTREADY'}]
    for (const name of ['rmp', 'pods-after', 'rmp-again', 'rmp-all']) expect(await ask(name)).toEqual(recorded(name))
  })

  it('removes an image with all its names', async () => {
    node.stage.world.containerd.images = [{...structuredClone(IMAGE), tags: [APP, PAUSE]}]
    expect(await ask('rmi')).toEqual(recorded('rmi'))
    expect(node.stage.world.containerd.images).toEqual([])
  })

  it('reports its version; a Debian has one of its own', async () => {
    const debian = recorded('version')
    expect(await ask('version')).toEqual({...debian, stdout: debian.stdout.replace('1.7.24~ds1', 'v1.7.24')})
  })

  it('shows an image with its system', async () => {
    const [ours, theirs] = [await ask('inspecti'), recorded('inspecti')].map(
      ({stdout}) => JSON.parse(stdout) as {info: {chainID: string; imageSpec: object}; status: object},
    )
    expect(ours?.status).toEqual(theirs?.status)
    const kinds = (value: object | undefined): string[] =>
      Object.keys(value ?? {}).filter((key) => key !== 'os.version')
    expect(kinds(ours?.info)).toEqual(kinds(theirs?.info))
    expect(kinds(ours?.info.imageSpec)).toEqual(kinds(theirs?.info.imageSpec))
    // Not recorded: a Linux daemon unpacks no image of Windows (assumption crictl-windows-image).
    expect(ours).toMatchObject({info: {imageSpec: {os: 'windows', 'os.version': '10.0.17763.2237'}}})
  })

  it('pulls', async () => {
    const real = recorded('pull')
    const ours = await ask('pull', (arg) => arg.replace('app:1', 'windows/nanoserver:1809'))
    expect({...ours, stdout: ours.stdout.replace(/[\da-f]{64}/, ID)}).toEqual(real)
  })

  it('refuses an index without a variant for this host', async () => {
    const name = 'windows/nanoserver:multi'
    const ours = await ask('pull-no-platform', (arg) => arg.replace(name, 'windows/nanoserver:ltsc2022'))
    expect({...ours, stderr: ours.stderr.replaceAll('windows/nanoserver:ltsc2022', name)}).toEqual(
      recorded('pull-no-platform'),
    )
  })

  it('reports a registry that does not answer; here its name is unknown', async () => {
    node.stage.world.downloads['127.0.0.1:5999/none:x'] = {fault: 'unreachable'}
    const real = recorded('pull-unreachable')
    const reason = 'dial tcp: lookup 127.0.0.1: no such host'
    expect(await ask('pull-unreachable')).toEqual({
      ...real,
      stderr: real.stderr.replaceAll('dial tcp 127.0.0.1:5999: connect: connection refused', reason),
    })
  })

  it('refuses an unknown flag; its help is not simulated', async () => {
    const real = recorded('pull-json')
    const [first] = real.stdout.split('NAME:')
    expect(await ask('pull-json')).toEqual({...real, stdout: first})
  })

  it.each(['imagefsinfo', 'info'])('has nothing in %s that the real one has in another form', async (name) => {
    const [ours, theirs] = [await ask(name), recorded(name)]
    expect(ours.exitCode).toBe(theirs.exitCode)
    expect(shapesIn(JSON.parse(theirs.stdout))).toEqual(expect.arrayContaining(shapesIn(JSON.parse(ours.stdout))))
  })

  it.each(['daemon-stopped', 'daemon-stopped-pull'])('%s', async (name) => {
    await node.win32.stopService('containerd')
    await node.stage.elapse(10_000)
    expect(await ask(name)).toEqual(recorded(name))
  })
})

/** "status.conditions[].type: string" of every value. Networks are those of Linux. */
function shapesIn(value: unknown, path = ''): string[] {
  if (path.endsWith('.Networks')) return []
  const entries = Array.isArray(value)
    ? value.map((one) => ['[]', one] as const)
    : Object.entries(value ?? {}).map(([key, one]) => [`.${key}`, one as unknown] as const)
  const isLeaf = typeof value !== 'object' || value === null
  return isLeaf
    ? [`${path}: ${typeof value}`]
    : [...new Set(entries.flatMap(([key, one]) => shapesIn(one, path + key)))]
}

describe('ctr', () => {
  it('is the real one, letter by letter: ctr-tag-missing', async () => {
    expect(await ask('ctr-tag-missing')).toEqual(recorded('ctr-tag-missing'))
  })

  it('waits for a daemon that is stopped', async () => {
    await node.win32.stopService('containerd')
    await node.stage.elapse(10_000)
    const {exitCode, stderr} = recorded('ctr-daemon-stopped')
    expect(await ask('ctr-tag-missing')).toMatchObject({exitCode, stderr})
  })
})
