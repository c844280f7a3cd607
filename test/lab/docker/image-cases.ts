// Images: pulled, tagged, removed, built, and all that can go wrong with a registry.
import assert from 'node:assert/strict'
import {buildContext} from '../../../src/artifacts/build-context.js'
import type {PullProgress} from '../../../src/host/runtime.js'
import {ask, containers, type DockerCase, dockerOf, type DockerRig, failure, NEVER, pull, refusal, tags} from './rig.js'

const build = (rig: DockerRig, dockerfile: string, tag = 'kubeletwin/pause'): Promise<void> =>
  dockerOf(rig).build(tag, buildContext({Dockerfile: dockerfile}), NEVER)

const broken = (name: string, registry: 'corrupt' | 'cut' | 'unreachable', reason: RegExp): DockerCase => ({
  name,
  async run(rig) {
    await refusal(pull(rig), 'PULL_FAILED', reason)
    assert.equal(await dockerOf(rig).image(rig.images.base), undefined)
    assert.deepEqual(await tags(rig), [])
  },
  surroundings: {registry},
})

/** First all layers are downloaded, then extracted: each counts up, and nothing is more than the total. */
function demandForward(progress: readonly PullProgress[]): void {
  for (const [index, {bytes = 0, extracting, total = Infinity}] of progress.entries()) {
    const before = progress[index - 1]
    const isForward = before?.extracting === extracting ? bytes >= (before.bytes ?? 0) : before?.extracting !== true
    assert.ok(bytes <= total && isForward, JSON.stringify(progress))
  }
}

export const IMAGE_CASES: readonly DockerCase[] = [
  {
    name: 'a pull tells its progress in bytes',
    async run(rig) {
      const progress = await pull(rig)
      demandForward(progress)
      const last = progress.at(-1)
      assert.ok(last?.extracting && Number(last.total) > 100_000 && last.bytes === last.total, JSON.stringify(progress))
      const image = await dockerOf(rig).image(rig.images.base)
      assert.match(image?.id ?? '', /^sha256:[\da-f]{64}$/)
      assert.deepEqual(image?.tags, [rig.images.base])
    },
  },
  {
    name: 'a pull of what is there does nothing',
    async run(rig) {
      await pull(rig)
      const before = await dockerOf(rig).image(rig.images.base)
      assert.deepEqual(await pull(rig), [])
      assert.deepEqual(await dockerOf(rig).image(rig.images.base), before)
    },
  },
  {
    name: 'an image that is not in the registry',
    async run(rig) {
      const {missing} = rig.images
      const reason = new RegExp(`^Docker said: manifest for ${missing} not found: manifest unknown: `)
      await refusal(pull(rig, missing), 'PULL_FAILED', reason)
      assert.equal(await dockerOf(rig).image(missing), undefined)
    },
  },
  {
    name: 'an image that is there for other systems only',
    async run(rig) {
      const reason = /^Docker said: no matching manifest for \S+( 10\.0\.\d+)? in the manifest list entries$/
      await refusal(pull(rig, rig.images.foreign), 'PULL_FAILED', reason)
    },
  },
  broken('a registry that cannot be reached', 'unreachable', /^Docker said: Get "https?:\/\/[^"]+\/v2\/": dial tcp/),
  broken('a registry that drops the connection each time', 'cut', /^Docker said: unexpected EOF$/),
  broken(
    'a registry with wrong bytes',
    'corrupt',
    /^Docker said: filesystem layer verification failed for digest sha256:[\da-f]{64}$/,
  ),
  {
    name: 'a registry that drops the connection once is asked again, and the progress never goes back',
    async run(rig) {
      const progress = await pull(rig)
      demandForward(progress)
      assert.ok(await dockerOf(rig).image(rig.images.base))
    },
    surroundings: {registry: 'cut-once'},
  },
  {
    name: 'a pull that is aborted leaves nothing, and the next one is not held up by it',
    async run(rig) {
      const reason = new Error('enough')
      const controller = new AbortController()
      const pulling = dockerOf(rig).pull(rig.images.base, () => controller.abort(reason), controller.signal)
      assert.equal(await failure(pulling), reason)
      assert.deepEqual(await tags(rig), [])
      const early = failure(dockerOf(rig).pull(rig.images.base, () => {}, AbortSignal.abort(reason)))
      assert.equal(await early, reason)
    },
    surroundings: {registry: 'slow'},
  },
  {
    name: 'a tag is given, moved and taken away',
    async run(rig) {
      const docker = dockerOf(rig)
      const {base, other} = rig.images
      await pull(rig)
      await pull(rig, other)
      const [first, second] = [await docker.image(base), await docker.image(other)]
      await docker.tag(base, 'mine:latest')
      assert.equal((await docker.image('mine'))?.id, first?.id)
      await docker.tag(other, 'mine:latest')
      assert.equal((await docker.image('mine:latest'))?.id, second?.id)
      assert.deepEqual((await docker.image(base))?.tags, [base])
      await docker.tag(first?.id ?? '', 'mine:latest')
      assert.equal((await docker.image('mine'))?.id, first?.id)
      await docker.removeTag('mine:latest')
      assert.equal(await docker.image('mine'), undefined)
      assert.deepEqual(await tags(rig), [base, other].sort())
      await docker.removeTag('mine:latest')
      await docker.removeTag(base)
      assert.deepEqual(await tags(rig), [other])
      await refusal(docker.tag('nothing', 'mine'), 'DOCKER_FAILED', /^Docker said: No such image: nothing:latest$/)
    },
  },
  {
    name: 'the pause image is built from its template',
    async run(rig) {
      await pull(rig)
      await build(rig, rig.pauseTemplate.replace('{{base}}', rig.images.base).replace('{{template}}', 'a'))
      const built = await dockerOf(rig).image('kubeletwin/pause')
      assert.deepEqual(built?.labels, {'k8s-win.template': 'a'})
      assert.deepEqual(built?.tags, ['kubeletwin/pause:latest'])
      const {Config} = await ask<{Config: {Cmd: string[]; User: string}}>(rig, '/images/kubeletwin/pause/json')
      assert.deepEqual(Config.Cmd, ['cmd', '/c', 'ping', '-t', 'localhost', '>', 'NUL'])
      assert.equal(Config.User, 'ContainerUser')
      assert.deepEqual(await containers(rig), [])
    },
  },
  {
    name: 'a build pulls its base, and the same build makes the same image',
    async run(rig) {
      const dockerfile = `FROM ${rig.images.base}\nLABEL a="b c" d=e\n`
      await build(rig, dockerfile)
      const first = await dockerOf(rig).image('kubeletwin/pause')
      assert.deepEqual(first?.labels, {a: 'b c', d: 'e'})
      await build(rig, dockerfile)
      assert.deepEqual(await dockerOf(rig).image('kubeletwin/pause'), first)
      assert.deepEqual(await tags(rig), ['kubeletwin/pause:latest', rig.images.base].sort())
    },
  },
  {
    name: 'a built image goes with all that its build made, and its base stays',
    async run(rig) {
      await pull(rig)
      await build(rig, `FROM ${rig.images.base}\nLABEL a=b\nUSER x\nCMD ["cmd"]\n`)
      await dockerOf(rig).removeTag('kubeletwin/pause:latest')
      const left = await ask<{RepoTags: string[]}[]>(rig, '/images/json?all=1')
      assert.deepEqual(
        left.map((image) => image.RepoTags),
        [[rig.images.base]],
      )
    },
  },
  {
    name: 'builds that fail, each in its own way, leave no tag and no container',
    async run(rig) {
      await pull(rig)
      const {base, missing} = rig.images
      const fails = (dockerfile: string, reason: RegExp): Promise<void> =>
        refusal(build(rig, dockerfile, 'broken'), 'DOCKER_FAILED', reason)
      await fails(`FROM ${missing}\n`, /^Docker said: manifest for \S+ not found: manifest unknown: /)
      await fails(
        `FROM ${base}\nRUN ["cmd", "/c", "exit", "3"]\n`,
        /^Docker said: The command 'cmd \/c exit 3' returned a non-zero code: 3$/,
      )
      await fails('FORM x\n', /^Docker said: dockerfile parse error line 1: unknown instruction: FORM$/)
      await fails('# nothing\n', /^Docker said: .*file with no instructions$/)
      await fails('LABEL a=b\n', /^Docker said: no build stage in current context$/)
      const other = dockerOf(rig).build('broken', buildContext({other: 'x'}), NEVER)
      await refusal(other, 'DOCKER_FAILED', /^Docker said: Cannot locate specified Dockerfile: Dockerfile$/)
      const noTar = dockerOf(rig).build('broken', Buffer.alloc(600, 'x'), NEVER)
      await refusal(noTar, 'DOCKER_FAILED', /^Docker said: archive\/tar: invalid tar header$/)
      await refusal(build(rig, `FROM ${base}\nUSER x\n`, 'UPPER'), 'DOCKER_FAILED', /must be lowercase$/)
      assert.equal(await dockerOf(rig).image('broken'), undefined)
      assert.deepEqual(await containers(rig), [])
    },
  },
]
