// Hosts whose Windows does not carry a node.
import {text, registry, type Sick} from './sick-host.js'

export const SICK_WINDOWS: readonly Sick[] = [
  {
    check: 'administrator',
    error: 'NOT_ADMINISTRATOR',
    fix: /Run as administrator/,
    name: 'not administrator',
    says: /Administrator rights are required/,
    sicken: (world) => (world.os.administrator = false),
  },
  ...(
    [
      [String.raw`C:\nowhere\k8s-win.prom`, /nowhere does not exist/],
      [String.raw`C:\k8s-win.prom`, /C:\\ can be changed/],
      [String.raw`C:\Windows\System32\netsh.exe\k8s-win.prom`, /is not a folder/],
    ] as const
  ).map(([file, says]): Sick => ({
    check: 'metrics-file',
    error: 'METRICS_FILE_REFUSED',
    fix: /--metrics-file/,
    given: {'metrics-file': file},
    name: `metrics in ${file}`,
    says,
  })),
  ...(
    [
      [14_393, /2016 does not support overlay/],
      [18_363, /out of support/],
      [19_042, /static address/],
      [25_398, /annual channel/],
      [99_999, /was not tested/],
    ] as const
  ).map(([build, says]): Sick => ({
    check: 'windows-version',
    error: 'WINDOWS_UNSUPPORTED',
    fix: /Windows Server 2019/,
    name: `build ${build}`,
    says,
    sicken: (world) => (world.os.build = build),
  })),
  {
    check: 'windows-version',
    error: 'WINDOWS_UNSUPPORTED',
    fix: /Windows Server 2019/,
    name: 'a Windows for desktops',
    says: /desktop edition/,
    sicken: (world) =>
      registry(world, String.raw`HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`, {
        InstallationType: text('Client'),
      }),
  },
  {
    check: 'release-windows',
    error: 'WINDOWS_UNSUPPORTED',
    fix: /^Pass --release 1\.23\.17\.$/,
    given: {release: '1.22.17'},
    name: '1.22 on Windows Server 2022',
    says: /20348.*1\.23/,
    sicken: (world) => Object.assign(world.os, {build: 20_348, ubr: 1000}),
  },
  {
    check: 'release-windows',
    error: 'WINDOWS_UNSUPPORTED',
    fix: /--release 1\.28\.15 or newer/,
    name: 'Windows Server 2025 with a release that needs wmic',
    says: /26100.*wmic/,
    sicken: (world) => (world.os.build = 26_100),
  },
  {
    check: 'release-windows',
    error: 'FLANNEL_UNSUPPORTED',
    fix: /--flannel-version/,
    given: {'flannel-version': '0.26.0'},
    name: 'flannel 0.26.0',
    says: /0\.26\.0.*proc/,
  },
  {
    check: 'windows-patch',
    error: 'WINDOWS_PATCH_MISSING',
    fix: /cumulative update/,
    name: 'before March 2019',
    says: /17763\.378.*KB4489899/,
    sicken: (world) => (world.os.ubr = 378),
  },
  {
    check: 'windows-patch',
    fix: /cumulative update/,
    name: 'before October 2020',
    says: /17763\.1553.*KB4580390/,
    sicken: (world) => (world.os.ubr = 1553),
  },
  {
    check: 'windows-patch',
    fix: /cumulative update/,
    given: {release: '1.23.17'},
    name: 'Windows Server 2022 before April 2022',
    says: /20348\.680.*KB5012637/,
    sicken: (world) => Object.assign(world.os, {build: 20_348, ubr: 680}),
  },
  ...[2582, 2761].map((ubr): Sick => ({
    check: 'windows-patch',
    fix: /cumulative update/,
    given: {release: '1.23.17'},
    name: `Windows Server 2022 with an update that breaks pods (${ubr})`,
    says: new RegExp(`20348\\.${ubr}.*KB5040437.*KB5044281.*20348\\.2762$`),
    sicken: (world) => Object.assign(world.os, {build: 20_348, ubr}),
  })),
  {
    check: 'architecture',
    error: 'ARCHITECTURE_UNSUPPORTED',
    fix: /Intel or AMD/,
    name: 'another processor',
    says: /ARM64/,
    sicken: (world) =>
      registry(world, String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`, {
        PROCESSOR_ARCHITECTURE: text('ARM64'),
      }),
  },
  {
    check: 'processors',
    fix: /at least two/,
    name: 'one processor',
    says: /^1 logical processor$/,
    sicken: (world) =>
      registry(world, String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`, {
        NUMBER_OF_PROCESSORS: text('1'),
      }),
  },
  ...(
    [
      [
        String.raw`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending`,
        /incomplete/,
      ],
      [
        String.raw`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired`,
        /Windows Update/,
      ],
    ] as const
  ).map(([key, says]): Sick => ({
    check: 'pending-restart',
    error: 'RESTART_REQUIRED',
    fix: /Restart Windows/,
    name: key,
    says,
    sicken: (world) => registry(world, key, {}),
  })),
  {
    check: 'pending-restart',
    error: 'RESTART_REQUIRED',
    fix: /Restart Windows/,
    name: 'a new name for the computer',
    says: /from WIN-1 to WIN-2/,
    sicken: (world) =>
      registry(world, String.raw`HKLM\SYSTEM\CurrentControlSet\Control\ComputerName\ComputerName`, {
        ComputerName: text('WIN-2'),
      }),
  },
  {
    check: 'pending-restart',
    fix: /does not require it/,
    name: 'files to be replaced',
    says: /PendingFileRenameOperations/,
    sicken: (world) =>
      registry(world, String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager`, {
        PendingFileRenameOperations: {data: [String.raw`\??\C:\x`, ''], type: 'REG_MULTI_SZ'},
      }),
  },
  {
    check: 'long-paths',
    fix: /LongPathsEnabled/,
    given: {'base-dir': `c:\\${'long'.repeat(40)}`, kubeconfig: String.raw`c:\k\kubeconfig`},
    name: 'a base directory of 163 letters',
    says: /163 characters/,
  },
]
