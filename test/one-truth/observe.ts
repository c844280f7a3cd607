// Runs a scenario in one way and tells all that was seen.
import type {Observation} from './observation.js'
import {type EndedRun, observeRun} from './run-record.js'
import type {Scenario, Way} from './scenario.js'

export async function observe(way: Way, scenario: Scenario): Promise<Observation> {
  const host = await way.open(scenario)
  try {
    const seen: Record<string, readonly string[]> = {}
    let last: EndedRun | undefined
    const put = (where: string, observation: Observation): void => {
      for (const [heading, lines] of Object.entries(observation)) seen[`${where}: ${heading}`] = lines
    }

    for (const [index, act] of scenario.acts.entries()) {
      if ('happens' in act) {
        if (last && last.result.outcome !== 'done')
          throw new Error(`Before ${act.happens} it ended with ${JSON.stringify(last.result.error)}.`)
        await host.happens(act.happens)
        continue
      }

      const ended = await host.setup(act.setup, act.moment)
      const where = `act ${index + 1}`
      if ((ended === undefined) !== (act.moment?.then === 'killed'))
        throw new Error(`${where} ended before it was killed.`)
      if (!ended) continue
      last = ended
      if (scenario.nodeOnly) seen[where] = [`exit code ${ended.code}`, `outcome ${ended.result.outcome}`]
      else put(where, observeRun(ended))
      put(`the node after ${where}`, await host.state())
    }

    // Ways that fail alike would agree too.
    const {error, outcome} = last?.result ?? {}
    if ((error?.id ?? outcome) !== scenario.ends) throw new Error(`It ended with ${JSON.stringify(error ?? outcome)}.`)
    return seen
  } finally {
    await host.close()
  }
}
