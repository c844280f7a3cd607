// A node that was moved to another base directory: its old place is taken apart, then its new one, and nothing is left.
import {expect, test} from 'vitest'
import {examine} from '../doctor/doctor-rig.js'
import {setupOn} from '../setup/in-process.js'
import type {HostFolder} from '../steps/host-folder.js'
import {lookAt} from '../status/look.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const {before, copy} = setUpHost()
const NEW = String.raw`C:\k2`

async function moved(): Promise<HostFolder> {
  const host = copy()
  const given = {adopt: true, 'base-dir': NEW, kubeconfig: String.raw`C:\k\kubeconfig`}
  const {result} = await setupOn(host.dir, given)
  expect(result.error).toBeUndefined()
  expect(result.checks.find(({id}) => id === 'services')?.fix).toContain(String.raw`k8s-win reset --base-dir "C:\k"`)
  return host
}

test.each([{purge: true}, {}])('the old place (%j), then the new one, with its images', async (given) => {
  const host = await moved()
  const {result, warnings} = await resetOn(host.dir, {given})
  expect(result.error).toBeUndefined()
  expect(host.world.docker.images.flatMap(({tags}) => tags)).toHaveLength(5)
  expect(host.world.services['kubelet']?.state).toBe('running')
  expect(warnings.join('\n')).toMatch(/stays: the images .*nanoserver:1809.*kubeletwin\/pause.* for the node in C:\\k2/)
  const ready = await setupOn(host.dir, {'base-dir': NEW})
  expect(ready.result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  expect((await resetOn(host.dir, {baseDir: NEW, given: {purge: true}})).result.exitCode).toBe(0)
  expect(host.world.docker.images).toEqual([])
  await resetOn(host.dir, {given: {purge: true}})
  expect(differences(before(), wholeHost(host))).toEqual([])
})

test('the new place, then the old one', async () => {
  const host = await moved()
  expect((await resetOn(host.dir, {baseDir: NEW, given: {purge: true}})).result.exitCode).toBe(0)
  const {document} = await lookAt(host.dir)
  expect(document).toMatchObject({exitCode: 9, problems: [{subject: String.raw`C:\k`}], verdict: 'not set up'})
  expect(document.problems[0]?.next).toBe('k8s-win reset to remove the leftovers, or k8s-win setup to restore the node')
  const {check, document: seen} = await examine(host)
  expect(seen.problems[0]).toMatchObject({id: document.problems[0]?.id, next: document.problems[0]?.next})
  expect(check('node-records')).toMatchObject({fix: document.problems[0]?.next, result: 'fail'})
  expect((await resetOn(host.dir, {given: {purge: true}})).result.exitCode).toBe(0)
  expect(differences(before(), wholeHost(host))).toEqual([])
})
