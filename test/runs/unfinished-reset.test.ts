// A reset that did not finish is known by the journal, whatever was run after it.
import {beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {Win32Error} from '../../src/machine/win32.js'
import {readKnownNode} from '../../src/runs/known-node.js'
import {whyAside} from '../../src/runs/watch/stand-aside.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {faultyMachine} from '../fakes/faulty.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder, profileOf} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'

const half = HostFolder.empty()

beforeAll(async () => {
  expect((await setupOn(half.dir, {}, {}, 'ws2019')).result.exitCode).toBe(0)
  const {result} = await resetOn(half.dir, {
    given: {'keep-node': true, yes: true},
    wrap: (machine) =>
      faultyMachine(machine, [
        {
          at: ({args, what}) => what === 'deleteService' && args[0] === 'flanneld',
          does: new Win32Error('DeleteService', 5, 'flanneld'),
          when: 'before',
        },
      ]),
  })
  expect(result.exitCode).toBe(7)
})

function copy(): HostFolder {
  const host = half.copy()
  onTestFinished(() => host.discard())
  return host
}

async function asideOn({dir}: HostFolder) {
  const machine = await openSimulator({dir, profile: profileOf(dir)})
  const known = await readKnownNode({environment: {}, machine, signal: new AbortController().signal})
  return whyAside({...known, machine})
}

/** A setup that its checks refuse: they end with 3, and nothing is changed. */
async function refuseSetup(host: HostFolder): Promise<void> {
  host.edit(({os}) => (os.administrator = false))
  expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 3, steps: []})
  host.edit(({os}) => (os.administrator = true))
}

describe('review W3-4: a reset that did not finish stays unfinished', () => {
  test.each<[string, (host: HostFolder) => unknown]>([
    ['after a setup that was refused', refuseSetup],
    ['without the result of the last run', (host) => host.remove(String.raw`k\k8s-win\result.json`)],
    ['with another result', (host) => host.put(String.raw`k\k8s-win\result.json`, '{"command":"setup","exitCode":0}')],
  ])('%s', async (_, then) => {
    const host = copy()
    await then(host)
    const {document} = await statusOn(host.dir)
    expect(document.problems[0]).toMatchObject({command: 'k8s-win reset --keep-node', id: 'RESET_UNFINISHED'})
    expect((await recoverOn(host.dir)).result).toMatchObject({
      error: {id: 'RESET_UNFINISHED'},
      exitCode: 3,
      steps: [],
    })
    expect(await asideOn(host)).toMatchObject({kind: 'unfinished'})
  })

  test('until a setup finishes: one that fails leaves a setup to be finished', async () => {
    const host = copy()
    host.edit(({cluster}) => (cluster.reachable = false))
    expect((await setupOn(host.dir)).result.exitCode).not.toBe(0)
    expect((await recoverOn(host.dir)).result.exitCode).toBe(3)
    host.edit(({cluster}) => (cluster.reachable = true))
    expect((await setupOn(host.dir)).result.exitCode).toBe(0)
    expect((await statusOn(host.dir)).document).toMatchObject({exitCode: 0, problems: []})
    expect(host.journal.filter(({kind}) => kind === 'began')).toEqual([])
  })

  test('or the reset', async () => {
    const host = copy()
    expect((await resetOn(host.dir, {given: {yes: true}})).result.exitCode).toBe(0)
    expect((await statusOn(host.dir)).document.exitCode).toBe(9)
  })
})

test('review W3-4: a setup of a node that was killed is still unfinished after one that was refused', async () => {
  const host = HostFolder.empty()
  onTestFinished(() => host.discard())
  await setupOn(host.dir, {}, {}, 'ws2019')
  const killed: HostFolder[] = []
  await setupOn(
    host.dir,
    {'node-label': ['a=b']},
    {
      after({what}) {
        if (what === 'append' && killed.length === 0 && host.journal.some(({kind}) => kind === 'began'))
          killed.push(host.copy())
        return Promise.resolve()
      },
    },
  )
  const [cut] = killed
  if (!cut) throw new Error('nothing was killed')
  await refuseSetup(cut)
  expect((await recoverOn(cut.dir)).result).toMatchObject({error: {id: 'SETUP_UNFINISHED'}, exitCode: 3})
  expect((await statusOn(host.dir)).document).toMatchObject({exitCode: 0})
})
