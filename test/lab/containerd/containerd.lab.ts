// k8s-win's containerd adapter against a real containerd and a real registry; and crictl's stand-in held against crictl.
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import {CONTAINERD_PIPE} from '../../../src/config/model.js'
import {type CrictlRecording, crictlRecording} from '../../transcripts/crictl-recordings.js'
import {shapeOf} from '../docker/shapes.js'
import {CONTAINERD_CASES, runCase} from './containerd-suite.js'
import {makeIndex, pushIndex} from './images.js'
import {NOBODY, openRealLab, type RealLab} from './real-lab.js'
import {ARCHIVE, BASE_DIR, OS_VERSION} from './rig.js'

let lab: RealLab

beforeAll(async () => void (lab = await openRealLab()))
afterAll(() => lab?.close())

describe('the adapter', () => {
  for (const one of CONTAINERD_CASES) it(one.name, () => runCase(lab, one))
})

type Answer = Pick<CrictlRecording, 'exitCode' | 'stderr' | 'stdout'>

/** Addresses, times, process ids, digests and sizes are those of one run. */
function comparable({exitCode, stderr, stdout}: Answer): Answer {
  const {folder, onLinux, registry} = lab.engine
  const same = (text: string): string =>
    text
      .replaceAll(onLinux(CONTAINERD_PIPE), '<PIPE>')
      .replaceAll(onLinux(BASE_DIR), '<DIR>')
      .replaceAll(folder, '<DIR>')
      .replaceAll(registry, '127.0.0.1:5055')
      .replaceAll(NOBODY, '127.0.0.1:5999')
      .replaceAll(/[\da-f]{64}/gu, '<HEX>')
      .replaceAll(/time="[^"]*"/gu, 'time="<TIME>"')
      .replaceAll(/^E\d{4} [\d:.]+ +\d+ /gmu, 'E<TIME> <PID> ')
      .replaceAll(/"size": "\d+"/gu, '"size": "<SIZE>"')
  return {exitCode, stderr: same(stderr), stdout: same(stdout)}
}

/** Asks what was asked of the real crictl, at this lab's addresses. */
async function ask(name: string): Promise<Answer> {
  const {crictl, crictlConfig, ctr} = layoutOf(BASE_DIR).containerd
  const [program, ...words] = crictlRecording(name).command
  const args = words.map((word) =>
    word.replace('127.0.0.1:5055', lab.engine.registry).replace('127.0.0.1:5999', NOBODY).replace('<DIR>', BASE_DIR),
  )
  const options = {deadlineMs: 30_000, effect: 'change'} as const
  const answer = await (program === 'ctr'
    ? lab.run(ctr, ['--address', CONTAINERD_PIPE, '-n', 'k8s.io', ...args], options)
    : lab.run(crictl, ['--config', crictlConfig, ...args], options))
  return comparable(answer)
}

const recorded = (name: string): Answer => comparable(crictlRecording(name))

describe("crictl's stand-in prints what crictl printed", () => {
  it.each([
    ...['version', 'inspecti-missing', 'inspecti-windows', 'pods-none', 'pods-after', 'pull-missing'],
    ...['pull-unreachable', 'rmi-missing', 'rmp-again', 'rmp-all', 'runtime-config'],
    ...['ctr-containers', 'ctr-tag-missing'],
  ])('%s', async (name) => {
    expect(await ask(name)).toEqual(recorded(name))
  })

  it('with an image: pull, pull-no-platform, images, inspecti, rmi', async () => {
    const {engine} = lab
    const rig = await lab.open({})
    const layer = Buffer.from('Windows')
    const windows = makeIndex([{layer, os: 'windows', osVersion: OS_VERSION}])
    await pushIndex(engine.registry, 'windows/nanoserver', 'multi', windows)
    await pushIndex(engine.registry, 'app', '1', makeIndex([{layer, os: 'linux', osVersion: OS_VERSION}]))
    try {
      expect(await ask('pull-no-platform')).toEqual(recorded('pull-no-platform'))
      const {ctr} = layoutOf(BASE_DIR).containerd
      const options = {deadlineMs: 30_000, effect: 'change'} as const
      await lab.run(ctr, ['--address', CONTAINERD_PIPE, '-n', 'k8s.io', 'images', 'import', ARCHIVE.file], options)
      expect(await ask('images')).toEqual(recorded('images'))
      const [ours, theirs] = [await ask('inspecti'), recorded('inspecti')].map(
        ({stdout}) => JSON.parse(stdout) as {info: {imageSpec: object}; status: object},
      )
      expect(ours?.status).toEqual(theirs?.status)
      // The recorded image has another configuration, and no version of Windows.
      expect(Object.keys(ours?.info.imageSpec ?? {}).filter((key) => key !== 'os.version')).toEqual(
        Object.keys(theirs?.info.imageSpec ?? {}),
      )
      expect(await ask('pull')).toEqual(recorded('pull'))
      const app = `${engine.registry}/app:1`
      await rig.containerd.removeImage(ARCHIVE.image)
      await rig.containerd.tag(app, ARCHIVE.image)
      expect(await ask('rmi')).toEqual(recorded('rmi'))
    } finally {
      await rig.close()
    }
  })

  it.each(['imagefsinfo', 'info'])('%s, in the same shape', async (name) => {
    const [ours, theirs] = [await ask(name), recorded(name)]
    expect(ours.exitCode).toBe(theirs.exitCode)
    expect(shapeOf(JSON.parse(ours.stdout))).toEqual(shapeOf(JSON.parse(theirs.stdout)))
  })

  it('of a daemon that is stopped', async () => {
    await lab.engine.stop()
    try {
      for (const name of ['daemon-stopped', 'daemon-stopped-pull']) expect(await ask(name)).toEqual(recorded(name))
    } finally {
      await lab.engine.start()
    }
  })
})
