// Who is asked, and what about: the list, the answers, and a journal that is lost.
import {describe, expect, test} from 'vitest'
import {setupOn} from '../setup/in-process.js'
import type {GivenReset} from '../../src/config/options/reset-options.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import type {Answer, Asker, Question} from '../../src/runs/reset/reset-run.js'
import {statusOn} from '../status/status-on.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'
import {HostFolder} from '../steps/host-folder.js'

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
    expect(JSON.stringify(events)).toContain('cancelled: nothing was changed')
    expect(differences(at, wholeHost(host))).toEqual([])
    expect(asked).toHaveLength(1)
    const [{lines, stays, text} = {lines: [], stays: [], text: ''}] = asked
    expect(text).toBe('Remove all of this?')
    expect(lines.join()).toMatch(/the services .*\bflanneld\b/)
    expect(lines).toContain('remove the node win-1 from the cluster')
    expect(stays).toEqual(['images', 'downloads', 'logs'])

    expect(lines.join()).not.toContain('the image ')
  })

  test('a yes goes ahead; --yes does not ask; where nothing is left it does not prompt', async () => {
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

  test('on a host that was never set up it does not prompt', async () => {
    const host = await HostFolder.fresh()
    const {ask, asked} = answering(false)
    await resetOn(host.dir, {ask})
    expect(asked).toEqual([])
  })
})

describe('with its journal lost', () => {
  test('it needs --yes where it cannot prompt: exit 2, the list, and nothing is changed', async () => {
    const host = copy()
    host.remove(JOURNAL)
    const at = wholeHost(host)
    const {result} = await resetOn(host.dir, {given: {yes: false}})
    expect(result).toMatchObject({error: {id: 'YES_NEEDED'}, exitCode: 2, steps: []})
    expect(result.error?.cause).toMatch(/the services .*\bkubelet\b/)
    expect(result.error?.fix).toContain('--yes')
    expect(differences(at, wholeHost(host))).toEqual([])
  })

  test('it is removed by our marks with --yes, or a yes; what cannot be known stays, and is reported', async () => {
    for (const consent of [{given: {yes: true}}, {ask: answering(true).ask}]) {
      const host = copy()
      host.remove(JOURNAL)
      const {result, warnings} = await resetOn(host.dir, consent)
      expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7, recap: {failed: 0}})
      expect(result.error?.cause).toContain(String.raw`C:\var\lib\kubelet`)
      // Once is enough: the error names it.
      expect(warnings.join()).not.toContain(String.raw`C:\var\lib\kubelet`)
      expect(Object.keys(host.world.services)).not.toContain('kubelet')
      expect(Object.keys(host.world.firewall)).toEqual([])
      expect(host.world.hns.networks.map((network) => network['Name'])).not.toContain('vxlan0')
      expect(host.has(String.raw`k\kubernetes`)).toBe(false)
      expect(host.has(String.raw`k\kubeconfig`)).toBe(true)
      expect((await resetOn(host.dir)).result).toMatchObject({exitCode: 7, recap: {changed: 0}})
    }
  })

  test('and begun anew by a setup it is still known as lost', async () => {
    const host = copy()
    host.remove(JOURNAL)
    expect((await setupOn(host.dir)).result.exitCode).toBe(0)
    expect(host.has(JOURNAL)).toBe(true)
    const {ask, asked} = answering(true)
    expect((await resetOn(host.dir, {given: {yes: false}})).result).toMatchObject({
      error: {id: 'YES_NEEDED'},
      exitCode: 2,
    })
    expect((await resetOn(host.dir, {ask})).result.exitCode).toBe(7)
    expect(asked[0]?.text).toContain('lost')
    expect(Object.keys(host.world.services)).not.toContain('kubelet')
  })
})

describe('what a lost journal leaves unproven', () => {
  const lost = () => {
    const host = copy()
    host.remove(JOURNAL)
    return host
  }

  test('review R1: the next reset names it again, with exit code 7, until it is gone', async () => {
    const host = lost()
    const first = await resetOn(host.dir, {given: {yes: true}})
    expect(first.result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7})
    const at = wholeHost(host)
    // Nothing is to be removed any more, and so no one has to be asked.
    for (const _ of [1, 2]) {
      const {events, result} = await resetOn(host.dir)
      expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7, recap: {changed: 0, failed: 0}})
      for (const left of [String.raw`C:\var\lib\kubelet`, 'nanoserver:latest', String.raw`C:\k\kubeconfig`])
        expect(result.error?.cause.split(left).length, left).toBe(first.result.error?.cause.split(left).length)
      expect(JSON.stringify(events)).not.toContain('this stays')
      expect(
        differences(at, wholeHost(host)).filter((one) => !/k8s-win\/(?:result\.json|logs)|logs\/k8s-win/.test(one)),
      ).toEqual([])
    }

    host.remove(String.raw`var\lib\kubelet`)
    expect((await resetOn(host.dir)).result.error?.cause).not.toContain(String.raw`C:\var\lib\kubelet,`)
    expect((await statusOn(host.dir)).document).toMatchObject({exitCode: 9, problems: [{id: 'NO_NODE'}]})
  })

  test('review R1: --purge removes the records with it', async () => {
    const host = lost()
    await resetOn(host.dir, {given: {yes: true}})
    expect((await resetOn(host.dir, {given: {purge: true}})).result.exitCode).toBe(7)
    expect(host.has(JOURNAL)).toBe(false)
    expect((await resetOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('review R1: the question names it, and promises of images only what --purge removes', async () => {
    const {ask, asked} = answering(false)
    const {warnings} = await resetOn(lost().dir, {ask})
    expect(asked[0]?.stays.join('; ')).toContain(String.raw`C:\var\lib\kubelet`)
    expect(asked[0]?.stays).not.toContain('images')
    expect(warnings).toEqual([])
  })

  test('review R1: a plan warns of it, once', async () => {
    const {result, warnings} = await resetOn(lost().dir, {given: {'dry-run': true}})
    expect(result.exitCode).toBe(0)
    expect(warnings.filter((one) => one.includes(String.raw`C:\var\lib\kubelet,`))).toHaveLength(1)
  })
})

describe('an answer that was piped in', () => {
  const piped = (answer: Answer): {asked: Question[]; asker: Asker} => {
    const asked: Question[] = []
    const ask = (question: Question): Promise<Answer> => {
      asked.push(question)
      return Promise.resolve(answer)
    }
    return {asked, asker: {ask, isTerminal: false}}
  }

  test('review U2-3: without a terminal and without --yes what will be removed is printed before anything is', async () => {
    const said = async (given: GivenReset): Promise<number[]> => {
      const {events} = await resetOn(copy().dir, {asker: piped('none').asker, given})
      const found = [/reset will remove the services .*kubelet/, /"step-started"/]
      return found.map((one) => events.findIndex((event) => one.test(JSON.stringify(event))))
    }
    const [list = -1, step = -1] = await said({})
    expect(list).toBeGreaterThanOrEqual(0)
    expect(step).toBeGreaterThan(list)
    expect((await said({yes: true}))[0]).toBe(-1)
  })

  test('review U1: a no cancels, and nothing is changed', async () => {
    const host = copy()
    const at = wholeHost(host)
    const {asked, asker} = piped('no')
    expect((await resetOn(host.dir, {asker})).result).toMatchObject({exitCode: 0, outcome: 'done', steps: []})
    expect(asked).toHaveLength(1)
    expect(differences(at, wholeHost(host))).toEqual([])
  })

  test.each(['yes', 'none'] as const)('review U1: with %s it goes ahead', async (answer) => {
    const host = copy()
    expect((await resetOn(host.dir, {asker: piped(answer).asker})).result).toMatchObject({exitCode: 0})
    expect(Object.keys(host.world.services)).not.toContain('kubelet')
  })

  test('review U1: none is not enough where the journal is lost', async () => {
    const host = copy()
    host.remove(JOURNAL)
    const at = wholeHost(host)
    const {result} = await resetOn(host.dir, {asker: piped('none').asker})
    expect(result).toMatchObject({error: {id: 'YES_NEEDED'}, exitCode: 2})
    expect(differences(at, wholeHost(host))).toEqual([])
  })
})

describe('the question', () => {
  test('review U1: names the pods that run', async () => {
    const host = copy()
    const pod = (name: string, state: 'exited' | 'running'): object => ({
      exitCode: 0,
      id: name.padEnd(64, '0'),
      image: 'servercore',
      labels: {
        'io.kubernetes.docker.type': 'container',
        'io.kubernetes.pod.name': name,
        'io.kubernetes.pod.namespace': 'shop',
        'io.kubernetes.pod.uid': name,
      },
      name: `k8s_${name}`,
      state,
    })
    host.edit(({docker}) => {
      const more = [pod('iis-1', 'running'), pod('iis-2', 'running'), pod('job', 'exited')]
      docker.containers.push(...(more as typeof docker.containers))
    })
    const {ask, asked} = answering(false)
    await resetOn(host.dir, {ask})
    const {lines} = asked[0] ?? {lines: []}
    expect(lines.filter((line) => line.includes('shop/'))).toEqual([
      expect.stringMatching(/^end the pods .*shop\/iis-1, shop\/iis-2/),
    ])
    expect(lines.join()).not.toContain('shop/job')
  })

  test('review U1: given up with Ctrl-C has its own error: nothing was changed', async () => {
    const host = copy()
    const at = wholeHost(host)
    const ask = (): Promise<boolean> => Promise.reject(new InterruptedError())
    const {result} = await resetOn(host.dir, {ask})
    expect(result).toMatchObject({error: {id: 'INTERRUPTED_AT_QUESTION'}, exitCode: 130, outcome: 'interrupted'})
    expect(differences(at, wholeHost(host))).toEqual([])
  })
})
