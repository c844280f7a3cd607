// What k8s-win.exe obeys: every variable that its node.exe reads, files beside it and in the working folder. The gravest
// baits are shown to work on the node.exe that it was made of.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {ignoreVariables, KEPT} from '../../../packaging/environment.js'
import {hardened} from '../../../packaging/exe.js'
import {OBEYED, REMOVED} from '../../../packaging/library-variables.js'
import {fetchPackage, fileOf, NODE_FOR_WINDOWS} from '../../../packaging/npm-packages.js'
import {fileOffset, layoutOf} from '../../../packaging/pe-layout.js'
import {importFromSystemOnly, SEARCH_SYSTEM32} from '../../../packaging/pe-load-flags.js'
import {buildRelease, FILE_NAMES} from '../../../packaging/release.js'
import {CLUSTER_CA} from '../../../src/simulator/cluster/certificates.js'
import {type Lab, type LabMachine, openLab} from '../lab.js'
import {pageAligned} from '../layers/page-aligned.js'
import {SERVER_CERTIFICATE} from '../world/server-certificate.js'

/** The names in node.exe 24.21.0, read from its bytes. A new release that reads another one changes this list. */
const IGNORED = [
  ...['CARES_HOSTS', 'HOME', 'HTTPS_PROXY', 'HTTP_PROXY', 'ICU_ENABLE_TENTATIVE_ERA', 'ICU_TIMEZONE_FILES_DIR'],
  ...['JEST_WORKER_ID', 'LEGACY_GOST_PKCS12', 'LOCALDOMAIN', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'],
  ...['NODE_CLUSTER_SCHED_POLICY', 'NODE_COMPILE_CACHE', 'NODE_COMPILE_CACHE_PORTABLE', 'NODE_DEBUG'],
  ...['NODE_DEBUG_NATIVE', 'NODE_DISABLE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'NODE_ICU_DATA'],
  ...['NODE_INSPECT_RESUME_ON_START', 'NODE_NO_READLINE', 'NODE_NO_WARNINGS', 'NODE_OPTIONS', 'NODE_PATH'],
  ...['NODE_PENDING_DEPRECATION', 'NODE_PENDING_PIPE_INSTANCES', 'NODE_PRESERVE_SYMLINKS'],
  ...['NODE_PRESERVE_SYMLINKS_MAIN', 'NODE_REDIRECT_WARNINGS', 'NODE_REPL_EXTERNAL_MODULE', 'NODE_REPL_HISTORY'],
  ...['NODE_REPL_HISTORY_SIZE', 'NODE_REPL_MODE', 'NODE_SKIP_PLATFORM_CHECK', 'NODE_TEST_CONTEXT'],
  ...['NODE_TEST_WORKER_ID', 'NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_UNIQUE_ID', 'NODE_USE_ENV_PROXY'],
  ...['NODE_USE_SYSTEM_CA', 'NODE_V8_COVERAGE', 'NO_PROXY', 'OPENSSL_CONF', 'OPENSSL_CONF_INCLUDE'],
  ...['OPENSSL_ENGINES', 'OPENSSL_MODULES', 'OPENSSL_WIN32_UTF8', 'OPENSSL_ia32cap', 'OSSL_QFILTER', 'QLOGDIR'],
  ...['RES_OPTIONS', 'SIMDJSON_FORCE_IMPLEMENTATION', 'SIMDUTF_FORCE_IMPLEMENTATION', 'SSL_CERT_DIR'],
  ...['SSL_CERT_FILE', 'TMPDIR', 'UNDICI_NO_WASM_SIMD', 'UV_THREADPOOL_SIZE', 'WATCH_REPORT_DEPENDENCIES'],
  ...['http_proxy', 'https_proxy', 'no_proxy'],
]

const BAIT = String.raw`C:\lab\bait`
const inBait = (name: string): string => `${BAIT}\\${name}`
/** What the variables name; any other one is given a folder that would be written to. */
const VALUES: Readonly<Record<string, string>> = {
  DEBUG: '*',
  LOG_STREAM: '1',
  LOG_TOKENS: '1',
  NODE_CHANNEL_FD: '',
  NODE_DEBUG: 'module,tls',
  NODE_DEBUG_NATIVE: 'MKSNAPSHOT',
  NODE_ENV: 'development',
  NODE_EXTRA_CA_CERTS: inBait('ca.pem'),
  NODE_ICU_DATA: '',
  NODE_OPTIONS: '--require C:/lab/bait/required.cjs',
  NODE_PENDING_DEPRECATION: '1',
  NODE_REDIRECT_WARNINGS: inBait('warnings.txt'),
  NODE_SKIP_PLATFORM_CHECK: '1',
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  NODE_UNIQUE_ID: '',
  OPENSSL_CONF: inBait('openssl.cnf'),
  SSL_CERT_FILE: inBait('ca.pem'),
  TESTING_TAR_FAKE_PLATFORM: 'linux',
  UV_THREADPOOL_SIZE: '1',
}
/** Wine is a program of Linux, reads these itself, and ends with some values: of them only the bytes are compared. */
const OF_LINUX = new Set(['HOME', 'LOCALDOMAIN', 'PATH', 'RES_OPTIONS', 'SHELL', 'TMPDIR', 'USER'])
const baited = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.filter((name) => !OF_LINUX.has(name)).map((name) => [name, VALUES[name] ?? inBait(name)] as const),
  )
const BAITS = baited([...IGNORED, ...REMOVED])
/** What the original shows to obey, all at once. */
const SHOWN = [
  ...['NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'NODE_REDIRECT_WARNINGS'],
  ...['NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_V8_COVERAGE'],
]
const FILES: Readonly<Record<string, string>> = {
  'ca.pem': CLUSTER_CA,
  'openssl.cnf': [
    ...['nodejs_conf = init', '[init]', 'providers = list', '[list]', 'evil = evil', '[evil]'],
    ...[String.raw`module = C:\\lab\\programs\\planted.dll`, 'activate = 1', ''],
  ].join('\n'),
  'required.cjs': String.raw`require('fs').writeFileSync('C:\\lab\\bait\\required.txt', 'required')`,
}

/** What a program does with the baits: a server with a certificate of an unknown authority, and a warning. */
const SCRIPT = `
const tls = require('tls')
const answer = {extra: tls.getCACertificates('extra').length, cache: require('module').getCompileCacheDir() ?? null}
const server = tls.createServer(${JSON.stringify(SERVER_CERTIFICATE)}).listen(0, '127.0.0.1', () => {
  const {port} = server.address()
  const socket = tls.connect({host: '127.0.0.1', port, servername: 'kubernetes'})
  const end = (trusts) => {
    console.log(JSON.stringify({...answer, trusts}))
    new Buffer(1)
    socket.destroy()
    server.close()
  }
  socket.on('secureConnect', () => end(true)).on('error', () => end(false))
})`

let lab: Lab
let node: Buffer
let exe: Buffer

beforeAll(async () => {
  node = fileOf(await fetchPackage(NODE_FOR_WINDOWS), 'bin/node.exe')
  exe = (await buildRelease()).get(FILE_NAMES.exe)!
  lab = await openLab()
})

afterAll(async () => {
  await lab.close()
})

async function withMachine<T>(use: (machine: LabMachine) => Promise<T>): Promise<T> {
  const machine = await lab.machine()
  try {
    for (const [name, content] of Object.entries(FILES)) await machine.write(inBait(name), content)
    return await use(machine)
  } finally {
    await machine.close()
  }
}

/** All files of drive C that are not Windows' own. */
async function filesOf(machine: LabMachine): Promise<string[]> {
  const find = 'cd /lab/prefix/drive_c && find . -path ./windows -prune -o -path ./k8s-win -prune -o -type f -print'
  return (await machine.linux(['sh', '-c', find])).stdout.split('\n').sort()
}

const flagsOf = (program: Buffer): number => {
  const {optional, sections} = layoutOf(program)
  return program.readUInt16LE(fileOffset(sections, program.readUInt32LE(optional + 112 + 10 * 8))! + 0x4e)
}

describe('the bytes of node.exe', () => {
  test('review V2: name these variables, of which none is left', () => {
    const copy = Buffer.from(node)
    expect(ignoreVariables(copy)).toEqual([...IGNORED].sort())
    expect(IGNORED.filter((name) => KEPT.has(name))).toEqual([])
    for (const name of IGNORED) {
      const length = `${String.fromCodePoint(name.length)}\0\0\0`
      for (const form of [`${length}${name}`, `\0${name}\0`, `process.env.${name} `, `process.env.${name})`])
        expect(copy.includes(form), form).toBe(false)
    }
  })

  test('review V4: k8s-win.exe imports from the folder of Windows only', () => {
    expect(flagsOf(node)).toBe(0)
    expect(flagsOf(exe)).toBe(SEARCH_SYSTEM32)
    expect(flagsOf(hardened(node))).toBe(SEARCH_SYSTEM32)
  })
})

test('review V2: no variable changes what the changed node.exe loads, writes or trusts; the gravest work on the original', async () => {
  const changed = Buffer.from(node)
  ignoreVariables(changed)
  importFromSystemOnly(changed)
  await withMachine(async (machine) => {
    await machine.write(String.raw`C:\lab\original.exe`, pageAligned(node))
    await machine.write(String.raw`C:\lab\changed.exe`, pageAligned(changed))
    const before = await filesOf(machine)
    const run = (name: string, env: Readonly<Record<string, string>>) =>
      machine.run({args: ['-e', SCRIPT], env, program: `C:\\lab\\${name}.exe`})
    const made = async (): Promise<string[]> => (await filesOf(machine)).filter((name) => !before.includes(name))

    const plain = await run('changed', {NODE_OPTIONS: ''})
    const tempted = await run('changed', BAITS)
    expect(tempted.stdout, tempted.stderr).toBe('{"extra":0,"cache":null,"trusts":false}\n')
    expect({...tempted, durationMs: 0, stderr: tempted.stderr.replace(/node:\d+/, '')}).toEqual({
      ...plain,
      durationMs: 0,
      stderr: plain.stderr.replace(/node:\d+/, ''),
    })
    expect(await made()).toEqual([])

    // Others of the baits end it before it answers.
    const obeyed = await run('original', baited(SHOWN))
    expect(obeyed.stdout, obeyed.stderr).toMatch(/^\{"extra":1,"cache":"C:.*"trusts":true/)
    await run('original', {NODE_OPTIONS: '', ...baited(['OPENSSL_CONF'])})
    const names = (await made()).join('\n')
    for (const name of ['NODE_COMPILE_CACHE', 'NODE_V8_COVERAGE', 'warnings.txt', 'required.txt', 'loaded.txt']) {
      expect(names).toContain(`bait/${name}`)
    }
  })
})

test('review V2: no variable changes what k8s-win.exe loads, runs, writes or prints', async () => {
  await withMachine(async (machine) => {
    await machine.write(String.raw`C:\lab\k8s-win.exe`, pageAligned(exe))
    const run = (args: readonly string[], env: Readonly<Record<string, string>> = {NODE_OPTIONS: ''}) =>
      machine.run({args, env, program: String.raw`C:\lab\k8s-win.exe`})
    const COMMANDS = [['--version'], ['status'], ['config', 'schema'], ['explain', 'NO_NODE']]
    const seen = async (env?: Readonly<Record<string, string>>) => {
      const answers = []
      for (const args of COMMANDS) {
        const {code, stderr, stdout} = await run(args, env)
        answers.push({code, stderr, stdout})
      }
      return answers
    }
    const plain = await seen()
    expect(plain.map(({code}) => code)).toEqual([0, 9, 0, 0])
    const before = await filesOf(machine)
    expect(await seen(BAITS)).toEqual(plain)
    // What it does read is harmless there: nothing is written to, or run from, the folders that these name.
    const terminal = /COLOR|^CI|^TERM|^TMUX|COLUMNS|WT_SESSION|TEAMCITY|^TZ$|KUBECONFIG|DOCKER_HOST|SystemRoot|windir/
    const folders = [...KEPT, ...OBEYED].filter((name) => !terminal.test(name))
    const harmless = await seen({
      NODE_OPTIONS: '',
      ...baited([...folders, 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME']),
    })
    expect(harmless).toEqual(plain)
    expect(await filesOf(machine)).toEqual(before)
  })
})

test('review V3: OPENSSL_CONF loads no DLL into k8s-win.exe, also for --version', async () => {
  await withMachine(async (machine) => {
    await machine.write(String.raw`C:\lab\k8s-win.exe`, pageAligned(exe))
    const env = {NODE_OPTIONS: '', OPENSSL_CONF: BAITS['OPENSSL_CONF']!}
    const {code, stderr} = await machine.run({args: ['--version'], env, program: String.raw`C:\lab\k8s-win.exe`})
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    await expect(machine.read(inBait('loaded.txt'))).rejects.toMatchObject({code: 'ENOENT'})
  })
})

test('review V4: no script, configuration or module beside k8s-win.exe or in the working folder is run', async () => {
  await withMachine(async (machine) => {
    const FOLDER = String.raw`C:\lab\downloads`
    await machine.write(`${FOLDER}\\k8s-win.exe`, pageAligned(exe))
    await machine.write(`${FOLDER}\\original.exe`, pageAligned(node))
    const script = FILES['required.cjs']!
    const document = JSON.stringify({name: 'planted', oclif: {plugins: ['./planted']}, version: '9.9.9'})
    for (const folder of [FOLDER, String.raw`C:\lab\elsewhere`]) {
      for (const name of ['.oclifrc.cjs', 'oclif.config.cjs', 'node_modules\\koffi\\index.js', 'main.cjs', 'main.js'])
        await machine.write(`${folder}\\${name}`, script)
      for (const name of ['package.json', 'oclif.manifest.json']) await machine.write(`${folder}\\${name}`, document)
    }
    const run = (program: string, args: readonly string[], cwd: string) =>
      machine.run({args, cwd, env: {NODE_OPTIONS: ''}, program: `${FOLDER}\\${program}`})
    for (const cwd of [FOLDER, String.raw`C:\lab\elsewhere`]) {
      expect(await run('k8s-win.exe', ['--version'], cwd)).toMatchObject({code: 0})
      expect(await run('k8s-win.exe', ['status'], cwd)).toMatchObject({code: 9})
    }
    await expect(machine.read(inBait('required.txt'))).rejects.toMatchObject({code: 'ENOENT'})
    // A DLL there is loaded by the original. Wine 10 would load it into k8s-win.exe too: it does not read the flags of the
    // load configuration, which are compared above.
    const copy = 'cd /lab/prefix/drive_c/lab && cp programs/planted.dll downloads/userenv.dll'
    expect(await machine.linux(['sh', '-c', copy])).toMatchObject({code: 0})
    await run('original.exe', ['-e', '0'], FOLDER)
    expect(Buffer.from(await machine.read(inBait('loaded.txt'))).toString('utf16le')).toContain('original.exe')
  })
})

test('review V12: where the addon cannot be written, that is what is reported', async () => {
  await withMachine(async (machine) => {
    await machine.write(String.raw`C:\lab\k8s-win.exe`, pageAligned(exe))
    // A file in the place of its folder.
    await machine.write(String.raw`C:\Program Files\k8s-win`, '')
    const run = (...args: readonly string[]) =>
      machine.run({args, env: {NODE_OPTIONS: ''}, program: String.raw`C:\lab\k8s-win.exe`})
    for (const command of ['status', 'doctor']) {
      const {code, stdout} = await run(command, '--json')
      expect({code, id: (JSON.parse(stdout) as {error: {id: string}}).error.id}).toMatchObject({
        id: expect.stringMatching(/^ADDON_/) as string,
      })
      expect(stdout).not.toContain('network adapter')
    }
    expect(await run('--version')).toMatchObject({code: 0})
    expect(await run('status', '--simulate', 'ws2019')).toMatchObject({
      stderr: expect.not.stringContaining('npx') as string,
    })
  })
})
