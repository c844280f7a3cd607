// k8s-win userdata, as people and programs call it.
import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, expect, test} from 'vitest'
import type {UserdataDocument} from '../../src/runs/userdata/userdata.js'
import {HASH, SERVER, TOKEN} from '../userdata/rig.js'
import {k8sWin, k8sWinProcess} from './program.js'

const folder = mkdtempSync(join(tmpdir(), 'k8s-win userdata '))
afterAll(() => rmSync(folder, {recursive: true}))

const userdata = (cloud: string, ...options: readonly string[]) => [
  'userdata',
  cloud,
  '-ProgramUrl',
  'https://example.com/k8s-win.exe',
  '--program-digest',
  HASH,
  ...options,
]

test('prints the user data and nothing else, on any system', async () => {
  const ended = await k8sWinProcess(userdata('aws', '-NodeLabel', 'a=b'), {K8S_WIN_NODE_NAME: 'this-machine'})
  expect({code: ended.code, stderr: ended.stderr}).toEqual({code: 0, stderr: ''})
  expect(ended.stdout).toMatch(/^<script>\r\n@echo off\r\n[^]*\r\n<\/script>\r\n$/)
  expect(ended.stdout).toContain('"%program%" setup --launcher=ec2launch --node-label=a=b\r\n')
})

test('the token of a file only with --inline-secret, and then with a warning', async () => {
  const file = join(folder, 'token')
  writeFileSync(file, `${TOKEN}\n`)
  const refused = await k8sWin(userdata('gce', ...SERVER, '--token-file', file))
  expect(refused).toMatchObject({code: 2, stdout: ''})
  expect(refused.stderr).toContain('USERDATA_SECRET')
  const ended = await k8sWin(userdata('gce', ...SERVER, '--token-file', file, '--inline-secret'))
  expect(ended.code).toBe(0)
  expect(ended.stdout).toContain(`set "K8S_WIN_TOKEN=${TOKEN}"\r\n`)
  expect(ended.stderr).toMatch(/^Warning: /)
  expect(ended.stderr).not.toContain(TOKEN.slice(7))
  writeFileSync(file, 'no token')
  const none = await k8sWin(userdata('gce', ...SERVER, '--token-file', file, '--inline-secret'))
  expect(none).toMatchObject({code: 3, stdout: ''})
  expect(none.stderr).toContain('JOIN_TOKEN_FILE')
})

test('a volume is written once, and only the document goes to standard output', async () => {
  const iso = join(folder, 'win-1.iso')
  const ended = await k8sWin(userdata('hyperv', '--iso', iso, '--json'))
  expect(ended).toMatchObject({code: 0, stderr: ''})
  const document = JSON.parse(ended.stdout) as UserdataDocument
  expect(document).toMatchObject({cloud: 'hyperv', format: 'script', launcher: 'cloudbase-init', warnings: []})
  expect(readFileSync(iso).includes(document.userdata)).toBe(true)
  const size = statSync(iso).size
  const again = await k8sWin(userdata('hyperv', '--iso', iso))
  expect(again.code).toBe(2)
  expect(again.stderr).toContain('USERDATA_TARGET_UNUSABLE')
  expect(statSync(iso).size).toBe(size)
})
