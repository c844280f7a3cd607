// An upgrade that fails after programs were replaced: the old release comes back and is proven, or what is left is said.
import {expect, it} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import {HttpError} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {daemonsOn} from '../runs/daemons/daemons-on.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {at, expectEnded, nodeAt, PROFILE, releasesOf} from './node-at.js'
import {refusing} from './refusing.js'

const silent =
  (url: RegExp) =>
  (machine: Machine): Machine =>
    interceptMachine(machine, async ({args, what}, perform) => {
      expect(`${what} ${args[0]}`).not.toMatch(url)
      return perform()
    })

it.each(['kubelet', 'kubeproxy', 'containerd'])(
  'review T12: %s that does not start: the old release is back without a download, proven, and takes pods',
  async (service) => {
    const host = await nodeAt('1.30.14', '1.31.14', PROFILE, '1.7.25')
    // The upgrade has to repair the base directory, too.
    host.edit(
      ({security}) => void (security[String.raw`c:\k`] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FRFX;;;BU)'),
    )
    host.remove(String.raw`k\downloads`)
    host.makeFolder(String.raw`k\downloads`)
    const wrap = (machine: Machine): Machine =>
      silent(/dl\.k8s\.io\/v1\.30|containerd-1\./)(refusing(service, 1)(machine))
    const {events, result} = await setupOn(host.dir, {release: '1.31.14'}, {wrap})
    expect(result).toMatchObject({error: {id: 'UPGRADE_ROLLED_BACK'}, exitCode: 6, outcome: 'failed'})
    expect(result.error?.cause).toContain(service)
    expect(result.steps.find(({state}) => state === 'failed')?.error?.id).toBeDefined()
    expect(result.steps.at(-1)).toMatchObject({id: 'roll-back', state: 'changed'})
    expect(releasesOf(host)).toEqual(at('1.30.14'))
    // A newer major stays where it has opened its root.
    const isKept = service !== 'containerd'
    expect(host.world.containerd.version).toBe(isKept ? 'v2.3.4' : 'v1.7.25')
    const said = events.some((event) => event.type === 'log' && event.message.startsWith('containerd 2.3.4 stays: '))
    expect(said).toBe(isKept)
    expectEnded(host)
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect((await statusOn(host.dir, {profile: PROFILE})).document).toMatchObject({problems: [], verdict: 'healthy'})
  },
)

it('a way back that fails, too, says what is left; one more run ends in either release', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {wrap: refusing('kubelet', 99)})
  expect(result).toMatchObject({error: {id: 'UPGRADE_STUCK'}, exitCode: 7})
  expect(result.steps.at(-1)).toMatchObject({id: 'roll-back', state: 'failed'})
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document).toMatchObject({problems: [{id: 'UPGRADE_UNFINISHED'}, ...document.problems.slice(1)]})
  const other = host.copy()
  expect((await setupOn(host.dir)).result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.30.14'))
  expect((await setupOn(other.dir, {release: '1.31.14'})).result.error).toBeUndefined()
  expect(releasesOf(other)).toEqual(at('1.31.14'))
  expectEnded(host)
  expectEnded(other)
})

it('Ctrl-C on the way back: interrupted, and one more run ends in the old release', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const stop = new AbortController()
  let starts = 0
  const {result} = await setupOn(
    host.dir,
    {release: '1.31.14'},
    {
      async after({args, what}) {
        // The second is that of the old release.
        if (what === 'startService' && args[0] === 'kubelet' && ++starts === 2) stop.abort(new InterruptedError())
      },
      signal: stop.signal,
      wrap: refusing('kubeproxy', 1),
    },
  )
  expect(result).toMatchObject({error: {id: 'INTERRUPTED'}, exitCode: 130, outcome: 'interrupted'})
  expect(host.journal.some(({kind}) => kind === 'upgrade')).toBe(true)
  expect((await setupOn(host.dir)).result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.30.14'))
  expectEnded(host)
})

it('review R2-5: an upgrade that is proven but not ended says that the node is cordoned, and is ended by setup', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const wrap = (machine: Machine): Machine => {
    let patches = 0
    return interceptMachine(machine, async ({args, what}, perform) => {
      const isUncordon = what === 'PATCH' && String(args[0]).includes('/nodes/') && ++patches > 1
      if (isUncordon) throw new HttpError(String(args[0]), 'ECONNREFUSED', 'connection refused')
      return perform()
    })
  }
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {wrap})
  expect(result.steps.at(-1)).toMatchObject({id: 'uncordon-node', state: 'failed'})
  expect(result.error?.fix).toContain('The node stays cordoned')
  expect(result.error?.fix).toContain('"kubectl uncordon win-1"')
  expect(releasesOf(host)).toEqual([...at('1.31.14').slice(0, 4), 'cordoned'])
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document.problems[0]).toMatchObject({command: 'k8s-win setup', id: 'UPGRADE_UNFINISHED'})
  expect((await setupOn(host.dir)).result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.31.14'))
  expectEnded(host)
})

it('daemons that "k8s-win stop" had stopped run again in the old release: the pause is over, and the node takes pods', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  expect((await daemonsOn(host.dir, 'stop', {drainMs: 60_000})).result.error).toBeUndefined()
  expect(releasesOf(host).at(-1)).toBe('cordoned')
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {upgrade: {}, wrap: refusing('kubelet', 1)})
  expect(result.error?.id).toBe('UPGRADE_ROLLED_BACK')
  expect(releasesOf(host)).toEqual(at('1.30.14'))
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document).toMatchObject({problems: [], verdict: 'healthy'})
  expect(document.paused).toBeUndefined()
})

it('the way back has the time of --timeout again', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  let renames = 0
  const wrap = (machine: Machine): Machine =>
    interceptMachine(refusing('kubelet', 1)(machine), async ({args, what}, perform) => {
      // The second is that of the old release.
      const isOld = what === 'rename' && String(args[1]).endsWith('kubelet.exe') && ++renames === 2
      if (isOld) await machine.clock.sleep(40 * 60_000)
      return perform()
    })
  const {result} = await setupOn(host.dir, {release: '1.31.14', timeout: '2h'}, {wrap})
  expect(result.error?.id).toBe('UPGRADE_ROLLED_BACK')
  expect(releasesOf(host)).toEqual(at('1.30.14'))
  expectEnded(host)
})
