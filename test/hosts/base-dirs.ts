// What a user may have put where the base directory goes, or above it, and where daemons look.
import type {GivenOptions} from '../../src/config/options/options.js'
import type {HostFolder} from '../steps/host-folder.js'

const BOB = 'S-1-5-21-1-2-3-1001'
const OWNED_BY_BOB = `O:${BOB}D:AI(A;OICI;FA;;;${BOB})(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)`
/** C:\k of aks-engine#4633. */
const MODIFY = 'O:BAD:PAI(A;OICI;0x1301bf;;;AU)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)'
const PLANTED = 'MZ planted by bob'

export interface State {
  /** IDs of the errors; none where setup puts everything right. */
  readonly errors?: readonly string[]
  readonly given?: GivenOptions
  make?(host: HostFolder): void
  readonly name: string
}

const give = (host: HostFolder, path: string, sddl: string): void =>
  host.edit(({security}) => (security[`c:\\${path}`.toLowerCase()] = sddl))

/** A file of bob's, in folders that are there or made by another account. */
const plant = (host: HostFolder, path: string, sddl = OWNED_BY_BOB, content = PLANTED): void => {
  host.put(path, content)
  give(host, path, sddl)
}

const linkTo =
  (path: string, target: string) =>
  (host: HostFolder): void => {
    host.makeFolder(target)
    host.makeFolder(path)
    host.remove(path)
    host.link(path, target)
  }

const AT_C_NODE = {'base-dir': String.raw`C:\node`, kubeconfig: String.raw`C:\k\kubeconfig`}
const DEEP = `C:\\node\\${'n'.repeat(200)}`

const FILES_IN_THE_WAY = [
  String.raw`k\cni`,
  String.raw`k\cni\config`,
  String.raw`k\downloads`,
  String.raw`k\k8s-win`,
  String.raw`k\kubernetes\node`,
  String.raw`k\logs`,
  String.raw`k\logs\kubelet`,
  'etc',
  String.raw`etc\kube-flannel`,
  String.raw`run\flannel`,
  String.raw`usr\libexec\kubernetes\kubelet-plugins`,
  String.raw`var\lib\kubelet`,
]

export const STATES: readonly State[] = [
  ...FILES_IN_THE_WAY.map((path) => ({
    errors: ['FILE_IN_THE_WAY'],
    make: (host: HostFolder) => host.put(path, 'a file'),
    name: `there, with a file in the place of C:\\${path}`,
  })),
  {name: 'absent', given: AT_C_NODE},
  {name: 'absent, with its parents', given: {...AT_C_NODE, 'base-dir': String.raw`C:\data\deep\k`}},
  {
    name: 'review S4: owned by a user',
    errors: ['PARENT_OPEN_TO_OTHERS'],
    make: (host) => give(host, 'k', `O:${BOB}D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)`),
  },
  {
    name: 'review S4: an entry for a user',
    errors: ['PARENT_OPEN_TO_OTHERS', 'UNTRUSTED_FILE'],
    make: (host) => give(host, 'k', `O:BAD:AI(A;OICI;FA;;;${BOB})`),
  },
  {
    name: 'review S4: Modify for everybody, handed down',
    errors: ['PARENT_OPEN_TO_OTHERS', 'UNTRUSTED_FILE'],
    make: (host) => give(host, 'k', MODIFY),
  },
  {name: 'a junction', errors: ['BASE_DIR_NOT_FOLDER'], given: AT_C_NODE, make: linkTo('node', 'elsewhere')},
  {
    name: 'a symbolic link',
    errors: ['BASE_DIR_NOT_FOLDER'],
    given: AT_C_NODE,
    make: linkTo('node', String.raw`Users\bob`),
  },
  {name: 'a mount point', errors: ['BASE_DIR_NOT_FOLDER'], given: AT_C_NODE, make: linkTo('node', 'volume')},
  {
    name: 'below a link',
    errors: ['LINK_IN_THE_WAY'],
    given: {...AT_C_NODE, 'base-dir': String.raw`C:\data\k`},
    make(host) {
      linkTo('data', 'elsewhere')(host)
      host.makeFolder(String.raw`elsewhere\k`)
    },
  },
  {
    name: 'a file',
    errors: ['BASE_DIR_NOT_FOLDER'],
    given: AT_C_NODE,
    make: (host) => host.put('node', 'no folder'),
  },
  {name: 'a planted kubelet.exe', make: (host) => plant(host, String.raw`k\kubernetes\node\bin\kubelet.exe`)},
  {name: 'a planted flanneld.exe', make: (host) => plant(host, String.raw`k\flanneld.exe`)},
  {
    name: 'a planted program beside the kubelet, which PATH leads to',
    errors: ['PLANTED_PROGRAM'],
    make: (host) => plant(host, String.raw`k\kubernetes\node\bin\crictl.exe`),
  },
  {
    name: "an administrator's program in a folder that all can write to",
    errors: ['PARENT_OPEN_TO_OTHERS', 'PLANTED_PROGRAM'],
    make(host) {
      host.put(String.raw`k\cni\win-bridge.exe`, 'MZ')
      give(host, 'k', MODIFY)
    },
  },
  {
    name: "an administrator's program in a folder of his",
    make: (host) => host.put(String.raw`k\cni\win-bridge.exe`, 'MZ'),
  },
  {
    name: 'a library beside shawl.exe',
    errors: ['FOREIGN_LIBRARY'],
    make: (host) => plant(host, String.raw`k\bcrypt.dll`),
  },
  {
    name: 'a redirection beside the kubelet',
    errors: ['FOREIGN_LIBRARY'],
    make: (host) => host.put(String.raw`k\kubernetes\node\bin\kubelet.exe.local\x`, ''),
  },
  {
    name: 'review S4: a child folder of a user',
    errors: ['PARENT_OPEN_TO_OTHERS'],
    make(host) {
      host.makeFolder(String.raw`k\cni\config`)
      give(host, String.raw`k\cni`, OWNED_BY_BOB)
      give(host, String.raw`k\cni\config`, `O:BAD:PAI(A;OICI;FA;;;BA)(A;OICI;FA;;;${BOB})`)
    },
  },
  {name: 'a child folder that is a link', errors: ['LINK_IN_THE_WAY'], make: linkTo(String.raw`k\cni`, 'elsewhere')},
  {
    name: 'a log folder that is a link',
    errors: ['LINK_IN_THE_WAY'],
    make: linkTo(String.raw`k\logs`, String.raw`Windows\System32\logs`),
  },
  {
    name: 'a kubeconfig that is a link',
    errors: ['LINK_IN_THE_WAY'],
    make(host) {
      host.put(String.raw`Users\bob\kubeconfig`, host.read(String.raw`k\kubeconfig`))
      host.remove(String.raw`k\kubeconfig`)
      host.link(String.raw`k\kubeconfig`, String.raw`Users\bob\kubeconfig`)
    },
  },
  {
    name: 'a journal that calls a planted program verified',
    errors: ['STATE_OPEN_TO_OTHERS'],
    make(host) {
      const path = String.raw`k\kubernetes\node\bin\kubelet.exe`
      plant(host, path)
      const entry = {kind: 'file', path: `C:\\${path}`, sha256: 'f'.repeat(64), step: 'kubernetes-binaries'}
      plant(host, String.raw`k\k8s-win\journal.ndjson`, OWNED_BY_BOB, `${JSON.stringify(entry)}\n`)
    },
  },
  {
    name: 'an archive in the downloads, held open by somebody',
    make: (host) => plant(host, String.raw`k\downloads\flanneld-v0.28.9.exe`),
  },
  {
    name: 'read-only for administrators',
    make: (host) => give(host, 'k', 'O:BAD:PAI(A;OICI;FRFX;;;BA)(A;OICI;FRFX;;;SY)'),
  },
  {
    name: 'closed to administrators',
    errors: ['FOLDER_LOCKED'],
    make: (host) => give(host, 'k', `O:${BOB}D:PAI(A;OICI;FA;;;${BOB})`),
  },
  {name: 'a long path', given: {...AT_C_NODE, 'base-dir': DEEP}},
  {
    name: 'in a folder of a user',
    errors: ['PARENT_OPEN_TO_OTHERS'],
    given: {...AT_C_NODE, 'base-dir': String.raw`C:\Users\bob\k`},
    make(host) {
      host.makeFolder(String.raw`Users\bob`)
      give(host, String.raw`Users\bob`, `O:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;${BOB})`)
    },
  },
  {
    name: "a parent of the daemons' folders that others can rename",
    errors: ['PARENT_OPEN_TO_OTHERS'],
    make(host) {
      host.makeFolder('var')
      give(host, 'var', MODIFY)
    },
  },
  {
    name: 'a driver planted for the kubelet',
    errors: ['PLANTED_PROGRAM'],
    make(host) {
      const drivers = String.raw`usr\libexec\kubernetes\kubelet-plugins\volume\exec`
      plant(host, `${drivers}\\bob~smb\\smb.exe`)
      give(host, `${drivers}\\bob~smb`, OWNED_BY_BOB)
    },
  },
  {
    name: 'a child folder that others may only add to',
    make(host) {
      host.makeFolder(String.raw`k\logs\kubelet`)
      give(host, String.raw`k\logs\kubelet`, `O:BAD:PAI(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;CI;DCLC;;;${BOB})`)
    },
  },
  {
    name: "a user's log, of which nothing is believed",
    make: (host) => plant(host, String.raw`k\logs\kubelet\kubelet.log`),
  },
  {
    name: 'review S5: a key that a user put where the kubelet keeps its own',
    errors: ['UNTRUSTED_FILE'],
    make: (host) => plant(host, String.raw`var\lib\kubelet\pki\kubelet.key`),
  },
  {
    name: 'review S5: a reservation that a user made for host-local',
    errors: ['UNTRUSTED_FILE'],
    make: (host) => plant(host, String.raw`var\lib\cni\networks\vxlan0\10.244.3.2`),
  },
  {
    name: 'review S5: a link among the logs, in a folder that others may add to',
    errors: ['LINK_IN_THE_WAY'],
    make: linkTo(String.raw`k\logs\kubelet`, 'elsewhere'),
  },
  {
    name: 'review S5: a link in a log folder that others may add to',
    errors: ['LINK_IN_THE_WAY'],
    make(host) {
      host.put(String.raw`k\logs\kubelet\kubelet.exe.log`, '')
      linkTo(String.raw`k\logs\kubelet\kubelet.exe.INFO`, 'elsewhere')(host)
    },
  },
  {
    name: "the kubelet's own link to its newest certificate, in a closed folder",
    make(host) {
      host.put(String.raw`var\lib\kubelet\pki\kubelet-client-2026.pem`, '')
      linkTo(
        String.raw`var\lib\kubelet\pki\kubelet-client-current.pem`,
        String.raw`var\lib\kubelet\pki\kubelet-client-2026.pem`,
      )(host)
      give(host, String.raw`var\lib\kubelet\pki`, 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
    },
  },
  {
    name: "review W2: a former kubelet's link to its newest certificate, in a folder as kubeadm leaves it",
    make(host) {
      host.put(String.raw`var\lib\kubelet\pki\kubelet-client-2026.pem`, '')
      const at = String.raw`var\lib\kubelet\pki\kubelet-client-current.pem`
      host.link(at, String.raw`var\lib\kubelet\pki\kubelet-client-2026.pem`)
    },
  },
  {
    name: 'review S6: a kubeconfig with another name elsewhere',
    errors: ['HARD_LINK'],
    make(host) {
      host.hardLink(String.raw`k\kubeconfig`, 'other-name')
    },
  },
  {
    name: 'review S6: a log that is another name of a file of Windows',
    errors: ['HARD_LINK'],
    make(host) {
      host.makeFolder(String.raw`k\logs\kubelet`)
      host.hardLink(String.raw`Windows\System32\netsh.exe`, String.raw`k\logs\kubelet\kubelet.log`)
    },
  },
  ...['kubelet.kubeconfig', 'flanneld.kubeconfig', 'bootstrap-kubeconfig'].map((name) => ({
    name: `review A3-10: ${name} of a user, which nothing uses yet`,
    errors: ['UNTRUSTED_FILE'],
    make: (host: HostFolder) => plant(host, String.raw`k` + `\\${name}`),
  })),
  {
    name: 'review S12: a socket that a user put among the plug-ins',
    errors: ['UNTRUSTED_FILE'],
    make: (host) => plant(host, String.raw`var\lib\kubelet\plugins_registry\bob.sock`),
  },
  {
    name: 'review S3: a CNI configuration that a user put after cni.conf',
    errors: ['UNTRUSTED_FILE'],
    make: (host) => plant(host, String.raw`k\cni\config\z.conf`, OWNED_BY_BOB, '{"name":"bob","type":"win-bridge"}'),
  },
  {
    name: 'review S3: a CNI configuration that a user put before cni.conf',
    errors: ['UNTRUSTED_FILE', 'FOREIGN_CNI_CONFIG'],
    make: (host) => plant(host, String.raw`k\cni\config\Z.conf`, OWNED_BY_BOB, '{"name":"bob","type":"win-bridge"}'),
  },
  {
    name: 'review S4: net-conf.json in a folder of a user',
    errors: ['PARENT_OPEN_TO_OTHERS', 'UNTRUSTED_FILE'],
    make(host) {
      plant(host, String.raw`etc\kube-flannel\net-conf.json`, OWNED_BY_BOB, '{"Network":"10.0.0.0/8"}')
      give(host, String.raw`etc\kube-flannel`, OWNED_BY_BOB)
    },
  },
]
