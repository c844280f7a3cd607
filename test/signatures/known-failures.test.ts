// Failures of Windows nodes that users have met since 2023: each is refused, warned about, recognised or repaired, and each
// has a test. A number is that of the list; what needs a host is tested elsewhere, in a test that is named here.
import {existsSync, readFileSync} from 'node:fs'
import {expect, it} from 'vitest'
import {containerdConfiguration, containerdSettings} from '../../src/components/containerd.js'
import {kubeletService} from '../../src/components/kubelet.js'
import {kubeProxyService} from '../../src/components/kube-proxy.js'
import {flannelProblem, releaseProblem, releaseWarnings} from '../../src/components/releases/windows-support.js'
import {parseVersion, type Version} from '../../src/config/version.js'
import {joinCommandLine} from '../../src/host/command-line.js'
import {recognise, type SignatureSource} from '../../src/signatures/index.js'
import {releaseNode} from '../components/example.js'
import {errorS, flannelEnds, hcn} from './log-lines.js'
import {LINES} from './lines/index.js'

const RELEASES = ['1.24.17', '1.26.15', '1.30.14', '1.31.14', '1.33.13', '1.34.11', '1.35.8', '1.36.4']
const WS2022 = 20_348
const version = (text: string): Version => parseVersion(text) as Version

/** A patch that lacks a fix of kube-proxy is a warning, and the patch with the fix is none. */
function floors(...pairs: readonly (readonly [lacking: string, fixed: string, says: RegExp])[]): void {
  for (const [lacking, fixed, says] of pairs) {
    const said = (release: string): boolean => releaseWarnings(version(release), WS2022).some((one) => says.test(one))
    expect([lacking, said(lacking)], String(says)).toEqual([lacking, true])
    expect([fixed, said(fixed)], String(says)).toEqual([fixed, false])
  }
}

/** Its lines are in the table of lines, which the test of signatures holds against all of them. */
function signatures(...ids: readonly string[]): void {
  for (const id of ids) expect(LINES.map((line) => line.id)).toContain(id)
}

const known = (line: string, source: SignatureSource): string | undefined => recognise(line, source)?.id

interface KnownFailure {
  readonly check?: () => void
  /** Where it was reported. */
  readonly seen: string
  /** File and name of tests on a simulated host. */
  readonly tests?: readonly (readonly [file: string, name: string])[]
  readonly what: string
}

const KNOWN: readonly KnownFailure[] = [
  {
    check() {
      expect(flannelProblem(version('0.26.0'))).toMatch(/rke2#7215/)
      signatures('flannel-br-netfilter')
    },
    seen: 'rke2#7215',
    tests: [['hosts/windows.ts', 'flannel 0.26.0']],
    what: 'flannel 0.26.0 exits at once on Windows',
  },
  {
    check: () => signatures('flannel-adapter-not-back'),
    seen: 'rke2#5702, rke2#6171',
    tests: [
      ['setup/network-cut.test.ts', 'all that needs the network is done before and the API server asked after'],
      ['boot/boots.test.ts', 'with the API server twenty minutes late'],
      ['boot/boots.test.ts', 'with daemons that die at first'],
    ],
    what: 'the API server is lost while the virtual switch is bound, and flanneld dies',
  },
  {
    seen: 'rke2#5740',
    tests: [
      ['steps/source-vip.test.ts', 'describeStep(sourceVip'],
      ['steps/five-tests.ts', 'applied twice'],
    ],
    what: 'a second start cannot reserve the source VIP',
  },
  {
    check() {
      const refused = flannelEnds(`failed to create HostComputeNetwork vxlan0: ${hcn('hcnCreateNetwork', 'x', 0x57)}`)
      expect(known(refused, 'flanneld')).toBe('hns-parameter-incorrect')
    },
    seen: 'flannel#1966',
    tests: [['steps/overlay-network.test.ts', 'a network that HNS refuses with 0x57 (flannel#1966)']],
    what: 'hcnCreateNetwork: the parameter is incorrect',
  },
  {
    check: () => signatures('flannel-vni-too-small', 'flannel-port-not-4789', 'flannel-peer-vni-too-small'),
    seen: 'flannel#1944, sig-windows-tools#340, sig-windows-tools#252',
    tests: [
      ['preflight/checks/flannel-checks.test.ts', 'flannel’s configuration'],
      ['components/cni.test.ts', 'what win-overlay or HNS would silently ignore is found'],
      ['steps/services/kubeproxy-service.test.ts', 'review W1: a healthy kube-proxy whose Services do not work'],
    ],
    what: 'pods run, and reach neither Services nor the Internet',
  },
  {
    seen: 'flannel#1984',
    tests: [['setup/setup.test.ts', 'ends with the node Ready; again changes nothing']],
    what: 'the node is NotReady for ever: nothing installs flannel on Windows',
  },
  {
    check: () =>
      floors(
        ['1.31.8', '1.31.9', /address was a remote one/],
        ['1.32.4', '1.32.5', /address was a remote one/],
        ['1.33.0', '1.33.1', /address was a remote one/],
        ['1.34.7', '1.34.8', /address is used again/],
        ['1.35.4', '1.35.5', /address is used again/],
        ['1.36.0', '1.36.1', /address is used again/],
      ),
    seen: 'kubernetes#130963, microsoft/Windows-Containers#631, kubernetes#137381',
    tests: [
      ['doctor/node-services.test.ts', 'of a pod that is a remote endpoint, too: POD_ADDRESS_TWICE'],
      ['doctor/node-services.test.ts', 'of two pods of a Service'],
    ],
    what: 'a pod gets an address that still is a remote endpoint',
  },
  {
    check: () =>
      floors(
        ['1.32.9', '1.32.10', /stale remote endpoints/],
        ['1.33.5', '1.33.6', /stale remote endpoints/],
        ['1.34.1', '1.34.2', /stale remote endpoints/],
      ),
    seen: 'kubernetes#131387, sig-windows-tools#380',
    tests: [['doctor/node-services.test.ts', 'of a pod that moved are stale']],
    what: 'CoreDNS moves, and HNS keeps the old backend',
  },
  {
    check() {
      const refused = errorS(
        'proxier.go:1486',
        'ClusterIP policy creation failed',
        hcn('hcnCreateLoadBalancer', 'x', 0xb7),
      )
      expect(known(refused, 'kube-proxy')).toBe('hns-rule-exists')
    },
    seen: 'kubernetes#139519',
    tests: [['steps/services/kubeproxy-service.test.ts', 'an HNS that was restarted, and restores load balancers']],
    what: 'after a restart of HNS no load balancer can be created',
  },
  {
    check: () =>
      floors(['1.34.3', '1.34.4', /does not resync its rules/], ['1.35.0', '1.35.1', /does not resync its rules/]),
    seen: 'kubernetes#135631',
    what: 'rules are never checked again',
  },
  {
    check() {
      for (const build of [17_763, WS2022, 26_100]) expect(releaseProblem(version('1.31.0'), build)).toBeDefined()
      expect(releaseProblem(version('1.31.1'), WS2022)).toBeUndefined()
      signatures('kubelet-socket-left')
    },
    seen: 'kubernetes#127311, kubernetes#126976',
    what: 'the kubelet of 1.31.0 does not start on Windows',
  },
  {
    check() {
      for (const [lacking, fixed] of [
        ['1.28.12', '1.28.13'],
        ['1.29.7', '1.29.8'],
        ['1.30.3', '1.30.4'],
      ] as const) {
        expect(releaseProblem(version(lacking), 26_100)?.reason).toMatch(/wmic/)
        expect(releaseProblem(version(fixed), 26_100)).toBeUndefined()
      }
      signatures('kubelet-needs-wmic')
    },
    seen: 'kubernetes#126012',
    what: 'the kubelet runs wmic, which Windows Server 2025 does not have',
  },
  {
    check() {
      for (const release of RELEASES) {
        const line = joinCommandLine(kubeletService(releaseNode(release)).command)
        expect(line).toContain(' --windows-service ')
        expect(line).not.toMatch(/nssm/i)
      }
      signatures('flag-unknown')
    },
    seen: 'kubernetes#123173, kubernetes#110580',
    tests: [['health/containerd-node.test.ts', 'whose kubelet does not know a flag']],
    what: 'a wrapper hides that the kubelet does not know a flag',
  },
  {
    seen: 'cri-tools#1426, cri-tools#1566',
    tests: [['preflight/checks/containerd-checks.test.ts', "['crictl', '1.31.0', '--crictl-version']"]],
    what: 'crictl fails on Windows',
  },
  {
    check: () => signatures('snapshot-in-use', 'containerd-disk-full'),
    seen: 'kubernetes#116020, microsoft/Windows-Containers#358, rke2#3090',
    tests: [
      ['preflight/checks/containerd-checks.test.ts', 'containerd that leaves snapshots behind is a warning'],
      ['preflight/checks/containerd-checks.test.ts', 'Microsoft Defender scans the folder of containerd'],
      ['preflight/checks/containerd-checks.test.ts', 'with little room is a warning'],
    ],
    what: 'snapshots fill the disk',
  },
  {
    check: () => signatures('image-without-this-windows', 'image-of-other-windows'),
    seen: 'containerd#11366, containerd#6508',
    tests: [
      ['setup/bad-containerd.test.ts', 'no-variant'],
      ['health/containerd-node.test.ts', 'the base images are for another Windows'],
    ],
    what: 'an image has no variant for this Windows, or another one is taken',
  },
  {
    check() {
      for (const release of RELEASES) {
        expect(containerdConfiguration(containerdSettings(releaseNode(release)))).toMatch(
          /image_pull_progress_timeout = '30m'/,
        )
      }
      signatures('pull-without-progress')
    },
    seen: 'containerd#13909, cri-dockerd#372, containerd#11451',
    tests: [['setup/bad-containerd.test.ts', 'a pull that makes no progress until --timeout has passed']],
    what: 'large pulls are cancelled',
  },
  {
    seen: 'microsoft/Windows-Containers#516',
    tests: [['hosts/windows.ts', 'Windows Server 2022 with an update that breaks pods']],
    what: 'the update of July 2024 breaks the network of pods',
  },
  {
    seen: 'rancher#50915',
    tests: [['preflight/checks/containerd-checks.test.ts', 'Windows Server 2025 before October 2025 is a warning']],
    what: 'overlay networks fail on Windows Server 2025 before October 2025',
  },
  {
    seen: 'sig-windows-tools#344, sig-windows-tools#128, sig-windows-tools#89',
    tests: [
      ['boot/boots.test.ts', 'after a boot without trouble'],
      ['doctor/node-state.test.ts', "beside k8s-win's: a warning that names them"],
      ['hosts/unhealthy-nodes.ts', 'SOURCE_VIP_NOT_RESERVED'],
    ],
    what: 'after a restart pods are on another network, or none',
  },
  {
    check: () => signatures('kube-proxy-local-endpoint-missing'),
    seen: 'moby#45462',
    tests: [
      ['health/containerd-node.test.ts', 'beside which dockerd was started: status and doctor say so'],
      ['preflight/docker-beside-containerd.test.ts', 'is refused while it runs'],
    ],
    what: 'dockerd deletes the endpoints of pods when it starts',
  },
  {
    check: () =>
      floors(
        ['1.31.13', '1.31.14', /load balancers of ClusterIPs/],
        ['1.32.9', '1.32.10', /load balancers of ClusterIPs/],
        ['1.32.5', '1.32.6', /HNS 15\.4/],
      ),
    seen: 'rke2#8174, rke2#6093, aws/containers-roadmap#2176',
    tests: [['doctor/node-services.test.ts', 'of a pod that moved are stale']],
    what: 'connections to ClusterIPs fail now and then after an upgrade',
  },
  {
    check: () => floors(['1.24.6', '1.24.7', /leaks rules/], ['1.25.2', '1.25.3', /leaks rules/]),
    seen: 'kubernetes#112836, kubernetes#113524',
    tests: [['health/service-backends.test.ts', 'a second one that was left behind (kubernetes#112836)']],
    what: 'load balancers are left behind',
  },
  {
    check() {
      for (const release of RELEASES) {
        expect(joinCommandLine(kubeProxyService(releaseNode(release), '10.244.3.2').command)).not.toMatch(
          /healthcheck-vip/,
        )
      }
      const refused = errorS('proxier.go:1756', 'Healthcheck loadbalancer policy creation failed', 'x (0x803b0013)')
      expect(known(refused, 'kube-proxy')).toBe('hns-port-exists')
    },
    seen: 'kubernetes/community#8883, kubernetes#137530',
    tests: [['doctor/node-network.test.ts', 'PORTS_RESERVED']],
    what: 'the port of a load balancer already exists on Windows Server 2019',
  },
  {
    check: () => signatures('csi-proxy-needs-wmic'),
    seen: 'sig-windows-tools#358',
    tests: [['doctor/node-state.test.ts', 'without wmic on Windows Server 2025: a hint']],
    what: 'csi-proxy runs wmic',
  },
]

it('are twenty-five, each with a check or a test', () => {
  expect(KNOWN).toHaveLength(25)
  for (const {check, seen, tests = []} of KNOWN)
    expect([seen, Number(check !== undefined) + tests.length]).not.toEqual([seen, 0])
})

it.each(KNOWN.map((one, index) => ({...one, number: index + 1})))('$number $what ($seen)', ({check, tests = []}) => {
  check?.()
  for (const [file, name] of tests) {
    const path = new URL(`../${file}`, import.meta.url)
    expect([file, existsSync(path)]).toEqual([file, true])
    expect([file, name, readFileSync(path, 'utf8').includes(name)]).toEqual([file, name, true])
  }
})
