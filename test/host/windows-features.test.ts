// dism.exe: how it is called, and what its answers mean.
import {describe, expect, it} from 'vitest'
import {openWindowsFeatures, type WindowsFeatures} from '../../src/host/windows-features.js'
import type {Run, RunOptions} from '../../src/machine/run.js'
import type {Win32} from '../../src/machine/win32.js'

interface Call {
  readonly args: readonly string[]
  readonly options: RunOptions
  readonly program: string
}

function features(
  answer: {exitCode: number; stderr?: string; stdout?: string},
  isServicingPending = true,
  installState?: number,
): {calls: Call[]; features: WindowsFeatures} {
  const calls: Call[] = []
  const run: Run = async (program, args, options) => {
    calls.push({args, options, program})
    return {durationMs: 1, stderr: '', stdout: '', ...answer}
  }
  const win32: Partial<Win32> = {
    registryKeyExists: async () => isServicingPending,
    registryValue: async (_root, _key, name) => {
      if (name !== 'InstallState') return {data: String.raw`D:\Windows`, type: 'REG_SZ'}
      return installState === undefined ? undefined : {data: installState, type: 'REG_DWORD'}
    },
  }
  return {calls, features: openWindowsFeatures(run, win32 as Win32)}
}

const {signal} = new AbortController()

describe('enabling', () => {
  it.each([
    [0, 'enabled'],
    [3010, 'restart'],
  ] as const)('exit code %i means %s', async (exitCode, outcome) => {
    const {calls, features: opened} = features({exitCode})
    expect(await opened.enableContainers(signal)).toBe(outcome)
    expect(calls).toMatchObject([
      {
        args: ['/Online', '/Enable-Feature', '/FeatureName:Containers', '/All', '/NoRestart'],
        options: {deadlineMs: 900_000, effect: 'change', signal},
        program: String.raw`D:\Windows\System32\dism.exe`,
      },
    ])
  })

  // Node gives an exit code without its sign, libuv's own with it.
  it.each([
    [740, '740', /administrator rights/],
    [2_148_468_767, '0x800f081f', /files of the feature were removed/],
    [-2_146_498_529, '0x800f081f', /files of the feature were removed/],
    [1, '1', /it said: Last words$/],
  ])('exit code %i is an error', async (exitCode, code, says) => {
    const stdout = '\r\nDeployment tool\r\n\r\n[==  ]\r\nLast words.\r\n\r\n'
    const failing = features({exitCode, stdout}).features.enableContainers(signal)
    await expect(failing).rejects.toMatchObject({
      exitCode: 5,
      fix: expect.stringContaining(String.raw`D:\Windows\Logs\DISM\dism.log`) as string,
      id: 'FEATURE_NOT_ENABLED',
    })
    const {reason} = (await failing.catch((error: unknown) => error)) as {reason: string}
    expect(reason).toContain(`dism.exe ended with ${code}: `)
    expect(reason.replace(/\.$/, '')).toMatch(says)
  })
})

describe('the state of Containers', () => {
  const info = (state: string): string => `Feature Name : Containers\r\nState : ${state}\r\n\r\n`
  const asks = [
    {args: ['/English', '/Online', '/Get-FeatureInfo', '/FeatureName:Containers'], options: {effect: 'read'}},
  ]

  it.each([
    ['Enable Pending', 'pending', 'pending'],
    ['Disabled', 'missing', 'missing'],
    ['Enabled', 'missing', 'installed'],
    ['Disabled with Payload Removed', 'missing', 'missing'],
  ])('review V5: dism.exe says %s: %s without vmcompute.dll, %s with it', async (state, without, withIt) => {
    for (const [hasLibrary, expected] of [
      [false, without],
      [true, withIt],
    ] as const) {
      const {calls, features: opened} = features({exitCode: 0, stdout: info(state)})
      expect(await opened.containers(hasLibrary)).toBe(expected)
      expect(calls).toMatchObject(asks)
    }
  })

  it.each([{exitCode: 1726}, {exitCode: 0, stdout: 'rubbish'}])(
    'where dism.exe does not answer, the pending servicing decides, or the library: %o',
    async (answer) => {
      expect(await features(answer).features.containers(false)).toBe('pending')
      expect(await features(answer).features.containers(true)).toBe('installed')
    },
  )

  it('dism.exe is not asked where there is no library and no servicing is pending', async () => {
    const {calls, features: opened} = features({exitCode: 0, stdout: info('Enable Pending')}, false)
    expect(await opened.containers(false)).toBe('missing')
    expect(calls).toEqual([])
  })

  it('review V5: dism.exe is not asked where the registry shows the feature; Hyper-V alone does not count', async () => {
    const recorded = features({exitCode: 0, stdout: info('Disabled')}, false, 1)
    expect(await recorded.features.containers(true)).toBe('installed')
    expect(recorded.calls).toEqual([])
    const hyperV = features({exitCode: 0, stdout: info('Disabled')}, false, 0)
    expect(await hyperV.features.containers(true)).toBe('missing')
    expect(hyperV.calls).toMatchObject(asks)
  })
})
