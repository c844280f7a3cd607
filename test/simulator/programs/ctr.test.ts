// ctr.exe: names of images, namespaces, and the container that proves an image.
import {beforeEach, describe, expect, it} from 'vitest'
import {runProgram} from '../../../src/simulator/programs/index.js'
import {type ContainerdNode, CRICTL_CONFIG, startContainerd} from '../containerd-node.js'

const IMAGE = 'mcr.microsoft.com/windows/nanoserver:1809'
const LATEST = 'mcr.microsoft.com/windows/nanoserver:latest'

let node: ContainerdNode
beforeEach(async () => {
  node = await startContainerd()
  await node.crictl('pull', IMAGE)
})
const tags = (): string[] => node.stage.world.containerd.images.flatMap((image) => image.tags)

describe('images', () => {
  it('a tag is another name, and goes alone', async () => {
    expect(await node.ctr('images', 'tag', '--force', IMAGE, LATEST)).toMatchObject({
      exitCode: 0,
      stdout: `${LATEST}\n`,
    })
    expect(tags()).toEqual([IMAGE, LATEST])
    expect(await node.ctr('images', 'rm', LATEST)).toMatchObject({exitCode: 0, stdout: `${LATEST}\n`})
    expect(tags()).toEqual([IMAGE])
    expect(await node.ctr('images', 'rm', LATEST)).toMatchObject({exitCode: 0, stdout: ''})
  })

  it('a name of another image moves', async () => {
    await node.crictl('pull', 'mcr.microsoft.com/windows/servercore:ltsc2019')
    for (const image of [IMAGE, 'mcr.microsoft.com/windows/servercore:ltsc2019'])
      expect((await node.ctr('images', 'tag', '--force', image, LATEST)).exitCode).toBe(0)
    expect(tags().filter((tag) => tag === LATEST)).toHaveLength(1)
  })

  it('are in a namespace: the default one has none of the kubelet', async () => {
    const all = async (...args: string[]) =>
      (
        await runProgram(node.stage, String.raw`C:\k\containerd\bin\ctr.exe`, [...args, 'images', 'ls', '-q'], {
          deadlineMs: 1000,
          effect: 'read',
        })
      ).stdout.split('\n')
    expect(await all()).toEqual([''])
    expect(await all('--namespace', 'k8s.io')).toContain(IMAGE)
  })
})

describe('run', () => {
  it('proves that an image fits the host', async () => {
    const {exitCode, stdout} = await node.ctr('run', '--rm', IMAGE, 'probe', 'cmd', '/c', 'ver')
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Version 10.0.17763')])
    expect((await node.ctr('run', '--rm', IMAGE, 'probe', 'cmd', '/c', 'exit', '3')).exitCode).toBe(3)
    expect((await node.ctr('run', '--rm', IMAGE, 'probe', 'none.exe')).stderr).toContain('cannot find the file')
    const [image] = node.stage.world.containerd.images
    if (image) image.osVersion = '10.0.20348.1'
    const {stderr} = await node.ctr('run', '--rm', IMAGE, 'probe', 'cmd', '/c', 'ver')
    expect(stderr).toMatch(/^ctr: .*does not match the host operating system/)
    expect((await node.ctr('containers', 'ls', '-q')).stdout).toBe('')
  })

  it('without --rm the container stays, and its name is taken', async () => {
    await node.ctr('run', IMAGE, 'probe', 'cmd', '/c', 'ver')
    expect((await node.ctr('run', '--rm', IMAGE, 'probe', 'cmd')).stderr).toBe(
      'ctr: snapshot "probe": already exists\n',
    )
    expect((await node.ctr('containers', 'ls', '-q')).stdout).toBe('probe\n')
    expect((await node.ctr('tasks', 'rm', '--force', 'probe')).exitCode).toBe(0)
    expect((await node.ctr('containers', 'rm', 'probe')).exitCode).toBe(0)
    expect((await node.ctr('containers', 'rm', 'probe')).exitCode).toBe(1)
    expect((await node.ctr('tasks', 'rm', '--force', 'probe')).exitCode).toBe(1)
  })

  it('needs an image that is there', async () => {
    expect((await node.ctr('run', 'none:x', 'probe')).exitCode).toBe(1)
  })
})

it('2.x may not connect without being administrator', async () => {
  node.stage.world.os.administrator = false
  expect((await node.ctr('namespaces', 'ls', '-q')).stderr).toMatch(
    /^ctr: connection error: desc = ".+Access is denied\.": unavailable$/m,
  )
})

it('2.x finds no pipe at once', async () => {
  await node.win32.stopService('containerd')
  await node.stage.elapse(10_000)
  expect((await node.ctr('namespaces', 'ls', '-q')).stderr).toMatch(
    /^ctr: cannot access socket \\\\\.\\pipe\\containerd-containerd: /,
  )
})

describe('content', () => {
  const SERVERCORE = 'mcr.microsoft.com/windows/servercore:ltsc2019'

  it('lists transfers under way, with rounded sizes, in columns that tabs separate', async () => {
    expect((await node.ctr('content', 'active')).stdout).toBe('REF\tSIZE\tAGE\t\n')
    const {stage} = node
    const printed: string[] = []
    const elapse = async (ms: number): Promise<void> => {
      await stage.elapse(ms)
      printed.push((await node.ctr('content', 'active')).stdout)
    }
    await runProgram(
      {...stage, elapse},
      String.raw`C:\k\containerd\bin\crictl.exe`,
      ['--config', CRICTL_CONFIG, 'pull', SERVERCORE],
      {
        deadlineMs: 1_000_000,
        effect: 'change',
      },
    )
    expect(printed[10]).toMatch(
      /^REF\t{10}SIZE\tAGE\t+\nlayer-sha256:[\da-f]{64}\t\d\d\d(\.\d)?MB\tLess than a second\t\nlayer-sha256:[\da-f]{64}\t0B\tLess than a second\t\n$/,
    )
    expect(printed.at(-1)).toBe('REF\tSIZE\tAGE\t\n')
  })

  it('a manifest is found by its labels, and names its layers with their sizes', async () => {
    const rows = (await node.ctr('content', 'ls')).stdout.split('\n').map((row) => row.split(/\t+/))
    expect(rows[0]).toEqual(['DIGEST', 'SIZE', 'AGE', 'LABELS'])
    const [digest = '', , , labels = ''] = rows.find((row) => row[3]?.includes('gc.ref.content.l.0=')) ?? []
    expect(labels).toContain('containerd.io/distribution.source.mcr.microsoft.com=windows/nanoserver')
    const {layers} = JSON.parse((await node.ctr('content', 'get', digest)).stdout) as {
      layers: {digest: string; size: number}[]
    }
    expect(layers.map(({size}) => size)).toEqual([103_000_000])
    expect(labels).toContain(`l.0=${layers[0]?.digest}`)
    const unknown = `sha256:${'0'.repeat(64)}`
    expect(await node.ctr('content', 'get', unknown)).toMatchObject({
      exitCode: 1,
      stderr: `ctr: content digest ${unknown}: not found\n`,
    })
  })
})
