// All sources together: everything wrong at once, files in any encoding, and what the last setup stored.
import {describe, expect, it} from 'vitest'
import {optionOf} from '../../src/config/options/options.js'
import {ProblemsError} from '../../src/errors/k8s-win-error.js'
import {ADMINISTRATORS_ONLY_FILE} from '../../src/host/security/security.js'
import {DeadlineError} from '../../src/machine/clock.js'
import {FileError, type Files} from '../../src/machine/files.js'
import {type Win32, Win32Error} from '../../src/machine/win32.js'
import {readConfiguration, storeConfiguration} from '../../src/runs/configuration.js'
import {handClock} from '../fakes/hand-clock.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {only} from '../fakes/partial.js'
import {configured, FILE, fileWith, type Sources, storedIn} from './configuration-rig.js'

const STORED = storedIn(String.raw`C:\k`)
const RELEASE = fileWith(optionOf('release'), '1.22.17')

async function problemsOf(sources: Sources): Promise<ProblemsError> {
  const error: unknown = await configured(sources).catch((reason: unknown) => reason)
  if (error instanceof ProblemsError) return error
  throw new Error('no problem was found')
}

const messagesOf = async (sources: Sources): Promise<string[]> =>
  (await problemsOf(sources)).problems.map(({message}) => message)

describe('problems', () => {
  it('are reported for a file without a name, in words of its own', async () => {
    const {exitCode, problems} = await problemsOf({argv: ['--config', '']})
    expect([exitCode, problems.length]).toEqual([2, 1])
    expect(problems[0]).toMatchObject({
      fix: 'Set --config to the path of a file.',
      id: 'BAD_VALUE',
      message: '--config "" cannot be used',
      reason: 'It is empty.',
    })
  })

  it('of all sources are reported at once', async () => {
    const text = `${RELEASE}relase: 1\nclusterCIDR: banana\n`
    const error = await problemsOf({
      argv: ['--config', FILE, '-NodeIp', '169.254.0.1'],
      dockerHost: 'tcp://10.0.0.9:2375',
      environment: {K8S_WIN_ADOPT: 'maybe', K8S_WIN_TIMEOUT: 'soon'},
      texts: {[FILE]: text, [STORED]: 'x: 1'},
    })
    expect(error.exitCode).toBe(2)
    expect(error.problems.map(({message}) => message).sort()).toEqual([
      '--node-ip "169.254.0.1" cannot be used',
      String.raw`C:\given\node.yaml:4:1: unknown key relase`,
      String.raw`C:\given\node.yaml:5:14 clusterCIDR "banana" cannot be used`,
      String.raw`C:\k\k8s-win\node.yaml, the stored configuration of the last setup, cannot be used`,
      'DOCKER_HOST tcp://10.0.0.9:2375 is not a local pipe',
      'K8S_WIN_ADOPT must be true or false, not "maybe"',
      'K8S_WIN_TIMEOUT "soon" cannot be used',
    ])
  })

  it('an empty variable says nothing', async () => {
    const {sources} = await configured({environment: {K8S_WIN_ADOPT: '', K8S_WIN_RELEASE: ''}})
    expect(sources).toEqual({})
  })
})

describe('review U2-19: --release without a patch', () => {
  it.each(['1.36', 'v1.36'])('%s is the newest known patch, from every source, and is stored as such', async (text) => {
    const file = {argv: ['--config', FILE], texts: {[FILE]: fileWith(optionOf('release'), text)}}
    for (const sources of [{argv: ['--release', text]}, {environment: {K8S_WIN_RELEASE: text}}, file]) {
      const {config} = await configured(sources)
      expect([config.release.text, config.origin.given.release]).toEqual(['1.36.4', '1.36.4'])
    }
  })

  it('is refused where no patch of it is known', async () => {
    const {exitCode, problems} = await problemsOf({argv: ['--release', '1.37']})
    expect([exitCode, problems.map(({id}) => id)]).toEqual([2, ['BAD_VALUE']])
  })

  it('keeps what was stored with the same minor version', async () => {
    const texts = {[STORED]: `${fileWith(optionOf('release'), '1.36.2')}versions:\n  crictl: "1.35.0"\n`}
    const {config} = await configured({argv: ['--release', '1.36'], texts})
    expect([config.release.text, config.versions.crictl.text]).toEqual(['1.36.4', '1.35.0'])
  })
})

describe('a stored digest', () => {
  const [of1, of2] = [`sha512:${'1'.repeat(128)}`, `sha256:${'2'.repeat(64)}`]
  const digests = `digests:\n  kubernetes: "${of1}"\n  containerd: "${of2}"\n  flanneld: "${of2}"\n`
  const stored = (containerd: string): Readonly<Record<string, string>> => ({
    [STORED]: `${fileWith(optionOf('release'), '1.36.5')}${digests}versions:\n  containerd: "${containerd}"\n  flannel: "0.28.8"\n`,
  })
  const kept = async (containerd: string, ...argv: readonly string[]): Promise<string[]> => {
    const {config, where} = await configured({argv, texts: stored(containerd)})
    const names = Object.keys(config.digests)
    expect(typeof where.digest === 'object' ? where.digest.length : 0).toBe(names.length)
    return names
  }

  it('is that of the version it was passed for, which stays', async () => {
    expect(await kept('2.2.8')).toEqual(['kubernetes', 'containerd', 'flanneld'])
    expect(await kept('2.2.8', '--release', 'v1.36.5')).toEqual(['kubernetes', 'containerd', 'flanneld'])
  })

  it('is not that of another release, containerd or flannel', async () => {
    expect(await kept('2.2.8', '--release', '1.36.6')).toEqual(['containerd', 'flanneld'])
    expect(await kept('2.2.8', '--containerd-version', '2.3.4')).toEqual(['kubernetes', 'flanneld'])
    expect(await kept('2.2.8', '--flannel-version', '0.28.9')).toEqual(['kubernetes', 'containerd'])
  })

  it('is not that of the containerd of another minor version, unless a newer one stays', async () => {
    expect(await kept('2.2.8', '--release', '1.35.8')).toEqual(['flanneld'])
    expect(await kept('2.4.1', '--release', '1.35.8')).toEqual(['containerd', 'flanneld'])
  })
})

describe('the file', () => {
  it.each([
    ['UTF-8', Buffer.from(RELEASE)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${RELEASE}`)],
    ['UTF-16, as Out-File writes it', Buffer.from(`\uFEFF${RELEASE.replaceAll('\n', '\r\n')}`, 'utf16le')],
    ['UTF-16, the other way round', Buffer.from(`\uFEFF${RELEASE}`, 'utf16le').swap16()],
  ])('may be %s', async (_, content) => {
    const {config, where} = await configured({argv: ['--config', FILE], texts: {[FILE]: content}})
    expect(config.release.text).toBe('1.22.17')
    expect(where.release).toBe(String.raw`C:\given\node.yaml:3:12 release`)
  })

  it.each([
    ['is missing', {}, 'the file does not exist'],
    ['is a folder', {[`${FILE}\\x`]: ''}, 'it is a folder'],
    ['is too large', {[FILE]: `${RELEASE}${'# filler\n'.repeat(8000)}`}, 'it has more than 64 KiB'],
    ['is much too large', {[FILE]: Buffer.alloc(3 * 1024 ** 2, 35)}, 'it has more than 64 KiB'],
    [
      'is in no encoding',
      {[FILE]: Buffer.from([0x61, 0xe4, 0x3a])},
      'it is neither UTF-8 nor UTF-16: save it as UTF-8',
    ],
  ])('that %s is reported', async (_, texts, reason) => {
    const {exitCode, problems} = await problemsOf({argv: ['--config', FILE], texts})
    expect(exitCode).toBe(2)
    expect(problems.map(({id, reason: why}) => [id, why])).toEqual([
      ['CONFIG_FILE_UNUSABLE', `Invalid configuration file: ${reason}.`],
    ])
  })

  it('that cannot be read is reported', async () => {
    const files = refusing(FILE, 'EACCES')
    expect((await problemsOf({argv: ['--config', FILE], files, texts: {[FILE]: ''}})).problems[0]?.reason).toContain(
      '(EACCES)',
    )
  })
})

describe('what the last setup stored', () => {
  it('is found in the base directory that is in effect, whoever names it', async () => {
    const texts = {
      [FILE]: fileWith(optionOf('base-dir'), String.raw`C:\file`),
      [storedIn(String.raw`C:\env`)]: fileWith(optionOf('release'), '1.22.2'),
      [storedIn(String.raw`C:\file`)]: fileWith(optionOf('release'), '1.22.3'),
      [storedIn(String.raw`C:\flag`)]: fileWith(optionOf('release'), '1.22.1'),
      [STORED]: fileWith(optionOf('release'), '1.22.4'),
    }
    const environment = {K8S_WIN_BASE_DIR: String.raw`C:\env`}
    const argv = ['--config', FILE]
    const releaseOf = async (sources: Sources) => (await configured({texts, ...sources})).config.release.text
    expect(await releaseOf({argv: [...argv, '-BaseDir', String.raw`c:\flag`], environment})).toBe('1.22.1')
    expect(await releaseOf({argv, environment})).toBe('1.22.2')
    expect(await releaseOf({argv})).toBe('1.22.3')
    expect(await releaseOf({})).toBe('1.22.4')
  })

  it('keeps the spelling of the base directory, and does not move it', async () => {
    const same = {[STORED]: fileWith(optionOf('base-dir'), String.raw`C:\k`)}
    expect((await configured({argv: ['-BaseDir', String.raw`c:\K`], texts: same})).config.baseDir).toBe(
      String.raw`C:\k`,
    )
    const moved = {[STORED]: fileWith(optionOf('base-dir'), String.raw`D:\elsewhere`)}
    const {config, sources} = await configured({texts: moved})
    expect([config.baseDir, sources['base-dir']]).toEqual([String.raw`C:\k`, undefined])
  })

  it.each([
    ['others may write', {[STORED]: RELEASE}, 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;BU)', 'Users '],
    ['is a folder', {[`${STORED}\\x`]: ''}, ADMINISTRATORS_ONLY_FILE, 'It is a folder.'],
    ['is damaged', {[STORED]: 'apiVersion: ['}, ADMINISTRATORS_ONLY_FILE, 'node.yaml:1:14 '],
    ['is of another version', {[STORED]: RELEASE.replace('v1', 'v9')}, ADMINISTRATORS_ONLY_FILE, 'apiVersion is not'],
  ])('and %s is refused: nothing of the defaults may take its place', async (_, texts, sddl, reason) => {
    const {exitCode, problems} = await problemsOf({sddl, texts})
    expect(exitCode).toBe(3)
    expect(problems.map(({id}) => id)).toEqual(['STORED_CONFIG_UNUSABLE'])
    expect(problems[0]?.reason).toContain(reason)
    // Reset continues after it with a sentence of its own.
    expect(problems[0]?.reason).toMatch(/\.$/)
  })

  it('and is hidden from us counts as nothing: the checks will say that we are no administrator', async () => {
    const {config, sources} = await configured({files: refusing(STORED, 'EPERM')})
    expect([config.release.text, sources]).toEqual(['1.21.5', {}])
  })

  it('and the disk refuses is that error', async () => {
    await expect(configured({files: refusing(STORED, 'EIO')})).rejects.toThrow(FileError)
  })

  it('is not looked for in a base directory that cannot be one', async () => {
    expect(await messagesOf({argv: ['-BaseDir', 'k'], files: only<Files>('files', {})})).toEqual([
      '--base-dir "k" cannot be used',
    ])
  })
})

const WIN32 = only<Win32>('win32', {computerName: async () => 'WIN-1', systemUuid: async () => 'a-uuid'})

describe('storing', () => {
  it('keeps the machine, which is not an option', async () => {
    const files = memoryFiles({[String.raw`C:\k\k8s-win\journal.ndjson`]: ''})
    const {config} = await configured({files})
    expect(config.madeOn).toBeUndefined()
    await storeConfiguration({files, win32: WIN32}, {record: () => Promise.resolve()}, config)
    const again = await configured({files})
    expect(again.config.madeOn).toEqual({computerName: 'WIN-1', uuid: 'a-uuid'})
    const nameless = only<Win32>('win32', {
      computerName: async () => 'WIN-2',
      systemUuid: () => Promise.reject(new Win32Error('GetSystemFirmwareTable', 1168, 'SMBIOS')),
    })
    await storeConfiguration({files, win32: nameless}, {record: () => Promise.resolve()}, config)
    expect((await configured({files})).config.madeOn).toEqual({computerName: 'WIN-2', uuid: ''})
    // Of a copy of a stored file that is passed, it is left out.
    const passed = await configured({argv: ['--config', FILE], texts: {[FILE]: `${RELEASE}madeOn: {uuid: x}\n`}})
    expect(passed.config.madeOn).toBeUndefined()
  })

  it.each(['', 'x', '[x]', '{uuid: {}}', '{computerName: "a\\u0000b"}'])(
    'reads a damaged machine as none: %s',
    async (text) => {
      const {config} = await configured({texts: {[STORED]: `${RELEASE}madeOn: ${text}\n`}})
      expect(config.madeOn).toEqual({computerName: '', uuid: ''})
    },
  )

  it('writes for administrators only, and only what is new', async () => {
    const files = memoryFiles({[String.raw`C:\k\k8s-win\journal.ndjson`]: ''})
    const {config} = await configured({argv: ['--node-label', 'a=b'], files})
    await storeConfiguration({files, win32: WIN32}, {record: () => Promise.resolve()}, config)
    expect(files.sddl[STORED.toLowerCase()]).toBe(ADMINISTRATORS_ONLY_FILE)
    const again = await configured({files})
    expect([again.config.nodeLabels, again.sources['node-label']]).toEqual([{a: 'b'}, 'stored'])
    const text = files.contents()[STORED]
    const unwritable = {...files, write: () => Promise.reject(new Error('not again'))}
    await storeConfiguration({files: unwritable, win32: WIN32}, {record: () => Promise.resolve()}, again.config)
    expect(files.contents()[STORED]).toBe(text)
  })
})

describe('the versions of containerd and crictl', () => {
  const STORED_VERSIONS = `${RELEASE}versions: {containerd: "1.7.25", crictl: "1.36.0"}\n`
  const versionsOf = async (argv: readonly string[]) => {
    const {sources} = await configured({argv, texts: {[STORED]: STORED_VERSIONS}})
    return [sources['containerd-version'], sources['crictl-version']]
  }

  it('are kept for the same minor, and not for another', async () => {
    const {config} = await configured({texts: {[STORED]: STORED_VERSIONS}})
    const {minor} = config.release
    expect(await versionsOf([])).toEqual(['stored', 'stored'])
    expect(await versionsOf(['--release', `1.${minor}.9`])).toEqual(['stored', 'stored'])
    expect(await versionsOf(['--release', minor === 23 ? '1.22.1' : '1.23.17'])).toEqual([undefined, undefined])
    const given = ['--containerd-version', '2.3.4', '--release', minor === 23 ? '1.22.1' : '1.23.17']
    expect(await versionsOf(given)).toEqual(['flag', undefined])
  })

  it('are stored with containerd only', async () => {
    const files = memoryFiles({[String.raw`C:\k\k8s-win\journal.ndjson`]: ''})
    const {config} = await configured({files})
    await storeConfiguration({files, win32: WIN32}, {record: () => Promise.resolve()}, config)
    expect(files.contents()[STORED]).not.toContain('containerd')
    await storeConfiguration(
      {files, win32: WIN32},
      {record: () => Promise.resolve()},
      {...config, runtime: 'containerd'},
    )
    expect(files.contents()[STORED]).toMatch(/containerd: "2\.3\.4"\n {2}crictl: "1\.36\.0"/)
  })
})

it('a file that never answers ends with the deadline', async () => {
  const clock = handClock(0)
  const files = only<Files>('files', {status: () => new Promise(() => {})})
  const machine = {clock, files, win32: only<Win32>('win32', {})}
  const {signal} = new AbortController()
  const reading = readConfiguration({environment: {}, flags: {}, machine, signal})
  const ended = expect(reading).rejects.toThrow(DeadlineError)
  clock.advance(60_000)
  await ended
})

/** Files where one path is refused. */
function refusing(path: string, code: string): Files {
  const files = memoryFiles({[FILE]: '', [STORED]: ''})
  const status: Files['status'] = async (asked) => {
    if (asked === path) throw new FileError('inspect', asked, code)
    return files.status(asked)
  }
  return {...files, status}
}
