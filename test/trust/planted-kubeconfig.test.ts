// A kubeconfig that another account can have written, with what it names: no command runs, reads or sends any of it.
import {readdirSync, readFileSync} from 'node:fs'
import {join, win32} from 'node:path'
import {describe, expect, test} from 'vitest'
import {AS_AT_THE_ROOT} from '../../src/host/security/security.js'
import {stringify} from 'yaml'
import type {Effect} from '../../src/machine/intercept.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {bundleOn} from '../bundle/bundle-on.js'
import {examine, setUpNode} from '../doctor/doctor-rig.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {openTrust} from '../../src/host/security/trust.js'
import type {TokenInput} from '../../src/runs/token/admin-cluster.js'
import {createToken} from '../../src/runs/token/create.js'
import {deleteToken} from '../../src/runs/token/delete.js'
import {listTokens} from '../../src/runs/token/list.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import type {HostFolder} from '../steps/host-folder.js'

const BOB = 'S-1-5-21-1-2-3-1001'
const BOBS = `O:${BOB}D:PAI(A;;FA;;;${BOB})(A;;FA;;;SY)(A;;FA;;;BA)`
const CLOSED = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'
const CLOSED_FOLDER = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
const PLUGIN = String.raw`C:\tools\plugin.exe`
const TOKEN = String.raw`C:\tools\token`
const UNC = String.raw`\\10.0.0.66\share\token`

const user = {
  exec: {
    exec: {apiVersion: 'client.authentication.k8s.io/v1beta1', args: [], command: PLUGIN, interactiveMode: 'Never'},
  },
  tokenFile: {tokenFile: TOKEN},
  unc: {tokenFile: UNC},
}

function plant(host: HostFolder, who: object, trusted: boolean): void {
  const server = host.world.cluster.serverURL
  const document = {
    apiVersion: 'v1',
    clusters: [{cluster: {server}, name: 'c'}],
    contexts: [{context: {cluster: 'c', user: 'u'}, name: 'x'}],
    'current-context': 'x',
    kind: 'Config',
    users: [{name: 'u', user: who}],
  }
  host.put(String.raw`k\kubeconfig`, stringify(document))
  host.put(PLUGIN.slice(3), 'MZ')
  host.put(TOKEN.slice(3), 'one line of a secret')
  host.edit(({security}) => {
    security[String.raw`c:\k\kubeconfig`] = trusted ? CLOSED : BOBS
    security[String.raw`c:\tools`] = CLOSED_FOLDER
    security[TOKEN.toLowerCase()] = trusted ? BOBS : CLOSED
    security[PLUGIN.toLowerCase()] = trusted ? BOBS : CLOSED
  })
}

const COMMANDS: Readonly<Record<string, (host: HostFolder, wrap: (machine: Machine) => Machine) => Promise<unknown>>> =
  {
    doctor: (host, wrap) => examine(host, {wrap}),
    'logs --bundle': (host, wrap) => bundleOn(host, {wrap}),
    reset: (host, wrap) => resetOn(host.dir, {given: {yes: true}, wrap}),
    setup: async (host, wrap) => {
      const {result} = await setupOn(host.dir, {}, {wrap})
      expect([result.exitCode, result.error?.id]).toEqual([
        3,
        expect.stringMatching(/^(?:UNTRUSTED_FILE|KUBECONFIG_UNTRUSTED)$/),
      ])
    },
    'setup --dry-run': async (host, wrap) => {
      const {result} = await setupOn(host.dir, {}, {dryRun: true, wrap})
      expect([result.exitCode, result.error?.id]).toEqual([
        3,
        expect.stringMatching(/^(?:UNTRUSTED_FILE|KUBECONFIG_UNTRUSTED)$/),
      ])
    },
    status: (host, wrap) => statusOn(host.dir, {wrap}),
  }

const KUBECONFIG = String.raw`C:\k\kubeconfig`

/** With a kubeconfig on the command line, which a user can have planted like any other. */
async function refusedWith(
  host: HostFolder,
  wrap: (machine: Machine) => Machine,
  command: (input: TokenInput) => Promise<unknown>,
): Promise<void> {
  const machine = wrap(await openSimulator({dir: host.dir, profile: 'ws2019'}))
  const error = await command({
    kubeconfig: KUBECONFIG,
    machine,
    onSecret: () => {},
    variable: {separator: ';', value: undefined},
  }).catch((one: unknown) => one)
  expect(error).toMatchObject({id: 'KUBECONFIG_UNTRUSTED'})
}

const NAMED: typeof COMMANDS = {
  'reset --kubeconfig': (host, wrap) => resetOn(host.dir, {given: {yes: true}, kubeconfig: KUBECONFIG, wrap}),
  'token create': (host, wrap) =>
    refusedWith(host, wrap, (input) => createToken({...input, description: '', onSecret: () => {}, ttlMs: 0})),
  'token delete': (host, wrap) => refusedWith(host, wrap, (input) => deleteToken(input, 'abcdef')),
  'token list': (host, wrap) => refusedWith(host, wrap, listTokens),
}

test('review S2-5: a kubeconfig is read in one place, which judges it', () => {
  const all = readdirSync('src', {encoding: 'utf8', recursive: true}).filter((name) => name.endsWith('.ts'))
  const readers = all.filter((name) => readFileSync(join('src', name), 'utf8').includes('readKubeconfig'))
  // The one of a bootstrap token is made here, and names no file.
  const known = ['components/bootstrap-kubeconfig.ts', 'host/cluster/kubeconfig-file.ts', 'host/cluster/kubeconfig.ts']
  expect(readers.sort()).toEqual(known)
})

describe.each([
  ...Object.keys(COMMANDS).map((command) => ['review S1', command] as const),
  ...Object.keys(NAMED).map((command) => ['review S2-5', command] as const),
])('%s: %s uses nothing', (_review, command) => {
  test.each<[string, object, boolean]>([
    ["of a user's kubeconfig with an exec plugin", user.exec, false],
    ["of a user's kubeconfig with a token file", user.tokenFile, false],
    ["of a user's kubeconfig with a token file on a share", user.unc, false],
    ["that a user can write: the exec plugin of an administrator's kubeconfig", user.exec, true],
    ["that a user can write: the token file of an administrator's kubeconfig", user.tokenFile, true],
    ["from a share, which an administrator's kubeconfig names", user.unc, true],
  ])('%s', async (_, who, trusted) => {
    const host = await setUpNode()
    plant(host, who, trusted)
    const effects: Effect[] = []
    await {...COMMANDS, ...NAMED}[command]?.(host, (machine) =>
      interceptMachine(machine, (effect, perform) => {
        effects.push(effect)
        return perform()
      }),
    )
    const opened = effects.filter(({args, via, what}) => {
      const path = String(args[0] ?? '').toLowerCase()
      const isOpened = via === 'run' || /^(?:digest|list|read|readChunks|readRange)$/.test(what)
      if (path === UNC.toLowerCase()) return true
      return isOpened && [PLUGIN, ...(trusted ? [] : [TOKEN])].some((one) => path === one.toLowerCase())
    })
    const runs = effects.filter(({via, what}) => via === 'run' && what.toLowerCase() === PLUGIN.toLowerCase())
    expect([...opened, ...runs]).toEqual([])
    // Nothing is asked of a cluster that a user chose.
    const asked = effects.filter(
      ({args, via}) => via === 'http' && String(args[0]).startsWith(host.world.cluster.serverURL),
    )
    expect(asked).toEqual([])
  })
})

test('review S2-5: the working folder of a relative path is judged with all above it', async () => {
  const asked: string[] = []
  const sddlOf = (path: string) => (path.includes('admin.conf') ? CLOSED : BOBS)
  const trust = openTrust({
    accountSid: async () => 'S-1-5-21-1-2-3-500',
    drive: async () => undefined,
    isAdministrator: async () => true,
    survey: async (places) => {
      asked.push(...places.map(({path}) => path))
      return places.map(({path}) => ({kind: path.endsWith('.conf') ? 'file' : 'directory', path, sddl: sddlOf(path)}))
    },
  })
  expect(await trust.problem('admin.conf')).toMatchObject({id: 'PARENT_OPEN_TO_OTHERS'})
  expect(asked.at(-1)).toBe(win32.resolve('admin.conf'))
  expect(asked.length).toBe(win32.resolve('admin.conf').split('\\').length)
})

test('review S1: a token file of an administrator is used', async () => {
  const host = await setUpNode()
  plant(host, user.tokenFile, true)
  host.edit(({security}) => (security[TOKEN.toLowerCase()] = CLOSED))
  const {notable} = await examine(host)
  expect(notable.kubeconfig).toBeUndefined()
})

describe('review S5: a kubeconfig that the kubelet wrote, which names its link to its newest certificate', () => {
  const KEYS = String.raw`var\lib\kubelet\pki`
  const [link, newest] = [`${KEYS}\\kubelet-client-current.pem`, `${KEYS}\\kubelet-client-2026.pem`]
  const named = {'client-certificate': `C:\\${link}`, 'client-key': `C:\\${link}`}

  async function withLink(file: string): Promise<HostFolder> {
    const host = await setUpNode()
    plant(host, named, true)
    host.put(file, `${NODE_CERTIFICATE.cert}${NODE_CERTIFICATE.key}`)
    // The kubelet of this node has made one already.
    host.remove(link)
    host.link(link, file)
    host.edit(({security}) => {
      security[`c:\\${KEYS}`] = CLOSED_FOLDER
      security[`c:\\${file}`] = CLOSED
    })
    return host
  }

  test('is used', async () => {
    const {notable} = await examine(await withLink(newest))
    expect(notable.kubeconfig).toBeUndefined()
  })

  test.each<[string, (host: HostFolder) => void, string?]>([
    ['a user can change that file', (host) => host.edit(({security}) => (security[`c:\\${newest}`] = BOBS))],
    [
      'a user can add to the folder',
      (host) => host.edit(({security}) => void (security[`c:\\${KEYS}`] = AS_AT_THE_ROOT)),
    ],
    ['the file lies elsewhere', () => {}, String.raw`tools\elsewhere.pem`],
  ])('is not used where %s', async (_, sicken, file = newest) => {
    const host = await withLink(file)
    sicken(host)
    const {result} = await setupOn(host.dir)
    expect([result.exitCode, result.error?.id]).toEqual([3, expect.stringMatching(/UNTRUSTED|LINK_IN_THE_WAY|OPEN/)])
  })
})
