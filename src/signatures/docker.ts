// What Docker says, or the kubelet for it: images, layers, and containers that do not start. Some of it containerd says too.
import {computeCode} from './codes.js'
import {AGAIN, RESTART_KUBELET} from './remedies.js'
import type {Signature} from './signature.js'

/** dockershim hands Docker's words on. */
const ofDocker = ({isOfAny, ...signature}: DockerSignature): Signature => ({
  ...signature,
  overOnceStarted: true,
  seenIn: isOfAny ? ['docker', 'kubelet', 'containerd'] : ['docker', 'kubelet'],
})

/** `isOfAny`: containerd says it too, and its fix is the same. */
type DockerSignature = Omit<Signature, 'seenIn'> & {readonly isOfAny?: true}

const HCS_CODES = 'Microsoft: HCS error codes'

export const DOCKER_SIGNATURES: readonly Signature[] = [
  {
    cause:
      "The image is for another Windows build than the host's: the tag is of another release, or Windows was updated to a new one.",
    fix: `Use the tag for the host's build (1809 or ltsc2019 for Windows Server 2019, ltsc2022 for 2022, ltsc2025 for 2025). For the pause and base images: ${AGAIN}`,
    id: 'image-of-other-windows',
    isOfAny: true as const,
    ofPods: true as const,
    pattern:
      /0x[8c]0370101(?![\da-f])|container operating system does not match the host|a Windows version 10\.0\.\d{5}-based image is incompatible with a 10\.0\.\d{5} host/i,
    sources: [
      'moby: distribution/pull_v2_windows.go',
      'moby#35462',
      'kubernetes#99157',
      'sig-windows-tools#72',
      HCS_CODES,
    ],
  },
  {
    cause: 'The tag has no image for this build of Windows.',
    fix: "Use a tag that has one for the host's build (1809 or ltsc2019 for Windows Server 2019, ltsc2022 for 2022, ltsc2025 for 2025).",
    id: 'image-without-this-windows',
    isOfAny: true as const,
    ofPods: true as const,
    pattern: /no matching manifest for windows\/amd64|no match for platform in manifest\b/,
    sources: [
      'moby: distribution/pull_v2.go',
      'containerd: core/images/image.go',
      'containerd#6508',
      'rancher#23161',
      'dotnet-framework-docker#1265',
    ],
  },
  {
    cause: 'It is an image for Linux: the pod has no node selector, or Docker is set to Linux containers.',
    fix: 'Give the pod the node selector kubernetes.io/os=linux; or switch Docker to Windows containers.',
    id: 'image-for-linux',
    ofPods: true as const,
    pattern: /image operating system \\?"linux\\?" cannot be used on this platform/,
    sources: ['moby: distribution/config.go', 'Virtualization-Documentation#1470'],
  },
  {
    cause: 'Hyper-V isolation was requested, but Hyper-V is not installed.',
    fix: 'Use process isolation (the default of Docker on Windows Server; check exec-opts in daemon.json).',
    id: 'hyperv-missing',
    ofPods: true as const,
    pattern: computeCode(0xc037_0102),
    sources: ['moby#40792', HCS_CODES],
  },
  {
    cause:
      'The container exited while Windows was starting it: a damaged layer, insufficient memory, or an antivirus program.',
    fix: 'Check the event log Microsoft-Windows-Hyper-V-Compute-Admin; exclude the folder of Docker from the antivirus program; remove the image and pull it again.',
    id: 'container-ended-early',
    ofPods: true as const,
    pattern: computeCode(0xc037_0106),
    sources: ['hcsshim#598', HCS_CODES],
  },
  {
    cause: 'Windows did not start the container in time: the host is overloaded, or its disk is.',
    fix: 'Check memory and disk of the host; an antivirus program that scans the folder of Docker also causes this.',
    id: 'container-start-timeout',
    ofPods: true as const,
    pattern: computeCode(0xc037_0109),
    sources: ['microsoft/iis-docker#27', 'docker/for-win#8770', HCS_CODES],
  },
  {
    cause: 'An antivirus program locks files of a layer while Docker or containerd unpacks it.',
    fix: String.raw`Exclude its folder, in PowerShell: Add-MpPreference -ExclusionPath 'C:\ProgramData\docker', or 'C:\ProgramData\containerd' with containerd. Then pull again.`,
    id: 'layer-access-denied',
    isOfAny: true as const,
    ofPods: true as const,
    pattern: /(?:hcsshim::\w{5,30}|OpenForBackup|re-exec error)[^]{0,400}\(0x(?:5|20|1f)\)/,
    sources: ['moby#35988', 'docker/for-win#3491', 'moby#50870'],
  },
  {
    cause: 'The disk is full.',
    fix: 'Free up space on the drive of Docker ("docker system df", then "docker image prune"), or of what else the message names.',
    id: 'disk-full',
    pattern: /(?:hcsshim::\w{5,30}|write |extract)[^]{0,400}(?:\(0x70\)|not enough space on the disk)/,
    sources: ['Microsoft: system error codes', 'moby: daemon/graphdriver/windows'],
  },
  {
    cause:
      'This Docker is too new for the kubelet: dockershim uses API 1.41, and the first releases of Docker 29 require at least 1.44.',
    fix: 'Install Docker 20.10 to 28 (dockershim requires API 1.41).',
    id: 'docker-too-new',
    pattern: /client version 1\.\d{1,2} is too old\. Minimum supported API version is/,
    sources: ['moby#51186', 'moby#52067', 'kubernetes: pkg/kubelet/dockershim/libdocker'],
  },
  {
    cause: 'Docker is not running, or listens on another pipe.',
    fix: `Start it ("net start docker"), then ${RESTART_KUBELET}.`,
    id: 'docker-not-running',
    pattern: /(?:Cannot connect to the Docker daemon at npipe:|open \/\/\.\/pipe\/docker_engine: )/,
    sources: ['moby: client/errors.go'],
  },
  {
    cause: 'The registry limits pulls from this address (rate limit).',
    fix: 'Wait, log in to the registry, or pass a mirror to --image-registry.',
    id: 'registry-rate-limit',
    isOfAny: true as const,
    ofPods: true as const,
    pattern: /\btoomanyrequests: |unexpected status from [A-Z]{3,4} request to \S{1,400}: 429 /,
    sources: ['containerd: core/remotes/errors/errors.go', 'Docker: download rate limit'],
  },
  {
    cause: "This host does not trust the registry's certificate: often a proxy that inspects TLS is the cause.",
    fix: "Add its certificate authority to the machine's store: certutil -addstore Root <file>. Then restart Docker.",
    id: 'registry-certificate',
    ofPods: true as const,
    pattern: /Get \\?"?https:\/\/[^ "\\]{1,200}\/v2\/[^ ]{0,300}:? x509: /,
    sources: ['Go crypto/x509', 'moby: registry'],
  },
  {
    cause: 'Docker cannot reach the registry.',
    fix: 'Check that this host can reach it; behind a proxy the service docker needs HTTPS_PROXY in its environment.',
    id: 'registry-unreachable',
    ofPods: true as const,
    pattern: /Get \\?"?https:\/\/[^ "\\]{1,200}\/v2\/\S{0,300}:? (?:dial tcp|net\/http: |proxyconnect tcp)/,
    sources: ['moby: registry', 'rancher#43932'],
  },
  {
    cause:
      'dockerd is not allowed to open its own log. Before 20.10.11 it made panic.log read-only and failed at its next start; or the owner or permissions of its folder were changed.',
    fix: String.raw`Make it writable: attrib -R C:\ProgramData\docker\panic.log. Then "net start docker", and install a newer Docker. If it fails again: icacls C:\ProgramData\docker /reset /T.`,
    id: 'docker-data-denied',
    pattern: /open \S{0,120}[\\/]docker[\\/]panic\.log: /i,
    sources: ['moby#42984', 'docker/for-win#12358', 'actions/runner-images#4397'],
  },
].map(ofDocker)
