// Our reading of kubeconfigs beside Debian's kubectl: what it shows, and whom the cluster sees when either asks.
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {parse} from 'yaml'
import {openCluster} from '../../../src/host/cluster/cluster.js'
import {type Kubeconfig, readKubeconfig} from '../../../src/host/cluster/kubeconfig.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {serveCluster, TOKEN} from '../../host/cluster/loopback-cluster.js'
import type {KubeconfigCase} from './cases.js'
import {FILES} from './documents.js'
import {FORM_CASES} from './form-cases.js'
import {GOOD_CASES} from './good-cases.js'
import {type Kubectl, openKubectl} from './kubectl.js'
import {REFUSED_CASES} from './refused-cases.js'

const CASES = [...GOOD_CASES, ...FORM_CASES, ...REFUSED_CASES]
const PLUGIN = `#!/bin/sh
echo '{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": {"token": "${TOKEN}"}}'
`

interface Shown {
  readonly users?: {readonly user: {exec?: {command: string}; token?: string; tokenFile?: string}}[]
}

const machine = openRealMachine({environment: {}})
let folder = ''
let kubectl: Kubectl

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'k8s-win-kubeconfig-'))
  kubectl = await openKubectl(join(folder, 'home'))
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), {recursive: true})
    writeFileSync(join(folder, name), content)
  }
  writeFileSync(join(folder, 'plugin'), PLUGIN, {mode: 0o700})
}, 300_000)
afterAll(() => rmSync(folder, {force: true, recursive: true}))

const fill = (text: string, server: string): string =>
  text
    .replaceAll('SERVER', server)
    .replaceAll('HOST_AND_PORT', server.replace('https://', ''))
    .replaceAll('FOLDER', folder)

/** With the loopback server and this run's folder in it, whatever the encoding. */
function write({content}: KubeconfigCase, server: string): string {
  const path = join(folder, 'kubeconfig')
  const bytes = Buffer.from(content)
  const mark = bytes.toString('hex', 0, 2)
  const swap = (utf16: Buffer): Buffer => (mark === 'feff' ? Buffer.from(utf16).swap16() : utf16)
  const isWide = mark === 'feff' || mark === 'fffe'
  const encoding = isWide ? 'utf16le' : 'latin1'
  writeFileSync(path, swap(Buffer.from(fill(swap(bytes).toString(encoding), server), encoding)))
  return path
}

async function ours(path: string): Promise<Error | Kubeconfig> {
  const read = async (file: string) => {
    try {
      return readFileSync(file)
    } catch {
      return undefined
    }
  }
  return readKubeconfig(path, readFileSync(path), read).catch((error: unknown) => error as Error)
}

/** Without what is null, empty or false, which kubectl leaves out here and there. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, comparable(inner)] as const)
  return Object.fromEntries(entries.filter(([, inner]) => !isNothing(inner)))
}

const isNothing = (value: unknown): boolean =>
  typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : value === '' || value === false

describe.each(CASES)('$name', (one) => {
  it(one.verdict + (one.why === undefined ? '' : `: ${one.why}`), async () => {
    const {seen, server} = await serveCluster()
    const path = write(one, server)
    const view = await kubectl(['config', 'view', '--raw', '--flatten', '--minify', '-o', 'json', '--kubeconfig', path])
    const kubeconfig = await ours(path)
    const ask = () => kubectl(['get', '--raw', '/api/v1/nodes/win-1', '--kubeconfig', path])

    if (one.verdict === 'refused') {
      expect(view.code, view.stdout).not.toBe(0)
      return expect(kubeconfig).toBeInstanceOf(Error)
    }

    expect(view.code, view.stderr).toBe(0)
    if (one.verdict !== 'agree') {
      expect(kubeconfig).toBeInstanceOf(Error)
      if (one.verdict === 'kubectl shows it only') expect((await ask()).code).not.toBe(0)
      return expect(seen).toEqual([])
    }

    if (kubeconfig instanceof Error) throw kubeconfig
    const shown = JSON.parse(view.stdout) as Shown
    for (const {user} of shown.users ?? []) {
      if (one.tokenOfFile !== undefined) Object.assign(user, {token: one.tokenOfFile, tokenFile: ''})
      if (one.commandOfFile !== undefined && user.exec) user.exec.command = fill(one.commandOfFile, server)
    }
    expect(comparable(parse(kubeconfig.write(), {version: '1.1'}))).toEqual(comparable(shown))
    if (one.notAsked !== undefined) return
    const theirs = await ask()
    expect(theirs.stderr).not.toContain('x509')
    await openCluster(machine, kubeconfig)
      .node('win-1')
      .catch((error: unknown) => {
        if (theirs.code === 0) throw error
      })
    expect(seen).toHaveLength(2)
    expect(seen[1]).toBe(seen[0])
  })
})

it('there are enough of them', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(30)
})
