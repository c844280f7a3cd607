// Every place on a node against everything that another account can have done to it: refused, or made safe by setup.
import {win32} from 'node:path'
import {describe, expect, test} from 'vitest'
import {programPaths} from '../../src/artifacts/programs.js'
import {KUBELET_DRIVERS, KUBELET_PLUGINS, layoutOf, type Place} from '../../src/config/layout.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {judgeFolders} from '../../src/host/security/folder-judgement.js'
import {placesOf} from '../../src/config/places.js'
import {keyOf, parentFolders} from '../../src/host/security/known-paths.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE, AS_AT_THE_ROOT} from '../../src/host/security/security.js'
import type {SurveyedPath} from '../../src/machine/win32.js'

const BASE = String.raw`C:\k`
const BOB = 'S-1-5-21-1-2-3-1001'
const programs = programPaths(setupConfig())
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

const judged = (surveyed: readonly SurveyedPath[]) => judgeFolders({baseDir: BASE, compared: programs}, surveyed)

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

test('the account that k8s-win runs as is trusted, and its folders are closed', () => {
  const sick = NODE.map((one) => (one.path === BASE ? {...one, sddl: OWNED} : one))
  const {open, problems} = judgeFolders({baseDir: BASE, compared: programs, trusted: [BOB]}, sick)
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

describe('exactly what is refused, and exactly what is closed', () => {
  const L = layoutOf(BASE)
  const CLOSED = ADMINISTRATORS_ONLY_FILE
  /** Users may remove what is in it, and nothing else. */
  const REPLACED = 'O:BAD:PAI(A;;DT;;;BU)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
  /** For administrators only, but handed down to nothing inside. */
  const SHALLOW = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'
  /** As a file has it that was moved here from a folder that Users may read. */
  const MOVED = 'O:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;FR;;;BU)'
  const file = (path: string, sddl?: string): SurveyedPath => ({kind: 'file', path, ...(sddl !== undefined && {sddl})})
  const folder = (path: string, sddl: string): SurveyedPath => ({kind: 'directory', path, sddl})
  const link = (path: string, beside?: string): SurveyedPath => ({
    kind: 'link',
    path,
    ...(beside !== undefined && {beside}),
  })
  const at = win32.join
  const [KUBELET_LOGS, CNI_STATE] = [at(L.logs, 'kubelet'), String.raw`C:\var\lib\cni`]
  const SHARED = String.raw`C:\var\lib\dockershim`

  /** What is there instead or besides; the refused with their errors; the closed. The first path is meant where none is named. */
  type Case = [string, readonly SurveyedPath[], readonly (readonly [string, string?])[], (readonly string[])?]
  test.each<Case>([
    ["a file in the base directory that is nobody's business", [file(at(BASE, 'notes.txt'), OWNED)], []],
    ["a user's folder in the base directory that k8s-win does not use", [folder(at(BASE, 'theirs'), OWNED)], []],
    ['a link in the base directory that k8s-win does not use', [link(at(BASE, 'theirs'))], []],
    ["a user's folder further down", [folder(at(KUBELET_LOGS, 'old', 'x'), OWNED)], []],
    ["k8s-win's own file, which a user owns", [file(L.kubeletConfig, OWNED)], [], [L.kubeletConfig]],
    [
      "a user's kubeconfig, which would be believed once it is closed",
      [file(L.kubeconfig, OWNED)],
      [['UNTRUSTED_FILE']],
    ],
    ['a kubeconfig that users may read', [file(L.kubeconfig, MOVED)], [], [L.kubeconfig]],
    ['a file in the place of the base directory, which setup refuses by itself', [file(BASE, CLOSED)], [], [BASE]],
    [
      'a locked folder, and one below that a user made',
      [{kind: 'directory', path: L.logs}, folder(KUBELET_LOGS, OWNED)],
      [['FOLDER_LOCKED'], ['PARENT_OPEN_TO_OTHERS', KUBELET_LOGS]],
    ],
    ['a library beside programs in the base directory', [file(at(BASE, 'version.dll'), CLOSED)], [['FOREIGN_LIBRARY']]],
    ['a library beside other programs', [file(at(L.binaries, 'version.dll'), CLOSED)], [['FOREIGN_LIBRARY']]],
    ['a library where no program is', [file(at(L.downloads, 'version.dll'), CLOSED)], []],
    ["a user's program", [file(at(L.binaries, 'evil.exe'), OWNED)], [['PLANTED_PROGRAM']]],
    ["an administrator's program", [file(at(L.binaries, 'tool.exe'), CLOSED)], []],
    ["a user's file that is no program", [file(at(L.binaries, 'notes.txt'), OWNED)], [], [at(L.binaries, 'notes.txt')]],
    [
      'a folder with the name of a program',
      [folder(at(L.binaries, 'x.exe'), AS_AT_THE_ROOT)],
      [],
      [at(L.binaries, 'x.exe')],
    ],
    ['a program that is compared with its digest', [file(programs[0] ?? '', OWNED)], [], [programs[0] ?? '']],
    ["a user's CNI configuration", [file(at(L.cniConfigFolder, '0.conf'), OWNED)], [['UNTRUSTED_FILE']]],
    [
      "a user's file that is no CNI configuration",
      [file(at(L.cniConfigFolder, 'a.txt'), OWNED)],
      [],
      [at(L.cniConfigFolder, 'a.txt')],
    ],
    [
      'a folder with the name of a CNI configuration',
      [folder(at(L.cniConfigFolder, '0.conf'), AS_AT_THE_ROOT)],
      [],
      [at(L.cniConfigFolder, '0.conf')],
    ],
    ['the journal', [file(L.journal, OWNED)], [['STATE_OPEN_TO_OTHERS']]],
    ['another file among the records', [file(at(L.state, 'other'), OWNED)], [['STATE_OPEN_TO_OTHERS']]],
    [
      'a folder among the records that users may add to',
      [folder(at(L.state, 'x'), AS_AT_THE_ROOT)],
      [],
      [at(L.state, 'x')],
    ],
    ["a user's log", [file(at(KUBELET_LOGS, 'kubelet.log'), OWNED)], [], [`${at(KUBELET_LOGS, 'kubelet.log')} (log)`]],
    ["klog's link in a closed folder", [link(at(KUBELET_LOGS, 'kubelet.exe.INFO'))], []],
    [
      "klog's link in an open folder",
      [folder(KUBELET_LOGS, AS_AT_THE_ROOT), link(at(KUBELET_LOGS, 'kubelet.exe.INFO'))],
      [['LINK_IN_THE_WAY', at(KUBELET_LOGS, 'kubelet.exe.INFO')]],
      [KUBELET_LOGS],
    ],
    ["a link in a daemon's closed folder", [link(at(CNI_STATE, 'x'))], []],
    [
      'a link among downloads, wherever it leads',
      [link(at(L.downloads, 'x'), 'y'), file(at(L.downloads, 'y'), CLOSED)],
      [['LINK_IN_THE_WAY']],
    ],
    ["a user's file that a daemon believes", [file(at(CNI_STATE, 'x'), OWNED)], [['UNTRUSTED_FILE']]],
    ['a file that a daemon believes, which users may read', [file(at(CNI_STATE, 'x'), MOVED)], []],
    ["a user's driver", [file(at(KUBELET_DRIVERS, 'x'), OWNED)], [['PLANTED_PROGRAM']]],
    ["a driver's folder that users may replace", [folder(at(KUBELET_DRIVERS, 'x'), WRITABLE)], [['PLANTED_PROGRAM']]],
    ["an administrator's driver", [folder(at(KUBELET_DRIVERS, 'x'), ADMINISTRATORS_ONLY)], []],
    ["what is above the drivers' folder", [file(at(KUBELET_PLUGINS, 'x'), OWNED)], []],
    ["a user's file further down", [file(at(L.logs, 'kubelet', 'old', 'x'), OWNED)], []],
    [
      'folders above that a user made: the outermost',
      [folder(String.raw`C:\var`, OWNED), folder(String.raw`C:\var\lib`, OWNED)],
      [['PARENT_OPEN_TO_OTHERS']],
    ],
    [
      'a folder above whose content users may remove',
      [folder(String.raw`C:\var`, REPLACED)],
      [['PARENT_OPEN_TO_OTHERS']],
    ],
    ['a shared folder whose content users may remove', [folder(SHARED, REPLACED)], [['PARENT_OPEN_TO_OTHERS']]],
    ["k8s-win's folder whose content users may remove", [folder(L.downloads, REPLACED)], [], [L.downloads]],
    ["a daemon's folder that users may add to, which its step closes", [folder(CNI_STATE, AS_AT_THE_ROOT)], []],
    ['in other letters', [folder(L.downloads.toUpperCase(), OWNED)], [['PARENT_OPEN_TO_OTHERS']]],
    ['a file in the place of a folder', [file(L.downloads, CLOSED)], [['FILE_IN_THE_WAY']]],
    ['a device in the place of a folder', [{kind: 'other', path: L.downloads, sddl: CLOSED}], [['FILE_IN_THE_WAY']]],
    ['a file in the place of a folder above', [file(String.raw`C:\var`, CLOSED)], [['FILE_IN_THE_WAY']]],
    ['a junction in the place of a folder', [link(L.downloads)], [['LINK_IN_THE_WAY']]],
    ['a file that administrators may not look at', [file(L.kubeconfig)], [['FOLDER_LOCKED']]],
    ['a base directory that hands nothing down', [folder(BASE, SHALLOW)], [], [BASE]],
    ['another folder that hands nothing down', [folder(L.downloads, SHALLOW)], []],
    ['a file that was moved here', [file(L.kubeletConfig, MOVED)], [], [L.kubeletConfig]],
    [
      'a file that has its list from its folder',
      [folder(L.downloads, AS_AT_THE_ROOT), file(at(L.downloads, 'x'), MOVED)],
      [],
      [L.downloads],
    ],
  ])('%s', (_, there, refused, closed = []) => {
    const others = NODE.filter(({path}) => there.every((one) => keyOf(one.path) !== keyOf(path)))
    const {open, problems} = judged([...there, ...others])
    expect(problems.map(({id}) => id)).toEqual(refused.map(([id]) => id))
    for (const [index, [, path = there[0]?.path ?? '']] of refused.entries())
      expect(problems[index]?.message).toContain(path)
    expect(open.map(({isLog, path}) => (isLog ? `${path} (log)` : path))).toEqual(closed)
  })
})
