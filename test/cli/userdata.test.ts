// k8s-win userdata, as people and programs call it.
import {execFile} from 'node:child_process'
import {existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {promisify} from 'node:util'
import {afterAll, expect, test} from 'vitest'
import type {RehearsalDocument} from '../../src/runs/userdata/rehearse.js'
import type {UserdataDocument} from '../../src/runs/userdata/userdata.js'
import {HASH, SERVER, TOKEN} from '../userdata/rig.js'
import {BIN, k8sWin, k8sWinProcess} from './program.js'

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

/** As on the page of user data: a new machine has neither the feature Containers nor a kubeconfig. */
const JOIN = [...SERVER, '--enable-features', '--base-images', 'none']

test('prints the user data and nothing else, on any system', async () => {
  const ended = await k8sWinProcess(
    userdata('aws', ...SERVER, '-TokenFrom', 'aws-ssm:/k8s/join', '-NodeLabel', 'a=b'),
    {K8S_WIN_NODE_NAME: 'this-machine'},
  )
  expect({code: ended.code, stderr: ended.stderr}).toEqual({code: 0, stderr: ''})
  expect(ended.stdout).toMatch(/^<script>\r\n@echo off\r\n[^]*\r\n<\/script>\r\n$/)
  expect(ended.stdout).toContain('"%program%" setup --launcher=ec2launch --node-label=a=b ')
})

test('the first page of help has what a node needs to join', async () => {
  const {stdout} = await k8sWin(['userdata', '--help'])
  for (const flag of ['server', 'ca-cert-hash', 'token-from']) expect(stdout).toMatch(new RegExp(`^ +--${flag}=`, 'm'))
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

test.runIf(existsSync('/proc/self/fd'))('a configuration that is piped in is embedded', async () => {
  const file = join(folder, 'piped.yaml')
  writeFileSync(file, 'apiVersion: k8s-win/v1\nkind: NodeConfig\nnodeName: win-1\n')
  const argv = userdata('gce', '--config', '/dev/stdin')
  const piped = ['-c', 'cat "$0" | "$@"', file, process.execPath, BIN, ...argv]
  const {stdout} = await promisify(execFile)('/bin/sh', piped)
  const [, embedded = ''] = /node\.yaml\.b64" echo (\S+)/.exec(stdout) ?? []
  expect(Buffer.from(embedded, 'base64').toString()).toContain('nodeName: "win-1"')
})

test('a volume is written once, and only the document goes to standard output', async () => {
  const iso = join(folder, 'win-1.iso')
  const ended = await k8sWin(userdata('hyperv', '--iso', iso, '--json'))
  expect(ended.code).toBe(0)
  const document = JSON.parse(ended.stdout) as UserdataDocument
  expect(document).toMatchObject({cloud: 'hyperv', format: 'script', iso, launcher: 'cloudbase-init'})
  expect(document.warnings).toEqual([expect.stringContaining('the image must have a kubeconfig')])
  expect(ended.stderr).toBe(`Warning: ${document.warnings[0]}.\n`)
  expect(readFileSync(iso).includes(document.userdata)).toBe(true)
  const size = statSync(iso).size
  const again = await k8sWin(userdata('hyperv', '--iso', iso))
  expect(again.code).toBe(2)
  expect(again.stderr).toContain('USERDATA_TARGET_UNUSABLE')
  expect(statSync(iso).size).toBe(size)
})

test('a rehearsal in a folder is kept there, and the second one changes nothing', async () => {
  const host = ['--simulate', 'ws2022-containerd', '--simulate-dir', join(folder, 'rehearsed')]
  const options = [...JOIN, '--token-from', 'gcp-sm:my-project/join', '--rehearse', ...host, '--json']
  const ended = await k8sWinProcess(userdata('gce', ...options))
  expect({code: ended.code, stderr: ended.stderr}).toEqual({code: 0, stderr: ''})
  const document = JSON.parse(ended.stdout) as RehearsalDocument
  expect(document).toMatchObject({belief: 'done', exitCode: 0, isReady: true, simulated: true})
  expect(JSON.parse((await k8sWinProcess(userdata('gce', ...options))).stdout)).toMatchObject({
    starts: [{runs: [{setup: {changed: 0}}]}, {runs: [{setup: {changed: 0}}]}],
  })
})

test('a rehearsal that ends without a node has the exit code of setup, not of the launcher', async () => {
  const ended = await k8sWin(userdata('openstack', '--interface-name', 'none', '--rehearse'))
  expect(ended.code).toBe(3)
  expect(ended.stdout).toMatch(/but cloudbase-init reports success\.\n$/)
})

test('without a folder the host is in memory, through its restart', async () => {
  const ended = await k8sWinProcess(userdata('gce', ...JOIN, '--token-from', 'gcp-sm:my-project/join', '--rehearse'))
  expect(ended.stdout).toMatch(/0 steps changed[^]*The node is Ready, and Google's agent reports success\.\n$/)
  expect(ended.stdout).toContain('Windows is restarted by k8s-win.')
  expect(existsSync('.k8s-win-sim')).toBe(false)
})

test('the next rehearsal in a folder has the secrets of its own command line, and no private endpoint', async () => {
  const host = ['--simulate', 'ws2022-containerd', '--simulate-dir', join(folder, 'again')]
  const file = join(folder, 'node.yaml')
  writeFileSync(
    file,
    'apiVersion: k8s-win/v1\nkind: NodeConfig\nsecretEndpoint: https://vpce-1.secretsmanager.us-east-1.vpce.amazonaws.com\n',
  )
  for (const [from, ...options] of [
    ['aws-ssm:/one', '--secret-endpoint', 'https://vpce-1.ssm.us-west-2.vpce.amazonaws.com'],
    ['aws-sm:arn:aws:secretsmanager:us-east-1:123456789012:secret:k8s-AbCdEf', '--config', file],
  ] as const) {
    const source = ['--token-from', from, ...options]
    const ended = await k8sWin(userdata('aws', ...JOIN, '--interface-name', 'none', ...source, '--rehearse', ...host))
    expect(ended.code).toBe(3)
    expect(ended.stdout).toMatch(/INTERFACE_MISSING[^]*\nCause: .+\nFix: /)
    expect(ended.stdout).not.toContain('SECRET_')
  }
})
