// Every place on a node against everything that somebody else can have done to it: refused, or made safe by setup.
import {win32} from 'node:path'
import {describe, expect, test} from 'vitest'
import {programPaths} from '../../src/artifacts/programs.js'
import {resolveConfig} from '../../src/config/resolve.js'
import {judgeFolders} from '../../src/host/security/folder-judgement.js'
import {keyOf, parentFolders, type Place, placesOf} from '../../src/host/security/known-paths.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE, AS_AT_THE_ROOT} from '../../src/host/security/security.js'
import type {SurveyedPath} from '../../src/machine/win32.js'

const BASE = String.raw`C:\k`
const BOB = 'S-1-5-21-1-2-3-1001'
const programs = programPaths(resolveConfig({given: {}}))
const PLACES: readonly Place[] = [
  ...placesOf(BASE),
  ...programs
    .filter((path) => placesOf(BASE).every((place) => place.path !== path))
    .map((path) => ({kind: 'file', path, role: 'own'}) as const),
]

/** A node as setup leaves it: everything is there, and closed. */
const NODE: readonly SurveyedPath[] = [
  ...[...parentFolders(BASE)].map((path) => ({kind: 'directory', path, sddl: AS_AT_THE_ROOT}) as const),
  ...PLACES.map(({kind, path, role}): SurveyedPath =>
    kind === 'file'
      ? {kind, path, sddl: ADMINISTRATORS_ONLY_FILE}
      : {kind: 'directory', path, sddl: role === 'shared' ? AS_AT_THE_ROOT : ADMINISTRATORS_ONLY},
  ),
]

const OWNED = `O:${BOB}D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)`
const WRITABLE = `O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;${BOB})`

const THREATS: Readonly<Record<string, (one: SurveyedPath) => SurveyedPath | undefined>> = {
  'a hard link': (one) => (one.kind === 'file' ? {...one, links: 2} : undefined),
  'a junction': ({kind, path}) => (kind === 'directory' ? {kind: 'link', path} : undefined),
  'a symbolic link': ({kind, path}) => (kind === 'file' ? {kind: 'link', path} : undefined),
  'closed to administrators': ({kind, path}) => ({kind, path}),
  'made by a user who may still have it open': (one) =>
    one.kind === 'directory' ? {...one, sddl: `O:${BOB}D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)`} : undefined,
  'owned by a user': (one) => ({...one, sddl: OWNED}),
  'writable by a user': (one) => ({...one, sddl: WRITABLE}),
}

const judged = (surveyed: readonly SurveyedPath[]) => judgeFolders({baseDir: BASE, programs}, surveyed)

test('a node as setup leaves it has nothing to be refused or closed', () => {
  expect(judged(NODE)).toEqual({open: [], problems: []})
})

describe.each(PLACES.map(({path}) => path))('review S4, S5, S6: %s', (path) => {
  const one = NODE.find((surveyed) => surveyed.path === path) as SurveyedPath

  test.each(Object.keys(THREATS))('%s', (threat) => {
    const sick = THREATS[threat]?.(one)
    if (!sick) return
    const {open, problems} = judged(NODE.map((surveyed) => (surveyed.path === path ? sick : surveyed)))
    const isRefused = problems.some((problem) => problem.exitCode === 3)
    const isClosed = open.some((surveyed) => surveyed.path === path)
    expect(isRefused || isClosed).toBe(true)
    // What cannot be made safe by its access list is never closed in place.
    if (sick.kind === 'link' || sick.links !== undefined || sick.kind === 'directory') expect(isRefused).toBe(true)
  })
})

const FOLDERS = PLACES.filter(({inside, kind}) => kind === 'folder' && inside !== undefined && inside !== 'base')

describe.each(FOLDERS.map(({path}) => path))('something that others put into %s', (path) => {
  const isLog = FOLDERS.find((place) => place.path === path)?.inside === 'log'
  const inside = (name: string, more: Partial<SurveyedPath>): SurveyedPath => ({
    kind: 'file',
    path: win32.join(path, name),
    ...more,
  })

  test.each(['planted.conf', 'planted.exe', 'planted.json', 'planted.key', 'planted.dll'])('%s', (name) => {
    const {open, problems} = judged([...NODE, inside(name, {sddl: OWNED})])
    const target = keyOf(win32.join(path, name))
    expect(problems.length > 0 || open.some((one) => keyOf(one.path) === target)).toBe(true)
    // Nobody else's file is taken for k8s-win's where a daemon believes what it finds.
    expect(open.filter((one) => one.isLog).every(() => isLog)).toBe(true)
  })

  test('a hard link', () => {
    expect(judged([...NODE, inside('planted', {links: 2, sddl: ADMINISTRATORS_ONLY_FILE})]).problems[0]?.id).toBe(
      'HARD_LINK',
    )
  })

  test('a link, while others may add to the folder', () => {
    const opened = NODE.map((one) => (one.path === path ? {...one, sddl: AS_AT_THE_ROOT} : one))
    expect(judged([...opened, inside('planted', {kind: 'link'})]).problems.map(({id}) => id)).toContain(
      'LINK_IN_THE_WAY',
    )
  })
})

test('the account that k8s-win runs as is no stranger, and its folders are closed', () => {
  const sick = NODE.map((one) => (one.path === BASE ? {...one, sddl: OWNED} : one))
  const {open, problems} = judgeFolders({baseDir: BASE, programs, trusted: [BOB]}, sick)
  expect([problems, open.map(({path}) => path)]).toEqual([[], [BASE]])
})

describe("review W2: the kubelet's link to its newest certificate, in a folder that others may add to", () => {
  const KEYS = String.raw`C:\var\lib\kubelet\pki`
  const newest = win32.join(KEYS, 'kubelet-client-2026.pem')
  const opened = NODE.map((one) => (one.path === KEYS ? {...one, sddl: AS_AT_THE_ROOT} : one))
  const link = {
    beside: 'kubelet-client-2026.pem',
    kind: 'link',
    path: win32.join(KEYS, 'kubelet-client-current.pem'),
  } as const
  const idsOf = (...more: SurveyedPath[]): string[] => judged([...opened, ...more]).problems.map(({id}) => id)

  test('review W2: to a file of an administrator', () => {
    expect(idsOf(link, {kind: 'file', path: newest, sddl: ADMINISTRATORS_ONLY_FILE})).toEqual([])
  })

  test('review S5: to a file of a user, to another link, to nothing, and to elsewhere', () => {
    expect(idsOf(link, {kind: 'file', path: newest, sddl: OWNED})).toEqual(['UNTRUSTED_FILE'])
    expect(idsOf(link, {kind: 'link', path: newest})).toEqual(['LINK_IN_THE_WAY', 'LINK_IN_THE_WAY'])
    expect(idsOf(link)).toEqual(['LINK_IN_THE_WAY'])
    expect(idsOf({kind: 'link', path: link.path})).toEqual(['LINK_IN_THE_WAY'])
  })
})
