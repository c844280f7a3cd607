// The credential provider of the kubelet, which runs as SYSTEM: what others can change is refused.
import {describe, expect, it} from 'vitest'
import {credentialProviderPaths} from '../../../src/preflight/checks/credential-provider.js'
import {setupOn} from '../../setup/in-process.js'
import {HostFolder} from '../../steps/host-folder.js'

const PROFILE = 'ws2022-containerd'
const FOLDER = String.raw`C:\credential-provider`
const PROGRAM = String.raw`credential-provider\bin\ecr-credential-provider.exe`
const CONFIG = 'image-credential-provider-config'
const BIN_DIR = 'image-credential-provider-bin-dir'
const BOTH = [`${CONFIG}=${FOLDER}\\config.yaml`, `${BIN_DIR}=${FOLDER}\\bin`]
const CLOSED = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'

async function judge(change: (host: HostFolder) => void = () => {}, args: readonly string[] = BOTH) {
  const host = await HostFolder.fresh(({security}) => void (security[FOLDER] = CLOSED), PROFILE)
  host.edit(({security}) => void (security[FOLDER.toLowerCase()] = CLOSED))
  host.put(PROGRAM, 'MZ')
  host.put(String.raw`credential-provider\config.yaml`, 'kind: CredentialProviderConfig\n')
  change(host)
  const {checks, error, exitCode, steps} = (await setupOn(host.dir, {'kubelet-arg': args}, {dryRun: true}, PROFILE))
    .result
  const {result} = checks.find(({id}) => id === 'credential-provider') ?? {}
  return {exitCode, id: error?.id, isChanged: steps.length > 0, result}
}

const open = (path: string, sddl: string) => (host: HostFolder) =>
  host.edit(({security}) => void (security[path.toLowerCase()] = sddl))

describe('the credential provider', () => {
  it('is none where no flag names one', () => {
    expect(credentialProviderPaths({})).toBeUndefined()
    expect(credentialProviderPaths({v: '4'})).toBeUndefined()
    expect(credentialProviderPaths({[BIN_DIR]: 'x', [CONFIG]: 'y'})).toEqual({binDir: 'x', config: 'y'})
    expect(credentialProviderPaths({[BIN_DIR]: 'x'})).toEqual({binDir: 'x', config: ''})
  })

  it('is used where only administrators can change it; its configuration may be a folder', async () => {
    expect(await judge()).toMatchObject({exitCode: 0, result: 'pass'})
    expect(await judge(undefined, [])).toMatchObject({exitCode: 0, result: 'pass'})
    const folder = (host: HostFolder) => {
      host.remove(String.raw`credential-provider\config.yaml`)
      host.put(String.raw`credential-provider\config.yaml\one.yaml`, 'kind: CredentialProviderConfig\n')
    }
    expect(await judge(folder)).toMatchObject({exitCode: 0, result: 'pass'})
  })

  it.each<[string, string, ((host: HostFolder) => void) | undefined, readonly string[]]>([
    ['only one of the two', 'CREDENTIAL_PROVIDER_UNUSABLE', undefined, BOTH.slice(1)],
    ['the other one only', 'CREDENTIAL_PROVIDER_UNUSABLE', undefined, BOTH.slice(0, 1)],
    ['a relative path', 'CREDENTIAL_PROVIDER_UNUSABLE', undefined, [`${CONFIG}=config.yaml`, `${BIN_DIR}=bin`]],
    ['a folder that is missing', 'CREDENTIAL_PROVIDER_UNUSABLE', (host) => host.remove('credential-provider'), BOTH],
    ['a file for the folder', 'CREDENTIAL_PROVIDER_UNUSABLE', undefined, [BOTH[0] ?? '', `${BIN_DIR}=C:\\${PROGRAM}`]],
    [
      'a path on another computer',
      'CREDENTIAL_PROVIDER_UNUSABLE',
      undefined,
      [BOTH[0] ?? '', `${BIN_DIR}=\\\\server\\bin`],
    ],
    [
      'a program that others can change',
      'UNTRUSTED_FILE',
      open(`C:\\${PROGRAM}`, 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;BU)'),
      BOTH,
    ],
    [
      'a configuration that others can change',
      'UNTRUSTED_FILE',
      open(`${FOLDER}\\config.yaml`, 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;BU)'),
      BOTH,
    ],
    [
      'a folder to which others can add',
      'PARENT_OPEN_TO_OTHERS',
      open(`${FOLDER}\\bin`, `${CLOSED}(A;CI;LCDC;;;BU)`),
      BOTH,
    ],
    [
      'a program that is a link',
      'LINK_IN_THE_WAY',
      (host) => host.link(String.raw`credential-provider\bin\other.exe`, String.raw`Windows\System32\cmd.exe`),
      BOTH,
    ],
  ])('is refused with %s', async (_, id, change, args) => {
    expect(await judge(change, args)).toEqual({exitCode: 3, id, isChanged: false, result: 'fail'})
  })
})
