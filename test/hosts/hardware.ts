// Hosts without room, without a way for Docker, or guarded too well.
import type {World} from '../../src/simulator/world.js'
import {GIB, POLICY, dword, text, registry, service, drive, type Sick} from './sick-host.js'

const FIREWALL_LOG = 'Microsoft-Windows-Windows Firewall With Advanced Security/Firewall'

function silenceFirewallLog(world: World): void {
  world.os.eventLogs = {[FIREWALL_LOG]: []}
}

export const SICK_HARDWARE: readonly Sick[] = [
  {
    check: 'memory',
    error: 'MEMORY_TOO_SMALL',
    fix: /2\.5 GB/,
    name: 'little memory',
    says: /2 GB/,
    sicken: (world) => (world.os.memory = {availableBytes: GIB, totalBytes: 2 * GIB}),
  },
  {
    check: 'memory',
    fix: /Stop programs that are not needed/,
    name: 'memory in use',
    says: /0\.5 GB of 8 GB are free/,
    sicken: (world) => (world.os.memory = {availableBytes: GIB / 2, totalBytes: 8 * GIB}),
  },
  {
    check: 'disk',
    error: 'DISK_TOO_SMALL',
    fix: /at least 30 GB/,
    name: 'a small disk',
    says: /C: has 29 GB in total/,
    sicken: (world) => drive(world, 'C:', {freeBytes: 20 * GIB, totalBytes: 29 * GIB}),
  },
  {
    check: 'disk',
    error: 'DISK_FULL',
    fix: /Free space on drive C:, so that at least 20.4 GB are free/,
    name: 'a full disk',
    says: /20.3 GB free of 127 GB.*Setup writes about 7.7 GB: 1 GB for programs, .*6.3 GB for \S+servercore/,
    sicken: (world) => drive(world, 'C:', {freeBytes: 20.3 * GIB}),
  },
  {
    check: 'disk',
    fix: /50 GB/,
    name: 'a narrow disk',
    says: /40 GB in total/,
    sicken: (world) => drive(world, 'C:', {freeBytes: 30 * GIB, totalBytes: 40 * GIB}),
  },
  {
    check: 'disk',
    fix: /evicts pods/,
    name: 'a disk where the kubelet would begin to evict',
    says: /31 GB free, 13 percent/,
    sicken: (world) => drive(world, 'C:', {freeBytes: 31 * GIB, totalBytes: 230 * GIB}),
  },
  {
    check: 'drive',
    error: 'DRIVE_UNSUITABLE',
    fix: /local NTFS drive/,
    name: 'a removable drive',
    says: /a removable drive/,
    sicken: (world) => drive(world, 'C:', {kind: 'removable'}),
  },
  {
    check: 'drive',
    error: 'DRIVE_UNSUITABLE',
    fix: /local NTFS drive/,
    name: 'a network drive, of which no size is known',
    says: /a network drive/,
    sicken: (world) => drive(world, 'C:', {fileSystem: '', freeBytes: 0, kind: 'network', totalBytes: 0}),
  },
  {
    check: 'drive',
    error: 'DRIVE_UNSUITABLE',
    fix: /local NTFS drive/,
    name: 'a drive without access lists',
    says: /FAT32/,
    sicken: (world) => drive(world, 'C:', {fileSystem: 'FAT32'}),
  },
  {
    check: 'drive',
    error: 'DRIVE_MISSING',
    fix: /existing drive/,
    given: {'base-dir': String.raw`q:\k`},
    name: 'a drive that is not there',
    says: /Q:/,
  },
  {
    check: 'docker-service',
    fix: /start= auto/,
    name: 'Docker on demand',
    says: /on demand/,
    sicken: (world) => service(world, 'docker', 'running', 'demand'),
  },
  {
    check: 'docker-proxy',
    fix: /NO_PROXY/,
    name: 'a proxy that Docker does not know',
    says: /proxy http:\/\/proxy\.example:3128\/, but Docker uses none/,
    sicken: (world) =>
      registry(world, String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`, {
        HTTPS_PROXY: text('http://user:secret@proxy.example:3128'),
      }),
  },
  {
    check: 'docker-logs',
    fix: /"max-size": "10m".*mine\.json/,
    name: 'review W4: logs of containers that nothing rotates',
    says: /C:\\docker\\mine\.json sets no "log-opts" "max-size"/,
    sicken(world) {
      const entry = world.services['docker']
      const imagePath = String.raw`"C:\Program Files\docker\dockerd.exe" --run-service --config-file C:\docker\mine.json`
      if (entry) entry.config = {...entry.config, imagePath}
    },
  },
  {
    check: 'docker-disk',
    error: 'DISK_FULL',
    fix: /Free space on drive D:/,
    name: "Docker's disk full",
    says: /Docker keeps images in D:\\docker/,
    sicken(world) {
      drive(world, 'D:', {freeBytes: GIB})
      world.docker.dataRoot = String.raw`D:\docker`
    },
  },
  {
    check: 'docker-disk',
    error: 'BASE_DIR_WITH_DOCKER',
    fix: /neither contains the folder of Docker nor is in it/,
    name: "Docker's data in the base directory",
    says: /C:\\k and .* in c:\\K\\data\\, whose access control list/,
    sicken: (world) => (world.docker.dataRoot = 'c:/K/data/'),
  },
  {
    check: 'docker-disk',
    error: 'BASE_DIR_WITH_DOCKER',
    fix: /--base-dir/,
    given: {'base-dir': String.raw`c:\data\k`},
    name: "the base directory in Docker's data",
    says: /C:\\data\\k and/,
    sicken: (world) => (world.docker.dataRoot = String.raw`C:\Data`),
  },
  {
    check: 'docker-disk',
    error: 'DRIVE_UNSUITABLE',
    fix: /data-root/,
    name: 'Docker on ReFS',
    says: /ReFS/,
    sicken(world) {
      drive(world, 'D:', {fileSystem: 'ReFS'})
      world.docker.dataRoot = String.raw`D:\docker`
    },
  },
  {
    check: 'ports',
    error: 'PORT_TAKEN',
    fix: /netstat -ano -p tcp/,
    name: "the port of the kubelet's health taken",
    says: /10248/,
    sicken: (world) => world.os.listening.push('tcp/10248'),
  },
  {
    check: 'firewall-policy',
    error: 'FIREWALL_POLICY',
    fix: /TCP 10250 and UDP 4789/,
    name: 'a policy that ignores local rules in the profile of the adapter',
    says: /profile Public .*AllowLocalPolicyMerge/,
    sicken: (world) => registry(world, `${POLICY}\\PublicProfile`, {AllowLocalPolicyMerge: dword(0)}),
  },
  {
    check: 'firewall-policy',
    error: 'FIREWALL_POLICY',
    fix: /TCP 10250/,
    name: 'a policy that ignores local rules in every profile, and a log that says nothing',
    says: /Domain, Private, Public/,
    sicken(world) {
      silenceFirewallLog(world)
      for (const profile of ['Domain', 'Standard']) {
        registry(world, `${POLICY}\\${profile}Profile`, {AllowLocalPolicyMerge: dword(0)})
      }
    },
  },
  {
    check: 'firewall-policy',
    fix: /netsh advfirewall monitor show currentprofile.*TCP 10250/,
    name: 'a policy for one profile, and a log that does not say which is in use, only warns',
    says: /Domain .*does not report/,
    sicken(world) {
      silenceFirewallLog(world)
      registry(world, `${POLICY}\\DomainProfile`, {AllowLocalPolicyMerge: dword(0)})
    },
  },
  {
    check: 'antivirus',
    fix: /Add-MpPreference -ExclusionPath 'C:\\k', 'C:\\ProgramData\\docker'/,
    name: 'a Defender that looks into everything',
    says: /Access is denied/,
    sicken: (world) => service(world, 'windefend', 'running', 'automatic'),
  },
]
