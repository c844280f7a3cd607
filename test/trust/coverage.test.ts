// The table of places names everything: what commands read, run or write on a node is compared with it, so that a new
// path without a rule is noticed here.
import {win32} from 'node:path'
import {expect, test} from 'vitest'
import {placesOf} from '../../src/config/places.js'
import {keyOf, parentFolders} from '../../src/host/security/known-paths.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {bundleOn} from '../bundle/bundle-on.js'
import {examine, setUpNode} from '../doctor/doctor-rig.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'

const BASE = String.raw`C:\k`
/** Windows' own, which only its installer and administrators can change. */
const OF_WINDOWS = /^c:\\(?:windows|program files|programdata\\docker)(?:\\|$)/
/** What pods and their volumes are in: only removed, by a reset that made them. */
const TREES = /^c:\\var\\(?:lib\\(?:dockershim|kubelet)|log\\(?:containers|pods))(?:\\|$)/
/** Removed and made anew, in a closed folder, each time that programs are unpacked. */
const STAGED = /^c:\\k\\downloads\\[\w-]+\.staged\\/
/** A file of the machine that the simulator runs on. */
const ELSEWHERE = /^\//
/** Looks at them, or what is in them: nothing of their content. */
const LOOKS = new Set(['list', 'status'])

function isKnown(path: string): boolean {
  if ([ELSEWHERE, OF_WINDOWS, STAGED, TREES].some((pattern) => pattern.test(path))) return true
  const places = placesOf(BASE)
  const known = new Set(places.map((place) => keyOf(place.path)))
  const folders = new Set(places.flatMap((place) => (place.inside === undefined ? [] : [keyOf(place.path)])))
  return known.has(path) || folders.has(keyOf(win32.dirname(path)))
}

test('every path that commands use has a rule', async () => {
  const used: Effect[] = []
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, (effect, perform) => {
      used.push(effect)
      return perform()
    })
  const node = await setUpNode()
  await setupOn(node.dir, {adopt: true}, {wrap})
  await statusOn(node.dir, {wrap})
  await examine(node, {wrap})
  await bundleOn(node, {wrap})
  await resetOn(node.dir, {given: {purge: true, yes: true}, wrap})
  await setupOn(node.dir, {}, {wrap})
  const parents = new Set([...parentFolders(BASE)].map(keyOf))
  for (const via of ['files', 'run']) {
    const paths = used
      .filter((effect) => effect.via === via && !LOOKS.has(effect.what))
      .flatMap(({args, what}) => (via === 'run' ? [what] : what === 'rename' ? args.slice(0, 2) : args.slice(0, 1)))
      .map((path) => keyOf(String(path)))
    expect(paths.length, via).toBeGreaterThan(via === 'run' ? 0 : 100)
    const unknown = [...new Set(paths)].filter((path) => !isKnown(path) && !parents.has(path))
    expect(unknown, via).toEqual([])
  }
}, 300_000)
