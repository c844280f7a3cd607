// What is found out of a containerd that was there before: its command line, and what the real containerd 1.7.24 printed
// for "config dump" (recorded on Linux, so that its pipe is a socket).
import {readFileSync} from 'node:fs'
import {win32} from 'node:path'
import {describe, expect, test} from 'vitest'
import {misfitsOf} from '../../../src/host/containerd/fitness.js'
import {
  findContainerd,
  isMisfit,
  type PresentCalls,
  type PresentContainerd,
} from '../../../src/host/containerd/present.js'
import {repairedConfiguration} from '../../../src/host/containerd/repair-config.js'
import {surveyOver} from '../../../src/machine/survey.js'

const recorded = (name: string): string =>
  readFileSync(new URL(`./recordings/dump-1.7.24-${name}.toml`, import.meta.url), 'utf8')
const PROGRAM = String.raw`C:\Program Files\containerd\containerd.exe`
const DEFAULT_CONFIG = String.raw`C:\Program Files\containerd\config.toml`

interface Asked {
  readonly command?: string
  readonly dump?: string
  /** Files beside its config.toml. */
  readonly files?: Readonly<Record<string, string>>
  /** 'none': there is none. */
  readonly file?: string
  readonly version?: string
}

async function find({command = `"${PROGRAM}" --run-service`, dump = '', file = '', files = {}, version}: Asked) {
  const calls: string[] = []
  const judged: string[] = []
  const uses: Record<string, string> = {}
  const isFolder = (path: string): boolean => Object.keys(files).some((one) => one.startsWith(`${path}\\`))
  const read = async (path: string): Promise<Buffer | undefined> => {
    const text = path in files ? files[path] : file
    return text === undefined || text === 'none' ? undefined : Buffer.from(text)
  }
  const some: PresentCalls['files'] = {
    list: async (folder) =>
      Object.keys(files)
        .filter((path) => win32.dirname(path) === folder)
        .map((path) => win32.basename(path)),
    read,
    async *readChunks(path) {
      yield (await read(path)) ?? Buffer.alloc(0)
    },
    status: async (path) => {
      const kind = isFolder(path) ? 'directory' : (await read(path)) ? 'file' : undefined
      return kind && {kind, modifiedMs: 0, size: 0}
    },
  }
  const found = await findContainerd({
    files: some,
    async run(program, args) {
      calls.push([program, ...args].join(' '))
      const stdout = args.includes('--version')
        ? `containerd github.com/containerd/containerd ${version ?? '1.7.24~ds1'} x\n`
        : dump
      return {
        durationMs: 1,
        exitCode: stdout === '' ? 1 : 0,
        stderr: 'containerd: (3, 13): parsing error: hunter2',
        stdout,
      }
    },
    security: {survey: surveyOver(some, async () => 'O:BA', win32.join)},
    services: {
      command: async () => command,
      isOurs: async () => false,
      status: async () => ({processId: 1, serviceExitCode: 0, state: 'running', win32ExitCode: 0}),
    },
    trust: {
      async demand(path, use = 'data') {
        judged.push(path)
        uses[path] = use
        return true
      },
    },
  })
  return {calls, found, judged, uses}
}

describe('the dump of containerd 1.7.24', () => {
  test('with a file of version 2', async () => {
    const {calls, found, judged} = await find({dump: recorded('version-2')})
    expect(found).toEqual({
      binKey: 'bin_dir',
      disabledIn: [],
      isCriAbsent: false,
      isCriDisabled: false,
      place: {
        cniBinaries: String.raw`C:\x\bin`,
        cniConfigFolder: String.raw`C:\x\conf`,
        config: DEFAULT_CONFIG,
        ctr: String.raw`C:\Program Files\containerd\ctr.exe`,
        data: String.raw`\var\lib\containerd`,
        isOurs: false,
        pipe: String.raw`\run\containerd\containerd.sock`,
        program: PROGRAM,
        sandboxImage: 'registry.k8s.io/pause:3.9',
        service: 'containerd',
      },
      version: {major: 1, minor: 7, patch: 24, text: '1.7.24'},
    })
    expect(JSON.stringify(found)).not.toContain('not-a-real-secret')
    expect(calls).toEqual([`${PROGRAM} --version`, `${PROGRAM} --config ${DEFAULT_CONFIG} config dump`])
    expect(judged.slice(0, 2)).toEqual([DEFAULT_CONFIG, PROGRAM])
  })

  test("with the file of Docker's packages, which hides the plugin", async () => {
    const {found} = await find({dump: recorded('disabled'), file: 'disabled_plugins = ["cri"]\n'})
    expect(found).toMatchObject({
      isCriAbsent: false,
      isCriDisabled: true,
      place: {cniBinaries: String.raw`C:\Program Files\containerd\cni\bin`, sandboxImage: 'registry.k8s.io/pause:3.8'},
    })
  })

  test.each([
    ['1.7.24', 2],
    ['v2.1.4', 3],
  ])('%s that was built without the plugin does not fit, with --adopt either', async (version, of) => {
    const dump = `version = ${of}\ndisabled_plugins = []\n[grpc]\n  address = '\\\\.\\pipe\\x'\n`
    const {found} = await find({dump, version})
    const services = {
      startType: async () => 'automatic' as const,
      status: async () => undefined,
      workingFolder: async () => undefined,
    }
    const calls = {files: {status: async () => undefined}, services}
    const misfits = await misfitsOf(calls, found as PresentContainerd, {adopts: true, restarts: true})
    expect(misfits[0]?.what).toContain('built without the CRI plugin')
  })

  test('that it refuses to give is reported by row and column, and nothing of the file', async () => {
    const {found} = await find({})
    expect(found).toMatchObject({what: expect.stringContaining('(row 3, column 13)') as string})
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })

  test('1.x without a file is asked for its defaults, because its dump fails', async () => {
    const asked = {dump: recorded('version-2'), file: 'none'}
    expect((await find(asked)).calls.at(-1)).toBe(`${PROGRAM} config default`)
    const given = await find({...asked, command: `"${PROGRAM}" --config C:\\a.toml`})
    expect(given.calls.at(-1)).toMatch(/config dump$/)
    expect((await find({...asked, version: 'v2.1.0'})).calls.at(-1)).toMatch(/config dump$/)
  })

  test('2.0 is asked to migrate its file, because its dump does not', async () => {
    const {calls} = await find({dump: recorded('version-2'), version: 'v2.0.4'})
    expect(calls.at(-1)).toMatch(/config migrate$/)
  })
})

describe('what it imports', () => {
  const FOLDER = win32.dirname(DEFAULT_CONFIG)
  const dump = (imports: readonly string[]): string =>
    `imports = ${JSON.stringify(imports)}\n${recorded('version-2').replace(/^imports.*$/m, '')}`

  test('is judged, by whatever way it is named, with the folder of a pattern', async () => {
    const files = {
      [`${FOLDER}\\a.toml`]: "imports = ['more/b.toml']",
      [`${FOLDER}\\conf.d\\c.toml`]: '',
      [`${FOLDER}\\conf.d\\c.txt`]: '',
      [`${FOLDER}\\more\\b.toml`]: '',
      'D:\\d.toml': '',
    }
    const {judged} = await find({dump: dump(['./a.toml', 'conf.d/*.toml', 'D:/d.toml']), files})
    expect(judged.filter((path) => path !== DEFAULT_CONFIG && path !== PROGRAM)).toEqual([
      `${FOLDER}\\conf.d`,
      `${FOLDER}\\a.toml`,
      `${FOLDER}\\conf.d\\c.toml`,
      'D:\\d.toml',
      `${FOLDER}\\more\\b.toml`,
    ])
  })

  test('review S2-15: in a chain without end is reported, not followed', async () => {
    const files = Object.fromEntries(
      Array.from({length: 2000}, (_, index) => [
        `${FOLDER}\\${index}.toml`,
        `imports = ['${(index + 1) % 2000}.toml']`,
      ]),
    )
    const {found, judged} = await find({dump: dump(['0.toml']), files})
    expect(found).toMatchObject({what: expect.stringContaining('imports more than 50 files') as string})
    expect(judged.length).toBeLessThan(70)
  })

  test('review S2-11: what it reads and runs beside its files is judged down to the last file', async () => {
    const {judged, uses} = await find({
      dump: `${dump(['conf.d/*.toml'])}
[plugins."io.containerd.cri.v1.images".registry]
config_path = 'D:/certs.d;E:\\certs.d'
[stream_processors.mine]
path = 'D:\\decode\\x.exe'
`.replace('/opt/containerd', String.raw`D:\\opt`),
      files: {
        [String.raw`D:\certs.d\docker.io`]: 'folder',
        [String.raw`D:\certs.d\docker.io\hosts.toml`]: 'x',
        [String.raw`D:\opt\bin\tool.exe`]: 'x',
      },
    })
    const deep = [String.raw`D:\certs.d\docker.io\hosts.toml`, String.raw`E:\certs.d`, String.raw`D:\opt\bin\tool.exe`]
    expect(judged).toEqual(expect.arrayContaining([...deep, String.raw`D:\decode\x.exe`]))
    expect(uses).toMatchObject({
      [`${FOLDER}\\conf.d`]: 'closed',
      [String.raw`D:\certs.d`]: 'closed',
      [String.raw`D:\certs.d\docker.io`]: 'closed',
      [String.raw`D:\decode\x.exe`]: 'program',
    })
  })

  test('can disable its CRI plugin', async () => {
    const files = {[`${FOLDER}\\a.toml`]: 'disabled_plugins = ["io.containerd.grpc.v1.cri"]'}
    const file = 'disabled_plugins = ["cri"]'
    expect((await find({dump: dump(['a.toml']), file, files})).found).toMatchObject({
      disabledIn: [DEFAULT_CONFIG, `${FOLDER}\\a.toml`],
    })
  })
})

describe('its command line', () => {
  const place = async (command: string): Promise<PresentContainerd['place'] | undefined> => {
    const {found} = await find({command, dump: recorded('version-2')})
    return found && !isMisfit(found) ? found.place : undefined
  }

  test.each([
    [
      String.raw`"D:\c\containerd.exe" --run-service -c D:\c\a.toml`,
      String.raw`D:\c\containerd.exe`,
      String.raw`D:\c\a.toml`,
    ],
    [String.raw`C:\Program Files\containerd\containerd.exe --config=C:\a.toml`, PROGRAM, String.raw`C:\a.toml`],
    [String.raw`C:\k\shawl.exe run --name x -- D:\c\containerd.exe`, String.raw`D:\c\containerd.exe`, DEFAULT_CONFIG],
  ])('%s', async (command, program, config) => {
    expect(await place(command)).toMatchObject({config, program})
  })

  test('its flags win over the file', async () => {
    const command = String.raw`"${PROGRAM}" --run-service --address //./pipe/mine --root D:/c/root/`
    expect(await place(command)).toMatchObject({data: String.raw`D:\c\root`, pipe: String.raw`\\.\pipe\mine`})
  })

  test.each(['containerd.exe', String.raw`"C:\x\other.exe" run`, String.raw`\\server\share\containerd.exe`])(
    '%s is not run',
    async (command) => {
      const {calls, found} = await find({command})
      expect(calls).toEqual([])
      expect(found && isMisfit(found)).toBe(true)
    },
  )
})

describe('a configuration that --adopt repairs', () => {
  test.each([
    ['# a\ndisabled_plugins = ["cri"] # b\n', '# a\ndisabled_plugins = [] # b\n'],
    [
      "version = 2\ndisabled_plugins = [\n  'x',\n  'io.containerd.grpc.v1.cri',\n]\n",
      'version = 2\ndisabled_plugins = ["x"]\n',
    ],
    ['a = "disabled_plugins"\n"disabled_plugins" = ["cri"]\n', 'a = "disabled_plugins"\ndisabled_plugins = []\n'],
  ])('%j', (text, wanted) => {
    expect(repairedConfiguration(text)).toBe(wanted)
  })

  test.each([
    '',
    'disabled_plugins = []',
    'disabled_plugins = ["x"]',
    'disabled_plugins = ["cri"',
    '[disabled_plugins]',
  ])('%j is left alone', (text) => {
    expect(repairedConfiguration(text)).toBeUndefined()
  })
})
