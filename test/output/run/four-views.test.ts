import {expect, test} from 'vitest'
import {jsonView, ndjsonView} from '../../../src/output/run/json-view.js'
import {plainView} from '../../../src/output/run/plain-view.js'
import {terminalView} from '../../../src/output/run/terminal-view.js'
import {openScreen} from '../../../src/output/screen.js'
import {recapLine} from '../../../src/output/run/verdict.js'
import type {RunResultDocument, TimedEvent} from '../../../src/pipeline/run/events.js'
import type {World} from '../../../src/simulator/world.js'
import {setupOn} from '../../setup/in-process.js'
import {FakeTerminal} from '../fake-terminal.js'
import {HandTicker} from '../hand-ticker.js'
import {HostFolder} from '../../steps/host-folder.js'

function showAll(events: readonly TimedEvent[]) {
  const terminal = new FakeTerminal(80)
  const text = {json: '', ndjson: '', plain: ''}
  const sink = (to: keyof typeof text) => ({write: (part: string) => (text[to] += part)})
  const ticker = new HandTicker()
  const shared = {next: [], now: () => 0, ticker: ticker.start, verbose: false}
  const views = [
    terminalView({...shared, screen: openScreen(terminal)}),
    plainView({...shared, stream: sink('plain')}),
    jsonView(sink('json')),
    ndjsonView(sink('ndjson')),
  ]
  for (const event of events) for (const view of views) view.listen(event)
  return {...text, terminal: terminal.screen}
}

const hosts: {name: string; sicken: (world: World) => void}[] = [
  {name: 'a success', sicken: () => undefined},
  {name: 'a host that does not qualify', sicken: ({os}) => os.listening.push('tcp/10250')},
  {name: 'a step that fails', sicken: ({cluster}) => (cluster.allocateNodeCIDRs = false)},
]

test.each(hosts)('all four views report the same of $name', async ({sicken}) => {
  const host = await HostFolder.fresh(sicken)
  const {events, result} = await setupOn(host.dir)
  const {json, ndjson, plain, terminal} = showAll(events)

  expect(JSON.parse(json) as RunResultDocument).toEqual(result)
  expect(JSON.parse(ndjson.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({result, type: 'run-finished'})
  const words = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\s/g, '')
  const told = [
    recapLine(result) ?? '',
    ...(result.errors ?? [result.error]).flatMap((error) =>
      error ? [error.id, error.message, error.cause, error.fix] : [],
    ),
    ...(result.node ? [`Node ${result.node.name} is Ready`] : []),
  ]
  for (const part of told) {
    expect(words(terminal)).toContain(words(part))
    expect(words(plain)).toContain(words(part))
  }
  for (const {id, state, title} of result.steps.filter((step) => step.state === 'changed' || step.state === 'failed')) {
    expect(terminal).toMatch(new RegExp(`${title} +${state} `))
    expect(plain).toMatch(new RegExp(`Z ${id}: ${state} `, 'i'))
  }
})
