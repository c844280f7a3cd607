// The drive with user data as programs of others read it: isoinfo of Debian's genisoimage, and 7-Zip, which takes the Joliet
// names as Windows does.
import {execFile} from 'node:child_process'
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {promisify} from 'node:util'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {isoImage, type IsoVolume} from '../../src/runs/userdata/iso.js'
import {type DebianPrograms, openPrograms} from './debian-programs.js'
import {LabNotRun} from './not-run.js'

const run = promisify(execFile)
/** What is of this Debian also runs on later ones. */
const SUITE = 'bookworm'

const VOLUMES: readonly IsoVolume[] = [
  {
    files: [
      {content: Buffer.from(`rem cmd\r\n${'echo x\r\n'.repeat(2000)}`), name: 'user-data'},
      {content: Buffer.from('instance-id: "1"\n'), name: 'meta-data'},
    ],
    folders: [],
    label: 'cidata',
  },
  {
    files: [
      {content: Buffer.from('rem cmd\r\n'), name: 'user_data'},
      {content: Buffer.from('{"uuid":"1"}'), name: 'meta_data.json'},
    ],
    folders: ['openstack', 'latest'],
    label: 'config-2',
  },
]

const programs = await openPrograms(['genisoimage', '7zip'], SUITE).catch((error: unknown): undefined => {
  if (!(error instanceof LabNotRun)) throw error
  process.stderr.write(`NOT RUN: the drive with user data read by isoinfo and 7-Zip. ${error.message}\n`)
})

let folder: string
beforeAll(async () => (folder = await mkdtemp(path.join(tmpdir(), 'iso-'))))
afterAll(() => rm(folder, {force: true, recursive: true}))

describe.skipIf(programs === undefined).each(VOLUMES)('a drive $label', (volume) => {
  const file = (): string => path.join(folder, `${volume.label}.iso`)
  beforeAll(async () => writeFile(file(), isoImage(volume)))

  const read = async (program: string, ...args: readonly string[]): Promise<string> => {
    const {environment, find} = programs as DebianPrograms
    return (await run(find(program), args, {env: environment})).stdout
  }

  test('isoinfo reads its label, its names and its files', async () => {
    const about = await read('isoinfo', '-d', '-i', file())
    expect(about).toContain(`Volume id: ${volume.label}\n`)
    expect(about).toContain('Joliet with UCS level 3 found')
    const names = await read('isoinfo', '-J', '-f', '-i', file())
    for (const {content, name} of volume.files) {
      const there = ['', ...volume.folders, name].join('/')
      expect(names.split('\n')).toContain(there)
      expect(await read('isoinfo', '-J', '-x', there, '-i', file())).toBe(content.toString())
    }
  })

  test('isoinfo finds the short names where it is not asked for Joliet', async () => {
    const names = (await read('isoinfo', '-f', '-i', file())).split('\n').filter((name) => name.includes(';'))
    expect(names.map((name) => name.split('/').at(-1)).sort()).toEqual(
      volume.label === 'cidata' ? ['META_DAT.;1', 'USER_DAT.;1'] : ['META_DAT.JSO;1', 'USER_DAT.;1'],
    )
  })

  test('7-Zip unpacks it, without a warning', async () => {
    const target = path.join(folder, volume.label)
    expect(await read('7zz', 'x', `-o${target}`, file())).toContain('Everything is Ok')
    for (const {content, name} of volume.files) {
      expect(await readFile(path.join(target, ...volume.folders, name), 'utf8')).toBe(content.toString())
    }
  })
})
