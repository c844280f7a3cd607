import {expect, test} from 'vitest'
import {pullCancelled, pullFailed} from '../../src/errors/downloads-and-images.js'
import type {K8sWinError} from '../../src/errors/k8s-win-error.js'
import type {ContainerRuntime} from '../../src/host/runtime.js'
import type {World} from '../../src/simulator/world.js'
import {baseImagesStep} from '../../src/steps/base-images.js'
import {baseImagesDrifts, imageOfSomebody} from './drifts/images.js'
import {describeStep} from './five-tests.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'

const LATEST = 'mcr.microsoft.com/windows/nanoserver:latest'

/** Images stay, under the names they were pulled by. */
function withoutPulled({docker}: World): void {
  for (const image of docker.images) image.tags = image.tags.filter((tag) => !/:(1809|ltsc2019)$/.test(tag))
}

describeStep(baseImagesStep, {drifts: baseImagesDrifts, forgive: {world: withoutPulled}})

describeStep(baseImagesStep, {
  drifts: [],
  forgive: {world: withoutPulled},
  title: "base-images, with a latest of the user's own",
  undo: (host) => host.edit(({docker}) => docker.images.push(imageOfSomebody(LATEST, '10.0.20348.1'))),
})

test('review S17: the journal says by which digest each image was pulled', async () => {
  const rig = await Rig.open()
  await rig.run(baseImagesStep)
  const proofs = rig.context.journal.entries('base-images', 'image-proof')
  expect(proofs).toHaveLength(2)
  for (const {digest, image} of proofs) {
    const [repository = ''] = image.split(/:(?=[^/]*$)/)
    const origins = rig.world.docker.images.flatMap(({digests = []}) => digests)
    expect(origins).toContain(`${repository}@${digest}`)
  }
})

test('only the images of --base-images are pulled and tagged', async () => {
  const rig = await Rig.open({given: {'base-images': 'nanoserver'}})
  await rig.run(baseImagesStep)
  expect(rig.world.docker.images.flatMap(({tags}) => tags).sort()).toEqual([
    'mcr.microsoft.com/windows/nanoserver:1809',
    LATEST,
  ])
  expect(await baseImagesStep.inspect(rig.context)).toMatchObject({state: 'in-place'})
})

test('a latest whose image is no longer there is only taken away', async () => {
  const rig = await Rig.open({sicken: ({docker}) => docker.images.push(imageOfSomebody(LATEST))})
  await rig.run(baseImagesStep)
  const later = await rig.reopen({
    sicken: ({docker}) => (docker.images = docker.images.filter(({tags}) => tags.length > 0)),
  })
  await removeStep(baseImagesStep, later.context)
  expect(later.world.docker.images.flatMap(({tags}) => tags).sort()).toEqual([
    'mcr.microsoft.com/windows/nanoserver:1809',
    'mcr.microsoft.com/windows/servercore:ltsc2019',
  ])
})

test.each([
  ['ends with a code', {runOnce: () => Promise.resolve({exitCode: 3_221_226_505, output: ''})}, 'exit code 3221226505'],
  ['says why', {runOnce: () => Promise.resolve({exitCode: 1, output: 'no room'})}, 'no room'],
  ['is not there after its pull', {image: () => Promise.resolve(undefined)}, 'the image does not exist'],
])('an image that %s is broken', async (_, lie, said) => {
  const {context} = await Rig.open()
  const host = {...context.host, runtime: {...context.host.runtime, ...lie}}
  await expect(baseImagesStep.apply({...context, host})).rejects.toMatchObject({
    exitCode: 4,
    id: 'IMAGE_BROKEN',
    reason: expect.stringContaining(said) as string,
  })
})

test.each([
  ['Head "https://mcr.microsoft.com/v2/windows/nanoserver/manifests/1809": EOF', 4],
  ['received unexpected HTTP status: 503 Service Unavailable', 4],
  ['net/http: TLS handshake timeout', 4],
  ['wsarecv: An existing connection was forcibly closed by the remote host.', 4],
  ['read tcp 10.0.0.5:1->9.9.9.9:443: wsarecv: Eine vorhandene Verbindung wurde vom Remotehost geschlossen.', 4],
  ['write tcp 10.0.0.5:1->9.9.9.9:443: wsasend: 既存の接続はリモート ホストに強制的に切断されました。', 4],
  ['unauthorized: authentication required', 1],
  ['manifest for mcr.microsoft.com/windows/nanoserver:1809 not found: manifest unknown: manifest unknown', 1],
  ['pull access denied for windows/nanoserver', 1],
  ['unexpected status from HEAD request to https://mcr.microsoft.com/v2/x/manifests/1: 503 Service Unavailable', 4],
  ['unexpected status from HEAD request to https://mcr.microsoft.com/v2/x/manifests/1: 403 Forbidden', 1],
])('review N8: a pull that fails with "%s" is tried %s times, in any language', async (said, times) => {
  const {context} = await Rig.open()
  let tries = 0
  const pull = (image: string): Promise<never> => {
    tries++
    return Promise.reject(pullFailed({image, runtime: 'Docker', said}))
  }
  const host = {...context.host, runtime: {...context.host.runtime, pull}}
  await expect(baseImagesStep.apply({...context, host})).rejects.toMatchObject({exitCode: 4, id: 'PULL_FAILED'})
  expect(tries).toBe(times)
})

test('a pull that works the second time is a success', async () => {
  const {context} = await Rig.open()
  let tries = 0
  const pull: typeof context.host.runtime.pull = (image, ...rest) =>
    tries++ === 0
      ? Promise.reject(pullFailed({image, runtime: 'Docker', said: 'unexpected EOF'}))
      : context.host.runtime.pull(image, ...rest)
  await baseImagesStep.apply({...context, host: {...context.host, runtime: {...context.host.runtime, pull}}})
  expect(await baseImagesStep.inspect(context)).toMatchObject({state: 'in-place'})
})

/** The step on a runtime that is called containerd and pulls as given. */
async function onContainerd(pull: ContainerRuntime['pull'], lie: Partial<ContainerRuntime> = {}) {
  const {context} = await Rig.open()
  const told: string[] = []
  const runtime: ContainerRuntime = {...context.host.runtime, ...lie, name: 'containerd', pull}
  const progress = ({text}: {text: string}): void => void told.push(text)
  const ended = baseImagesStep.apply({...context, host: {...context.host, runtime}, progress})
  const error: unknown = await ended.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return {error, told}
}

test('containerd: an image without a variant for this build is refused with the tag that has one', async () => {
  const said = 'failed to pull and unpack image "x": no match for platform in manifest: not found'
  const {error} = await onContainerd((image) => Promise.reject(pullFailed({image, runtime: 'containerd', said})))
  expect(error).toMatchObject({exitCode: 4, fix: expect.stringContaining('1809') as string, id: 'IMAGE_MISMATCH'})
})

test.each([
  ['manifest for mcr.microsoft.com/windows/nanoserver:1809 not found: manifest unknown: x', 'mcr.microsoft.com'],
  ['rpc error: code = NotFound desc = failed to resolve reference "x": x: not found', 'mcr.microsoft.com'],
  ['rpc error: code = NotFound desc = failed to resolve reference "x": x: not found', 'mirror.example:5000/ms'],
])('an image that the registry does not have: %s, %s', async (said, imageRegistry) => {
  const {context} = await Rig.open()
  const pull = (image: string): Promise<never> => Promise.reject(pullFailed({image, runtime: 'containerd', said}))
  const [config, host] = [
    {...context.config, imageRegistry},
    {...context.host, runtime: {...context.host.runtime, pull}},
  ]
  const error = (await baseImagesStep
    .apply({...context, config, host})
    .catch((caught: unknown) => caught)) as K8sWinError
  expect(error).toMatchObject({exitCode: 4, id: 'PULL_FAILED'})
  expect(error.fix).toContain(
    imageRegistry.startsWith('mirror')
      ? 'Copy mcr.microsoft.com/windows/nanoserver:1809 to mirror.example:5000/ms/windows/nanoserver:1809'
      : 'mcr.microsoft.com responded that it does not have windows/nanoserver:1809',
  )
})

test.each([
  'hcsshim::CreateComputeSystem: failed in Win32: (0xc0370101)',
  'hcs::CreateComputeSystem x: The container operating system does not match the host operating system.: unknown',
])('an image whose container ends with "%s" is for another build', async (output) => {
  const {context} = await Rig.open()
  const runOnce = (): Promise<{exitCode: number; output: string}> => Promise.resolve({exitCode: -1, output})
  const host = {...context.host, runtime: {...context.host.runtime, runOnce}}
  await expect(baseImagesStep.apply({...context, host})).rejects.toMatchObject({exitCode: 4, id: 'IMAGE_MISMATCH'})
})

test('containerd: a pull that is cancelled while unpacking is tried once more, and then reported', async () => {
  let tries = 0
  const {error} = await onContainerd((image) => {
    tries++
    return Promise.reject(pullCancelled({image, said: 'context canceled'}))
  })
  expect(error).toMatchObject({exitCode: 4, id: 'PULL_CANCELLED'})
  expect(tries).toBe(2)
})

test('containerd: a pull is shown, and an image that does not run the command to reproduce it', async () => {
  const {context} = await Rig.open()
  const {pull} = context.host.runtime
  const runOnce = (): Promise<{exitCode: number; output: string}> => Promise.resolve({exitCode: 1, output: 'no'})
  const {error, told} = await onContainerd(pull, {image: context.host.runtime.image, runOnce})
  const image = 'mcr.microsoft.com/windows/nanoserver:1809'
  expect(told).toContain(`pulling ${image}`)
  const fix = expect.stringContaining(`ctr.exe -n k8s.io run --rm ${image} test cmd /c ver`) as string
  expect(error).toMatchObject({fix, id: 'IMAGE_BROKEN', reason: 'containerd said: no'})
})
