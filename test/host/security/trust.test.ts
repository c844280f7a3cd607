// The one rule, on its own: what is refused, and with which error.
import {win32} from 'node:path'
import {describe, expect, it} from 'vitest'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE, AS_AT_THE_ROOT} from '../../../src/host/security/security.js'
import {openTrust, type Trust, trustedFiles, type Use} from '../../../src/host/security/trust.js'
import type {Files} from '../../../src/machine/files.js'
import type {Drive, SurveyedPath, SurveyPlace} from '../../../src/machine/win32.js'
import {memoryFiles} from '../../fakes/memory-files.js'

const BOB = 'S-1-5-21-1-2-3-1001'
const MODIFY = 'O:BAD:PAI(A;OICI;0x1301bf;;;AU)(A;OICI;FA;;;BA)'
const PATH = String.raw`C:\k\kubeconfig`

const drive = (kind: Drive['kind']): Drive => ({fileSystem: 'NTFS', freeBytes: 1, kind, totalBytes: 1})
const DRIVES: Readonly<Record<string, Drive>> = {'C:': drive('fixed'), 'D:': drive('fixed'), 'Z:': drive('network')}

/** Of what is there, what a survey is asked for, in that order. */
const surveyOf =
  (there: readonly SurveyedPath[]) =>
  async (places: readonly SurveyPlace[]): Promise<SurveyedPath[]> =>
    places.flatMap(({inside, path}) => [
      ...there.filter((one) => one.path.toLowerCase() === path.toLowerCase()),
      ...(inside ? there.filter((one) => one.path !== path && win32.dirname(one.path) === path) : []),
    ])

interface Scene {
  readonly account?: string
  readonly administrator?: boolean
  readonly seen?: readonly SurveyedPath[]
}

function trustOf({account = 'S-1-5-21-1-2-3-500', administrator = true, seen = []}: Scene): Trust {
  const all: SurveyedPath[] = [
    {kind: 'directory', path: 'C:\\', sddl: AS_AT_THE_ROOT},
    {kind: 'directory', path: 'C:\\k', sddl: ADMINISTRATORS_ONLY},
    {kind: 'file', path: PATH, sddl: ADMINISTRATORS_ONLY_FILE},
  ]
  const own = new Set(seen.map(({path}) => path))
  const surveyed = [...all.filter(({path}) => !own.has(path)), ...seen]
  return openTrust({
    accountSid: async () => account,
    drive: async (name) => DRIVES[name],
    isAdministrator: async () => administrator,
    survey: surveyOf(surveyed),
  })
}

const idOf = async (scene: Scene, path = PATH, use: Use = 'data'): Promise<string | undefined> =>
  (await trustOf(scene).problem(path, use))?.id

const file = (sddl?: string, more: Partial<SurveyedPath> = {}): SurveyedPath => ({
  kind: 'file',
  path: PATH,
  ...(sddl !== undefined && {sddl}),
  ...more,
})
const folder = (sddl: string): SurveyedPath => ({kind: 'directory', path: 'C:\\k', sddl})

describe('review S1: what others can write is not used', () => {
  it.each<[string, string | undefined, Scene]>([
    ['for administrators only', undefined, {}],
    ['read by users', undefined, {seen: [file('O:BAD:AI(A;ID;FA;;;BA)(A;ID;FR;;;BU)')]}],
    ['not there', undefined, {seen: []}],
    ['owned by a user', 'UNTRUSTED_FILE', {seen: [file(`O:${BOB}D:PAI(A;;FA;;;BA)`)]}],
    ['written by users', 'UNTRUSTED_FILE', {seen: [file('O:BAD:PAI(A;;FA;;;BA)(A;;FW;;;BU)')]}],
    ['without a list', 'UNTRUSTED_FILE', {seen: [file('O:BAD:NO_ACCESS_CONTROL')]}],
    ['a link', 'LINK_IN_THE_WAY', {seen: [file(undefined, {kind: 'link'})]}],
    ['closed to administrators', 'FOLDER_LOCKED', {seen: [file()]}],
    ['in a folder of a user', 'PARENT_OPEN_TO_OTHERS', {seen: [folder(`O:${BOB}D:PAI(A;OICI;FA;;;BA)`)]}],
    ['in a folder where others replace', 'PARENT_OPEN_TO_OTHERS', {seen: [folder(MODIFY)]}],
    ['in a folder where others only add', undefined, {seen: [folder(AS_AT_THE_ROOT)]}],
    ['in a folder that is a junction', 'LINK_IN_THE_WAY', {seen: [{kind: 'link', path: 'C:\\k'}]}],
    ['owned by the account itself', undefined, {account: BOB, seen: [file(`O:${BOB}D:PAI(A;;FA;;;${BOB})`)]}],
    ['told to no administrator', undefined, {administrator: false, seen: [file()]}],
  ])('%s', async (_, id, scene) => {
    expect(await idOf(scene)).toBe(id)
  })

  it('review S6: a file with another name elsewhere', async () => {
    expect(await idOf({seen: [file(ADMINISTRATORS_ONLY_FILE, {links: 2})]})).toBe('HARD_LINK')
  })

  it.each([
    String.raw`\\server\share\kubeconfig`,
    '//server/share/kubeconfig',
    String.raw`\/server\share`,
    String.raw`\\?\UNC\server\share\kubeconfig`,
    String.raw`\\.\pipe\x`,
  ])('review S1: %s is refused before anything is asked or opened', async (path) => {
    const asked: string[] = []
    const trust = openTrust({
      accountSid: async () => (asked.push('account'), BOB),
      drive: async (name) => (asked.push('drive'), DRIVES[name]),
      isAdministrator: async () => (asked.push('administrator'), true),
      survey: async () => (asked.push('survey'), []),
    })
    await expect(trust.demand(path)).rejects.toMatchObject({exitCode: 3, id: 'REMOTE_PATH'})
    expect(asked).toEqual([])
  })

  it('review S1: a letter that stands for a folder of another computer is as that folder, before it is opened', async () => {
    expect(await idOf({}, String.raw`z:\kubeconfig`)).toBe('REMOTE_PATH')
    expect(await idOf({}, String.raw`\\?\Z:\kubeconfig`)).toBe('REMOTE_PATH')
    expect(await idOf({}, String.raw`D:\kubeconfig`)).toBeUndefined()
    expect(await idOf({}, String.raw`Q:\kubeconfig`)).toBeUndefined()
    const trust = openTrust({
      accountSid: () => Promise.reject(new Error('asked')),
      drive: async (name) => DRIVES[name],
      isAdministrator: () => Promise.reject(new Error('asked')),
      survey: () => Promise.reject(new Error('asked')),
    })
    await expect(trust.demand(String.raw`Z:\kubeconfig`)).rejects.toMatchObject({id: 'REMOTE_PATH'})
  })

  it('a local path in its long spelling is judged as any other', async () => {
    expect(await idOf({seen: [file(`O:${BOB}D:PAI(A;;FA;;;BA)`)]}, String.raw`\\?\C:\k\kubeconfig`)).toBe(
      'UNTRUSTED_FILE',
    )
  })
})

describe('review S5: a link to a file in its own folder', () => {
  const target: SurveyedPath = {kind: 'file', path: String.raw`C:\k\newest.pem`, sddl: ADMINISTRATORS_ONLY_FILE}
  const link: SurveyedPath = {beside: 'newest.pem', kind: 'link', path: PATH}
  const OWNED = `O:${BOB}D:PAI(A;;FA;;;BA)`

  it.each<[string, string | undefined, SurveyedPath[]]>([
    ["of an administrator's", undefined, [link, target]],
    ['in another letter case', undefined, [{...link, beside: 'NEWEST.pem'}, target]],
    ["of a user's", 'UNTRUSTED_FILE', [link, {...target, sddl: OWNED}]],
    ['with another name elsewhere', 'HARD_LINK', [link, {...target, links: 2}]],
    ['that is closed to administrators', 'FOLDER_LOCKED', [link, {kind: 'file', path: target.path}]],
    ['that is a link itself', 'LINK_IN_THE_WAY', [link, {...link, path: target.path}]],
    ['that is a folder', 'LINK_IN_THE_WAY', [link, {...target, kind: 'directory'}]],
    ['that is not there', undefined, [link]],
    ['that is not there, where others may put one', 'LINK_IN_THE_WAY', [link, folder(AS_AT_THE_ROOT)]],
    ['that is elsewhere', 'LINK_IN_THE_WAY', [{kind: 'link', path: PATH}, target]],
    ['in a folder that others may add to', 'LINK_IN_THE_WAY', [link, target, folder(AS_AT_THE_ROOT)]],
    ['in a folder of a user', 'PARENT_OPEN_TO_OTHERS', [folder(OWNED), link, target]],
    ['in a folder that nobody may look at', 'FOLDER_LOCKED', [{kind: 'directory', path: 'C:\\k'}, link, target]],
  ])('%s', async (_, id, seen) => {
    expect(await idOf({seen})).toBe(id)
  })

  it('is not a program, not a folder, and nothing above a file', async () => {
    expect(await idOf({seen: [link, target]}, PATH, 'program')).toBe('LINK_IN_THE_WAY')
    expect(await idOf({seen: [link, target]}, PATH, 'folder')).toBe('LINK_IN_THE_WAY')
    const above: SurveyedPath = {beside: 'other', kind: 'link', path: 'C:\\k'}
    expect(await idOf({seen: [above, {kind: 'directory', path: 'C:\\other', sddl: ADMINISTRATORS_ONLY}]})).toBe(
      'LINK_IN_THE_WAY',
    )
  })
})

describe('review S1: a program', () => {
  const program = String.raw`C:\k\plugin.exe`
  const here: SurveyedPath = {kind: 'file', path: program, sddl: ADMINISTRATORS_ONLY_FILE}

  it.each<[string, string | undefined, SurveyedPath[]]>([
    ['for administrators only', undefined, []],
    ['in a folder that others may add to', 'PLANTED_PROGRAM', [folder(AS_AT_THE_ROOT)]],
    ['that a user can write', 'PLANTED_PROGRAM', [{...here, sddl: MODIFY}]],
    [
      "beside a user's library",
      'FOREIGN_LIBRARY',
      [{kind: 'file', path: String.raw`C:\k\version.dll`, sddl: `O:${BOB}D:PAI(A;;FA;;;BA)`}],
    ],
    [
      'beside an administrator’s library',
      undefined,
      [{kind: 'file', path: String.raw`C:\k\version.dll`, sddl: ADMINISTRATORS_ONLY_FILE}],
    ],
    [
      "below a user's library",
      undefined,
      [{kind: 'file', path: String.raw`C:\version.dll`, sddl: `O:${BOB}D:PAI(A;;FA;;;BA)`}],
    ],
    [
      'beside a file of a user that no program loads',
      undefined,
      [{kind: 'file', path: String.raw`C:\k\notes.txt`, sddl: `O:${BOB}D:PAI(A;;FA;;;BA)`}],
    ],
  ])('%s', async (_, id, seen) => {
    expect(
      await idOf({seen: [...(seen.some(({path}) => path === program) ? [] : [here]), ...seen]}, program, 'program'),
    ).toBe(id)
  })
})

describe('review S4: a folder to be closed', () => {
  it.each<[string, string | undefined, string]>([
    ['that others may only add to', undefined, AS_AT_THE_ROOT],
    ['that others may move away', 'PARENT_OPEN_TO_OTHERS', MODIFY],
    ['that a user made', 'PARENT_OPEN_TO_OTHERS', `O:${BOB}D:PAI(A;OICI;FA;;;BA)`],
    ['whose list others may change', 'PARENT_OPEN_TO_OTHERS', 'O:BAD:PAI(A;;WD;;;BU)(A;OICI;FA;;;BA)'],
  ])('%s', async (_, id, sddl) => {
    expect(await idOf({seen: [folder(sddl)]}, 'C:\\k', 'folder')).toBe(id)
  })
})

const LIBRARY: SurveyedPath = {kind: 'file', path: String.raw`C:\k\version.dll`, sddl: `O:${BOB}D:PAI(A;;FA;;;BA)`}

it("a user's library does not matter to what is not run", async () => {
  expect(await idOf({seen: [LIBRARY]})).toBeUndefined()
  expect(await idOf({seen: [LIBRARY]}, 'C:\\k', 'folder')).toBeUndefined()
})

it('a folder in the place of a file is not judged: whoever wanted the file says that it is one', async () => {
  expect(await idOf({seen: [{kind: 'directory', path: PATH, sddl: MODIFY}]})).toBeUndefined()
})

describe('a folder that others may add to', () => {
  it.each<[string, string | undefined, string]>([
    ['and only add', undefined, AS_AT_THE_ROOT],
    ['but whose content they may replace', 'PARENT_OPEN_TO_OTHERS', 'O:BAD:PAI(A;;DT;;;BU)(A;OICI;FA;;;BA)'],
    ['that a user made', 'PARENT_OPEN_TO_OTHERS', `O:${BOB}D:PAI(A;OICI;FA;;;BA)`],
  ])('%s', async (_, id, sddl) => {
    expect(await idOf({seen: [folder(sddl)]}, 'C:\\k', 'shared')).toBe(id)
  })
})

describe('names of files in a folder that others can have made or changed', () => {
  const OWNED = `O:${BOB}D:PAI(A;;FA;;;BA)`
  const seen: readonly SurveyedPath[] = [
    {kind: 'directory', path: 'C:\\k', sddl: OWNED},
    {kind: 'file', path: String.raw`C:\k\bobs`, sddl: OWNED},
    {kind: 'file', path: String.raw`C:\k\closed`},
    {kind: 'directory', path: String.raw`C:\k\folder`, sddl: OWNED},
    {kind: 'file', links: 2, path: String.raw`C:\k\linked`, sddl: ADMINISTRATORS_ONLY_FILE},
    {kind: 'file', path: String.raw`C:\k\written`, sddl: MODIFY},
  ]

  it.each<[string, Scene, string[]]>([
    ['to an administrator', {seen}, ['bobs', 'closed', 'linked', 'written']],
    ['to the account that owns one of them', {account: BOB, seen}, ['closed', 'linked', 'written']],
    ['to no administrator', {administrator: false, seen}, []],
    ['where there are none', {}, []],
  ])('%s', async (_, scene, names) => {
    expect([...(await trustOf(scene).distrustedIn('C:\\k'))]).toEqual(names)
  })

  it('no account is asked for where there are none', async () => {
    const asked = (): Promise<never> => Promise.reject(new Error('asked'))
    const survey = surveyOf([file(ADMINISTRATORS_ONLY_FILE)])
    const trust = openTrust({accountSid: asked, drive: asked, isAdministrator: asked, survey})
    expect([...(await trust.distrustedIn('C:\\k'))]).toEqual([])
  })
})

it('where nothing is said of a drive, a path may be there', async () => {
  expect(await trustOf({}).demand(String.raw`D:\kubeconfig`)).toBe(true)
  expect(await trustOf({}).demand(String.raw`C:\kubeconfig`)).toBe(false)
  expect(await trustOf({}).problem(PATH)).toBeUndefined()
})

it('no byte is read before the rule is asked', async () => {
  const files = memoryFiles({[PATH]: 'secret'})
  const trusted = trustedFiles(files, trustOf({seen: [file(`O:${BOB}D:PAI(A;;FA;;;BA)`)]}))
  const chunks = async (): Promise<void> => {
    for await (const chunk of trusted.readChunks(PATH)) expect(chunk).toBeUndefined()
  }
  for (const reading of [trusted.read(PATH), trusted.readRange(PATH, 0, 1), trusted.digest(PATH, 'sha256'), chunks()]) {
    await expect(reading).rejects.toMatchObject({id: 'UNTRUSTED_FILE'})
  }
})

describe('review S1: a file that comes and goes between looks', () => {
  const ABSENT: readonly SurveyedPath[] = [
    {kind: 'directory', path: 'C:\\', sddl: AS_AT_THE_ROOT},
    {kind: 'directory', path: 'C:\\k', sddl: AS_AT_THE_ROOT},
  ]
  const THERE = [...ABSENT, file(ADMINISTRATORS_ONLY_FILE)]
  const BOBS = [...ABSENT, file(`O:${BOB}D:PAI(A;;FA;;;BA)`)]

  /** What each look finds; the last one counts for all that follow. */
  const reader = (...given: readonly (readonly SurveyedPath[])[]): Files => {
    const looks = [...given]
    const trust = openTrust({
      accountSid: async () => 'S-1-5-21-1-2-3-500',
      drive: async (name) => DRIVES[name],
      isAdministrator: async () => true,
      survey: async () => [...((looks.length > 1 ? looks.shift() : looks[0]) ?? [])],
    })
    return trustedFiles(memoryFiles({[PATH]: 'secret'}), trust)
  }

  const chunksOf = async (files: Files): Promise<string> => {
    let text = ''
    for await (const chunk of files.readChunks(PATH)) text += Buffer.from(chunk).toString('utf8')
    return text
  }

  it.each([
    ['absent at the first look', [ABSENT, THERE]],
    ['absent at the second look', [THERE, ABSENT]],
    ['absent at both looks', [ABSENT]],
  ])('review S1: %s, it is not there', async (_, looks) => {
    expect(await reader(...looks).read(PATH)).toBeUndefined()
    expect(await reader(...looks).readRange(PATH, 0, 1)).toBeUndefined()
    await expect(reader(...looks).digest(PATH, 'sha256')).rejects.toMatchObject({code: 'ENOENT'})
    await expect(chunksOf(reader(...looks))).rejects.toMatchObject({code: 'ENOENT'})
  })

  it("review S1: a user's at the second look, it is refused", async () => {
    await expect(reader(THERE, BOBS).read(PATH)).rejects.toMatchObject({id: 'UNTRUSTED_FILE'})
    await expect(reader(THERE, BOBS).readRange(PATH, 0, 1)).rejects.toMatchObject({id: 'UNTRUSTED_FILE'})
    await expect(reader(THERE, BOBS).digest(PATH, 'sha256')).rejects.toMatchObject({id: 'UNTRUSTED_FILE'})
    await expect(chunksOf(reader(THERE, BOBS))).rejects.toMatchObject({id: 'UNTRUSTED_FILE'})
  })

  it('there at both looks, it is read', async () => {
    expect(String(await reader(THERE).read(PATH))).toBe('secret')
    expect(await reader(THERE).digest(PATH, 'sha256')).toBe(
      await memoryFiles({[PATH]: 'secret'}).digest(PATH, 'sha256'),
    )
    expect(await chunksOf(reader(THERE))).toBe('secret')
  })

  it('whoever stops reading it closes it', async () => {
    const closed: string[] = []
    const files: Files = {
      ...memoryFiles({}),
      async *readChunks(path) {
        try {
          yield Buffer.from('first')
          yield Buffer.from('second')
        } finally {
          closed.push(path)
        }
      },
    }
    for await (const chunk of trustedFiles(files, {demand: async () => true}).readChunks(PATH)) {
      expect(String(chunk)).toBe('first')
      break
    }
    expect(closed).toEqual([PATH])
  })
})
