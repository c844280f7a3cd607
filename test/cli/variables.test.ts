// Variables of the environment, as the built command uses and names them.
import {expect, onTestFinished, test} from 'vitest'
import {variablesTaken} from '../../src/cli/arguments/run-command-line.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {HostFolder} from '../steps/host-folder.js'
import {k8sWin, k8sWinProcess} from './program.js'

const PROFILE = 'ws2022-containerd'
const SID = 'S-1-5-21-1-2-3-1001'
const TOKEN = 'abcdef.0123456789abcdef'

async function hostOf(stored: Readonly<Record<string, string>>) {
  const memory = await HostFolder.fresh((world) => {
    world.os.accountSid = SID
    const values = Object.entries(stored).map(([name, data]) => [name, {data, type: 'REG_SZ'}] as const)
    world.registry[String.raw`HKU\S-1-5-21-1-2-3-1001\Environment`] = Object.fromEntries(values)
  }, PROFILE)
  const host = memory.onDisk()
  onTestFinished(() => host.discard())
  return host
}

test('review A3-3: a variable of the account is refused by name, and the token is not looked for', async () => {
  const stored = {K8S_WIN_IMAGE_REGISTRY: 'evil.example', K8S_WIN_TOKEN: TOKEN}
  const host = await hostOf(stored)
  const args = ['setup', '--dry-run', '--json', '--simulate', PROFILE, '--simulate-dir', host.dir]
  const ended = await k8sWinProcess(args, stored)
  const {error} = JSON.parse(ended.stdout) as RunResultDocument
  expect([ended.code, error?.id]).toEqual([2, 'ACCOUNT_VARIABLES'])
  expect(error?.message).toContain('K8S_WIN_IMAGE_REGISTRY')
  expect(JSON.stringify(error)).not.toMatch(/K8S_WIN_TOKEN|evil/)
  expect(host.read('../transcript.ndjson')).not.toContain('K8S_WIN_TOKEN')
  // The account may have stored another value since this session began.
  const changed = await k8sWin(args, {K8S_WIN_IMAGE_REGISTRY: 'registry.corp.example'})
  expect(changed.stdout).toContain('ACCOUNT_VARIABLES')
})

test('review A3-3: a variable that only the session has set is used, and named', async () => {
  const host = await hostOf({})
  const args = ['setup', '--dry-run', '--json', '--simulate', PROFILE, '--simulate-dir', host.dir]
  const set = await k8sWin(args, {K8S_WIN_IMAGE_REGISTRY: 'registry.corp.example'})
  expect(set.stdout).not.toContain('ACCOUNT_VARIABLES')
  expect(set.stderr.split('\n')[0]).toBe('From the environment: K8S_WIN_IMAGE_REGISTRY=registry.corp.example')
})

test('review A3-3: what came from variables is named, and not what the command line says', () => {
  const environment = {
    K8S_WIN_BASE_DIR: String.raw`D:\k`,
    K8S_WIN_IMAGE_REGISTRY: 'https://user:word@registry.corp.example',
    K8S_WIN_RELEASE: '1.36.4',
    K8S_WIN_TOKEN: TOKEN,
    K8S_WIN_WATCH: 'true',
  }
  const flags = {'base-dir': {}, 'image-registry': {}, token: {}, watch: {}}
  expect(variablesTaken(environment, ['--base-dir=E:\\k', '--no-watch'], flags)).toEqual([
    'K8S_WIN_IMAGE_REGISTRY=https://***@registry.corp.example',
    'K8S_WIN_TOKEN',
  ])
})
