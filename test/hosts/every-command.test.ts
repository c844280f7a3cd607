// Every command that only reads, on every unhealthy host: it ends without a bug, its document is one of its schema, and
// nothing is changed.
import {describe, expect, test} from 'vitest'
import {bundleOn} from '../bundle/bundle-on.js'
import {examine} from '../doctor/doctor-rig.js'
import {resetOn} from '../reset/reset-run.js'
import {turn} from '../sample.js'
import {schemaErrors} from '../schemas.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import type {HostFolder} from '../steps/host-folder.js'
import {type Host, HOSTS} from './index.js'

/** What is wrong with the document that the command ends with. */
const COMMANDS: Readonly<Record<string, (host: HostFolder, of: Host) => Promise<string[]>>> = {
  doctor: async (host, {given}) => schemaErrors('doctor', (await examine(host, {given})).document),
  'logs --bundle': async (host) => {
    const {report, text} = await bundleOn(host, {withTranscript: false})
    return text('summary.txt').includes('k8s-win support bundle') ? [] : [JSON.stringify(report.manifest)]
  },
  'reset --dry-run': async (host) =>
    schemaErrors('result', (await resetOn(host.dir, {given: {'dry-run': true}})).result),
  'setup --dry-run': async (host, {given}) =>
    schemaErrors('result', (await setupOn(host.dir, given, {dryRun: true})).result),
  status: async (host) => schemaErrors('status', (await statusOn(host.dir)).document),
}

test('the hosts have names of their own', () => {
  const names = HOSTS.map(({name, tags}) => [...tags, name].join(' '))
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

/** Each host has tests of its own: of the commands, each is asked about others. */
const CASES = Object.entries(COMMANDS).map(([name, ask], nth) => ({ask, hosts: turn(HOSTS, nth, 8), name}))

describe.each(CASES)('$name', ({ask, hosts}) => {
  test.each(hosts)('$tags: $name', async (of) => {
    const host = await of.make()
    const {files} = host.state
    expect(await ask(host, of)).toEqual([])
    expect(host.state.files).toEqual(files)
  })
})
