// Services that have k8s-win's names and were not created by k8s-win: they stay, and so does what they use.
import {type Daemon, DAEMONS, hasOwnContainerd} from '../../../config/daemons.js'
import {CONTAINERD, type Decided, KUBELET} from '../../../config/model.js'
import type {Host} from '../../../host/host.js'
import type {JournalLine} from '../../ledger/journal.js'
import type {RunStepId} from '../../run/events.js'
import {neededBy} from '../../run/step-needs.js'
import type {Step, StepId} from '../../run/step.js'

export interface ForeignService {
  /** It needs what setup created, which stays recorded until an administrator decides who manages the service. */
  readonly isOnOurs: boolean
  /** Parts of a reset that would change the service, or what it uses. */
  readonly keeps: readonly RunStepId[]
  readonly name: string
  /** What stays, and why. */
  readonly reason: string
}

/** Only where `lines`, which reset follows, name something of a daemon: else there is nothing to keep. */
export async function findForeignServices(
  {services}: Pick<Host, 'services'>,
  lines: readonly JournalLine[],
  steps: readonly Step[],
  config: Pick<Decided, 'containerd' | 'runtime'>,
): Promise<ForeignService[]> {
  const foreign: ForeignService[] = []
  for (const daemon of DAEMONS) {
    const {keeps, service: name, step, uses} = daemon
    // One that was there before is used as it is: reset leaves it, and removes from it only what is recorded.
    if (name === CONTAINERD && !config.containerd.isOurs) continue
    // Containers and images of a node with Docker are in Docker. A lost journal names folders for steps of both runtimes.
    const isMeant = ({entry, step: noted}: JournalLine): boolean => noted === step && entry.kind !== 'directory'
    if (name === CONTAINERD && !hasOwnContainerd(config) && !lines.some(isMeant)) continue
    if (lines.length === 0 || !(await services.status(name)) || (await services.isOurs(name))) continue
    const reason = `the service ${name}, because it was not created by k8s-win, and with it ${uses}`
    const needed = neededBy(await leansOn(services, daemon, lines), steps)
    if (needed.size === 0) {
      if (lines.some((line) => line.step === step)) foreign.push({isOnOurs: false, keeps, name, reason})
      continue
    }

    const others = DAEMONS.filter((one) => one !== daemon && needed.has(one.step))
    foreign.push({
      isOnOurs: true,
      keeps: [
        'machine-environment',
        ...needed,
        ...[daemon, ...others].flatMap((one) => [...one.keeps, ...(one.pods ?? [])]),
      ],
      name,
      reason:
        `${reason}. It uses programs or services of this node: ` +
        `${others.map((one) => `the service ${one.service}, `).join('')}the programs, their configuration, PATH, KUBECONFIG and images stay too. ` +
        `To remove all of it, delete ${name}, or adopt it with setup --adopt, and run reset again`,
    })
  }

  return foreign
}

/**
 * The steps of k8s-win's daemons without which it would not run: its own, where its command line names k8s-win's files.
 */
async function leansOn(
  services: Pick<Host['services'], 'dependencies' | 'imagePath' | 'isOurs'>,
  {service: name, step}: Daemon,
  lines: readonly JournalLine[],
): Promise<StepId[]> {
  const command = ((await services.imagePath(name)) ?? '').toLowerCase()
  const isNamed = ({entry, step: noted}: JournalLine): boolean =>
    // The base directory is part of every path in it, also of the user's own files.
    (entry.kind === 'file' || (entry.kind === 'directory' && noted !== 'base-dir')) &&
    command.includes(entry.path.toLowerCase())
  const dependencies = (await services.dependencies(name)).map((one) => one.toLowerCase())
  const found: StepId[] = lines.some(isNamed) ? [step] : []
  const isContainerd = lines.some(({entry}) => entry.kind === 'service' && entry.name === CONTAINERD)
  // Its pods are in k8s-win's containerd, wherever its own program is.
  if (name === KUBELET && isContainerd && (await services.isOurs(CONTAINERD))) found.push('containerd-service')
  for (const one of DAEMONS) {
    // Windows stops a service together with those it depends on, and does not start it again without them.
    if (dependencies.includes(one.service) && (await services.isOurs(one.service))) found.push(one.step)
  }

  return found
}
