// The user data in the examples: what the command on the page prints, and what becomes of it on a new simulated machine of
// that cloud, without the feature Containers.
import {afterEach, describe, expect, it} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {reboot} from '../../src/simulator/windows/restart.js'
import {k8sWin} from '../cli/program.js'
import {withoutContainers} from '../fixtures/restart-due.js'
import {joiningHost, PROFILE, TOKEN} from '../join/joining-host.js'
import type {DiskHost} from '../steps/host-folder.js'
import {open} from '../userdata/opened.js'
import {PROGRAM} from '../userdata/rig.js'
import {commandOf, committed, EXAMPLES, filledIn, printedBy} from './example.js'

/** A launcher reads user data over the network, which a node has some seconds after Windows has begun to start. */
const START_MS = 60_000
const CLOUDS = {aws: 'aws', azure: 'azure', gce: 'gce', openstack: 'openstack', vsphere: undefined} as const
/** What the launcher restarts Windows for; GCE's does not, and k8s-win does. */
const RESTART_CODES = {aws: 3010, azure: 0, gce: 10, openstack: 1003, vsphere: 1003} as const
const STORE = /^(?:GET|POST) https:\/\/(?:ssm|secretmanager|[\w-]+\.vault\.azure)/

const hosts: DiskHost[] = []
afterEach(() => hosts.splice(0).forEach((host) => host.discard()))

describe.each(EXAMPLES)('examples/%s', (example) => {
  const {args, output} = commandOf(example)
  const cloud = args[0] as keyof typeof CLOUDS

  it('has what the command on its page prints', async () => {
    const {userdata} = await printedBy(args)
    expect(committed(output, userdata)).toBe(userdata)
  })

  it('joins after a restart, and changes nothing and fetches nothing at the next start', async () => {
    const {argv, token} = await setupOf(filledIn(args))
    const host = await newMachine(cloud, argv)
    const run = async () => {
      const {code, stdout} = await k8sWin([...argv, '--json'], {
        K8S_WIN_SIMULATE: PROFILE,
        K8S_WIN_SIMULATE_DIR: host.dir,
        ...(token !== undefined && {K8S_WIN_TOKEN: token}),
      })
      return {
        code,
        fetches: host.transcript.filter(({what}) => STORE.test(what)).length,
        result: JSON.parse(stdout) as unknown,
      }
    }

    expect(await run()).toMatchObject({code: RESTART_CODES[cloud], result: {error: {id: 'RESTART_REQUIRED'}}})
    await restart(host)
    const joined = await run()
    expect(joined).toMatchObject({code: 0, result: {node: {ready: true}, outcome: 'done'}})
    expect(joined.fetches > 0).toBe(token === undefined)
    await restart(host)
    expect(await run()).toMatchObject({code: 0, fetches: joined.fetches, result: {recap: {changed: 0}}})
  })
})

/** The command line that the script starts k8s-win with, and its variable. */
async function setupOf(args: readonly string[]): Promise<{argv: readonly string[]; token: string | undefined}> {
  let started: {argv: readonly string[]; token: string | undefined} | undefined
  open(await printedBy(args), {
    download: () => PROGRAM,
    files: new Map(),
    program(argv, variables) {
      started = {argv, token: variables.get('K8S_WIN_TOKEN')}
      return 0
    },
  })
  if (!started) throw new Error('the script does not start k8s-win')
  return started
}

async function newMachine(cloud: keyof typeof CLOUDS, argv: readonly string[]): Promise<DiskHost> {
  const source = argv.find((word) => word.startsWith('--token-from='))?.slice('--token-from='.length)
  const host = await joiningHost((world) => {
    withoutContainers(world)
    const name = CLOUDS[cloud]
    if (name) world.os.metadata = {cloud: name, ...(source !== undefined && {secrets: {[source]: TOKEN}})}
  })
  const disk = host.onDisk()
  hosts.push(disk)
  return disk
}

async function restart(host: DiskHost): Promise<void> {
  host.edit(reboot)
  const {clock} = await openSimulator({dir: host.dir, profile: PROFILE})
  await clock.sleep(START_MS)
}
