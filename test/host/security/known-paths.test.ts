// The table of places: which folders a survey looks into, and which k8s-win may close.
import {describe, expect, it} from 'vitest'
import {
  KUBELET_DRIVERS,
  KUBELET_KEYS,
  KUBELET_PLUGINS,
  KUBELET_PODS,
  layoutOf,
  POD_LOGS,
} from '../../../src/config/layout.js'
import {placesOf} from '../../../src/config/places.js'
import {closedFolders, keyOf, parentFolders, parentsOf, surveyPlaces} from '../../../src/host/security/known-paths.js'

const BASE = String.raw`C:\k`
const LAYOUT = layoutOf(BASE)
const KUBELET = String.raw`C:\var\lib\kubelet`

describe('a place', () => {
  it.each([
    ['the base directory', BASE, {inside: 'base', kind: 'folder', role: 'own'}],
    ['programs', LAYOUT.binaries, {inside: 'program', kind: 'folder', role: 'own'}],
    ['the journal', LAYOUT.journal, {inside: 'state', kind: 'file', role: 'own'}],
    ['keys', KUBELET_KEYS, {inside: 'content', kind: 'folder', role: 'daemon'}],
    ['above drivers', KUBELET_PLUGINS, {kind: 'folder', role: 'daemon'}],
    ['between them', String.raw`${KUBELET_PLUGINS}\kubelet-plugins\volume`, {kind: 'folder', role: 'daemon'}],
    ['drivers', KUBELET_DRIVERS, {inside: 'driver', kind: 'folder', role: 'daemon'}],
    ["the kubelet's own", KUBELET, {inside: 'content', kind: 'folder', role: 'daemon'}],
    ["pods' logs", POD_LOGS[0] ?? '', {kind: 'folder', role: 'daemon'}],
    ["pods' volumes", KUBELET_PODS, {kind: 'folder', role: 'shared'}],
  ])('%s is in the table once', (_, path, place) => {
    const found = placesOf(BASE).filter((one) => one.path === path)
    expect(found.map(({inside, kind, role}) => ({inside, kind, role}))).toEqual([place])
  })
})

it('a survey looks into the folders whose content is judged, and at no file by itself', () => {
  const places = surveyPlaces(BASE)
  const insideOf = (path: string): boolean[] => places.filter((one) => one.path === path).map(({inside}) => inside)
  for (const path of [BASE, LAYOUT.logs, LAYOUT.state, KUBELET, KUBELET_KEYS, KUBELET_DRIVERS])
    expect(insideOf(path)).toEqual([true])
  for (const path of ['C:\\', String.raw`C:\var`, KUBELET_PODS, KUBELET_PLUGINS, ...POD_LOGS])
    expect(insideOf(path)).toEqual([false])
  for (const path of [LAYOUT.journal, LAYOUT.kubeconfig]) expect(insideOf(path)).toEqual([])
})

it('folders above are those that are no place themselves, the outermost first', () => {
  const parents = [...parentFolders(BASE)]
  expect(parents[0]).toBe('C:\\')
  expect(parents).toContain(String.raw`C:\var\lib`)
  expect(parents.filter((path) => placesOf(BASE).some((place) => keyOf(place.path) === keyOf(path)))).toEqual([])
  expect(parentsOf(String.raw`C:\a\b\c`)).toEqual(['C:\\', String.raw`C:\a`, String.raw`C:\a\b`])
})

it('closed are the folders that no pod uses, and what is in those that are k8s-win’s or hold drivers', () => {
  const {folders, inside} = closedFolders(BASE)
  const [own, daemons] = [[BASE, LAYOUT.logs, LAYOUT.binaries].map(keyOf), [KUBELET_KEYS, KUBELET_PLUGINS].map(keyOf)]
  const shared = [KUBELET_PODS, LAYOUT.kubeconfig].map(keyOf)
  const drivers = keyOf(KUBELET_DRIVERS)
  expect([...own, ...daemons, drivers].filter((path) => !folders.has(path))).toEqual([])
  expect(shared.filter((path) => folders.has(path))).toEqual([])
  expect([...own, drivers].filter((path) => !inside.has(path))).toEqual([])
  expect([...daemons, ...shared].filter((path) => inside.has(path))).toEqual([])
})
