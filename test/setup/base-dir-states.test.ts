// Whatever somebody put where the base directory goes: setup ends with folders that only administrators can change, or
// refuses and changes nothing. A planted program never runs.
import {mkdirSync, symlinkSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options.js'
import {ADMINISTRATORS_ONLY} from '../../src/host/security.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from './in-process.js'
import {SimulatedHost} from './simulated-host.js'

const BOB = 'S-1-5-21-1-2-3-1001'
const OWNED_BY_BOB = `O:${BOB}D:AI(A;OICI;FA;;;${BOB})(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)`
/** C:\k of aks-engine#4633. */
const MODIFY = 'O:BAD:PAI(A;OICI;0x1301bf;;;AU)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)'
const PLANTED = 'MZ planted by bob'

interface State {
  /** IDs of the errors; none where setup puts everything right. */
  readonly errors?: readonly string[]
  readonly given?: GivenOptions
  make?(host: SimulatedHost): void
  readonly name: string
}

const give = (host: SimulatedHost, path: string, sddl: string): void =>
  host.edit(({security}) => (security[`c:\\${path}`.toLowerCase()] = sddl))

/** A file of bob's, in folders that are there or made by somebody else. */
const plant = (host: SimulatedHost, path: string, sddl = OWNED_BY_BOB, content = PLANTED): void => {
  host.put(path, content)
  give(host, path, sddl)
}

const linkTo =
  (path: string, target: string) =>
  (host: SimulatedHost): void => {
    mkdirSync(host.file(target), {recursive: true})
    host.remove(path)
    symlinkSync(host.file(target), host.file(path))
  }

const AT_C_NODE = {'base-dir': String.raw`C:\node`, kubeconfig: String.raw`C:\k\kubeconfig`}
const DEEP = `C:\\node\\${'n'.repeat(200)}`

const STATES: readonly State[] = [
  {name: 'absent', given: AT_C_NODE},
  {name: 'absent, with its parents', given: {...AT_C_NODE, 'base-dir': String.raw`C:\data\deep\k`}},
  {name: 'owned by a user', make: (host) => give(host, 'k', `O:${BOB}D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)`)},
  {name: 'an entry for a user', make: (host) => give(host, 'k', `O:BAD:AI(A;OICI;FA;;;${BOB})`)},
  {name: 'Modify for everybody, handed down', make: (host) => give(host, 'k', MODIFY)},
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
      mkdirSync(host.file(String.raw`elsewhere\k`))
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
    errors: ['PLANTED_PROGRAM'],
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
    name: 'a child folder with an access list of its own',
    make(host) {
      mkdirSync(host.file(String.raw`k\cni\config`), {recursive: true})
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
      symlinkSync(host.file(String.raw`Users\bob\kubeconfig`), host.file(String.raw`k\kubeconfig`))
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
      mkdirSync(host.file(String.raw`Users\bob`))
      give(host, String.raw`Users\bob`, `O:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;${BOB})`)
    },
  },
  {
    name: "a parent of the daemons' folders that others can rename",
    errors: ['PARENT_OPEN_TO_OTHERS'],
    make(host) {
      mkdirSync(host.file('var'))
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
    name: 'net-conf.json in a folder of a user',
    make(host) {
      plant(host, String.raw`etc\kube-flannel\net-conf.json`, OWNED_BY_BOB, '{"Network":"10.0.0.0/8"}')
      give(host, String.raw`etc\kube-flannel`, OWNED_BY_BOB)
    },
  },
]

describe('a base directory that is', () => {
  test.each(STATES.filter(({errors}) => errors === undefined))('$name: is closed to others', async ({given, make}) => {
    const host = await SimulatedHost.make()
    make?.(host)
    const {result} = await setupOn(host.dir, given)
    expect(result.error).toBeUndefined()
    expect(result.outcome).toBe('done')
    await expectClosed(host, String(given?.['base-dir'] ?? String.raw`C:\k`))
    expectOurPrograms(host)
    const again = await setupOn(host.dir, given)
    expect(again.result.recap.changed).toBe(0)
  })

  test.each(STATES.filter(({errors}) => errors !== undefined))('$name: is refused', async ({errors, given, make}) => {
    const host = await SimulatedHost.make()
    make?.(host)
    const before = host.state
    const {result} = await setupOn(host.dir, given)
    expect((result.errors ?? [result.error]).map((error) => error?.id)).toEqual(errors)
    expect([2, 3]).toContain(result.exitCode)
    expect(host.state).toEqual(before)
    expect(host.transcript.filter(({kind}) => kind === 'change')).toEqual([])
  })
})

/** Of everything that is run or read: owner, list, and nothing of anybody else's. */
async function expectClosed(host: SimulatedHost, baseDir: string): Promise<void> {
  const {win32} = await openSimulator({dir: host.dir, profile: 'ws2019'})
  expect(await win32.securityOf(baseDir)).toBe(ADMINISTRATORS_ONLY)
  const inside = [
    '',
    'kubernetes',
    String.raw`kubernetes\node`,
    String.raw`kubernetes\node\bin`,
    'cni',
    String.raw`cni\config`,
    'downloads',
    'k8s-win',
    'logs',
    String.raw`logs\kubelet`,
  ]
  const outside = [
    String.raw`C:\etc\kube-flannel`,
    String.raw`C:\run\flannel`,
    String.raw`C:\var\lib\cni`,
    String.raw`C:\var\lib\cni\networks`,
    String.raw`C:\var\lib\kubelet\pki`,
    String.raw`C:\usr\libexec\kubernetes`,
  ]
  const folders = [...inside.map((name) => `${baseDir}\\${name}`.replace(/\\$/, '')), ...outside]
  const seen = await win32.survey(folders.map((path) => ({inside: true, path})))
  expect(seen.length).toBeGreaterThan(30)
  // What was there before us is kept aside as it was.
  for (const {path, sddl} of seen.filter((one) => !one.path.endsWith('.before-k8s-win'))) {
    expect(sddl, path).toMatch(/^O:BAD:P?AI(?:\(A;[A-Z]*;FA;;;(?:SY|BA)\)){2}$/)
  }

  for (const parent of [String.raw`C:\etc`, String.raw`C:\run`, String.raw`C:\var`, String.raw`C:\usr`]) {
    expect(await win32.securityOf(parent)).toMatch(/^O:BA/)
  }
}

function expectOurPrograms({transcript, world}: SimulatedHost): void {
  for (const [service, name] of [
    ['kubelet', 'kubelet'],
    ['kubeproxy', 'kube-proxy'],
    ['flanneld', 'shawl'],
  ] as const) {
    expect(world.services[service]?.process?.standIn?.name).toBe(name)
  }

  const outcomes = transcript.filter(({via}) => via === 'run').map(({outcome}) => outcome)
  expect(new Set(outcomes)).toEqual(new Set(['exit 0']))
}
