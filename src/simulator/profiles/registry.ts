// The registry of a fresh host: the version of Windows, and the machine's environment.
import type {RegistryValue} from '../../machine/win32.js'
import type {OsState, World} from '../world.js'

const string = (data: string): RegistryValue => ({data, type: 'REG_SZ'})
const expandable = (data: string): RegistryValue => ({data, type: 'REG_EXPAND_SZ'})
const number = (data: number): RegistryValue => ({data, type: 'REG_DWORD'})

const DOCKER_FOLDER = String.raw`;C:\Program Files\docker`

export function makeEnvironment(computerName: string, hasDocker: boolean): Record<string, string> {
  return {
    COMPUTERNAME: computerName,
    ComSpec: String.raw`C:\Windows\system32\cmd.exe`,
    NUMBER_OF_PROCESSORS: '4',
    OS: 'Windows_NT',
    Path: String.raw`C:\Windows\system32;C:\Windows;C:\Windows\System32\Wbem${hasDocker ? DOCKER_FOLDER : ''}`,
    PROCESSOR_ARCHITECTURE: 'AMD64',
    SystemDrive: 'C:',
    SystemRoot: String.raw`C:\Windows`,
    TEMP: String.raw`C:\Windows\TEMP`,
    TMP: String.raw`C:\Windows\TEMP`,
    windir: String.raw`C:\Windows`,
  }
}

export function makeRegistry(os: OsState, environment: Record<string, string>, hasDocker: boolean): World['registry'] {
  return {
    [String.raw`HKLM\HARDWARE\DESCRIPTION\System\BIOS`]: {
      SystemManufacturer: string('k8s-win'),
      SystemProductName: string('Simulated server'),
    },
    // Containers was installed by Server Manager.
    [String.raw`HKLM\SOFTWARE\Microsoft\ServerManager\ServicingStorage\ServerComponentCache\Containers`]: {
      InstallState: number(1),
    },
    [String.raw`HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`]: {
      InstallationType: string('Server'),
      SystemRoot: string(environment['SystemRoot'] ?? ''),
    },
    [String.raw`HKLM\SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName`]: {
      ComputerName: string(os.computerName),
    },
    [String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`]: {
      ComSpec: expandable(String.raw`%SystemRoot%\system32\cmd.exe`),
      NUMBER_OF_PROCESSORS: string(environment['NUMBER_OF_PROCESSORS'] ?? ''),
      OS: string('Windows_NT'),
      Path: expandable(
        String.raw`%SystemRoot%\system32;%SystemRoot%;%SystemRoot%\System32\Wbem${hasDocker ? DOCKER_FOLDER : ''}`,
      ),
      PROCESSOR_ARCHITECTURE: string('AMD64'),
      TEMP: expandable(String.raw`%SystemRoot%\TEMP`),
      TMP: expandable(String.raw`%SystemRoot%\TEMP`),
      windir: expandable('%SystemRoot%'),
    },
  }
}
