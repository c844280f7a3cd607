// --detach of setup and upgrade: whether a run continues as a service, and whether this process then shows it.
import {isOn, type Layered} from '../../config/options/layers.js'
import type {Launcher} from '../../config/launchers.js'
import {detachSimulated} from '../../errors/usage.js'
import {sessionOf} from '../../host/launcher/detect.js'
import {orGivenUp} from '../../host/wait.js'
import type {Machine} from '../../machine/machine.js'
import {readAnswer} from '../../machine/real/question.js'
import {EventBus} from '../../pipeline/run/events.js'
import type {Detaching} from '../../runs/phases/setup-run.js'
import {inputOf, type Terminal} from '../ask.js'

export interface Detachment {
  /** This process shows the run, and ends with its exit code. */
  readonly isFollowed: boolean
  /** `interrupts`: the run interrupts the network of this host, and so a remote session. */
  isWanted(interrupts: boolean, run: DetachableRun): Promise<Detaching>
}

interface DetachableRun {
  readonly bus: EventBus
  readonly launcherOf: (() => Promise<Launcher>) | undefined
  readonly signal: AbortSignal
}

const NAMES = {ssh: 'SSH', winrm: 'WinRM'} as const
const SESSION_MS = 10_000
/** How to see the run afterwards, from any session. */
const AFTERWARDS = 'connect again and run "k8s-win attach"; when the run has ended, run "k8s-win status"'

type ErrorTerminal = Pick<Terminal, 'stderr' | 'stdin'>

export function chooseDetachment(asked: Pick<Layered, 'given'>, machine: Machine, terminal: ErrorTerminal): Detachment {
  if (asked.given.detach !== undefined) {
    const isDetached = isOn(asked, 'detach')
    return {isFollowed: false, isWanted: async () => (isDetached ? 'yes' : 'no')}
  }

  return {
    isFollowed: true,
    async isWanted(interrupts, {bus, launcherOf, signal}) {
      // Under a launcher its exit code is what counts.
      if (!interrupts || (await launcherOf?.()) !== 'none') return 'no'
      const session = await orGivenUp(machine.clock, SESSION_MS, sessionOf(machine.win32))
      if (session === undefined) return 'no'
      const lost = `this ${NAMES[session]} session may be lost while the overlay network is created`
      if (machine.simulated) {
        bus.warn(
          `${lost}: on a real host the run would continue as a service. A simulated host has none that could run it`,
        )
        return 'no'
      }

      const input = isOn(asked, 'yes') ? undefined : terminalOf(terminal)
      if (!input) {
        bus.warn(`${lost}: the run continues as a service. If the session is lost, ${AFTERWARDS}`)
        return 'if-possible'
      }

      terminal.stderr.write(`Warning: ${lost}.\nContinue as a service, and show it here? [Y/n] `)
      const answer = await readAnswer(input, signal)
      const isWanted = answer !== undefined && /^(?:y(?:es)?)?$/i.test(answer.trim())
      if (isWanted) bus.warn(`if the session is lost, ${AFTERWARDS}`)
      else bus.warn(`${lost}, and the run with it: then run the same command again to resume`)
      return isWanted ? 'if-possible' : 'no'
    },
  }
}

/** The input, where a question can be seen and answered. */
function terminalOf(terminal: ErrorTerminal): Terminal['stdin'] | undefined {
  const input = inputOf(terminal)
  return input?.isTTY === true && terminal.stderr.isTTY === true ? input : undefined
}

/** On a simulated host no process of a service is started: the run would never continue. */
export function demandService({simulated}: Pick<Machine, 'simulated'>): void {
  if (simulated) throw detachSimulated({})
}

/** The same events, without the end of a run that continues elsewhere: its own end is shown. */
export function withoutDetachedEnd(bus: EventBus): EventBus {
  const inner = new EventBus(bus.now)
  inner.listen((event) => {
    if (event.type !== 'run-finished' || event.result.outcome !== 'detached') bus.emit(event)
  })
  return inner
}
