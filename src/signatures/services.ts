// Codes of the service manager, and what shawl says of the program it runs.
import {serviceCode} from './codes.js'
import {AGAIN} from './remedies.js'
import type {Signature, SignatureSource} from './signature.js'

const SYSTEM_CODES = 'Microsoft: system error codes'

type ServiceFailure = Omit<Signature, 'id' | 'pattern' | 'seenIn'> & {readonly code: number}

const FAILURES: readonly ServiceFailure[] = [
  {
    cause: 'The program of the service does not exist.',
    code: 2,
    fix: AGAIN,
    sources: [SYSTEM_CODES, 'Microsoft: MS-SCMR, RStartServiceW'],
  },
  {
    cause: "The folder of the service's program does not exist.",
    code: 3,
    fix: AGAIN,
    sources: [SYSTEM_CODES, 'Microsoft: StartServiceW', 'microsoft/ebpf-for-windows#275'],
  },
  {
    cause: 'Access denied: the console is not elevated, or the service is not allowed to read its program.',
    code: 5,
    fix: 'Run as administrator; check who can read the program ("icacls <program>").',
    sources: [SYSTEM_CODES, 'Microsoft: StartServiceW'],
  },
  {
    cause: "The service's program is damaged, or for another processor.",
    code: 193,
    fix: AGAIN,
    sources: [SYSTEM_CODES, 'winsw/winsw#34', 'chengr28/Pcap_DNSProxy#365'],
  },
  {
    cause: 'Another service that depends on it is still running.',
    code: 1051,
    fix: 'Stop both: "net stop <service> /y".',
    sources: [SYSTEM_CODES, 'Microsoft: ControlService'],
  },
  {
    cause:
      'The program did not respond to the service manager in time: it exited at once, or it is not a service program (flanneld needs the wrapper shawl).',
    code: 1053,
    fix: `Its log shows why it exited ("k8s-win logs"). ${AGAIN}`,
    sources: [SYSTEM_CODES, 'kirillkovalenko/nssm#10'],
  },
  {
    cause: 'The service is disabled.',
    code: 1058,
    fix: 'Enable it: "sc.exe config <service> start= auto".',
    sources: [SYSTEM_CODES, 'Microsoft: StartServiceW'],
  },
  {cause: 'The service does not exist.', code: 1060, fix: AGAIN, sources: [SYSTEM_CODES, 'Microsoft: OpenServiceW']},
  {
    cause: 'The service does not accept commands at the moment: it is starting or stopping.',
    code: 1061,
    fix: 'Wait a minute; if it does not change, end its process: "sc.exe queryex <service>", "taskkill /F /PID <number>".',
    sources: [SYSTEM_CODES, 'Microsoft: ControlService'],
  },
  {
    cause: 'The service was not started.',
    code: 1062,
    fix: 'Start it: "net start <service>".',
    sources: [SYSTEM_CODES, 'Microsoft: ControlService'],
  },
  {
    cause: 'The program exited with a code of its own.',
    code: 1066,
    fix: 'Its log shows why it exited: "k8s-win logs".',
    sources: [SYSTEM_CODES, 'Microsoft: SERVICE_STATUS'],
  },
  {
    cause: 'The program exited without notifying the service manager: it crashed, or rejected its configuration.',
    code: 1067,
    fix: 'Its log shows why it exited: "k8s-win logs".',
    sources: [SYSTEM_CODES, 'moby#28742'],
  },
  {
    cause:
      'A service that it depends on does not start. The services that k8s-win creates depend on none: something else added that.',
    code: 1068,
    fix: `Find what it depends on ("sc.exe qc <service>") and start that. ${AGAIN}`,
    sources: [SYSTEM_CODES, 'Microsoft: StartServiceW'],
  },
  {
    cause: 'The account of the service cannot log on: its password is wrong, or a policy removed the right.',
    code: 1069,
    fix: 'Run it as LocalSystem: "sc.exe config <service> obj= LocalSystem".',
    sources: [SYSTEM_CODES, 'Microsoft: StartServiceW'],
  },
  {
    cause: 'The service is marked for deletion, but still in use: by an open Services window, or by its process.',
    code: 1072,
    fix: 'Close services.msc, Task Manager and the Event Viewer; end its process. If it remains, restart Windows.',
    sources: [SYSTEM_CODES, 'Microsoft: DeleteService'],
  },
  {
    cause: 'A service with this name already exists.',
    code: 1073,
    fix: 'Check who created it: "sc.exe qc <service>". --adopt takes it over.',
    sources: [SYSTEM_CODES, 'Microsoft: CreateServiceW'],
  },
  {
    cause: 'A service it depends on does not exist: Docker was removed, or registered under another name.',
    code: 1075,
    fix: 'Check the dependencies ("sc.exe qc <service>") and install what is missing.',
    sources: [SYSTEM_CODES, 'Microsoft: StartServiceW'],
  },
  {
    cause: 'The service was not started since Windows started.',
    code: 1077,
    fix: 'Start it: "net start <service>".',
    sources: [SYSTEM_CODES, 'gsuberland/lbfo_win10#1'],
  },
]

export const SERVICE_SIGNATURES: readonly Signature[] = [
  ...FAILURES.map(({code, ...rest}) => ({
    ...rest,
    id: `service-error-${code}`,
    pattern: serviceCode(code),
    seenIn: ['service-manager'] as const,
  })),
  ...underShawl('flanneld', 'shawl', ['shawl', 'flanneld']),
  ...underShawl('containerd', 'containerd', ['containerd']),
]

/** `ids`: what their names begin with. */
function underShawl(daemon: string, ids: string, seenIn: readonly SignatureSource[]): Signature[] {
  return [
    {
      cause: `shawl cannot start ${daemon}: its program does not exist, or cannot be read.`,
      fix: AGAIN,
      id: `${ids}-cannot-launch`,
      pattern: /^Unable to launch command: [^]{0,300}\(os error \d{1,5}\)/,
      seenIn,
      sources: ['mtkennerly/shawl: src/service.rs'],
    },
    {
      cause: `${daemon} was ended by Ctrl-C (code 3221225786), but not by stopping its service: Windows shut down, or another program on its console sent it.`,
      fix: `Start it again: "net start ${daemon}".`,
      id: `${ids}-child-interrupted`,
      pattern: /^Command exited with code (?:3221225786|-1073741510)/,
      seenIn,
      sources: ['mtkennerly/shawl: src/service.rs', 'mtkennerly/shawl#75', 'Microsoft: NTSTATUS values'],
    },
    {
      cause: `${daemon} could not start: Windows had no resources for another console program (0xC0000142).`,
      fix: 'Restart Windows, or end programs that run without a session.',
      id: `${ids}-child-not-initialised`,
      pattern: /^Command exited with code (?:3221225794|-1073741502)/,
      seenIn,
      sources: ['Microsoft: NTSTATUS values', 'Microsoft: KB 184802'],
    },
  ]
}
