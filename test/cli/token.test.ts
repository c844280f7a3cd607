// k8s-win token, as people and programs call it, on a simulated cluster with the administrator's kubeconfig beside it.
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {CreatedTokenDocument, TokenListDocument} from '../../src/output/text/token-text.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {schemaErrors} from '../schemas.js'
import {DiskHost} from '../steps/host-folder.js'
import {k8sWin} from './program.js'

const PROFILE = 'ws2025'
const host = DiskHost.empty()
const simulate = ['--simulate', PROFILE, '--simulate-dir', host.dir]
const admin = join(host.dir, 'admin.kubeconfig')
const token = (...args: readonly string[]) => k8sWin(['token', ...args, '--kubeconfig', admin, ...simulate])

beforeAll(async () => void (await openSimulator({dir: host.dir, profile: PROFILE})))
afterAll(() => host.discard())

describe('token', () => {
  test('create, list and delete', async () => {
    const created = await token('create', '--ttl', '2h', '--description', 'rack 7')
    expect({code: created.code, stderr: created.stderr}).toEqual({code: 0, stderr: ''})
    const [, id = '', secret = ''] = /^Token: +([\da-z]{6})\.([\da-z]{16})$/m.exec(created.stdout) ?? []
    expect(id).not.toBe('')
    expect(created.stdout).toMatch(
      /k8s-win setup -BaseDir c:\\k -Server https:\/\/10\.0\.0\.10:6443 -TokenFile - -CaCert/,
    )
    expect(created.stdout.split(secret)).toHaveLength(2)

    const listed = await token('list')
    expect(listed.code).toBe(0)
    expect(listed.stdout).toMatch(new RegExp(`^${id} +1h59m .* rack 7$`, 'm'))
    expect(listed.stdout).not.toContain(secret)

    const gone = await token('delete', id)
    expect(gone).toMatchObject({code: 0, stderr: ''})
    const again = await token('delete', `${id}.${secret}`)
    expect(again.code).toBe(3)
    expect(again.stderr).toContain('TOKEN_UNKNOWN')
    expect(again.stderr).not.toContain(secret)
  })

  test('as JSON: the fields of the contract, and the token nowhere but there', async () => {
    const {code, stderr, stdout} = await token('create', '--json')
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    const document = JSON.parse(stdout) as CreatedTokenDocument
    expect(Object.keys(document).sort()).toEqual([
      'caCertHashes',
      'command',
      'expiresAt',
      'schemaVersion',
      'server',
      'simulated',
      'token',
    ])
    expect(schemaErrors('token-created', document)).toEqual([])
    const secret = document.token.slice(7)
    expect(readFileSync(join(host.dir, 'transcript.ndjson'), 'utf8')).not.toContain(secret)
    const list = JSON.parse((await token('list', '--json')).stdout) as TokenListDocument
    expect(schemaErrors('token-list', list)).toEqual([])
    expect(list).toMatchObject({command: 'token list', schemaVersion: 1, simulated: true})
    expect(list.tokens.map(({id}) => id)).toContain(document.token.slice(0, 6))
    const deleted: unknown = JSON.parse((await token('delete', document.token, '--json')).stdout)
    expect(schemaErrors('token-deleted', deleted)).toEqual([])
    expect(deleted).toMatchObject({id: document.token.slice(0, 6)})
  })

  test('the kubeconfig may be that of KUBECONFIG, and is required', async () => {
    const named = await k8sWin(['token', 'list', ...simulate], {KUBECONFIG: admin})
    expect(named.code).toBe(0)
    const none = await k8sWin(['token', 'list', ...simulate], {KUBECONFIG: ''})
    expect(none.code).toBe(2)
    expect(none.stderr).toContain('ADMIN_KUBECONFIG_NOT_GIVEN')
  })

  test.each([
    [['create', '--ttl', '1d'], 'BAD_VALUE'],
    [['create', '--description', 'a\u0007b'], 'BAD_VALUE'],
    [['delete'], 'TOKEN_NOT_GIVEN'],
    [['delete', 'abc'], 'TOKEN_MALFORMED'],
    [['delete', 'abcdef', 'ghijkl'], 'UNEXPECTED_ARGUMENT'],
  ])('%j is refused with exit code 2: %s', async (args, id) => {
    const {code, stderr} = await token(...args)
    expect({code, stderr}).toEqual({code: 2, stderr: expect.stringContaining(id) as string})
  })

  test('the setup line joins the node with the token', async () => {
    const document = JSON.parse((await token('create', '--json')).stdout) as CreatedTokenDocument
    host.put('token.txt', document.token)
    const words = document.command.split(' ').slice(1)
    const args = words.map((word, at) => (words[at - 1] === '-TokenFile' ? String.raw`c:\token.txt` : word))
    const {code, stdout} = await k8sWin([...args, '--json', ...simulate])
    expect({code, stdout}).toEqual({code: 0, stdout: expect.stringContaining('"outcome": "done"') as string})
    expect(stdout).not.toContain(document.token.slice(7))
  }, 180_000)
})
