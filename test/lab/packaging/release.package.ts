// What npm run package builds, on lab machines: each of the three from nothing to a Ready node and back, as from source.
import {readdir} from 'node:fs/promises'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import packageDocument from '../../../package.json' with {type: 'json'}
import {NODE_VERSION, unpack} from '../../../packaging/npm-packages.js'
import {buildRelease, FILE_NAMES} from '../../../packaging/release.js'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import type {StatusDocument} from '../../../src/pipeline/run/status-report.js'
import {unzip} from '../../bundle/unzip.js'
import {type Lab, type LabMachine, openLab} from '../lab.js'
import {pageAligned} from '../layers/page-aligned.js'
import {ask} from '../node/ask.js'
import {attach, isServiceGone} from '../node/detached-run.js'
import {type LabCli, type LabNode, startLabNode} from '../node/lab-node.js'
import {labExe} from './lab-exe.js'

const EXE = 'C:\\lab\\k8s-win.exe'
const PORTABLE = 'C:\\lab\\portable folder'
const INSTALLED = 'C:\\lab\\npm\\node_modules'
const ADDON_FOLDER = '/lab/prefix/drive_c/Program Files/k8s-win'
const WITHIN = {interval: 200, timeout: 60_000}

interface Way {
  readonly cli: LabCli
  readonly name: string
  put(machine: LabMachine): Promise<void>
}

let lab: Lab
let files: ReadonlyMap<string, Buffer>

const fileNamed = (name: string): Buffer => files.get(name)!
const windows = (name: string): string => name.replaceAll('/', '\\')
/** Wine maps only such programs; the sections are the same. */
const forWine = (name: string, bytes: Uint8Array): Uint8Array =>
  name.endsWith('node.exe') ? pageAligned(Buffer.from(bytes)) : bytes

const WAYS: readonly Way[] = [
  {
    cli: {args: [], program: EXE},
    name: 'k8s-win.exe',
    put: (machine) => machine.write(EXE, labExe(fileNamed(FILE_NAMES.exe))),
  },
  {
    cli: {args: ['/c', `${PORTABLE}\\k8s-win\\k8s-win.cmd`], program: 'C:\\windows\\system32\\cmd.exe'},
    name: 'the portable zip',
    put: async (machine) => {
      for (const {bytes, name} of unzip(fileNamed(FILE_NAMES.portable))) {
        await machine.write(`${PORTABLE}\\${windows(name)}`, forWine(name, bytes))
      }
    },
  },
  {
    cli: {args: [`${INSTALLED}\\k8s-win\\bin\\run.js`], program: 'C:\\lab\\node24\\node.exe'},
    name: 'the npm tarball',
    put: async (machine) => {
      for (const [name, bytes] of await unpack(fileNamed(FILE_NAMES.tarball))) {
        await machine.write(`${INSTALLED}\\k8s-win\\${windows(name)}`, bytes)
      }
      // npm installs these beside it; the lab has them already.
      await machine.linux([
        'cp',
        '-r',
        '/lab/prefix/drive_c/k8s-win/node_modules/.',
        '/lab/prefix/drive_c/lab/npm/node_modules',
      ])
    },
  },
]

beforeAll(async () => {
  files = await buildRelease()
  lab = await openLab()
})

afterAll(async () => {
  await lab.close()
})

describe.each(WAYS)('$name', ({cli, put}) => {
  let node: LabNode
  const run = async (command: string, ...args: readonly string[]) => (await node.start(command, args)).ended

  beforeAll(async () => {
    node = await startLabNode(lab, {cli, isDetachable: true})
    await put(node.machine)
  })

  afterAll(async () => {
    await node.close()
  })

  test('says its version and helps', async () => {
    const version = await run('--version')
    expect(version, version.stderr).toMatchObject({
      code: 0,
      stdout: `k8s-win/${packageDocument.version} win32-x64 node-v${NODE_VERSION}\n`,
    })
    expect(await run('setup', '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--base-dir') as string,
    })
    const wrong = await run('setup', '--no-such-flag', '--json')
    expect(wrong).toMatchObject({code: 2})
  })

  test('sets up a node, checks it, and resets it', async () => {
    const setup = await node.setup(['-BaseDir', 'c:\\k', '--json'])
    expect(setup, setup.stderr).toMatchObject({code: 0})
    const {node: joined, outcome, recap} = JSON.parse(setup.stdout) as RunResultDocument
    expect({joined, outcome, recap}).toMatchObject({
      joined: {name: 'win-1', ready: true},
      outcome: 'done',
      recap: {failed: 0, skipped: 0},
    })

    const status = await ask(node, 'status', '--json')
    const {problems, notChecked} = JSON.parse(status.stdout) as StatusDocument
    expect({code: status.code, problems, notChecked}).toEqual({code: 0, problems: [], notChecked: []})

    const reset = await run('reset', '--yes', '--json')
    expect(reset, reset.stderr).toMatchObject({code: 0})
    expect(JSON.parse(reset.stdout)).toMatchObject({outcome: 'done'})
    expect(await run('status', '--json')).toMatchObject({code: 9})
  })

  if (cli.program !== EXE) return
  test('replaces an addon that was changed before it loads it', async () => {
    const shell = async (script: string) =>
      (await node.machine.linux(['sh', '-c', `cd "${ADDON_FOLDER}" && ${script}`])).stdout
    const before = await shell('sha256sum *')
    expect(before).toMatch(/^[0-9a-f]{64} {2}koffi-[0-9a-f]{16}\.node\n$/)
    await shell('for file in *; do echo MZ >"$file"; done')
    const both = await Promise.all([run('status', '--json'), run('status', '--json')])
    expect(both.map(({code}) => code)).toEqual([9, 9])
    expect(await shell('sha256sum *')).toBe(before)
  })

  test('continues as a service from its copy, which reset --purge from there moves out of the base directory', async () => {
    const setup = await node.setup(['-BaseDir', 'c:\\k', '--detach', '--json'])
    expect(setup, setup.stderr).toMatchObject({code: 0})
    expect(await attach(node)).toMatchObject({code: 0, result: {node: {ready: true}, outcome: 'done'}})
    await expect.poll(() => isServiceGone(node), WITHIN).toBe(true)

    const reset = await run('reset', '--purge', '--yes', '--detach', '--log-file', 'C:\\reset.log', '--json')
    expect(reset, reset.stderr).toMatchObject({code: 0})
    expect(await attach(node)).toMatchObject({code: 0, result: {outcome: 'done'}})
    await expect.poll(() => isServiceGone(node), WITHIN).toBe(true)
    const filesIn = (folder: string): Promise<string[]> => readdir(node.machine.path(folder))
    expect(await filesIn('C:\\k')).toEqual(['kubeconfig'])
    const moved = (await filesIn('C:\\')).filter((name) => name.endsWith('.deleted'))
    expect(moved).toHaveLength(2)
    const {pendingRenames} = await node.look()
    // In the order in which they were moved; each with nothing, which means that it is deleted.
    const [first, ...rest] = [pendingRenames ?? []].flat()
    expect([first, rest[1]].sort()).toEqual(moved.map((name) => `\\??\\C:\\${name}`).sort())
    expect([rest[0], ...rest.slice(2)]).toEqual(['', ''])
  })
})

test('k8s-win.exe ignores NODE_OPTIONS, which would run a file of an ordinary user with the rights of an administrator', async () => {
  const machine = await lab.machine()
  try {
    const MARK = 'C:\\lab\\planted.txt'
    const env = {NODE_OPTIONS: '--require C:/lab/planted.cjs'}
    await machine.write('C:\\lab\\planted.cjs', `require('fs').appendFileSync(${JSON.stringify(MARK)}, 'planted ')`)
    await machine.write(EXE, pageAligned(fileNamed(FILE_NAMES.exe)))
    const answers = []
    for (const args of [['--version'], ['status', '--json']]) answers.push(await machine.run({args, env, program: EXE}))
    expect(answers).toMatchObject([{code: 0}, {code: 9}])
    await expect(machine.read(MARK)).rejects.toMatchObject({code: 'ENOENT'})
    // The variable does reach Node.js: its own executable runs the file.
    expect(await machine.run({args: ['-e', '0'], env, node: 24})).toMatchObject({code: 0})
    expect(await machine.read(MARK)).toBe('planted ')
  } finally {
    await machine.close()
  }
})

test('a second build has the same bytes', async () => {
  const again = await buildRelease()
  expect(again.get(FILE_NAMES.sums)?.toString()).toBe(fileNamed(FILE_NAMES.sums).toString())
})
