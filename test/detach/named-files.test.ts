// Files that the options of a detached run name: the service judges them again, as SYSTEM, before it uses them. Who can
// change one after the session has checked it does not decide what SYSTEM reads or writes.
import {beforeAll, describe, expect, it} from 'vitest'
import {parse} from 'yaml'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import type {HostFolder} from '../steps/host-folder.js'
import {hostWithProgram, requestOn, serve, serviceOn, session, SMALL} from './detached.js'
import {sample, turn} from '../sample.js'

const BOB = 'S-1-5-21-1-2-3-1001'
const SYSTEM = 'S-1-5-18'
const CLOSED = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'
const BOBS = `O:${BOB}D:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;${BOB})`
const FILE = String.raw`C:\named.txt`
const NAME = 'named.txt'
/** What the kubelet reads. */
const CLIENT_CA = String.raw`k\client-ca.crt`

const secure = (host: HostFolder, sddl: string): void =>
  host.edit(({security}) => void (security[FILE.toLowerCase()] = sddl))

const runAs = (host: HostFolder, sid: string): void => host.edit(({os}) => void (os.accountSid = sid))

/** The service's run, and whether it has read or changed the file. */
async function served(host: HostFolder) {
  runAs(host, SYSTEM)
  const opened: Effect[] = []
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, (effect, perform) => {
      const isOpened = /^(?:append|digest|read|readChunks|readRange|write)$/.test(effect.what)
      if (isOpened && String(effect.args[0]).toLowerCase() === FILE.toLowerCase()) opened.push(effect)
      return perform()
    })
  return {opened, result: await serve(host, {wrap})}
}

describe('setup: --client-ca-file', () => {
  async function handedOver(sddl: string, account?: string): Promise<HostFolder> {
    const host = await hostWithProgram()
    host.put(NAME, CLUSTER_CA)
    secure(host, sddl)
    if (account !== undefined) runAs(host, account)
    const result = await session(host, {given: {...SMALL, 'client-ca-file': FILE}})
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({outcome: 'detached'})
    return host
  }

  it('is used where only administrators can change it', async () => {
    const host = await handedOver(CLOSED)
    const {opened, result} = await served(host)
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(opened).not.toEqual([])
    expect(host.read(CLIENT_CA)).toBe(CLUSTER_CA)
  })

  it.each<[string, (host: HostFolder) => void]>(
    sample(
      [
        ['another account can change it since', (host) => secure(host, BOBS)],
        ['it has another name since', (host) => host.hardLink(NAME, 'other-name')],
        [
          'it is a link since',
          (host) => {
            host.move(NAME, 'moved.txt')
            host.link(NAME, 'moved.txt')
          },
        ],
      ],
      2,
    ),
  )('is not read where %s', async (_, change) => {
    const host = await handedOver(CLOSED)
    change(host)
    const {opened, result} = await served(host)
    expect(result).toMatchObject({exitCode: 3, outcome: 'failed', steps: []})
    expect(result.error?.id).toMatch(/^(?:UNTRUSTED_FILE|HARD_LINK|LINK_IN_THE_WAY)$/)
    expect(opened).toEqual([])
    expect(host.has(CLIENT_CA)).toBe(false)
    // Gone when its process has ended.
    expect(serviceOn(host)?.deleting ?? true).toBe(true)
  })

  it("is not read where only the session's own account can change it: that account is not SYSTEM", async () => {
    const {opened, result} = await served(await handedOver(BOBS, BOB))
    expect(result).toMatchObject({error: {id: 'UNTRUSTED_FILE'}, exitCode: 3})
    expect(opened).toEqual([])
  })
})

describe('setup', () => {
  it('--kubeconfig is copied at the hand-over, and not read again', async () => {
    const host = await hostWithProgram()
    const content = host.read(String.raw`k\kubeconfig`)
    host.put(NAME, content)
    host.remove(String.raw`k\kubeconfig`)
    expect(await session(host, {given: {...SMALL, kubeconfig: FILE}})).toMatchObject({outcome: 'detached'})
    host.put(NAME, 'of another cluster')
    secure(host, BOBS)
    const {opened, result} = await served(host)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(opened).toEqual([])
  })

  it('--registry-config is copied at the hand-over, and not read again', async () => {
    const host = await hostWithProgram()
    const folder = String.raw`C:\registries`
    host.put(String.raw`registries\registry.example\ca.crt`, CLUSTER_CA)
    host.edit(({security}) => void (security[folder.toLowerCase()] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'))
    const given = {...SMALL, 'registry-config': folder}
    expect(await session(host, {given})).toMatchObject({outcome: 'detached'})
    host.remove('registries')
    expect((await served(host)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(host.read(String.raw`k\containerd\certs.d\registry.example\ca.crt`)).toBe(CLUSTER_CA)
  })

  it('--config is read in the session only: its options are in the request', async () => {
    const host = await hostWithProgram()
    host.put(NAME, 'apiVersion: k8s-win/v1\nkind: NodeConfig\nimages: {base: [none]}\nenableDSR: true\n')
    expect(await session(host, {given: {config: FILE}})).toMatchObject({outcome: 'detached'})
    const {argv} = JSON.parse(requestOn(host) ?? '') as {readonly argv: readonly string[]}
    expect(argv).toEqual([String.raw`--base-dir=C:\k`, '--enable-dsr', '--base-images=none', '--launcher=none'])
    host.put(NAME, 'apiVersion: k8s-win/v1\nkind: NodeConfig\nadopt: true\n')
    secure(host, BOBS)
    const {opened, result} = await served(host)
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(opened).toEqual([])
  })

  it('what only a file can have is handed over in one that only administrators can read, also that there is none', async () => {
    const host = await hostWithProgram()
    const file = (config: string): string =>
      `apiVersion: k8s-win/v1\nkind: NodeConfig\nimages: {base: [none]}\n${config}`
    for (const [config, wanted] of [
      ['kubelet: {config: {maxPods: 50}, args: {v: 4}}\n', 50],
      ['kubelet: {config: {}}\n', undefined],
    ] as const) {
      host.put(NAME, file(config))
      expect(await session(host, {given: {config: FILE}})).toMatchObject({outcome: 'detached'})
      expect(requestOn(host)).toContain(String.raw`"--config=C:\\k\\k8s-win\\run.yaml"`)
      expect(host.world.security[String.raw`c:\k\k8s-win\run.yaml`]).toMatch(/^O:BAD:PAI/)
      host.remove(NAME)
      expect((await served(host)).result).toMatchObject({exitCode: 0, outcome: 'done'})
      const written = parse(host.read(String.raw`k\kubelet-config.yaml`)) as {maxPods?: number}
      expect(written.maxPods).toBe(wanted)
      expect(host.world.services['kubelet']?.config.imagePath).toMatch(/ --v=4$/)
      expect(host.has(String.raw`k\k8s-win\run.yaml`)).toBe(false)
    }
  })
})

describe('reset', () => {
  let node: HostFolder
  beforeAll(async () => {
    node = await hostWithProgram()
    expect(await session(node, {isDetached: false})).toMatchObject({exitCode: 0})
  })

  async function handedOver(of: Parameters<typeof session>[1], sddl = CLOSED, account?: string): Promise<HostFolder> {
    const host = node.copy()
    if (of?.kubeconfig !== undefined) {
      host.put(NAME, host.read(String.raw`k\kubeconfig`))
      secure(host, sddl)
    }
    if (account !== undefined) runAs(host, account)
    const result = await session(host, {...of, command: 'reset'})
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({outcome: 'detached'})
    return host
  }

  it('--kubeconfig is used where only administrators can change it', async () => {
    const {opened, result} = await served(await handedOver({kubeconfig: FILE}))
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(opened).not.toEqual([])
  })

  it.each<[string, string, string | undefined]>(
    turn(
      [
        ['another account can change it since', CLOSED, undefined],
        ["only the session's own account can change it", BOBS, BOB],
      ],
      1,
    ),
  )('--kubeconfig is not read where %s, and nothing is removed', async (_, sddl, account) => {
    const host = await handedOver({kubeconfig: FILE}, sddl, account)
    secure(host, BOBS)
    const {opened, result} = await served(host)
    expect(result).toMatchObject({error: {id: 'KUBECONFIG_UNTRUSTED'}, exitCode: 3, steps: []})
    expect(opened).toEqual([])
    expect(host.world.services['kubelet']?.state).toBe('running')
  })

  it.each([
    ['a log', '2026-11-15T06:00:00.000Z event {}\n'],
    ['anything else', 'precious'],
  ])('--log-file is not written where another account has put %s there since', async (_, content) => {
    const host = await handedOver({reset: {'log-file': FILE}})
    host.put(NAME, content)
    secure(host, BOBS)
    const {opened, result} = await served(host)
    expect(result).toMatchObject({error: {id: 'BAD_VALUE'}, exitCode: 2, steps: []})
    expect(opened).toEqual([])
    expect(host.read(NAME)).toBe(content)
    expect(host.world.services['kubelet']?.state).toBe('running')
  })
})
