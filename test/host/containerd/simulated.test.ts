// containerd as k8s-win configures it, asked by the adapter: the simulated daemon and programs judge the files and the
// arguments of both.
import {ANY_PIPE} from '../../fakes/any-pipe.js'
import {win32} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {cniConflist} from '../../../src/components/cni.js'
import {
  containerdConfiguration,
  containerdService,
  crictlConfiguration,
  MICROSOFT_REGISTRY,
  mirrorHosts,
} from '../../../src/components/containerd.js'
import {conflistOf, layoutOf} from '../../../src/config/layout.js'
import {parseVersion, type Version} from '../../../src/config/version.js'
import {joinCommandLine} from '../../../src/host/command-line.js'
import {type Containerd, openContainerd} from '../../../src/host/containerd/containerd.js'
import type {Run} from '../../../src/machine/run.js'
import {createSimulatedClock} from '../../../src/simulator/clock.js'
import {runProgram} from '../../../src/simulator/programs/index.js'
import {type ContainerdNode, startContainerd} from '../../simulator/containerd-node.js'

const {signal} = new AbortController()
const BASE_DIR = String.raw`C:\k`
const LAYOUT = layoutOf(BASE_DIR)
const IMAGE = 'mcr.microsoft.com/windows/nanoserver:1809'
const LATEST = 'mcr.microsoft.com/windows/nanoserver:latest'

async function open(version: string): Promise<{containerd: Containerd; node: ContainerdNode}> {
  const settings = {
    baseDir: BASE_DIR,
    sandboxImage: 'registry.k8s.io/pause:3.10.2',
    version: parseVersion(version) as Version,
  }
  const imagePath = joinCommandLine(containerdService(settings, {}).command)
  const node = await startContainerd({config: containerdConfiguration(settings), imagePath, version: `v${version}`})
  const {stage} = node
  await stage.files.write(LAYOUT.containerd.crictlConfig, crictlConfiguration())
  const run: Run = (program, args, options) => runProgram(stage, program, args, options)
  return {
    containerd: openContainerd({clock: createSimulatedClock(0, async () => {}), pipes: ANY_PIPE, run}, BASE_DIR),
    node,
  }
}

async function write({stage}: ContainerdNode, path: string, content: string): Promise<void> {
  await stage.files.makeDirectory(win32.dirname(path))
  await stage.files.write(path, content)
}

describe.each(['1.7.25', '2.3.4'])('containerd %s', (version) => {
  let containerd: Containerd
  let node: ContainerdNode
  beforeEach(async () => {
    ;({containerd, node} = await open(version))
  })
  const pull = (reference = IMAGE): Promise<void> => containerd.pull(reference, () => {}, signal)

  it('reads its configuration as it was meant', async () => {
    expect(await containerd.version()).toEqual({os: 'windows', version})
    expect(await containerd.programVersion()).toBe(version)
    expect(node.stage.world.containerd.config).toMatchObject({
      cniBinDirs: [LAYOUT.cniBinaries],
      cniConfDir: LAYOUT.cniConfigFolder,
      registryConfigPath: LAYOUT.containerd.certs,
      sandboxImage: 'registry.k8s.io/pause:3.10.2',
    })
    expect(await node.log()).not.toMatch(/Ignoring unknown key/)
  })

  it('is ready for pods when its CNI configuration is there', async () => {
    const network = async () => (await containerd.info()).conditions.find(({type}) => type === 'NetworkReady')?.isMet
    expect(await network()).toBe(false)
    await write(node, conflistOf(LAYOUT), cniConflist({clusterCIDR: '10.244.0.0/16', serviceCIDR: '10.10.0.0/16'}))
    expect(await network()).toBe(true)
  })

  it('pulls, proves, tags and removes a base image', async () => {
    expect(await containerd.image(IMAGE)).toBeUndefined()
    await pull()
    const image = await containerd.image(IMAGE)
    expect(image).toMatchObject({osVersion: expect.stringMatching(/^10\.0\.17763\./) as string, tags: [IMAGE]})
    expect(image?.digest).toMatch(/^sha256:[\da-f]{64}$/)
    const {exitCode, output} = await containerd.runOnce(IMAGE, ['cmd', '/c', 'ver'], signal)
    expect({exitCode, output}).toEqual({exitCode: 0, output: expect.stringContaining('10.0.17763') as string})
    await containerd.tag(IMAGE, LATEST)
    await containerd.tag(image?.id ?? '', LATEST)
    expect((await containerd.image(LATEST))?.id).toBe(image?.id)
    expect(await containerd.removeImage(IMAGE)).toBeUndefined()
    expect((await containerd.image(LATEST))?.tags).toEqual([LATEST])
    expect(await containerd.removeImage(LATEST)).toBeUndefined()
    await pull()
    await containerd.tag(IMAGE, LATEST)
    expect(await containerd.removeImage(image?.id ?? '')).toBeUndefined()
    expect([await containerd.image(IMAGE), await containerd.image(LATEST)]).toEqual([undefined, undefined])
    expect(await containerd.images()).toEqual([])
  })

  it('has no variant of an image for another Windows, and no image of another name', async () => {
    const reason = expect.stringContaining('no match for platform in manifest') as string
    await expect(pull('mcr.microsoft.com/windows/nanoserver:ltsc2022')).rejects.toMatchObject({
      id: 'PULL_FAILED',
      reason,
    })
    await expect(pull('mcr.microsoft.com/windows/nothing:1')).rejects.toMatchObject({id: 'PULL_FAILED'})
  })

  it('asks the mirror first', async () => {
    const hosts = mirrorHosts(BASE_DIR, MICROSOFT_REGISTRY, 'mirror.example:5000')
    node.stage.world.downloads[IMAGE] = {fault: 'unreachable'}
    await expect(pull()).rejects.toMatchObject({id: 'PULL_FAILED'})
    await write(node, hosts.path, hosts.content)
    await pull()
    expect(await containerd.image(IMAGE)).toMatchObject({tags: [IMAGE]})
  })

  it('has no room for the layers', async () => {
    node.stage.world.os.drives = {'C:': {fileSystem: 'NTFS', freeBytes: 1, kind: 'fixed', totalBytes: 1}}
    await expect(pull()).rejects.toMatchObject({exitCode: 4, id: 'NO_SPACE_FOR_IMAGE'})
  })

  it('keeps the container of a run that was killed, until it is removed', async () => {
    await pull()
    node.stage.world.containerd.containers = [{id: 'k8s-win-probe', image: IMAGE, namespace: 'k8s.io'}]
    expect(await containerd.runOnce(IMAGE, ['cmd', '/c', 'ver'], signal)).toMatchObject({exitCode: -1})
    await containerd.removeProbes()
    await containerd.removeProbes()
    expect(await containerd.runOnce(IMAGE, ['cmd', '/c', 'ver'], signal)).toMatchObject({exitCode: 0})
    expect(node.stage.world.containerd.containers).toEqual([])
  })

  it('names what neither the kubelet nor k8s-win created, in every namespace', async () => {
    await pull()
    expect(await containerd.others()).toEqual([])
    const [image] = node.stage.world.containerd.images
    if (image) node.stage.world.containerd.images.push({...image, namespace: 'moby'})
    node.stage.world.containerd.containers = [
      {id: 'k8s-win-probe', image: IMAGE, namespace: 'k8s.io'},
      {id: 'debug', image: IMAGE, namespace: 'k8s.io'},
      {id: 'web', image: IMAGE, namespace: 'default'},
    ]
    expect(await containerd.others()).toEqual([
      'the container debug in the namespace k8s.io',
      'the container web in the namespace default',
      expect.stringMatching(/^the image \S+nanoserver:1809 in the namespace moby$/),
      expect.stringMatching(/^the image \S+nanoserver@sha256:[\da-f]{64} in the namespace moby$/),
    ])
  })

  it("removes every image of the kubelet's namespace, and no other", async () => {
    await pull()
    const [image] = node.stage.world.containerd.images
    if (image) node.stage.world.containerd.images.push({...image, namespace: 'moby'})
    expect(await containerd.removeImages()).toBe(1)
    expect(await containerd.removeImages()).toBe(0)
    expect(node.stage.world.containerd.images.map(({namespace}) => namespace)).toEqual(['moby'])
  })

  it('that is stopped is reported by both programs', async () => {
    await node.win32.stopService('containerd')
    await node.stage.elapse(20_000)
    const stopped = {exitCode: 3, id: 'CONTAINERD_STOPPED'}
    await expect(containerd.version()).rejects.toMatchObject(stopped)
    await expect(pull()).rejects.toMatchObject(stopped)
    await expect(containerd.tag(IMAGE, LATEST)).rejects.toMatchObject(stopped)
    await expect(containerd.runOnce(IMAGE, ['cmd'], signal)).rejects.toMatchObject(stopped)
    expect(await containerd.programVersion()).toBe(version)
    await node.stage.files.remove(String.raw`C:\k\containerd\bin\containerd.exe`)
    expect(await containerd.programVersion()).toBeUndefined()
  })
})
