// What a run of setup or upgrade is given, and what its phases find.
import type {Launcher} from '../../config/launchers.js'
import type {Asked, Decided, Node, Upgrade} from '../../config/model.js'
import type {GivenOptions} from '../../config/options/options.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {Host} from '../../host/host.js'
import type {StandardInput} from '../../machine/standard-input.js'
import type {Journal} from '../../pipeline/ledger/journal.js'
import type {Step, StepId} from '../../pipeline/run/step.js'
import type {Facts} from '../../preflight/facts.js'
import type {Phase, Run, RunInput} from '../run.js'

/** `if-possible`: otherwise it continues here. */
export type Detaching = 'if-possible' | 'no' | 'yes'

export interface SetupInput extends RunInput {
  /** Whether the run is to continue as a service. `interrupts`: it interrupts the network of this host. */
  readonly detaches?: ((interrupts: boolean, signal: AbortSignal) => Promise<Detaching>) | undefined
  /** The working folder, from which relative paths are meant. */
  readonly folder?: string
  /** Of recover: what ends pods may be restarted. */
  readonly yes?: boolean
  /** Of a repair by watch: only what died of these steps is repaired, and what was changed is reported. */
  readonly only?: readonly StepId[]
  /** Of recover, whose options are few. */
  readonly timeoutMs?: number | undefined
  /** The command line's options. */
  readonly given: GivenOptions
  /** What started the run. */
  readonly launcherOf?: (() => Promise<Launcher>) | undefined
  /** Where --token-file - reads the token. */
  readonly input?: StandardInput | undefined
  /** Of the command upgrade. */
  readonly upgrade?: Omit<Upgrade, 'from'>
  /** Called with the requested configuration, before anything is done. */
  readonly onConfig?: (config: Pick<Decided, 'digests'>) => void
}

/** Each value is set by the phase that finds it. */
export interface SetupRun extends Run<SetupInput> {
  asked: Asked
  /** The node of before, where this is an upgrade, or gives its daemons other settings. */
  back?: Node
  config: Decided
  /** Whether the run continues as a service once the host is checked. */
  detaching?: Detaching
  /** Why the journal was not read. */
  distrust?: K8sWinError | undefined
  facts: Facts
  /** As the last setup stored it, where only the settings of its daemons are others. */
  former?: Decided
  host: Host
  journal: Journal
  /** Of upgrade without --release: why it chose the release. */
  chosenFor?: string
  /** Of the host's own network, outside of the steps, in words. */
  restored?: readonly string[]
  /** The journal says that the run has begun to change the node. */
  hasBegun?: true
  /** The programs of another release are being installed, and the node is not as it was. */
  isDrained?: boolean
  node: Node
  steps: readonly Step[]
  /** Services not created by k8s-win that a step has stopped with a daemon: the step that starts the daemon starts them. */
  stopped?: Set<string>
  /** Of recover: steps that could not be judged, because the cluster does not respond. */
  unasked?: readonly StepId[]
}

export type SetupPhase = Phase<SetupRun>
