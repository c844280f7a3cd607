// What k8s-win itself thinks of the node: as documents in the bundle, and as the verdict of its summary.
import {type Collector, collectorOf} from '../bundle/collector.js'
import type {Opinion} from '../bundle/summary.js'
import {unlessOver} from '../host/wait.js'
import type {GroupedCheck} from '../output/doctor/doctor-view.js'
import {problemText, type StatusDocument} from '../pipeline/run/status-report.js'
import {runDoctor} from './doctor/doctor.js'
import type {NodeRequest} from './known-node.js'
import type {Session} from './run.js'
import {runStatus} from './status/status.js'

export interface Opinions {
  readonly collectors: readonly Collector[]
  /** Of the collectors that have finished. */
  finished(): readonly Opinion[]
}

/** Less than a collector has: what was found until then is worth more than nothing. */
const DOCTOR_MS = 13_000

export function opinionCollectors(run: NodeRequest & Pick<Session, 'assets' | 'redactor'>): Opinions {
  const finished: Opinion[] = []
  const {assets, baseDir, dockerHost, environment, machine, redactor} = run
  const request = {assets, dockerHost, environment, machine, redactor}
  const opinion = (
    path: string,
    ask: (signal: AbortSignal) => Promise<{document: unknown; opinion: Opinion}>,
  ): Collector =>
    collectorOf(path, async ({signal}) => {
      const {document, opinion} = await ask(signal)
      finished.push(opinion)
      return {content: {document}}
    })
  return {
    collectors: [
      opinion('status.json', async (signal) => {
        const document = await runStatus({...request, baseDir, signal, typed})
        return {document, opinion: ofStatus(document)}
      }),
      opinion('doctor.json', async (signal) => {
        const checks: GroupedCheck[] = []
        const given = baseDir === undefined ? {} : {'base-dir': baseDir}
        const asked = runDoctor({...request, given, onCheck: (check) => checks.push(check), signal, typed})
        const document = await unlessOver(machine.clock, DOCTOR_MS, asked)
        const verdict = document ? `${document.verdict} (exit code ${document.exitCode})` : 'not all checks finished'
        return {document: document ?? {checks, unfinished: true}, opinion: ofDoctor(checks, verdict)}
      }),
    ],
    finished: () => finished,
  }
}

const typed = (name: string, baseDir: string | undefined): string =>
  baseDir === undefined ? `k8s-win ${name}` : `k8s-win ${name} --base-dir "${baseDir}"`

function ofStatus({exitCode, problems, notChecked, verdict, warnings}: StatusDocument): Opinion {
  return {
    problems: [
      ...problems.map((problem) =>
        [`Error: ${problemText(problem)}`, `Cause: ${problem.cause}`, `Fix: ${problem.next}`].join('\n'),
      ),
      ...notChecked.map(({what, why}) => `${what} could not be checked: ${why}`),
      ...warnings,
    ],
    verdict: `status: ${verdict} (exit code ${exitCode})`,
  }
}

function ofDoctor(checks: readonly GroupedCheck[], verdict: string): Opinion {
  return {
    problems: checks
      .filter(({result}) => result === 'fail' || result === 'warn')
      .map(({fix, id, message, result}) =>
        [
          `check ${id}: ${result === 'fail' ? 'failed' : 'warning'}: ${message}`,
          ...(fix === undefined ? [] : [`Fix: ${fix}`]),
        ].join('\n'),
      ),
    verdict: `doctor: ${verdict}`,
  }
}
