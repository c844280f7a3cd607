// Images: pulled, inspected, tagged, imported, removed, and what can go wrong with a registry.
import assert from 'node:assert/strict'
import {mirrorHosts} from '../../../src/components/containerd.js'
import type {K8sWinError} from '../../../src/errors/k8s-win-error.js'
import {hasNoVariant} from '../../../src/host/runtime.js'
import {failure, refusal} from '../docker/rig.js'
import {BASE_DIR, type ContainerdCase, OS_VERSION, pull, tags} from './rig.js'

const broken = (name: string, registry: 'corrupt' | 'cut' | 'unreachable', reason: RegExp): ContainerdCase => ({
  name,
  async run(rig) {
    await refusal(pull(rig), 'PULL_FAILED', reason)
    assert.equal(await rig.containerd.image(rig.images.base), undefined)
    assert.deepEqual(await tags(rig), [])
  },
  surroundings: {registry},
})

export const IMAGE_CASES: readonly ContainerdCase[] = [
  {
    name: 'an image that was pulled has its id, digest, tag and version of Windows',
    async run(rig) {
      const {containerd, images} = rig
      assert.deepEqual(await containerd.images(), [])
      await pull(rig)
      const image = await containerd.image(images.base)
      assert.match(image?.id ?? '', /^sha256:[\da-f]{64}$/)
      assert.match(image?.digest ?? '', /^sha256:[\da-f]{64}$/)
      assert.notEqual(image?.id, image?.digest)
      assert.deepEqual(image?.tags, [images.base])
      assert.equal(image?.osVersion, OS_VERSION)
      const listed = {digest: image?.digest, id: image?.id, tags: image?.tags}
      assert.deepEqual(await containerd.images(), [listed])
      assert.deepEqual(await containerd.image(image?.id ?? ''), image)
    },
  },
  {
    name: 'a pull of what is there does nothing',
    async run(rig) {
      await pull(rig)
      const before = await rig.containerd.image(rig.images.base)
      await pull(rig)
      assert.deepEqual(await rig.containerd.image(rig.images.base), before)
    },
  },
  {
    name: 'an image that is not in the registry',
    async run(rig) {
      const {missing} = rig.images
      await refusal(
        pull(rig, missing),
        'PULL_FAILED',
        /^containerd said: rpc error: code = NotFound desc = failed to pull and unpack image .+: failed to resolve reference .+: not found$/,
      )
      assert.equal(await rig.containerd.image(missing), undefined)
    },
  },
  {
    name: 'an image that is there for other systems only',
    async run(rig) {
      const reason =
        /^containerd said: rpc error: code = NotFound desc = failed to pull and unpack image .+: no match for platform in manifest: not found$/
      const problem = await failure(pull(rig, rig.images.foreign))
      await refusal(Promise.reject(problem), 'PULL_FAILED', reason)
      assert.ok(hasNoVariant((problem as K8sWinError).reason))
      assert.equal(await rig.containerd.image(rig.images.foreign), undefined)
    },
  },
  broken(
    'a registry that cannot be reached',
    'unreachable',
    /^containerd said: failed to pull and unpack image .+: failed to do request: Head "https:.+": dial tcp/,
  ),
  broken('a registry that breaks off every time', 'cut', /: failed to read expected number of bytes: unexpected EOF$/),
  broken(
    'a registry whose bytes are wrong',
    'corrupt',
    /unexpected commit digest sha256:[\da-f]{64}, expected sha256:[\da-f]{64}: failed precondition/,
  ),
  {
    name: 'a registry that breaks off once',
    async run(rig) {
      await pull(rig)
      assert.deepEqual(await tags(rig), [rig.images.base])
    },
    surroundings: {registry: 'cut-once'},
  },
  {
    name: 'an image comes from the mirror of its registry, and keeps its name',
    async run(rig) {
      const {base} = rig.images
      const mirror = base.slice(0, base.lastIndexOf('/'))
      const hosts = mirrorHosts(BASE_DIR, 'mirrored.example', mirror)
      await rig.write(hosts.path, hosts.content)
      const mirrored = base.replace(mirror, 'mirrored.example')
      await pull(rig, mirrored)
      assert.deepEqual(await tags(rig), [mirrored])
      assert.equal((await rig.containerd.image(mirrored))?.osVersion, OS_VERSION)
    },
  },
  {
    name: 'an image is tagged, and its tags are removed one by one',
    async run(rig) {
      const {containerd, images} = rig
      await pull(rig)
      await containerd.tag(images.base, 'k8s-win.example/base:1')
      const image = await containerd.image('k8s-win.example/base:1')
      assert.equal(image?.id, (await containerd.image(images.base))?.id)
      assert.deepEqual([...(image?.tags ?? [])].sort(), [images.base, 'k8s-win.example/base:1'].sort())
      assert.equal(await containerd.removeImage(images.base), undefined)
      assert.deepEqual(await tags(rig), ['k8s-win.example/base:1'])
      await containerd.removeTag('k8s-win.example/base:1')
      assert.equal(await containerd.image('k8s-win.example/base:1'), undefined)
      await containerd.removeTag('k8s-win.example/base:1')
    },
  },
  {
    name: 'a tag is taken from another image',
    async run(rig) {
      const {containerd, images} = rig
      await pull(rig)
      await pull(rig, images.other)
      await containerd.tag(images.base, 'k8s-win.example/base:1')
      await containerd.tag(images.other, 'k8s-win.example/base:1')
      const image = await containerd.image('k8s-win.example/base:1')
      assert.equal(image?.id, (await containerd.image(images.other))?.id)
      assert.deepEqual((await containerd.image(images.base))?.tags, [images.base])
    },
  },
  {
    name: 'an image that does not exist is neither tagged nor removed',
    async run(rig) {
      const tagging = rig.containerd.tag('none.example/none:1', 'k8s-win.example/base:1')
      await refusal(tagging, 'CONTAINERD_FAILED', /^containerd said: image "none\.example\/none:1": not found$/)
      assert.equal(await rig.containerd.removeImage('none.example/none:1'), undefined)
    },
  },
  {
    name: 'an image is removed',
    async run(rig) {
      await pull(rig)
      await pull(rig, rig.images.other)
      assert.equal(await rig.containerd.removeImage(rig.images.base), undefined)
      assert.equal(await rig.containerd.image(rig.images.base), undefined)
      assert.deepEqual(await tags(rig), [rig.images.other])
    },
  },
]
