// The command line of npm run test:windows: names of suites, and one switch.
import {LINUX_SIDE} from './suite-outcome.js'

export const CHANGE_SWITCH = '--yes-change-this-host'

export interface LabArguments {
  readonly changesAllowed: boolean
  /** Names of suites to run; all if empty. */
  readonly filter: readonly string[]
}

/** Answers with a text for people where an argument means nothing: a run of no suite must not look like a pass. */
export function readLabArguments(argv: readonly string[], suites: readonly string[]): LabArguments | string {
  const known = [...suites, LINUX_SIDE]
  const strange = argv.filter((argument) => argument !== CHANGE_SWITCH && !known.includes(argument))
  if (strange.length === 0) {
    return {
      changesAllowed: argv.includes(CHANGE_SWITCH),
      filter: argv.filter((argument) => argument !== CHANGE_SWITCH),
    }
  }
  return [
    `test:windows does not know ${strange.map((argument) => `"${argument}"`).join(', ')}.`,
    `Usage: npm run test:windows -- [suite ...] [${CHANGE_SWITCH}]`,
    `Suites: ${known.join(', ')}.`,
    `${CHANGE_SWITCH}: on a real Windows, also what changes services, firewall rules and networks of this host.`,
    '',
  ].join('\n')
}
