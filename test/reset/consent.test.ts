// Who is asked, and what about: the list, the answers, and a journal that is lost.
import {describe, expect, test} from 'vitest'
import {setupOn} from '../setup/in-process.js'
import {SimulatedHost} from '../setup/simulated-host.js'
import type {Question} from '../../src/runs/reset-run.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const JOURNAL = String.raw`k\k8s-win\journal.ndjson`
const {before, copy} = setUpHost()
const answering = (answer: boolean): {ask: (question: Question) => Promise<boolean>; asked: Question[]} => {
  const asked: Question[] = []
  return {
    ask(question) {
      asked.push(question)
      return Promise.resolve(answer)
    },
    asked,
  }
}

describe('on a terminal', () => {
  test('what will be removed is listed, and what stays; a no changes nothing and ends with 0', async () => {
    const host = copy()
    const at = wholeHost(host)
    const {ask, asked} = answering(false)
    const {events, result} = await resetOn(host.dir, {ask})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done', recap: {changed: 0}, steps: []})
    expect(JSON.stringify(events)).toContain('answered with no: nothing was changed')
    expect(differences(at, wholeHost(host))).toEqual([])
    expect(asked).toHaveLength(1)
    const [{lines, stays, text} = {lines: [], stays: [], text: ''}] = asked
    expect(text).toBe('Remove all of it?')
    expect(lines).toContain('the service flanneld')
    expect(lines).toContain('the node win-1 in the cluster')
    expect(stays).toEqual(['images', 'downloads', 'logs'])

    expect(lines.join()).not.toContain('the image ')
  })

  test('a yes goes ahead; --yes does not ask; where nothing is left nobody is asked', async () => {
    const host = copy()
    const {ask, asked} = answering(true)
    expect((await resetOn(host.dir, {ask})).result).toMatchObject({exitCode: 0, recap: {failed: 0}})
    expect(asked).toHaveLength(1)
    expect((await resetOn(host.dir, {ask})).result.exitCode).toBe(0)
    expect(asked).toHaveLength(1)
    await resetOn(host.dir, {ask, given: {purge: true, yes: true}})
    expect(asked).toHaveLength(1)
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('on a host that was never set up nobody is asked', async () => {
    const host = await SimulatedHost.make()
    const {ask, asked} = answering(false)
    await resetOn(host.dir, {ask})
    expect(asked).toEqual([])
  })
})

describe('with its journal lost', () => {
  test('it needs --yes where nobody can be asked: exit 2, the list, and nothing is changed', async () => {
    const host = copy()
    host.remove(JOURNAL)
    const at = wholeHost(host)
    const {result} = await resetOn(host.dir)
    expect(result).toMatchObject({error: {id: 'YES_NEEDED'}, exitCode: 2, steps: []})
    expect(result.error?.cause).toContain('the service kubelet')
    expect(result.error?.fix).toContain('--yes')
    expect(differences(at, wholeHost(host))).toEqual([])
  })

  test('it is removed by our marks with --yes, or a yes; what nobody can know stays, and is told', async () => {
    for (const consent of [{given: {yes: true}}, {ask: answering(true).ask}]) {
      const host = copy()
      host.remove(JOURNAL)
      const {result, warnings} = await resetOn(host.dir, consent)
      expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7, recap: {failed: 0}})
      expect(result.error?.cause).toContain(String.raw`C:\var\lib\kubelet`)
      expect(warnings.join()).toContain(String.raw`C:\var\lib\kubelet`)
      expect(Object.keys(host.world.services)).not.toContain('kubelet')
      expect(Object.keys(host.world.firewall)).toEqual([])
      expect(host.world.hns.networks.map((network) => network['Name'])).not.toContain('vxlan0')
      expect(host.has(String.raw`k\kubernetes`)).toBe(false)
      expect(host.has(String.raw`k\kubeconfig`)).toBe(true)
      expect((await resetOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    }
  })

  test('and begun anew by a setup it is still known as lost', async () => {
    const host = copy()
    host.remove(JOURNAL)
    expect((await setupOn(host.dir)).result.exitCode).toBe(0)
    expect(host.has(JOURNAL)).toBe(true)
    const {ask, asked} = answering(true)
    expect((await resetOn(host.dir)).result).toMatchObject({error: {id: 'YES_NEEDED'}, exitCode: 2})
    expect((await resetOn(host.dir, {ask})).result.exitCode).toBe(7)
    expect(asked[0]?.text).toContain('lost')
    expect(Object.keys(host.world.services)).not.toContain('kubelet')
  })
})
