// Answers and lines of Docker.
import {logrus} from '../log-lines.js'
import {line, type SignatureLine} from './line.js'

export const DOCKER_LINES: readonly SignatureLine[] = [
  line(
    'docker',
    'image-of-other-windows',
    logrus('hcsshim::CreateComputeSystem abc: Das Containerbetriebssystem passt nicht. (0xc0370101)'),
    'a Windows version 10.0.17763-based image runs on a 10.0.17763 host',
    'hcs::System::Start abc: (0xc03701011)',
  ),
  line(
    'docker',
    'image-without-this-windows',
    'no matching manifest for windows/amd64 10.0.17763 in the manifest list entries',
    'no matching manifest for linux/arm64 in the manifest list entries',
  ),
  line(
    'docker',
    'image-for-linux',
    'image operating system "linux" cannot be used on this platform',
    'image operating system "windows" cannot be used on this platform',
  ),
  line(
    'docker',
    'hyperv-missing',
    'hcs::CreateComputeSystem abc: (0x80370102)',
    'hcs::CreateComputeSystem abc: (0x80370103)',
  ),
  line(
    'docker',
    'container-ended-early',
    logrus('container abc encountered an error during hcsshim::System::Start: (0xc0370106)'),
    'hcsshim::System::Start: (0xc037010)',
  ),
  line('docker', 'container-start-timeout', 'hcs::System::Start: (0xc0370109)', 'hcs::System::Start: (0xc037010a)'),
  line(
    'docker',
    'layer-access-denied',
    String.raw`failed to register layer: re-exec error: exit status 1: output: hcsshim::ImportLayer failed in Win32: Zugriff verweigert (0x5)`,
    'hnsCall failed in Win32: Access is denied. (0x5)',
    'hcsshim::ImportLayer failed in Win32: (0x3)',
  ),
  line(
    'docker',
    'disk-full',
    'failed to register layer: hcsshim::ImportLayer failed in Win32: (0x70)',
    'failed to register layer: hcsshim::ImportLayer failed in Win32: (0x700)',
  ),
  line(
    'docker',
    'docker-too-new',
    'Error response from daemon: client version 1.41 is too old. Minimum supported API version is 1.44, please upgrade',
    'Error response from daemon: client version 1.45 is too new. Maximum supported API version is 1.41',
  ),
  line(
    'docker',
    'docker-not-running',
    'error during connect: Get "http://%2F%2F.%2Fpipe%2Fdocker_engine/_ping": open //./pipe/docker_engine: Das System kann die Datei nicht finden.',
    'open //./pipe/containerd-containerd: The system cannot find the file specified.',
  ),
  line(
    'docker',
    'registry-rate-limit',
    'toomanyrequests: You have reached your pull rate limit.',
    'nottoomanyrequests: fine',
  ),
  line(
    'docker',
    'registry-certificate',
    'Get "https://mcr.microsoft.com/v2/": x509: certificate signed by unknown authority',
    'Get "https://mcr.microsoft.com/other/": x509: certificate signed by unknown authority',
  ),
  line(
    'docker',
    'registry-unreachable',
    'Get "https://mcr.microsoft.com/v2/": dial tcp: lookup mcr.microsoft.com: no such host',
    'Get "https://mcr.microsoft.com/v2/": unauthorized',
  ),
  line(
    'docker',
    'docker-data-denied',
    String.raw`fatal: open C:\ProgramData\docker\panic.log: Zugriff verweigert`,
    String.raw`fatal: open C:\ProgramData\other\panic.log: Access is denied.`,
  ),
]
