// The user data in the examples: what the command on the page prints, and what becomes of it on a new simulated machine of
// that cloud, without the feature Containers.
import {Parser} from '@oclif/core'
import {describe, expect, it} from 'vitest'
import {givenOptions, globalFlags, optionFlags} from '../../src/cli/arguments/flag-table.js'
import type {Launcher} from '../../src/config/launchers.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {reboot} from '../../src/simulator/windows/restart.js'
import {withoutContainers} from '../fixtures/restart-due.js'
import {joiningHost, PROFILE, TOKEN} from '../join/joining-host.js'
import {launch} from '../launchers/launched.js'
import type {HostFolder} from '../steps/host-folder.js'
import {open} from '../userdata/opened.js'
import {type Form, rehearseOn} from '../userdata/rehearsed.js'
import {PROGRAM} from '../userdata/rig.js'
import {commandOf, committed, EXAMPLES, filledIn, printedBy, TOKEN_FILE} from './example.js'
import {isWhole} from '../sample.js'

/** A launcher reads user data over the network, which a node has some seconds after Windows has begun to start. */
const START_MS = 60_000
const STORE = /^(?:GET|POST) https:\/\/(?:ssm|secretmanager|[\w-]+\.vault\.azure)/
/** What the launcher takes for "restart Windows, and again"; Azure's and GCE's do neither, and k8s-win does. */
const RESTART_CODES: Partial<Record<Launcher, number>> = {
  'azure-cse': 0,
  'cloudbase-init': 1003,
  ec2launch: 3010,
  none: 10,
}

describe.each(EXAMPLES)('examples/%s', (example) => {
  const {args, output} = commandOf(example)

  it('has what the command on its page prints', async () => {
    const {userdata} = await printedBy(args)
    expect(committed(output, userdata)).toBe(userdata)
  })

  // Either asks the same script to set a node up: each example has one of the two.
  const isRehearsed = EXAMPLES.indexOf(example) % 2 === 0

  it.runIf(isWhole || isRehearsed)('is Ready after a rehearsal on Windows Server as it is installed', async () => {
    const [cloud = '', ...options] = filledIn(args)
    const tokenFrom = options[options.indexOf('--token-from') + 1]
    const metadata = ({aws: 'aws', azure: 'azure', gce: 'gce'} as const)[cloud]
    const form = {cloud, name: example, options: withoutPairs(options), ...(metadata && {metadata, tokenFrom})}
    const texts = {[TOKEN_FILE]: `${TOKEN}\n`}
    expect(await rehearseOn(form as Form, {isPlain: true, texts})).toMatchObject({exitCode: 0, isReady: true})
  })

  it.runIf(isWhole || !isRehearsed)(
    'joins after a restart, and changes nothing and fetches nothing at the next start',
    async () => {
      const {environment, given, launcher} = await startedBy(filledIn(args))
      const source = given['token-from'] as string | undefined
      const host = await newMachine(args[0] as string, source)
      const run = async () => {
        const {code, result} = await launch(host, {environment, given, launcher})
        return {code, fetches: host.transcript.filter(({what}) => STORE.test(what)).length, result}
      }

      expect(await run()).toMatchObject({code: RESTART_CODES[launcher], result: {error: {id: 'RESTART_REQUIRED'}}})
      await restart(host)
      const joined = await run()
      expect(joined).toMatchObject({code: 0, result: {node: {ready: true}, outcome: 'done'}})
      expect(joined.fetches > 0).toBe(source !== undefined)
      await restart(host)
      expect(await run()).toMatchObject({code: 0, fetches: joined.fetches, result: {recap: {changed: 0}}})
    },
  )
})

/** Those that every rehearsal of the tests has. */
const COMMON = ['--ca-cert-hash', '--program-digest', '--program-url', '--server']
const withoutPairs = (options: readonly string[]): string[] =>
  options.filter((word, index) => !COMMON.includes(word) && !COMMON.includes(options[index - 1] ?? ''))

interface Started {
  readonly environment: Readonly<Record<string, string>>
  readonly given: GivenOptions
  readonly launcher: Launcher
}

/** The setup that the script starts. */
async function startedBy(args: readonly string[]): Promise<Started> {
  const started: {argv: readonly string[]; token: string | undefined}[] = []
  const document = await printedBy(args)
  open(document, {
    download: () => PROGRAM,
    files: new Map(),
    program(argv, variables) {
      started.push({argv, token: variables.get('K8S_WIN_TOKEN')})
      return 0
    },
  })
  const [{argv, token}] = started as [(typeof started)[0]]
  const parsed = await Parser.parse(argv.slice(1), {flags: {...optionFlags, ...globalFlags}})
  return {
    environment: token === undefined ? {} : {K8S_WIN_TOKEN: token},
    given: givenOptions(parsed),
    launcher: document.launcher,
  }
}

async function newMachine(cloud: string, source: string | undefined): Promise<HostFolder> {
  return joiningHost((world) => {
    withoutContainers(world)
    if (cloud === 'vsphere') return
    const secrets = source === undefined ? {} : {[source]: TOKEN}
    world.os.metadata = {cloud: cloud as 'aws' | 'azure' | 'gce' | 'openstack', secrets}
  })
}

async function restart(host: HostFolder): Promise<void> {
  host.edit(reboot)
  const {clock} = await openSimulator({dir: host.dir, profile: PROFILE})
  await clock.sleep(START_MS)
}
