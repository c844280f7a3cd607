// The dry run and the question of a reset say what the last resort would do.
import {expect, test} from 'vitest'
import type {HostFolder} from '../steps/host-folder.js'
import {brokenContainerd, offline} from './broken-containerd.js'
import {resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'

const made = setUpHost({}, undefined, CONTAINERD_PROFILE)

const planned = async (host: HostFolder, purge = true): Promise<string[]> => {
  const {result} = await resetOn(host.dir, {given: {'dry-run': true, purge}, wrap: offline()})
  return result.steps.find(({id}) => id === 'containers')?.changes.filter((line) => line.startsWith('if ')) ?? []
}

async function asked(host: HostFolder): Promise<readonly string[]> {
  let lines: readonly string[] = []
  const ask = async (question: {lines: readonly string[]}): Promise<boolean> => {
    ;({lines} = question)
    return false
  }
  await resetOn(host.dir, {ask, given: {purge: true}, wrap: offline()})
  return lines
}

test('review W3-3: a containerd that cannot be used is ended, with the number of its layers', async () => {
  const [line] = await planned(brokenContainerd(made))
  expect(line).toMatch(/: end it .*2 layers/)
  expect((await asked(brokenContainerd(made))).slice(0, 2)).toContain(line)
})

test('review W3-3: so is one that is whole and does not respond', async () => {
  const host = made.copy()
  host.edit(({containerd}) => (containerd.running = false))
  expect(await planned(host)).toHaveLength(1)
})

test('review W3-3: what others have in it is named, and kept', async () => {
  const host = brokenContainerd(made)
  host.edit(({containerd}) => (containerd.containers = [{id: 'web', image: '', namespace: 'default'}]))
  const [line] = await planned(host)
  expect(line).toMatch(/exit code 7.*the container web in the namespace default/)
  expect(await asked(host)).toContain(line)
})

test('review W3-3: nothing of it is planned without --purge, nor where containerd responds', async () => {
  expect(await planned(brokenContainerd(made), false)).toEqual([])
  expect(await planned(made.copy())).toEqual([])
})
