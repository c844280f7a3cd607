// --metrics-file: the state of the node for the textfile collector of windows_exporter, which reads files that end in .prom,
// refuses timestamps, and wants a line feed at the end (its collector textfile).
import type {Machine} from '../../machine/machine.js'
import {fileReporter} from './file-reporter.js'
import type {WatchReporter, WatchState} from './model.js'

/** A scrape finds a time of the last check that is not much older. */
const WRITE_EVERY_MS = 60_000

/** `repairs`: how many were made of what, as long as this process runs. */
export function metricsFile(
  machine: Pick<Machine, 'files' | 'win32'>,
  path: string,
  repairs: ReadonlyMap<string, number>,
): WatchReporter {
  const render = (state: WatchState): string => metricsOf(state, repairs)
  // Whoever may add to the folder may put a link in the file's place.
  const reporter = fileReporter({everyMs: WRITE_EVERY_MS, machine, path, render, use: 'closed'})
  return {
    async report(state) {
      // Setup has created it. One that setup has removed since must not come back.
      if (await machine.files.status(path).catch(() => undefined)) await reporter.report(state)
    },
  }
}

function metricsOf({at, components, troubles}: WatchState, repairs: ReadonlyMap<string, number>): string {
  const unhealthy = new Set(troubles.map(({component}) => component))
  const healthy = [...new Set([...components, ...unhealthy])].map((one) => [one, unhealthy.has(one) ? 0 : 1] as const)
  return [
    ...metric('k8s_win_healthy', 'gauge', 'Whether the component has no problem.', labelled('component', healthy)),
    ...metric('k8s_win_repairs_total', 'counter', 'Repairs, also failed ones.', labelled('what', [...repairs])),
    ...metric('k8s_win_last_check_timestamp_seconds', 'gauge', 'When the node was last checked.', [['', at / 1000]]),
    '',
  ].join('\n')
}

type Sample = readonly [labels: string, value: number]

const labelled = (name: string, samples: readonly Sample[]): Sample[] =>
  samples.map(([label, value]) => [`{${name}="${escaped(label)}"}`, value])

const ESCAPES: Readonly<Record<string, string>> = {'\n': String.raw`\n`, '"': String.raw`\"`, '\\': '\\\\'}
const escaped = (label: string): string => label.replaceAll(/["\\\n]/g, (letter) => ESCAPES[letter] ?? letter)

const metric = (name: string, type: string, help: string, samples: readonly Sample[]): string[] =>
  samples.length === 0
    ? []
    : [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
      ]
