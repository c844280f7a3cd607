// Services of a fresh host: Docker, the Host Network Service, and a few of Windows' own.
import type {ServiceConfig} from '../../machine/win32.js'
import type {ServiceEntry} from '../world.js'

interface Known extends Partial<Pick<ServiceConfig, 'dependencies' | 'startType'>> {
  readonly displayName: string
  readonly imagePath: string
}

const svchost = (group: string): string => String.raw`C:\Windows\system32\svchost.exe -k ${group}`
const FIREWALL_GROUP = svchost('LocalServiceNoNetworkFirewall -p')
const COMPUTE = String.raw`C:\Windows\system32\vmcompute.exe`
const DOCKER = String.raw`"C:\Program Files\docker\dockerd.exe" --run-service`
const HNS = {dependencies: ['rpcss'], imagePath: svchost('NetSvcs -p'), startType: 'demand'} as const

const KNOWN: Readonly<Record<string, Known>> = {
  BFE: {displayName: 'Base Filtering Engine', imagePath: FIREWALL_GROUP},
  Dhcp: {displayName: 'DHCP Client', imagePath: svchost('LocalServiceNetworkRestricted -p')},
  docker: {displayName: 'Docker Engine', imagePath: DOCKER},
  hns: {displayName: 'Host Network Service', ...HNS},
  mpssvc: {dependencies: ['BFE'], displayName: 'Windows Defender Firewall', imagePath: FIREWALL_GROUP},
  rpcss: {displayName: 'Remote Procedure Call (RPC)', imagePath: svchost('rpcss -p')},
  vmcompute: {displayName: 'Hyper-V Host Compute Service', imagePath: COMPUTE, startType: 'demand'},
}

export function makeServices(now: number, hasDocker: boolean): Record<string, ServiceEntry> {
  const known = Object.entries(KNOWN).filter(([name]) => hasDocker || name !== 'docker')
  return Object.fromEntries(
    known.map(([name, {dependencies = [], displayName, imagePath, startType = 'automatic'}], index) => [
      name.toLowerCase(),
      newService(
        name,
        {
          account: 'LocalSystem',
          dependencies,
          description: '',
          displayName,
          failureActions: {resetAfterSeconds: 0, restartDelaysMs: []},
          failureFlag: false,
          imagePath,
          startType,
        },
        {exitCode: 0, processId: 1000 + index * 104, startedAt: now, state: 'running'},
      ),
    ]),
  )
}

/** One that was never started, if `state` does not say more. */
export const newService = (name: string, config: ServiceConfig, state: Partial<ServiceEntry> = {}): ServiceEntry => ({
  config,
  deleting: false,
  exitCode: 1077, // ERROR_SERVICE_NEVER_STARTED
  name,
  processId: 0,
  restarts: 0,
  serviceExitCode: 0,
  stage: '',
  startedAt: 0,
  state: 'stopped',
  ...state,
})
