import {describe, expect, test} from 'vitest'
import {KUBELET_PODS, KUBELET_ROOT, POD_LOGS} from '../../../src/config/layout.js'
import {KUBELET_TREES} from '../../../src/config/places.js'
import {isAdministratorsFolder, othersWho, TO_READ} from '../../../src/host/security/access.js'
import {judgeFolders} from '../../../src/host/security/folder-judgement.js'
import {AS_AT_THE_ROOT} from '../../../src/host/security/security.js'
import {EVERY_RIGHT} from '../../../src/machine/sddl.js'
import {kubeletServiceStep} from '../../../src/steps/services/kubelet-service.js'
import {nodeRegistered} from '../../../src/steps/node-registered.js'
import {allowEverything} from '../../fakes/administrator.js'
import {serviceDrifts} from '../drifts/services.js'
import {describeStep} from '../five-tests.js'
import {HostFolder} from '../host-folder.js'
import {Rig} from '../rig.js'
import {removeStep} from '../../../src/pipeline/owned/kinds.js'

describeStep(kubeletServiceStep, {
  drifts: serviceDrifts('kubelet'),
  settleMs: 15_000,
  together: [nodeRegistered],
  // A node may not remove itself from the cluster.
  undo: (host) => host.edit(allowEverything),
})

test('what the kubelet makes goes with it, if it was not there before', async () => {
  const rig = await Rig.open()
  const host = new HostFolder(rig.dir)
  host.put(String.raw`var\lib\dockershim\theirs`, 'x')
  await rig.runBefore('kubelet-service')
  await rig.run(kubeletServiceStep)
  host.put(String.raw`var\lib\kubelet\pki\kubelet.crt`, 'x')
  host.put(String.raw`var\log\pods\one\0.log`, 'x')
  await kubeletServiceStep.stop?.(rig.context)
  await removeStep(kubeletServiceStep, rig.context)
  expect(host.has(String.raw`var\lib\kubelet`)).toBe(false)
  expect(host.has(String.raw`var\log`)).toBe(false)
  expect(host.read(String.raw`var\lib\dockershim\theirs`)).toBe('x')
})

/** What a Windows Server hands down from the root of its drive, and what version 0.1.0 gave to the folders of pods. */
const AS_BEFORE = [
  ['as Windows hands it down', AS_AT_THE_ROOT],
  [
    'as an older setup left it',
    'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;CIIO;LC;;;BU)(A;CIIO;DC;;;BU)(A;OICIIO;GA;;;CO)',
  ],
] as const

test('review S2-4: no local user lists the volumes of pods or adds to them; containers read and write what is inside', async () => {
  const rig = await Rig.open()
  await rig.runBefore('kubelet-service')
  await rig.run(kubeletServiceStep)
  const sddl = await rig.machine.win32.securityOf(KUBELET_PODS)
  expect(othersWho(sddl, EVERY_RIGHT)).toEqual([])
  // A container's user reads and writes its volumes with the rights of Users.
  expect(sddl).toContain('(A;OICIIO;0x1200a9;;;BU)(A;CIIO;LC;;;BU)(A;CIIO;DC;;;BU)')
  await rig.machine.files.makeDirectory(`${KUBELET_PODS}\\uid\\volumes`)
  const inside = await rig.machine.win32.securityOf(`${KUBELET_PODS}\\uid\\volumes`)
  expect(othersWho(inside, TO_READ)).toEqual(['BU'])
})

test.each<readonly [string, string]>([
  ['review S2-8', KUBELET_ROOT],
  ...POD_LOGS.map((path) => ['review S2-4', path] as const),
])('%s: %s is for administrators only', async (_, path) => {
  const rig = await Rig.open()
  await rig.runBefore('kubelet-service')
  await rig.run(kubeletServiceStep)
  expect(isAdministratorsFolder(await rig.machine.win32.securityOf(path))).toBe(true)
})

describe.each(AS_BEFORE)('review S2-8: a folder that is there, %s', (_, before) => {
  test.each([KUBELET_ROOT, KUBELET_PODS, ...POD_LOGS])(
    '%s is drift, and closed; reset restores its list',
    async (path) => {
      const rig = await Rig.open()
      new HostFolder(rig.dir).put(`${path.slice(3)}\\theirs`, 'x')
      const open = await rig.reopen({sicken: ({security}) => void (security[path.toLowerCase()] = before)})
      await open.runBefore('kubelet-service')
      await open.run(kubeletServiceStep)
      expect(othersWho(await open.machine.win32.securityOf(path), EVERY_RIGHT)).toEqual([])
      expect(open.context.journal.entries('kubelet-service', 'security')).toContainEqual(
        expect.objectContaining({path, previous: before}),
      )
      await open.machine.win32.setSecurity(path, before)
      expect(await kubeletServiceStep.inspect(open.context)).toMatchObject({
        evidence: [`${path} is not restricted to administrators`],
        state: 'drifted',
      })
      await open.run(kubeletServiceStep)
      expect(await kubeletServiceStep.inspect(open.context)).toMatchObject({state: 'in-place'})
      await kubeletServiceStep.stop?.(open.context)
      await removeStep(kubeletServiceStep, open.context)
      expect(await open.machine.win32.securityOf(path)).toBe(before)
      expect(await open.machine.files.list(path)).toEqual(['theirs'])
    },
  )
})

test.each(['image_manager', 'config', 'cpu_manager_state'])(
  'review S2-8: what a user planted in the kubelet’s folder is not believed: %s',
  async (name) => {
    const planted = `${KUBELET_ROOT}\\${name}`
    const surveyed = [
      {kind: 'directory', path: KUBELET_ROOT, sddl: AS_AT_THE_ROOT},
      {kind: name === 'cpu_manager_state' ? 'file' : 'directory', path: planted, sddl: OF_A_USER},
    ] as const
    const {problems} = judgeFolders({baseDir: 'C:\\k', compared: []}, surveyed)
    expect(problems.map(({id, message}) => [id, message.includes(planted)])).toEqual([
      [name === 'cpu_manager_state' ? 'UNTRUSTED_FILE' : 'PARENT_OPEN_TO_OTHERS', true],
    ])
  },
)

describe('review S2-8: since the checks, in a folder that was open until this step', () => {
  const link = String.raw`var\lib\kubelet\pki\kubelet-client-current.pem`
  const pair = 'kubelet-client-2026-01-01-00-00-00.pem'
  const made = async (make: (host: HostFolder) => void, planted = ''): Promise<Rig> => {
    const rig = await Rig.open()
    new HostFolder(rig.dir).put(String.raw`var\lib\kubelet\pki\theirs`, 'x')
    const open = await rig.reopen({
      sicken: ({security}) => void (security[KUBELET_ROOT.toLowerCase()] = AS_AT_THE_ROOT),
    })
    await open.runBefore('kubelet-service')
    make(new HostFolder(open.dir))
    const sicken: Parameters<Rig['reopen']>[0] = {
      sicken: ({security}) => void (planted && (security[`c:\\${planted}`.toLowerCase()] = OF_A_USER)),
    }
    return open.reopen(sicken)
  }

  test.each([
    [String.raw`var\lib\kubelet\image_manager`, String.raw`\pulled\x`, 'PARENT_OPEN_TO_OTHERS'],
    [String.raw`var\lib\kubelet\cpu_manager_state`, '', 'UNTRUSTED_FILE'],
    [String.raw`var\lib\kubelet\pki\kubelet.key`, '', 'UNTRUSTED_FILE'],
    [String.raw`var\lib\kubelet\plugins_registry\x.sock`, '', 'UNTRUSTED_FILE'],
    [String.raw`usr\libexec\kubernetes\kubelet-plugins\volume\exec\a~b\b.exe`, '', 'UNTRUSTED_FILE'],
  ])('a user made %s', async (planted, inside, id) => {
    const rig = await made((host) => host.put(`${planted}${inside}`, 'planted'), planted)
    const {error} = await rig.run(kubeletServiceStep)
    expect(error).toMatchObject({exitCode: 5, id, message: expect.stringContaining(planted) as unknown})
    expect(rig.effects.filter(({what}) => what === 'startService')).toEqual([])
  })

  test('a link leads out of the folder', async () => {
    const rig = await made((host) => {
      host.put(String.raw`theirs\x`, 'x')
      host.link(String.raw`var\lib\kubelet\config`, 'theirs')
    })
    expect((await rig.run(kubeletServiceStep)).error).toMatchObject({id: 'LINK_IN_THE_WAY'})
  })

  test('the link of the kubelet’s own store is no reason to stop', async () => {
    const rig = await made((host) => {
      host.put(String.raw`var\lib\kubelet\pki`.concat('\\', pair), 'x')
      host.link(link, String.raw`var\lib\kubelet\pki`.concat('\\', pair))
    })
    expect((await rig.run(kubeletServiceStep)).error).toBeUndefined()
  })
})

const OF_A_USER = 'O:S-1-5-21-1-2-3-1001D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'

test.each([...KUBELET_TREES, KUBELET_PODS])(
  'review S5: the kubelet is not started on %s, which a user made since the checks',
  async (path) => {
    const rig = await Rig.open()
    await rig.runBefore('kubelet-service')
    new HostFolder(rig.dir).put(`${path.slice(3)}\\x`, 'x')
    const sick = await rig.reopen({sicken: ({security}) => void (security[path.toLowerCase()] = OF_A_USER)})
    const {error} = await sick.run(kubeletServiceStep)
    expect(error).toMatchObject({exitCode: 5, id: 'PARENT_OPEN_TO_OTHERS'})
    expect(sick.effects.filter(({what}) => what === 'startService')).toEqual([])
  },
)
