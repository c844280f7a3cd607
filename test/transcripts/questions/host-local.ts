// The calls of host-local whose answers are recorded: those of the lab's suite, each answer once.
import {type Call, type Scenario, SCENARIOS} from '../../lab/host-local/scenarios.js'

export interface HostLocalQuestion {
  readonly call: Call
  /** The name of its recording, where its answer is one. */
  readonly name: string
  readonly scenario: Scenario
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    // Names that only differ in other letters stay different.
    .replaceAll(/[^\s\w.,:"-]/g, (letter) => `-${letter.codePointAt(0)?.toString(16)}-`)
    .replaceAll(/[^a-z\d.]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')

export const HOST_LOCAL_QUESTIONS: readonly HostLocalQuestion[] = SCENARIOS.flatMap((scenario) =>
  scenario.calls.map((call, index) => ({
    call,
    name: `${slug(scenario.name)}-${index + 1}-${slug(call.command ?? 'nothing')}`,
    scenario,
  })),
)

/** The call as a person would see it. */
export const askedOf = ({command, env, input}: Call): string =>
  [
    ...(command === undefined ? [] : [`CNI_COMMAND=${command}`]),
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    'host-local.exe',
    `< ${input || '(nothing)'}`,
  ].join(' ')
