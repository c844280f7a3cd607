// What a scenario is, and what a way of running it must offer. Three ways run the same scenarios.
import type {RuntimeName} from '../../src/config/model.js'
import type {Machine} from '../../src/machine/machine.js'
import type {DaemonsCommand} from '../../src/runs/daemons/change-daemons.js'
import type {StandIn} from '../../src/simulator/mirror/stand-in.js'
import type {Observation} from './observation.js'
import type {EndedRun} from './run-record.js'

/** The bytes of a program that can run on the host. */
export type MakeProgram = (standIn: StandIn) => Promise<Uint8Array>

/** Something that happens to a host, by its own machine: it runs in-process, or in node.exe on the lab's Windows. */
export type Happening = (machine: Machine, program: MakeProgram) => Promise<void>

/** What happens in the middle of a run, as soon as its log shows an effect that contains this text. */
export interface Moment {
  /** A part of the effect as the log has it, backslashes doubled. */
  readonly at: string
  /** Ctrl-C, or the process is ended the hard way, or a user removes a file, or runs setup too, until that has ended. */
  readonly then: 'interrupted' | 'killed' | {readonly removed: string} | {readonly setup: readonly string[]}
}

export type Act =
  | {readonly happens: HappeningName}
  /** `by`: another command that does the same. */
  | {readonly by?: 'upgrade'; readonly moment?: Moment; readonly setup: readonly string[]}
  | {readonly reset: readonly string[]}
  | {readonly verify: readonly string[]}
  | {readonly daemons: DaemonsCommand}

export interface Scenario {
  readonly acts: readonly Act[]
  readonly baseDir: string
  /** The outcome of the last run, or the error it ends with. */
  readonly ends: string
  /** The adapter with the default gateway; Ethernet0 where it is not said. */
  readonly interfaceName?: string
  /** Where a run dies is a matter of time, and the next one finds more or less of its work: only the node is compared. */
  readonly nodeOnly?: true
  readonly name: string
  readonly runtime: RuntimeName
}

export type HappeningName = 'containerd-installed' | 'containerd-installed-without-cri' | 'services-drifted'

/** The kubeconfig of an administrator of the cluster, on every host. */
export const ADMIN_FILE = String.raw`C:\admin.conf`

/** The bootstrap token of the cluster, on every host. */
export const TOKEN_FILE = String.raw`C:\token.txt`

/** A host in one of the ways, from fresh to gone. */
export interface TruthHost {
  close(): Promise<void>
  happens(name: HappeningName): Promise<void>
  run(command: DaemonsCommand | 'reset' | 'verify', args: readonly string[]): Promise<EndedRun>
  /** Undefined where the run was killed. */
  setup(args: readonly string[], moment?: Moment, by?: 'upgrade'): Promise<EndedRun | undefined>
  state(): Promise<Observation>
}

export interface Way {
  open(scenario: Scenario): Promise<TruthHost>
}
