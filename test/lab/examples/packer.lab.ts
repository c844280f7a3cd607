// examples/packer with Debian's Packer, whose builder for AWS is built in; and the syntax of what else is HCL.
import {execFile} from 'node:child_process'
import {copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {openPrograms} from '../debian-programs.js'

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url))
const TEMPLATE = 'packer/k8s-win.pkr.hcl'
const HCL = [TEMPLATE, 'packer/plugins.pkr.hcl', 'gce-managed-group/main.tf']
/** The last Debian with this builder built in, whatever this machine has. */
const SUITE = 'bookworm'
const isPossible = process.platform === 'linux' && process.getuid?.() === 0
if (!isPossible) process.stderr.write('NOT RUN: examples/packer and the syntax of HCL. They need root on a Debian.\n')

let folder: string
let packer: (...args: readonly string[]) => Promise<{code: number; output: string}>

beforeAll(async () => {
  if (!isPossible) return
  folder = await mkdtemp(path.join(tmpdir(), 'packer-'))
  const {environment, find} = await openPrograms(['packer'], SUITE)
  const program = find('packer')
  // It would ask its maker for news, and keep plugins and a cache in the user's home.
  const env = {...environment, CHECKPOINT_DISABLE: '1', HOME: folder, PACKER_CACHE_DIR: folder}
  packer = (...args) =>
    new Promise((resolve) => {
      execFile(program, args, {env}, (error, stdout, stderr) => {
        resolve({code: error ? Number(error.code ?? -1) : 0, output: stdout + stderr})
      })
    })
})

afterAll(() => isPossible && rm(folder, {force: true, recursive: true}))

/** A copy: without plugins.pkr.hcl, which Packer 1.6 does not know. */
async function validate(change = (text: string) => text) {
  const copy = path.join(folder, 'example')
  await rm(copy, {force: true, recursive: true})
  await mkdir(copy)
  for (const name of await readdir(path.join(EXAMPLES, 'packer'))) {
    if (!name.startsWith('plugins.')) await copyFile(path.join(EXAMPLES, 'packer', name), path.join(copy, name))
  }
  const file = path.join(copy, path.basename(TEMPLATE))
  await writeFile(file, change(await readFile(file, 'utf8')))
  return packer('validate', '-var=program_url=https://example.com/k8s-win.exe', '-var=program_sha256=00', copy)
}

describe.skipIf(!isPossible)('the AMI', () => {
  it('is valid, with all arguments of its builder and provisioners', async () => {
    expect(await validate()).toMatchObject({code: 0})
  })

  it.each([
    ['instance_type', 'instance_typ'],
    ['disable_stop_instance', 'disable_stop_instances'],
    ['install.cmd', 'instal.cmd'],
  ])('%s: another word is found', async (word, other) => {
    const {code, output} = await validate((text) => text.replace(word, other))
    expect([code, output.includes(other)]).toEqual([1, true])
  })
})

describe.skipIf(!isPossible).each(HCL)('%s', (name) => {
  const MISFORMATTED = 3
  /** The parser reads it before it formats. */
  async function codeFor(change: (text: string) => string) {
    const file = path.join(folder, 'any.pkr.hcl')
    await writeFile(file, change(await readFile(path.join(EXAMPLES, name), 'utf8')))
    return (await packer('fmt', '-check', file)).code
  }

  it('is HCL, formatted as its tools format it', async () => {
    expect(await codeFor((text) => text)).toBe(0)
    expect(await codeFor((text) => text.replace(' = ', '   =   '))).toBe(MISFORMATTED)
    expect(await codeFor((text) => text.trimEnd().slice(0, -1))).toBe(1)
  })
})
