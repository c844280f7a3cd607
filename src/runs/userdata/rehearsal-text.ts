// What a rehearsal showed, for people.
import {starterOf} from './clouds.js'
import type {Rehearsal, RehearsedRun, RehearsedSetup, RehearsedStart} from './rehearse.js'

const NAMES: Readonly<Record<ReturnType<typeof starterOf>, string>> = {
  'azure-cse': "Azure's extension",
  'cloudbase-init': 'cloudbase-init',
  ec2launch: 'EC2Launch',
  'ec2launch-v1': 'EC2Launch v1',
  gce: "Google's agent",
}

const BELIEFS = {done: 'success', failed: 'a failure', unfinished: 'that it is not finished'} as const

export function rehearsalLines(rehearsal: Rehearsal): string[] {
  const {belief, cloud, format, isReady, launcher, starts} = rehearsal
  const name = NAMES[starterOf(cloud, launcher)]
  const node = isReady ? 'The node is Ready' : whyNotReady(starts)
  const isTrue = (belief === 'done') === isReady
  return [
    `Rehearsal of the user data for ${cloud} (${format}). In place of its cluster, its token and its secret store there are simulated ones.`,
    ...starts.flatMap((start, index) => ['', `Start ${index + 1} of Windows`, ...startLines(start, name)]),
    ...(isReady ? [] : lastErrors(starts)).flatMap(({cause, fix, id, message}) => [
      '',
      `${id}: ${message}`,
      `Cause: ${cause}`,
      `Fix:   ${fix}`,
    ]),
    '',
    `${node}${isTrue ? ', and' : ', but'} ${name} reports ${BELIEFS[belief]}.`,
  ]
}

function startLines({belief, restart, runs}: RehearsedStart, name: string): string[] {
  const reaction = {
    'k8s-win': `Windows is restarted by k8s-win. ${name} reports ${BELIEFS[belief]}.`,
    later: `${name} runs the script again at the next start of Windows.`,
    launcher: `${name} restarts Windows and runs the script again.`,
    none: `${name} reports ${BELIEFS[belief]}.`,
  }[restart ?? 'none']
  return [...runs.flatMap(runLines), `  ${reaction}`]
}

function runLines({by, exitCode, output, setup}: RehearsedRun): string[] {
  const who = by === 'launcher' ? 'The script' : 'The service k8s-win-run'
  const changed = setup?.isReady === true ? `: the node is Ready, ${setup.changed} steps changed` : ''
  return [
    `  ${who} ended with exit code ${exitCode}${changed}.`,
    ...output.map((line) => `    ${line}`),
    ...(setup?.errors ?? []).map(({id, message}) => `    ${id}: ${message}`),
  ]
}

const setupsOf = (starts: readonly RehearsedStart[]): RehearsedSetup[] =>
  starts.flatMap(({runs}) => runs.flatMap(({setup}) => setup ?? []))

const lastErrors = (starts: readonly RehearsedStart[]): RehearsedSetup['errors'] =>
  setupsOf(starts).at(-1)?.errors ?? []

/** A host that was kept may have a node that was not checked. */
function whyNotReady(starts: readonly RehearsedStart[]): string {
  if (setupsOf(starts).length === 0) return 'The node was not checked (k8s-win.exe was not run)'
  const ids = lastErrors(starts).map(({id}) => id)
  return `The node is not Ready${ids.length === 0 ? '' : ` (${ids.join(', ')})`}`
}
