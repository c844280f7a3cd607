// Runs a scenario in one way and reports all that was seen.
import {differences, type Observation, tell} from './observation.js'
import {brokenPromises} from './plan-kept.js'
import {endingOf, type EndedRun, observeRun, stepsAtWork} from './run-record.js'
import type {Act, Scenario, TruthHost, Way} from './scenario.js'

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

      const where = `act ${index + 1}`
      if ('verify' in act) {
        last = await host.run('verify', act.verify)
        put(where, observeRun(last))
        put(`the node after ${where}`, await host.state())
        continue
      }

      if ('reset' in act) {
        last = await host.run('reset', ['--yes', ...act.reset])
        // Step by step it takes back what the others' traces have shown: how it ended and what is left says it all.
        put(where, {ending: endingOf(last)})
        put(`the node after ${where}`, await host.state())
        continue
      }

      if ('daemons' in act) {
        last = await host.run(act.daemons, [])
        // What starts a daemon is seen in the others' traces, too.
        put(where, {ending: endingOf(last)})
        put(`the node after ${where}`, await host.state())
        continue
      }

      const planned = last?.result.outcome === 'planned' ? last : undefined
      const ended = act.setup.includes('--dry-run')
        ? await dryRun(host, act)
        : await host.setup(act.setup, act.moment, act.by)
      if ((ended === undefined) !== (act.moment?.then === 'killed'))
        throw new Error(`${where} ended before it was killed.`)
      if (!ended) continue
      if (planned) expectKept(planned, ended)
      last = ended
      if (scenario.nodeOnly) seen[where] = [`exit code ${ended.code}`, `outcome ${ended.result.outcome}`]
      else put(where, observeRun(ended))
      if (ended.meanwhile) put(`${where}, meanwhile`, observeRun(ended.meanwhile))
      // How far an interrupted run came is a matter of time; and a dry run leaves the node as it is.
      if (ended.result.outcome !== 'interrupted' && ended.result.outcome !== 'planned')
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

/** Nothing on the host is another for it. */
async function dryRun(host: TruthHost, {setup}: Extract<Act, {setup: unknown}>): Promise<EndedRun | undefined> {
  const before = await host.state()
  const ended = await host.setup(setup)
  const changed = differences(before, await host.state()).map((one) => tell(one))
  if (changed.length > 0) throw new Error(`The dry run changed the host:\n${changed.join('\n')}`)
  return ended
}

function expectKept({result: plan}: EndedRun, {result: deed}: EndedRun): void {
  const [planned, done] = [stepsAtWork(plan), stepsAtWork(deed)]
  if (planned.join() !== done.join()) throw new Error(`Planned was ${planned.join()}, but done ${done.join()}.`)
  const broken = brokenPromises(plan, deed)
  if (broken.length > 0) throw new Error(`The plan was not kept:\n${broken.join('\n')}`)
}
