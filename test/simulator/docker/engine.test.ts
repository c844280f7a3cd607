// The Docker Engine model: versions, pulls, tags, containers, as the real engine answers them.
import {beforeEach, describe, expect, it} from 'vitest'

import {answerDocker} from '../../../src/simulator/docker/engine.js'
import type {ModelResponse, Stage} from '../../../src/simulator/model.js'
import type {DockerLine, Refusal} from '../fresh-model.js'
import {ask, jsonOf, linesOf, makeStage, START, textOf} from '../fresh-model.js'

const NANO = 'mcr.microsoft.com/windows/nanoserver'
const CORE = 'mcr.microsoft.com/windows/servercore'

let stage: Stage
beforeEach(() => void (stage = makeStage()))

const send = (method: string, target: string, body = ''): Promise<ModelResponse> =>
  answerDocker(stage, ask(method, target, body))
const pull = async (image: string, tag: string): Promise<DockerLine[]> =>
  linesOf(await send('POST', `/v1.41/images/create?fromImage=${encodeURIComponent(image)}&tag=${tag}`))
const create = async (image: string, extra: object = {}): Promise<string> =>
  (await jsonOf<{Id: string}>(await send('POST', '/containers/create', JSON.stringify({Image: image, ...extra})))).Id

describe('the engine', () => {
  it('says what it is', async () => {
    const answer = await send('GET', '/version')
    expect(answer.headers).toMatchObject({'api-version': '1.41', ostype: 'windows'})
    expect(await jsonOf(answer)).toMatchObject({
      ApiVersion: '1.41',
      MinAPIVersion: '1.24',
      Os: 'windows',
      Version: '20.10.9',
    })
    const info = await jsonOf(await send('GET', '/v1.24/info'))
    expect(info).toMatchObject({OSType: 'windows', OSVersion: '10.0.17763.2237'})
  })

  it.each([
    ['1.42', '{"message":"client version 1.42 is too new. Maximum supported API version is 1.41"}\n'],
    [
      '1.12',
      'client version 1.12 is too old. Minimum supported API version is 1.24, please upgrade your client to a newer version\n',
    ],
  ])('refuses version %s in the words of the real one', async (version, message) => {
    const answer = await send('GET', `/v${version}/info`)
    expect(answer.status).toBe(400)
    expect(await textOf(answer)).toBe(message)
  })

  it('knows no other path', async () => {
    const answer = await send('GET', '/swarm')
    expect(answer.status).toBe(404)
    expect(await jsonOf(answer)).toEqual({message: 'page not found'})
  })
})

describe('pulling', () => {
  it('reports the progress in bytes and takes its time', async () => {
    const lines = await pull(NANO, '1809')
    expect(lines[0]).toEqual({status: 'Pulling from windows/nanoserver', id: '1809'})
    const progress = lines.filter(({status}) => status === 'Downloading').map(({progressDetail}) => progressDetail)
    expect(progress.at(-1)).toEqual({current: 103_000_000, total: 103_000_000})
    expect(lines.at(-2)?.status).toMatch(/^Digest: sha256:[\da-f]{64}$/)
    expect(lines.at(-1)).toEqual({status: `Status: Downloaded newer image for ${NANO}:1809`})
    expect(stage.now()).toBeGreaterThan(START + 2000)
    expect((await pull(NANO, '1809')).at(-1)).toEqual({status: `Status: Image is up to date for ${NANO}:1809`})
  })

  it('gives servercore and nanoserver their own tags, and mirrors the same', async () => {
    await pull(CORE, 'ltsc2019')
    await pull('mirror.example:5000/library/windows/nanoserver', '10.0.17763.802')
    const images = await jsonOf<{RepoTags: string[]}[]>(await send('GET', '/images/json'))
    expect(images.flatMap((image) => image.RepoTags)).toEqual([
      `${CORE}:ltsc2019`,
      'mirror.example:5000/library/windows/nanoserver:10.0.17763.802',
    ])
    const inspected = await jsonOf(await send('GET', `/images/${CORE}:ltsc2019/json`))
    expect(inspected).toMatchObject({Os: 'windows', OsVersion: '10.0.17763.2237', RepoTags: [`${CORE}:ltsc2019`]})
  })

  it.each([
    [NANO, 'ltsc2019', `manifest for ${NANO}:ltsc2019 not found: manifest unknown`],
    [NANO, 'latest', `manifest for ${NANO}:latest not found: manifest unknown`],
    ['example/app', '1', 'pull access denied for example/app'],
  ])('answers 404 for %s:%s', async (image, tag, message) => {
    const answer = await send('POST', `/images/create?fromImage=${image}&tag=${tag}`)
    expect(answer.status).toBe(404)
    expect((await jsonOf<Refusal>(answer)).message).toContain(message)
    expect(stage.world.docker.images).toEqual([])
  })

  it('finds no manifest for a newer Windows than the host', async () => {
    const last = (await pull(NANO, 'ltsc2022')).at(-1)
    expect(last?.error).toBe('no matching manifest for windows/amd64 10.0.17763 in the manifest list entries')
    expect(last?.errorDetail?.message).toBe(last?.error)
  })

  it('finds no manifest in Linux mode', async () => {
    stage.world.docker.mode = 'linux'
    const last = (await pull(NANO, '1809')).at(-1)
    expect(last?.error).toBe('no matching manifest for linux/amd64 in the manifest list entries')
  })

  it('fails half-way with an error line after a good beginning', async () => {
    stage.world.downloads[`${NANO}:1809`] = {fault: 'truncated'}
    const lines = await pull(NANO, '1809')
    expect(lines.some(({status}) => status === 'Downloading')).toBe(true)
    expect(lines.at(-1)?.error).toBe('unexpected EOF')
    expect(stage.world.docker.images).toEqual([])
  })

  it('breaks when the host goes off the network', async () => {
    stage.world.os.offlineUntil = START + 10_000
    const answer = await send('POST', `/images/create?fromImage=${NANO}&tag=1809`)
    expect(answer.status).toBe(500)
    expect((await jsonOf<Refusal>(answer)).message).toContain('no such host')
  })
})

describe('images', () => {
  it('moves a tag to the image that is tagged', async () => {
    await pull(NANO, '1809')
    const answer = await send('POST', `/images/${NANO}:1809/tag?repo=${NANO}&tag=latest`)
    expect(answer.status).toBe(201)
    expect(stage.world.docker.images[0]?.tags).toEqual([`${NANO}:1809`, `${NANO}:latest`])
    expect((await send('GET', `/images/${NANO}/json`)).status).toBe(200)
    expect((await send('GET', `/images/${encodeURIComponent(`${NANO}:latest`)}/json`)).status).toBe(200)
  })

  it('is removed with its last tag', async () => {
    await pull(NANO, '1809')
    await send('POST', `/images/${NANO}:1809/tag?repo=mine`)
    expect(await jsonOf(await send('DELETE', '/images/mine'))).toEqual([{Untagged: 'mine:latest'}])
    const removed = await jsonOf<{Deleted?: string}[]>(await send('DELETE', `/images/${NANO}:1809`))
    expect(removed.at(-1)?.Deleted).toMatch(/^sha256:/)
    const gone = await send('GET', `/images/${NANO}:1809/json`)
    expect(gone.status).toBe(404)
    expect(await jsonOf(gone)).toEqual({message: `no such image: ${NANO}:1809: No such image: ${NANO}:1809`})
  })

  it('is not removed while a container uses it', async () => {
    await pull(NANO, '1809')
    await create(`${NANO}:1809`)
    expect((await send('DELETE', `/images/${NANO}:1809`)).status).toBe(409)
  })
})

describe('containers', () => {
  it('runs an image of the host’s build, whatever its patch level', async () => {
    await pull(NANO, '10.0.17763.802')
    const id = await create(`${NANO}:10.0.17763.802`, {Labels: {purpose: 'probe'}})
    expect((await send('POST', `/containers/${id}/start`)).status).toBe(204)
    expect(await jsonOf(await send('POST', `/containers/${id}/wait`))).toMatchObject({StatusCode: 0})
    expect((await send('GET', `/containers/${id}/logs?stdout=1`)).status).toBe(200)
    const filters = encodeURIComponent(JSON.stringify({label: ['purpose=probe']}))
    expect(await jsonOf(await send('GET', `/containers/json?all=1&filters=${filters}`))).toHaveLength(1)
    const others = encodeURIComponent(JSON.stringify({label: ['purpose=else']}))
    expect(await jsonOf(await send('GET', `/containers/json?all=1&filters=${others}`))).toEqual([])
    expect((await send('DELETE', `/containers/${id}`)).status).toBe(204)
    expect(stage.world.docker.containers).toEqual([])
  })

  it('does not run an image of another build', async () => {
    stage.world.os.build = 20_348
    await pull(NANO, '1809')
    const answer = await send('POST', `/containers/${await create(`${NANO}:1809`)}/start`)
    expect(answer.status).toBe(500)
    expect((await jsonOf<Refusal>(answer)).message).toMatch(
      /^hcsshim::CreateComputeSystem [\da-f]{64}: The container operating system does not match the host operating system\./,
    )
  })

  it('refuses an image that is not there and a name that is taken', async () => {
    const answer = await send('POST', '/containers/create', JSON.stringify({Image: 'none'}))
    expect(answer.status).toBe(404)
    expect(await jsonOf(answer)).toEqual({message: 'No such image: none:latest'})
    await pull(NANO, '1809')
    const body = JSON.stringify({Image: `${NANO}:1809`})
    await send('POST', '/containers/create?name=one', body)
    expect((await send('POST', '/containers/create?name=one', body)).status).toBe(409)
  })
})
