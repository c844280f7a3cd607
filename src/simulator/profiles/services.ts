// Services of a fresh host: Docker, the Host Network Service, and a few of Windows' own.
import type {ServiceConfig} from '../../machine/win32.js'
import type {ServiceEntry} from '../world.js'

interface Known {
  readonly dependencies?: readonly string[]
  readonly displayName: string
  readonly imagePath: string
  readonly name: string
  readonly startType?: ServiceConfig['startType']
}

const svchost = (group: string): string => String.raw`C:\Windows\system32\svchost.exe -k ${group}`

const KNOWN: readonly Known[] = [
  {displayName: 'Base Filtering Engine', imagePath: svchost('LocalServiceNoNetworkFirewall -p'), name: 'BFE'},
  {displayName: 'DHCP Client', imagePath: svchost('LocalServiceNetworkRestricted -p'), name: 'Dhcp'},
  {
    displayName: 'Docker Engine',
    imagePath: String.raw`"C:\Program Files\docker\dockerd.exe" --run-service`,
    name: 'docker',
  },
  {
    dependencies: ['rpcss'],
    displayName: 'Host Network Service',
    imagePath: svchost('NetSvcs -p'),
    name: 'hns',
    startType: 'demand',
  },
  {
    dependencies: ['BFE'],
    displayName: 'Windows Defender Firewall',
    imagePath: svchost('LocalServiceNoNetworkFirewall -p'),
    name: 'mpssvc',
  },
  {displayName: 'Remote Procedure Call (RPC)', imagePath: svchost('rpcss -p'), name: 'rpcss'},
  {
    displayName: 'Hyper-V Host Compute Service',
    imagePath: String.raw`C:\Windows\system32\vmcompute.exe`,
    name: 'vmcompute',
    startType: 'demand',
  },
]

export function makeServices(now: number): Record<string, ServiceEntry> {
  return Object.fromEntries(
    KNOWN.map(({dependencies = [], displayName, imagePath, name, startType = 'automatic'}, index) => [
      name.toLowerCase(),
      {
        config: {
          account: 'LocalSystem',
          dependencies,
          description: '',
          displayName,
          failureActions: {resetAfterSeconds: 0, restartDelaysMs: []},
          failureFlag: false,
          imagePath,
          startType,
        },
        deleting: false,
        exitCode: 0,
        name,
        processId: 1000 + index * 104,
        restarts: 0,
        serviceExitCode: 0,
        stage: '',
        startedAt: now,
        state: 'running',
      } satisfies ServiceEntry,
    ]),
  )
}
