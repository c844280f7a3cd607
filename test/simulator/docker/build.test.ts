// Building from a tar, as the kubelet's pause image is built.
import {beforeEach, describe, expect, it} from 'vitest'

import {answerDocker} from '../../../src/simulator/docker/engine.js'
import {writeTar} from '../../../src/machine/tar.js'
import type {Stage} from '../../../src/simulator/model.js'
import type {Refusal} from '../fresh-model.js'
import {ask, jsonOf, linesOf, makeStage} from '../fresh-model.js'

const NANO = 'mcr.microsoft.com/windows/nanoserver'

let stage: Stage
beforeEach(() => void (stage = makeStage()))

const context = (dockerfile: string): Buffer => writeTar([{content: Buffer.from(dockerfile), name: 'Dockerfile'}])
const build = (body: Buffer) => answerDocker(stage, ask('POST', '/v1.41/build?t=kubeletwin/pause', body))

describe('building', () => {
  it('pulls the base, reports the steps and tags the image', async () => {
    const dockerfile = `# pause\nFROM ${NANO}:1809\nLABEL maker="k8s-win" kind=pause\nUSER ContainerUser\nCMD cmd /c ping -t localhost > nul\n`
    const lines = await linesOf(await build(context(dockerfile)))
    const text = lines.map(({stream}) => stream ?? '').join('')
    expect(text).toContain(`Step 1/4 : FROM ${NANO}:1809\n`)
    expect(text).toContain('Step 4/4 : CMD cmd /c ping -t localhost > nul\n')
    expect(text).toContain('Successfully tagged kubeletwin/pause:latest\n')
    const aux = lines.find((line) => line.aux)?.aux
    const image = await jsonOf(await answerDocker(stage, ask('GET', '/images/kubeletwin/pause/json')))
    expect(image).toMatchObject({
      Config: {Labels: {kind: 'pause', maker: 'k8s-win'}},
      Id: aux?.ID,
      OsVersion: '10.0.17763.2237',
      RepoTags: ['kubeletwin/pause:latest'],
    })
  })

  it('ends with an error line where the base is not to be had', async () => {
    const last = (await linesOf(await build(context(`FROM ${NANO}:latest\n`)))).at(-1)
    expect(last?.errorDetail?.message).toContain('manifest unknown')
    expect(stage.world.docker.images).toEqual([])
  })

  it.each([
    ['no Dockerfile', writeTar([{content: Buffer.from(''), name: 'other'}]), 500, 'Cannot locate specified Dockerfile'],
    ['no tar', Buffer.from('x'.repeat(600)), 500, 'archive/tar: invalid tar header'],
    ['an unknown instruction', context('FORM x\n'), 400, 'unknown instruction: FORM'],
    ['nothing in it', context('# only this\n'), 400, 'file with no instructions'],
  ])('refuses a context with %s', async (_, body, status, message) => {
    const answer = await build(body)
    expect(answer.status).toBe(status)
    expect((await jsonOf<Refusal>(answer)).message).toContain(message)
  })

  it('does not run a command in an image of another build', async () => {
    stage.world.os.build = 20_348
    const last = (await linesOf(await build(context(`FROM ${NANO}:1809\nRUN echo x\n`)))).at(-1)
    expect(last?.error).toContain('does not match the host operating system')
  })
})
