// One truth, on any system: setup called in this process and the real program agree, on the simulator, in all they do.
import {describe, expect, test} from 'vitest'
import {isWhole, sample} from '../sample.js'
import {asProcess} from './as-process.js'
import {inProcessInstalled} from './in-process.js'
import {differences, type Observation, tell} from './observation.js'
import {observe} from './observe.js'
import type {Scenario} from './scenario.js'
import {SCENARIOS} from './scenarios.js'

const told = (a: Observation, b: Observation): string[] => differences(a, b).map((difference) => tell(difference))

/** The headings of a node's description, without the act they were seen after. */
function nodeAfter(seen: Observation, act: number): Observation {
  const prefix = `the node after act ${act}: `
  const own = Object.entries(seen).filter(([heading]) => heading.startsWith(prefix))
  return Object.fromEntries(own.map(([heading, lines]) => [heading.slice(prefix.length), lines]))
}

const seenInProcess = new Map<Scenario, Promise<Observation>>()

/** Each scenario once. */
function inThisProcess(scenario: Scenario): Promise<Observation> {
  const seen = seenInProcess.get(scenario) ?? observe(inProcessInstalled, scenario)
  seenInProcess.set(scenario, seen)
  return seen
}

/** Node.js on Windows can neither press Ctrl-C nor halt a process; the lab does both there. */
const takesPosixSignals = ({acts}: Scenario): boolean =>
  acts.some((act) => {
    const then = 'setup' in act ? act.moment?.then : undefined
    return then === 'interrupted' || (typeof then === 'object' && 'setup' in then)
  })
const POSSIBLE = SCENARIOS.filter((scenario) => process.platform !== 'win32' || !takesPosixSignals(scenario))

describe('in this process and as a process', () => {
  test.each(sample(POSSIBLE, 2))('$name', async (scenario) => {
    // One after the other: a process is watched, and what runs in here would keep the test from reading its log.
    const [first, second] = [await inThisProcess(scenario), await observe(asProcess, scenario)]
    expect(told(first, second)).toEqual([])
    expect(Object.entries(first).filter(([heading]) => /no step at work|out of order/.test(heading))).toEqual([])
  })
})

describe.each(['docker', 'containerd'] as const)('what is seen with %s', (runtime) => {
  const own = SCENARIOS.filter((scenario) => scenario.runtime === runtime)
  const named = (part: string): Scenario => own.find(({name}) => name.includes(part))!
  const fresh = named('fresh, again')
  /** Each runtime is asked for half of what both have; the scenarios themselves are compared in each. */
  const withDocker = test.runIf(isWhole || runtime === 'docker')
  const withContainerd = test.runIf(isWhole || runtime === 'containerd')

  withDocker('a second run changes nothing, and a drifted service is repaired to what it was', async () => {
    const seen = await inThisProcess(fresh)
    expect(seen['act 2: ending']?.filter((line) => /^step .* did|: changed/.test(line))).toEqual([])
    expect(Object.keys(seen).filter((heading) => /^act 2: changes/.test(heading))).toEqual([])
    expect(told(nodeAfter(seen, 1), nodeAfter(seen, 2))).toEqual([])
    expect(seen['act 5: changes of kubelet-service']?.join()).toContain('changeService')
    expect(told(nodeAfter(seen, 1), nodeAfter(seen, 5)).filter((line) => line.startsWith('services'))).toEqual([])
  })

  withContainerd('a second run at the same time reports who is at work, and does nothing', async () => {
    const seen = await inThisProcess(named('two runs at once'))
    expect(seen['act 1, meanwhile: ending']?.slice(0, 3)).toEqual([
      'exit code 11, in the document 11, outcome failed',
      'failed 0, skipped 0, in place 0',
      'error LOCK_HELD',
    ])
  })

  withContainerd(
    'a newer release: every service has stopped before its program is replaced; then nothing is left to do',
    async () => {
      const seen = await inThisProcess(named('a newer release'))
      const changes = (seen['act 3: changes of kubernetes-binaries'] ?? []).join('\n')
      expect(changes).toMatch(/stopService \["kubeproxy"\][^]*stopService \["kubelet"\]/)
      expect(changes.lastIndexOf('stopService')).toBeLessThan(changes.indexOf('rename'))
      const version = runtime === 'docker' ? 'v1.21.14' : 'v1.36.4'
      expect(seen['the node after act 3: cluster: the node']?.join()).toContain(`kubeletVersion = "${version}"`)
      expect(Object.keys(seen).filter((heading) => /^act 4: changes/.test(heading))).toEqual([])
      expect(told(nodeAfter(seen, 3), nodeAfter(seen, 4))).toEqual([])
    },
  )

  test('the smoke test runs in a pod, with an identity that may, and leaves nothing', async () => {
    const [verified, setUp] = [await inThisProcess(fresh), await inThisProcess(named('the smoke test'))]
    for (const seen of [verified['act 6: ending'], setUp['act 1: ending']]) {
      const checks = seen?.filter((line) => line.startsWith('check smoke-')) ?? []
      expect(checks).toHaveLength(3)
      expect(checks.filter((line) => !/: pass, /.test(line) || line.includes('not checked'))).toEqual([])
    }
    expect(verified['act 6: changes of the run itself']?.map((line) => line.split(' ')[2])).toEqual(['POST', 'DELETE'])
    // What the CNI plugins keep of every pod is theirs.
    const left = told(nodeAfter(verified, 5), nodeAfter(verified, 6))
    expect(left.filter((line) => !line.includes(String.raw`C:\var\lib\cni`))).toEqual([])
  })

  withDocker(
    'a node that joins gets a certificate of its own, and no token is left; nor anything of it once it has left',
    async () => {
      const seen = await inThisProcess(named('joins with a token'))
      const pems = nodeAfter(seen, 1)['files']?.filter((line) => line.includes('.pem '))
      expect(pems?.map((line) => line.replace(/^.*\.pem /, ''))).toEqual(
        Array.from(
          {length: 2},
          () => expect.stringMatching(/^issued by .* CN=system:node:win-1; .* with its key$/) as string,
        ),
      )
      expect(seen['act 1: changes of node-certificate']?.[0]).toContain(
        String.raw`remove ["C:\\joined\\bootstrap-kubeconfig"]`,
      )
      expect(Object.keys(seen).filter((heading) => /^act 2: changes/.test(heading))).toEqual([])
      expect(told(nodeAfter(seen, 1), nodeAfter(seen, 2))).toEqual([])
      const {'cluster: the node': node, files} = nodeAfter(seen, 3)
      expect({files, node}).toEqual({files: [], node: ['status 404']})
    },
  )

  const killed = own.filter(({nodeOnly}) => nodeOnly)
  test.each(sample(killed, 2))('$name: the node is that of an undisturbed run', async (scenario) => {
    const undisturbed = nodeAfter(await inThisProcess(fresh), 1)
    expect(told(undisturbed, nodeAfter(await inThisProcess(scenario), scenario.acts.length))).toEqual([])
  })
})

describe('a containerd of the host', () => {
  const named = (part: string): Scenario =>
    SCENARIOS.find(({name}) => name.includes(`a containerd of the host${part}`))!
  const its = (seen: Observation, act: number): string[] => {
    const {files = [], services = []} = nodeAfter(seen, act)
    return [...files, ...services].filter((line) => /^(?:containerd |C:\\Program Files\\containerd\\)/.test(line))
  }
  const programs = ['containerd', 'containerd-shim-runhcs-v1', 'ctr'].map(
    (name) => String.raw`C:\Program Files\containerd` + `\\${name}.exe`,
  )

  test('is neither stopped nor changed, and stays', async () => {
    const seen = await inThisProcess(named(': set up'))
    expect(Object.values(seen).flat().join('\n')).not.toMatch(/(?:change|stop|delete)Service \["containerd"/)
    expect(Object.keys(seen).filter((heading) => /^act 3: changes/.test(heading))).toEqual([])
    const left = its(seen, 4)
    expect(left).toContain('containerd is running')
    for (const path of programs) expect(left.some((line) => line.startsWith(`${path} `))).toBe(true)
    // Its own folder for them is there from its first start on.
    expect(left.filter((line) => /\\cni\\(?!$|conf\\$)/.test(line))).toEqual([])
  })

  test('that does not fit is changed by --adopt only, and is afterwards as it was', async () => {
    const seen = await inThisProcess(named(' that it refused'))
    expect(seen['act 2: ending']?.[2]).toBe('error CONTAINERD_UNFIT')
    const config = String.raw`C:\Program Files\containerd\config.toml`
    const before = `${config} ${JSON.stringify('disabled_plugins = ["cri"]\n')}`
    expect(its(seen, 2)).toContain(before)
    expect(its(seen, 3)).not.toContain(before)
    expect(its(seen, 4)).toEqual(its(seen, 2))
  })
})
