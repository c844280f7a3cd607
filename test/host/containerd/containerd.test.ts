// containerd through crictl and ctr: every answer is read from a recording of the real programs where there is one.
import {ANY_PIPE} from '../../fakes/any-pipe.js'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {Containerd} from '../../../src/host/containerd/containerd.js'
import {openContainerd} from '../../../src/host/containerd/containerd.js'
import {DeadlineError} from '../../../src/machine/clock.js'
import {HttpError} from '../../../src/machine/http.js'
import {ProgramNotFoundError, ProgramOutputError} from '../../../src/machine/run.js'
import {createSimulatedClock} from '../../../src/simulator/clock.js'
import {type Answer, openRig, result} from './rig.js'

const {signal} = new AbortController()
const IMAGE = 'registry.example/pause:3.10.2'
const IMAGE_ID = 'sha256:8ba629b03f482924719ec06b2a6592a3c90c4b6483c4ef41d625f4488ceec910'
const POD = 'f2f6ec795f8ffd3890d17eed5d930959e769f1dfac286ddc374d76e0c34b457a'
const INSPECT = `crictl inspecti -o json ${IMAGE}`
const NANOSERVER = 'mcr.microsoft.com/windows/nanoserver:ltsc2022'

/** crictl's form of an image, as it prints it with -o json. */
const inspected = (image: {digests?: string[]; id?: string; labels?: object; osVersion?: string; tags?: string[]}) => ({
  stdout: JSON.stringify({
    info: {imageSpec: {config: {Labels: image.labels}, os: 'windows', 'os.version': image.osVersion}},
    status: {id: image.id ?? IMAGE_ID, repoDigests: image.digests ?? [], repoTags: image.tags ?? []},
  }),
})
const missing = (name: string): Answer => ({
  exitCode: 1,
  stderr: `time="2026-11-16T10:00:00Z" level=fatal msg="no such image \\"${name}\\" present"\n`,
})

describe('the programs', () => {
  it('are started by path, with their pipe, whatever the environment says', async () => {
    const {containerd, started} = openRig({'crictl version': 'version', 'ctr containers ls -q': {stdout: ''}})
    await containerd.version()
    await containerd.removeProbes()
    expect(started).toMatchObject([
      {
        args: ['--config', String.raw`C:\k\containerd\crictl.yaml`, 'version'],
        options: {
          deadlineMs: 120_000,
          effect: 'read',
          env: {
            CONTAINER_RUNTIME_ENDPOINT: 'npipe:////./pipe/containerd-containerd',
            IMAGE_SERVICE_ENDPOINT: 'npipe:////./pipe/containerd-containerd',
          },
        },
        program: String.raw`C:\k\containerd\bin\crictl.exe`,
      },
      {
        args: ['--address', String.raw`\\.\pipe\containerd-containerd`, '-n', 'k8s.io', 'containers', 'ls', '-q'],
        options: {env: {CONTAINERD_SUPPRESS_DEPRECATION_WARNINGS: '1'}},
        program: String.raw`C:\k\containerd\bin\ctr.exe`,
      },
    ])
  })

  it.each([
    ['is not there', new ProgramNotFoundError('x'), {exitCode: 3, id: 'CONTAINERD_ABSENT'}],
    ['does not end in time', new DeadlineError(1000), {exitCode: 4, id: 'CONTAINERD_FAILED'}],
    ['prints for ever', new ProgramOutputError('x', 1), {exitCode: 4, id: 'CONTAINERD_FAILED'}],
  ])('one that %s is reported', async (_, error, expected) => {
    const {containerd} = openRig({'crictl version': () => Promise.reject(error)})
    await expect(containerd.version()).rejects.toMatchObject(expected)
  })

  it('one that the caller ends rejects with the reason of the caller', async () => {
    const ended = new AbortController()
    const reason = new DeadlineError(5)
    const stop = (): Promise<never> => {
      ended.abort(reason)
      return Promise.reject(reason)
    }
    const {containerd} = openRig({'crictl pull x': stop})
    await expect(containerd.pull('x', () => {}, ended.signal)).rejects.toBe(reason)
  })

  it('whatever they print, it is reported as an error of the catalogue', async () => {
    const calls: readonly ((containerd: Containerd) => Promise<unknown>)[] = [
      (one) => one.version(),
      (one) => one.info(),
      (one) => one.image('x'),
      (one) => one.images(),
      (one) => one.pods(),
      (one) => one.removePods(),
      (one) => one.removeProbes(),
      (one) => one.removeImage('x'),
      (one) => one.pull('x', () => {}, signal),
      (one) => one.runOnce('x', ['cmd'], signal),
    ]
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom(
        '',
        '{}',
        '[]',
        '{"items":[{"labels":{"io.kubernetes.pod.uid":"x"},"id":"-a"}]}',
        'ctr: ',
        'time=',
      ),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.nat(calls.length - 1),
        text,
        text,
        fc.constantFrom(0, 1),
        async (call, out, err, exitCode) => {
          const run = async () => result({exitCode, stderr: err, stdout: out})
          const containerd = openContainerd(
            {clock: createSimulatedClock(0, async () => {}), pipes: ANY_PIPE, run},
            String.raw`C:\k`,
          )
          const error = await calls[call]?.(containerd).then(
            () => undefined,
            (reason: unknown) => reason,
          )
          if (error !== undefined) expect(error).toMatchObject({exitCode: 4})
        },
      ),
      {numRuns: 500},
    )
  })
})

describe('the daemon', () => {
  it('reports its version and its state', async () => {
    const {containerd} = openRig({'crictl info -o json': 'info', 'crictl version': 'version'})
    expect(await containerd.version()).toEqual({os: 'windows', version: '1.7.24~ds1'})
    const info = await containerd.info()
    expect(info.conditions.map(({isMet, type}) => [type, isMet])).toEqual([
      ['RuntimeReady', true],
      ['NetworkReady', false],
      ['ContainerdHasNoDeprecationWarnings', true],
    ])
  })

  it.each([
    ['info', 'crictl info -o json', 'daemon-stopped', (one: Containerd) => one.info()],
    ['pull', 'crictl pull x', 'daemon-stopped-pull', (one: Containerd) => one.pull('x', () => {}, signal)],
    ['ctr', 'ctr containers ls -q', 'ctr-daemon-stopped', (one: Containerd) => one.removeProbes()],
    [
      'ctr run',
      'ctr run --rm x k8s-win-probe cmd',
      'ctr-daemon-stopped',
      (one: Containerd) => one.runOnce('x', ['cmd'], signal),
    ],
  ] as const)('that is stopped is reported by %s', async (_, command, recording, call) => {
    const {containerd} = openRig({[command]: recording})
    await expect(call(containerd)).rejects.toMatchObject({exitCode: 3, id: 'CONTAINERD_STOPPED'})
  })

  it.each([
    [
      'ends in the middle',
      'pulling image: rpc error: code = Unavailable desc = error reading from server: EOF',
      'CONTAINERD_STOPPED',
    ],
    [
      'has no CRI',
      'validate service connection: validate CRI v1 runtime API for endpoint: rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService',
      'CONTAINERD_FAILED',
    ],
    [
      'is no gRPC server',
      'validate service connection: validate CRI v1 image API for endpoint: rpc error: code = Unavailable desc = connection error: desc = error reading server preface: http2: failed reading the frame payload',
      'PIPE_TAKEN',
    ],
  ])('that %s is reported as such', async (_, words, id) => {
    const stderr = `time="2026-11-16T10:00:00Z" level=fatal msg="${words}"\n`
    const {containerd} = openRig({'crictl pull x': {exitCode: 1, stderr}})
    await expect(containerd.pull('x', () => {}, signal)).rejects.toMatchObject({id})
  })

  it.each([
    'connection error: desc = "transport: Error while dialing: open //./pipe/containerd-containerd: Access is denied.": unavailable',
    'error reading from server: EOF: unavailable',
    'failed to dial "x": context deadline exceeded',
  ])('that ctr has no connection to is stopped: %s', async (words) => {
    const {containerd} = openRig({'ctr containers ls -q': {exitCode: 1, stderr: `ctr: ${words}\n`}})
    await expect(containerd.removeProbes()).rejects.toMatchObject({id: 'CONTAINERD_STOPPED'})
  })

  it('review S2-7: that has no pipe is stopped, and nothing is started that would open the pipe', async () => {
    const demand = () => Promise.reject(new HttpError('', 'ENOENT', 'connect ENOENT'))
    const run = () => Promise.reject(new Error('started'))
    const clock = createSimulatedClock(0, async () => {})
    const containerd = openContainerd({clock, pipes: {demand}, run}, String.raw`C:\k`)
    await expect(containerd.version()).rejects.toMatchObject({id: 'CONTAINERD_STOPPED'})
    await expect(containerd.removeProbes()).rejects.toMatchObject({id: 'CONTAINERD_STOPPED'})
  })

  it('of another kind is refused', async () => {
    const stdout = 'Version:  0.1.0\nRuntimeName:  docker\nRuntimeVersion:  28.0.1\nRuntimeApiVersion:  v1\n'
    const {containerd} = openRig({'crictl version': {stdout}})
    await expect(containerd.version()).rejects.toMatchObject({exitCode: 3, id: 'PIPE_TAKEN'})
  })
})

describe('an image', () => {
  it('is read as it was recorded', async () => {
    const {containerd} = openRig({[INSPECT]: 'inspecti'})
    const tags = [IMAGE]
    expect(await containerd.image(IMAGE)).toEqual({digest: '', id: IMAGE_ID, labels: {}, osVersion: '', tags})
  })

  it('has the version of Windows that it is for, and the digest of its own repository', async () => {
    const digest = `sha256:${'2'.repeat(64)}`
    const answer = inspected({
      digests: [`registry.example/other@sha256:${'1'.repeat(64)}`, `mcr.microsoft.com/windows/nanoserver@${digest}`],
      labels: {a: 'b'},
      osVersion: '10.0.20348.2582',
    })
    const {containerd} = openRig({[`crictl inspecti -o json ${NANOSERVER}`]: answer})
    expect(await containerd.image(NANOSERVER)).toMatchObject({digest, labels: {a: 'b'}, osVersion: '10.0.20348.2582'})
  })

  it.each([
    ['none:x', 'inspecti-missing'],
    ['127.0.0.1:5055/windows/nanoserver:multi', 'inspecti-windows'],
  ])('%s is not there', async (reference, recording) => {
    const {containerd} = openRig({[`crictl inspecti -o json ${reference}`]: recording})
    expect(await containerd.image(reference)).toBeUndefined()
  })

  it('is listed', async () => {
    const {containerd} = openRig({'crictl images -o json': 'images'})
    expect(await containerd.images()).toEqual([{digest: '', id: IMAGE_ID, tags: [IMAGE]}])
  })
})

describe('a pull', () => {
  it('is done as it was recorded', async () => {
    const {containerd} = openRig({'crictl pull 127.0.0.1:5055/app:1': 'pull'})
    await expect(containerd.pull('127.0.0.1:5055/app:1', () => {}, signal)).resolves.toBeUndefined()
  })

  it.each([
    ['pull-missing', '127.0.0.1:5055/none:x', /none:x: not found$/],
    ['pull-no-platform', '127.0.0.1:5055/windows/nanoserver:multi', /no match for platform in manifest: not found$/],
    ['pull-unreachable', '127.0.0.1:5999/none:x', /dial tcp 127\.0\.0\.1:5999: connect: connection refused$/],
  ])('that fails says why: %s', async (recording, reference, said) => {
    const {containerd} = openRig({[`crictl pull ${reference}`]: recording})
    await expect(containerd.pull(reference, () => {}, signal)).rejects.toMatchObject({
      exitCode: 4,
      id: 'PULL_FAILED',
      reason: expect.stringMatching(said) as string,
    })
  })

  it.each([
    [
      'is cancelled while unpacking',
      'rpc error: code = Canceled desc = failed to pull and unpack image: context canceled',
      'PULL_CANCELLED',
    ],
    [
      'fills the disk, in German',
      'rpc error: code = Unknown desc = failed to extract layer: hcsshim::ImportLayer failed in Win32: Auf dem Datenträger ist nicht genügend Speicherplatz. (0x70): unknown',
      'NO_SPACE_FOR_IMAGE',
    ],
    ['fills the disk, in Go', 'failed to copy: write C: There is not enough space on the disk.', 'NO_SPACE_FOR_IMAGE'],
  ])('that %s is reported as such', async (_, words, id) => {
    const stderr = `time="2026-11-16T10:00:00Z" level=fatal msg="pulling image: ${words}"\n`
    const {containerd} = openRig({'crictl pull x': {exitCode: 1, stderr}})
    await expect(containerd.pull('x', () => {}, signal)).rejects.toMatchObject({exitCode: 4, id})
  })
})

describe('a tag', () => {
  const TAG = `ctr images tag --force ${IMAGE} x:latest`

  it('is given, and waited for until the CRI knows it', async () => {
    let asked = 0
    const {commands, containerd} = openRig({
      [INSPECT]: 'inspecti',
      'crictl inspecti -o json x:latest': () => (asked++ < 2 ? missing('x:latest') : inspected({})),
      [TAG]: {stdout: 'x:latest\n'},
    })
    await containerd.tag(IMAGE, 'x:latest')
    expect(commands()[0]).toBe(TAG)
    expect(asked).toBe(3)
  })

  it('that the CRI never learns of is a failure', async () => {
    const {containerd} = openRig({
      [INSPECT]: 'inspecti',
      'crictl inspecti -o json x:latest': inspected({id: `sha256:${'1'.repeat(64)}`}),
      [TAG]: {},
    })
    await expect(containerd.tag(IMAGE, 'x:latest')).rejects.toMatchObject({id: 'CONTAINERD_FAILED'})
  })

  it('of an image that is not there is refused', async () => {
    const {containerd} = openRig({'ctr images tag --force none:x y:z': 'ctr-tag-missing'})
    await expect(containerd.tag('none:x', 'y:z')).rejects.toMatchObject({
      exitCode: 4,
      id: 'CONTAINERD_FAILED',
      reason: 'containerd said: image "none:x": not found',
    })
  })

  it('is taken away alone', async () => {
    const {commands, containerd} = openRig({
      'crictl inspecti -o json x:latest': missing('x:latest'),
      'ctr images rm x:latest': {stdout: 'x:latest\n'},
    })
    await containerd.removeTag('x:latest')
    expect(commands()).toEqual(['ctr images rm x:latest', 'crictl inspecti -o json x:latest'])
  })
})

describe('an image that is removed', () => {
  it('goes with its content where it has no other name', async () => {
    const {commands, containerd} = openRig({
      [INSPECT]: 'inspecti',
      'crictl ps -a -o json': {stdout: '{"containers":[]}'},
      [`crictl rmi ${IMAGE}`]: 'rmi',
    })
    expect(await containerd.removeImage(IMAGE)).toBeUndefined()
    expect(commands().at(-1)).toBe(`crictl rmi ${IMAGE}`)
  })

  it('loses only this name where it has others, which crictl would remove, too', async () => {
    let asked = 0
    const {commands, containerd} = openRig({
      [INSPECT]: () => (asked++ === 0 ? inspected({tags: [IMAGE, 'x:latest']}) : missing(IMAGE)),
      [`ctr images rm ${IMAGE}`]: {},
    })
    expect(await containerd.removeImage(IMAGE)).toBeUndefined()
    expect(commands()).not.toContain(`crictl rmi ${IMAGE}`)
  })

  it('stays where a container uses it', async () => {
    const {containerd} = openRig({[INSPECT]: 'inspecti', 'crictl ps -a -o json': 'ps'})
    expect(await containerd.removeImage(IMAGE)).toContain('app')
  })

  it.each([['inspecti-missing', {}] as const, ['inspecti', {[`crictl rmi ${IMAGE}`]: 'rmi-missing'}] as const])(
    'is gone already: %s',
    async (inspect, more) => {
      const none = {'crictl ps -a -o json': {stdout: '{}'}}
      const {containerd} = openRig({[INSPECT]: inspect, ...none, ...more})
      expect(await containerd.removeImage(IMAGE)).toBeUndefined()
    },
  )
})

describe('pods', () => {
  const PODS = 'crictl pods -o json'
  const PS = 'crictl ps -a -o json'

  it('are counted with their containers, and named', async () => {
    const {containerd} = openRig({[PODS]: 'pods', [PS]: 'ps'})
    expect(await containerd.pods()).toEqual({containers: 2, running: ['default/web']})
  })

  it('are none', async () => {
    const {commands, containerd} = openRig({[PODS]: 'pods-none'})
    expect(await containerd.pods()).toEqual({containers: 0, running: []})
    expect(await containerd.removePods()).toBe(0)
    expect(commands()).toEqual([PODS, PODS])
  })

  it('are stopped and removed', async () => {
    const {containerd, started} = openRig({[PODS]: 'pods', [PS]: 'ps', [`crictl rmp -f ${POD}`]: 'rmp'})
    expect(await containerd.removePods()).toBe(2)
    expect(started.at(-1)).toMatchObject({options: {effect: 'change'}})
  })

  it('that something else removed meanwhile are removed', async () => {
    let listed = 0
    const pods = (): Answer => (listed++ === 0 ? 'pods' : 'pods-after')
    const {containerd} = openRig({[PODS]: pods, [PS]: 'ps', [`crictl rmp -f ${POD}`]: 'rmp-again'})
    expect(await containerd.removePods()).toBe(2)
  })

  it('that stay are a failure', async () => {
    const {containerd} = openRig({[PODS]: 'pods', [PS]: 'ps', [`crictl rmp -f ${POD}`]: 'rmp-running'})
    await expect(containerd.removePods()).rejects.toMatchObject({exitCode: 4, id: 'CONTAINERD_FAILED'})
  })

  it('of others than the kubelet are left alone', async () => {
    const {containerd} = openRig({[PODS]: {stdout: JSON.stringify({items: [{id: POD, labels: {app: 'x'}}]})}})
    expect(await containerd.removePods()).toBe(0)
  })

  it('of a node with many are removed in several calls, of a length that Windows takes', async () => {
    const ids = Array.from({length: 120}, (_, index) => String(index).padStart(64, '0'))
    const items = ids.map((id) => ({id, labels: {'io.kubernetes.pod.uid': id}}))
    const call = (from: number, to: number) => `crictl rmp -f ${ids.slice(from, to).join(' ')}`
    const calls = [call(0, 50), call(50, 100), call(100, 120)]
    const answers = Object.fromEntries(calls.map((one) => [one, {}]))
    const {commands, containerd} = openRig({
      [PODS]: {stdout: JSON.stringify({items})},
      [PS]: {stdout: '{}'},
      ...answers,
    })
    expect(await containerd.removePods()).toBe(120)
    expect(commands().slice(2)).toEqual(calls)
  })
})

describe('a container that proves an image', () => {
  const RUN = 'ctr run --rm x:1 k8s-win-probe cmd /c ver'
  const prove = (answer: Answer) => openRig({[RUN]: answer}).containerd.runOnce('x:1', ['cmd', '/c', 'ver'], signal)

  it('answers with what it printed, or with its exit code', async () => {
    const said = 'Microsoft Windows [Version 10.0.20348.2582]'
    expect(await prove({stdout: `\r\n${said}\r\n`})).toEqual({exitCode: 0, output: said})
    expect(await prove({exitCode: 7})).toEqual({exitCode: 7, output: 'exit code 7'})
  })

  it('that cannot start is an answer', async () => {
    const why =
      'hcs::CreateComputeSystem k8s-win-probe: The container operating system does not match the host operating system. (0xc0370101)'
    const stderr = `time="2026-11-16T10:00:00Z" level=warning msg="x"\nctr: failed to create shim task: ${why}\n`
    expect(await prove({exitCode: 1, stderr})).toEqual({exitCode: -1, output: `failed to create shim task: ${why}`})
  })

  it('that a killed run left behind is found and removed, with or without its task', async () => {
    const gone = {exitCode: 1, stderr: 'ctr: no running task found: task k8s-win-probe not found: not found\n'}
    const {commands, containerd} = openRig({
      'ctr containers ls -q': {stdout: `${POD}\nk8s-win-probe\n`},
      'ctr containers rm k8s-win-probe': {},
      'ctr tasks rm --force k8s-win-probe': gone,
    })
    await containerd.removeProbes()
    expect(commands().slice(1)).toEqual(['ctr tasks rm --force k8s-win-probe', 'ctr containers rm k8s-win-probe'])
  })

  it('that cannot be removed is a failure; where there is none, nothing is', async () => {
    const why = 'cannot delete a non stopped container: {running 0 0001-01-01}'
    const log = `time="2026-11-16T10:00:00Z" level=error msg="failed to delete container" error="${why}"`
    const busy = {exitCode: 1, stderr: `${log}\nctr: ${why}\n`}
    const stuck = openRig({
      'ctr containers ls -q': {stdout: 'k8s-win-probe\n'},
      'ctr containers rm k8s-win-probe': busy,
      'ctr tasks rm --force k8s-win-probe': {},
    })
    const reason = `containerd said: ${why}`
    await expect(stuck.containerd.removeProbes()).rejects.toMatchObject({id: 'CONTAINERD_FAILED', reason})
    const none = openRig({'ctr containers ls -q': {stdout: `${POD}\n`}})
    await none.containerd.removeProbes()
    expect(none.commands()).toHaveLength(1)
  })
})
