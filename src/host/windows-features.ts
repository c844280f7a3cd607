// Windows features: whether Containers is installed or waits for a restart, and enabling it with dism.exe.
import {featureNotEnabled} from '../errors/restart.js'
import type {Run} from '../machine/run.js'
import {systemProgram, systemRoot} from '../machine/system-program.js'
import type {Win32} from '../machine/win32.js'
import {shortened} from '../errors/shortened.js'
import {SERVICING_KEY} from './condition.js'

export type FeatureState = 'installed' | 'missing' | 'pending'

export interface WindowsFeatures {
  /** Whether Containers is installed. `pending`: enabled, and available only after a restart. */
  containers(hasLibrary: boolean): Promise<FeatureState>
  /** Idempotent. `restart`: the feature is available after a restart of Windows. */
  enableContainers(signal: AbortSignal): Promise<'enabled' | 'restart'>
}

/** Why Windows must be restarted. */
export const FEATURE_PENDING = 'the Windows feature Containers is enabled, and available after a restart'

const CONTAINERS = '/FeatureName:Containers'
/** Server Manager's record of what it installed; dism.exe may not refresh it (the assumption server-component-cache). */
const COMPONENT_KEY = String.raw`SOFTWARE\Microsoft\ServerManager\ServicingStorage\ServerComponentCache\Containers`
/** Servicing is slow on a host that has just booted, and waits for a running Windows Update. */
const ENABLE_MS = 15 * 60_000
const QUERY_MS = 45_000
const SUCCESS_RESTART_REQUIRED = 3010
const LONGEST_SAID = 500

/** What dism.exe ends with where the feature cannot be enabled: winerror.h, and cbs errors of the Windows SDK (0x800f08xx). */
const MEANINGS: Readonly<Record<string, {readonly advice: string; readonly meaning: string}>> = {
  87: {advice: 'Check the version of Windows', meaning: 'this dism.exe does not know one of the options'},
  740: {advice: 'Open the console with "Run as administrator"', meaning: 'administrator rights are required'},
  '0x800f080c': {advice: 'Use Windows Server', meaning: 'this Windows has no feature of this name'},
  '0x800f081f': {
    advice: 'Make the files of the feature available, from Windows Update or the installation media',
    meaning: 'the files of the feature were removed from this Windows and were not found elsewhere',
  },
  '0x800f0906': {advice: 'Check the connection to Windows Update', meaning: 'its files could not be downloaded'},
  '0x800f0954': {
    advice: 'Allow downloads of features from Windows Update in the group policy',
    meaning: 'the update server of this host does not provide the files of the feature',
  },
}

export function openWindowsFeatures(run: Run, win32: Win32): WindowsFeatures {
  return {
    async enableContainers(signal) {
      const args = ['/Online', '/Enable-Feature', CONTAINERS, '/All', '/NoRestart']
      const program = await systemProgram(win32, 'dism.exe')
      const {exitCode, stderr, stdout} = await run(program, args, {deadlineMs: ENABLE_MS, effect: 'change', signal})
      if (exitCode === 0) return 'enabled'
      if (exitCode === SUCCESS_RESTART_REQUIRED) return 'restart'
      const code = codeText(exitCode)
      const {advice = 'Read the log', meaning} = MEANINGS[code] ?? {}
      const said = meaning ?? `it said: ${shortened(lastLine(`${stdout}\n${stderr}`), LONGEST_SAID) || 'nothing'}`
      const log = `${await systemRoot(win32)}\\Logs\\DISM\\dism.log`
      throw featureNotEnabled({advice, code, log, said})
    },
    async containers(hasLibrary) {
      // Where these tell enough dism.exe is not asked, which takes seconds. Hyper-V brings the library, too.
      if (!hasLibrary && !(await win32.registryKeyExists('HKLM', SERVICING_KEY))) return 'missing'
      if (hasLibrary && (await win32.registryValue('HKLM', COMPONENT_KEY, 'InstallState'))?.data === 1)
        return 'installed'
      const program = await systemProgram(win32, 'dism.exe')
      const args = ['/English', '/Online', '/Get-FeatureInfo', CONTAINERS]
      const {exitCode, stdout} = await run(program, args, {deadlineMs: QUERY_MS, effect: 'read'})
      const state = exitCode === 0 ? /^State : (.*)$/m.exec(stdout)?.[1]?.trim() : undefined
      if (state === 'Enable Pending') return 'pending'
      // Where it does not answer the library decides; without that Windows has to be restarted in any case.
      if (state === undefined) return hasLibrary ? 'installed' : 'pending'
      return hasLibrary && state === 'Enabled' ? 'installed' : 'missing'
    },
  }
}

/** An HRESULT as people search for it. */
const codeText = (code: number): string =>
  code > 0 && code <= 0xff_ff ? String(code) : `0x${(code >>> 0).toString(16).padStart(8, '0')}`

/** Above it are the version of the program and a progress bar. */
function lastLine(output: string): string {
  const lines = output.split(/[\r\n]+/).map((line) => line.trim())
  return lines.filter((line) => line !== '').at(-1) ?? ''
}
