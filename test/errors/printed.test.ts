// States that print an error with a command: the command is run there, as it is printed. Afterwards that problem is gone.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {nodeWithPod} from '../fixtures/node-with-pod.js'
import {setupOn} from '../setup/in-process.js'
import {type DiskHost, HostFolder} from '../steps/host-folder.js'
import {errorsOf, execute, type Printed, problemsOn} from './printed-commands.js'
import {type Base, type PrintingState, STATES} from './printing-states.js'

const bases = new Map<Base, HostFolder>()
const hosts: DiskHost[] = []
beforeAll(async () => {
  for (const [base, profile] of [
    ['containerd', 'ws2022-containerd'],
    ['docker', 'ws2019'],
  ] as const) {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {}, {}, profile)).result.exitCode).toBe(0)
    bases.set(base, host)
  }
  bases.set('pod', await nodeWithPod())
}, 60_000)
afterAll(() => {
  for (const host of hosts) host.discard()
})

async function hostOf({base = 'containerd', make}: PrintingState): Promise<DiskHost> {
  const host = typeof base === 'function' ? await base() : bases.get(base)!.copy()
  const onDisk = host.onDisk()
  hosts.push(onDisk)
  await make?.(onDisk)
  return onDisk
}

const ofStatus = async (host: DiskHost): Promise<readonly Printed[]> =>
  (await problemsOn(host)).map(({command, id, next}) => ({command, fix: next, id}))

/** In the text, between quotes. */
function commandsOf({commands, values = {}}: PrintingState, {command, fix}: Printed): string[] {
  if (!commands) return command === null ? [] : [command]
  const quoted = [...fix.matchAll(/"([^"]*(?:run\.js|k8s-win) [^"]*|[^"]+)"/g)].map(([, one = '']) =>
    one.replace(/^.*?(?:run\.js|k8s-win) /, 'k8s-win '),
  )
  return commands.map((pattern) => {
    const found = quoted.find((one) => pattern.test(one))
    if (found === undefined) throw new Error(`${String(pattern)} is not in: ${fix}`)
    return found.replaceAll(/<(\w+)>/g, (_, name: string) => values[name] ?? `<${name}>`)
  })
}

describe('review W3-5: a command that an error prints', () => {
  test.each(STATES.map((state) => [[state.id, state.name ?? []].flat().join(', '), state] as const))(
    '%s',
    async (_, state) => {
      const host = await hostOf(state)
      const {print = ofStatus} = state
      const printed = await print(host)
      const found = printed.find(({id}) => id === state.id)
      expect(found, JSON.stringify(printed)).toBeDefined()
      await state.before?.(host)
      const commands = commandsOf(state, found!)
      if (!state.commands) expect(commands, found!.fix).toHaveLength(1)
      // What no command repairs, a person does: the text is more than its first command.
      if (state.ends !== undefined) expect(found!.fix.replace(/^Run "[^"]*"[^.]*\. ?/, '')).not.toBe('')
      for (const [index, command] of commands.entries()) {
        if (index > 0) await state.between?.(host)
        const {code, stdout} = await execute(host, command)
        const said = code === 0 ? [] : errorsOf(stdout)
        expect(code, `${command}: ${JSON.stringify(said)}`).toBe(state.ends ?? 0)
      }
      await state.after?.(host)
      const left = (await problemsOn(host)).filter(({id}) => !(state.left ?? []).includes(id))
      expect(left.map(({id, next}) => ({id, next}))).toEqual([])
    },
    60_000,
  )
})
