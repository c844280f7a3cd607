// The daemon itself: what it says about itself, and a daemon that is not there or goes away.
import assert from 'node:assert/strict'
import {failure, refusal} from '../docker/rig.js'
import {type ContainerdCase, pull, tags} from './rig.js'

const NOT_THERE = /validate CRI v1 \w+ API for endpoint .+: rpc error: code = Unavailable desc = connection error: /

const goesAway = (name: string, how?: 'crash'): ContainerdCase => ({
  name,
  async run(rig) {
    const {containerd, images} = rig
    const pulling = failure(pull(rig))
    await rig.untilLoading()
    await rig.stopDaemon(how)
    const reason = /code = Unavailable desc = error reading from server/
    await refusal(Promise.reject(await pulling), 'CONTAINERD_STOPPED', reason)
    await rig.startDaemon()
    assert.equal(await containerd.image(images.base), undefined)
    assert.deepEqual(await tags(rig), [])
    await pull(rig, images.other)
    assert.deepEqual(await tags(rig), [images.other])
  },
  surroundings: {registry: 'slow'},
})

export const DAEMON_CASES: readonly ContainerdCase[] = [
  {
    name: 'a daemon reports its version',
    async run({containerd}) {
      const {os, version} = await containerd.version()
      assert.equal(os, 'windows')
      assert.match(version, /^1\.7\.24/)
    },
  },
  {
    name: 'a daemon without a CNI configuration is ready, its network is not',
    async run({containerd}) {
      const {conditions} = await containerd.info()
      const met = conditions.map(({isMet, type}) => [type, isMet] as const)
      assert.deepEqual(met.slice(0, 2), [
        ['RuntimeReady', true],
        ['NetworkReady', false],
      ])
      assert.match(conditions[1]?.message ?? '', /cni plugin not initialized/)
    },
  },
  {
    name: 'a daemon without pods has nothing to remove',
    async run({containerd}) {
      assert.deepEqual(await containerd.pods(), {containers: 0, running: []})
      assert.equal(await containerd.removePods(), 0)
      await containerd.removeProbes()
      assert.deepEqual(await containerd.others(), [])
    },
  },
  {
    name: 'all images go at once, with all their names',
    async run(rig) {
      const {containerd, images} = rig
      await pull(rig)
      await containerd.tag(images.base, images.other)
      assert.equal(await containerd.removeImages(), 1)
      assert.deepEqual(await tags(rig), [])
      assert.equal(await containerd.removeImages(), 0)
    },
  },
  {
    name: 'a daemon that is not there',
    async run(rig) {
      const {containerd} = rig
      await rig.stopDaemon()
      await refusal(containerd.version(), 'CONTAINERD_STOPPED', NOT_THERE)
      await refusal(containerd.info(), 'CONTAINERD_STOPPED', NOT_THERE)
      await refusal(pull(rig), 'CONTAINERD_STOPPED', NOT_THERE)
      await refusal(containerd.image('x'), 'CONTAINERD_STOPPED', NOT_THERE)
      await refusal(containerd.removePods(), 'CONTAINERD_STOPPED', NOT_THERE)
      await rig.startDaemon()
      assert.equal(await containerd.image('x'), undefined)
    },
  },
  {
    name: 'what was pulled is there after a restart',
    async run(rig) {
      await pull(rig)
      const before = await rig.containerd.image(rig.images.base)
      await rig.stopDaemon()
      await rig.startDaemon()
      assert.ok(before)
      assert.deepEqual(await rig.containerd.image(rig.images.base), before)
    },
  },
  goesAway('a daemon that is restarted in the middle of a pull'),
  goesAway('a daemon that dies in the middle of a pull', 'crash'),
  {
    name: 'a pull that is aborted',
    async run(rig) {
      const reason = new Error('enough')
      const controller = new AbortController()
      const pulling = failure(rig.containerd.pull(rig.images.base, () => {}, controller.signal))
      await rig.untilLoading()
      controller.abort(reason)
      assert.equal(await pulling, reason)
      assert.equal(await rig.containerd.image(rig.images.base), undefined)
    },
    surroundings: {registry: 'slow'},
  },
]
