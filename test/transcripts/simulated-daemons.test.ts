// The simulated kubelet and kube-proxy beside the real ones of 1.20.2, the nearest that can be had: flags, words, log files.
import {describe, expect} from 'vitest'
import {lastLogLines} from '../../src/host/services/daemon-log.js'
import {formatKlog} from '../../src/simulator/daemons/klog.js'
import {decodeKubeletConfig, windowsProblems} from '../../src/simulator/daemons/kubelet/kubelet-config.js'
import {labelsProblem} from '../../src/simulator/daemons/kubelet/kubelet-node.js'
import {kubeletFlags, kubeProxyFlags, parseFeatureGates} from '../../src/simulator/daemons/releases.js'
import {type FlagSet, type FlagType, parsePflags} from '../../src/simulator/daemons/flags.js'
import {splitCommandLine} from '../../src/machine/command-line.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {makeNode, withNetwork} from '../simulator/node.js'
import {check, everyChangeIsSeen} from './checks.js'
import {bytesOf, idsOf, recording, textOf} from './corpus.js'
import {LAST_WORDS} from './daemon-logs.js'
import {FILES, KUBE_PROXY_STARTS, KUBELET_STARTS} from './questions/node-daemons.js'

/** The fatal line's text, to the stacks after it. */
function fatalIn(id: string): string {
  const text = textOf(recording(id), 'err')
  return (/^F\d{4} [\d:.]+ +\d+ \S+\] ([^]*?)\n(?=goroutine|$)/m.exec(text)?.[1] ?? '').trimEnd()
}

describe('flags', () => {
  /** By the log, which reports all of them; help leaves some out. */
  const flagsOf = (program: string): string[] =>
    [...textOf(recording(`${program}/our-command-line`), 'log').matchAll(/FLAG: --([\w-]+)=/g)].map(([, name]) => name!)
  const differences = (program: string, simulated: FlagSet): string[] => {
    const real = flagsOf(program)
    return [
      ...[...simulated.keys()].filter((name) => !real.includes(name)).map((name) => `+${name}`),
      ...real.filter((name) => !simulated.has(name)).map((name) => `-${name}`),
    ]
  }

  check('of the kubelet of 1.21 are those of 1.20, but for what the changelog of 1.21 names', () => {
    const changed = ['+memory-manager-policy', '+reserved-memory', '-enable-cadvisor-json-endpoints']
    expect(differences('kubelet', kubeletFlags(21))).toEqual(changed)
  })

  check('of kube-proxy of 1.21 are those of 1.20, but for what the changelog of 1.21 names', () => {
    expect(differences('kube-proxy', kubeProxyFlags(21))).toEqual(['-cleanup-ipvs'])
  })

  for (const program of ['kubelet', 'kube-proxy']) {
    check(`of ${program} take the same kinds of values`, () => {
      const set = program === 'kubelet' ? kubeletFlags(21) : kubeProxyFlags(21)
      const kinds: Readonly<Record<string, FlagType>> = {duration: 'duration', int: 'int', int32: 'int', Level: 'int'}
      const help = textOf(recording(`${program}/help`), 'out')
      const listed = [...help.matchAll(/^ +(?:-\w, )?--([\w-]+)(?: (\S+))? {2}/gm)]
      expect(listed.length).toBeGreaterThan(30)
      for (const [, name = '', kind] of listed) {
        const simulated = set.get(name)
        const real = kind === undefined || kind === 'version[=true]' ? 'bool' : kinds[kind]
        if (simulated !== undefined && real !== undefined) expect([name, simulated]).toEqual([name, real])
      }
    })
  }

  for (const name of [
    'unknown-flag',
    'unknown-short-flag',
    'flag-without-value',
    'flag-no-number',
    'flag-no-bool',
    'flag-no-duration',
  ]) {
    check(`are refused by the kubelet in the same words: ${name}`, () => {
      const [, ...args] = splitCommandLine(recording(`kubelet/${name}`).asked)
      expect(parsePflags(args, kubeletFlags(21)).error).toBe(fatalIn(`kubelet/${name}`))
    })
  }

  for (const name of ['unknown-flag', 'flag-no-number']) {
    check(`are refused by kube-proxy in the same words: ${name}`, () => {
      const {asked} = recording(`kube-proxy/${name}`)
      const error = parsePflags(splitCommandLine(asked).slice(1), kubeProxyFlags(21)).error
      expect(`Error: ${error}`).toBe(textOf(recording(`kube-proxy/${name}`), 'err').split('\n')[0])
    })
  }

  check('a feature gate that is neither true nor false', () => {
    const said = textOf(recording('kube-proxy/feature-gate-no-bool'), 'err').split('\n')[0] ?? ''
    const gates = parseFeatureGates('WinOverlay=perhaps', 21)
    expect(said).toBe(`Error: invalid argument "WinOverlay=perhaps" for "--feature-gates" flag: ${gates.error}`)
  })
})

describe('what the kubelet refuses', () => {
  check('labels of its node that are not for it to give', () => {
    expect(labelsProblem('kubernetes.io/nonsense=x')).toBe(fatalIn('kubelet/forbidden-label'))
    expect(labelsProblem('node.kubernetes.io/a=b,kubernetes.io/os=windows,mine=1')).toBeUndefined()
  })

  for (const [name, flags] of [
    ['cgroups-per-qos', new Map([['enforce-node-allocatable', '']])],
    ['enforce-node-allocatable', new Map([['cgroups-per-qos', 'false']])],
  ] as const) {
    check(`a configuration that is none on Windows: ${name}`, () => {
      const problems = windowsProblems({}, flags, 21)
      expect(problems.length > 1 ? `[${problems.join(', ')}]` : problems[0]).toBe(fatalIn(`kubelet/${name}`))
    })
  }

  for (const [name, shown] of [
    ['no-kind', /.*/s],
    // The line of the source, by version.
    ['other-kind', /^.*(?= in scheme)/],
  ] as const) {
    check(`a configuration of ${name}`, () => {
      const {error = ''} = decodeKubeletConfig(FILES[`C:\\k\\${name}.yaml`]!, 21)
      const part = (text: string): string => shown.exec(text)?.[0].trimEnd() ?? ''
      expect(part(error)).not.toBe('')
      expect(fatalIn(`kubelet/config-${name}`)).toContain(part(error))
    })
  }

  check('an unknown field, never', () => {
    expect(decodeKubeletConfig(FILES['C:\\k\\unknown-field.yaml']!, 21)).toHaveProperty('warning')
    expect(textOf(recording('kubelet/config-unknown-field'), 'log')).toContain('using lenient decoding')
  })
})

describe('log files', () => {
  const NAME = /^(kubelet|kube-proxy)\.exe\.[\w-]+\.[\w$-]+\.log\.(?:ERROR|FATAL|INFO|WARNING)\.\d{8}-\d{6}\.\d+$/

  check('have the same names', async () => {
    for (const program of ['kubelet', 'kube-proxy']) {
      const real = textOf(recording(`${program}/log-names`), 'out')
        .trim()
        .split('\n')
      expect(real).toHaveLength(4)
      for (const name of real) expect(name).toMatch(NAME)
    }

    const node = await makeNode()
    await withNetwork(node)
    const simulated = await node.stage.files.list(String.raw`C:\k\logs\kubelet`)
    expect(simulated.length).toBeGreaterThan(0)
    for (const name of simulated) expect(name).toMatch(NAME)
  })

  check('begin alike', async () => {
    const node = await makeNode()
    await withNetwork(node)
    const plain = (text: string): string[] =>
      text
        .split('\n')
        .slice(0, 4)
        .map((line) => line.replaceAll(/\d+/g, '0').replace(/(?<=machine: ).*/, ''))
    const go = (lines: string[]): string[] => lines.map((line) => line.replace(/go[\d.]+/, 'go'))
    const real = textOf(recording('kubelet/our-command-line'), 'log')
    expect(go(plain(await node.log('kubelet')))).toEqual(go(plain(real)))
  })

  check('have lines of the same form', () => {
    const real = /^I.*flags\.go:\d+\] (.*)$/m.exec(textOf(recording('kubelet/our-command-line'), 'log')) ?? []
    const [line = '', message = ''] = real
    const [, day = '', time = '', processId = ''] = /^I(\d{4}) ([\d:.]{12})\d{3} +(\d+) /.exec(line) ?? []
    const at = Date.parse(`2026-${day.slice(0, 2)}-${day.slice(2)}T${time}Z`)
    const simulated = formatKlog(at, Number(processId), {message, severity: 'I', source: 'flags.go:59'})
    // Real clocks count microseconds.
    const coarse = (text: string): string => text.replace(/(\.\d{3})\d{3}/, '$1000')
    expect(simulated).toBe(coarse(line))
  })
})

describe('recordings', () => {
  const starts = [
    ...KUBELET_STARTS.map((start) => ({...start, id: `kubelet/${start.name}`})),
    ...KUBE_PROXY_STARTS.map((start) => ({...start, id: `kube-proxy/${start.name}`})),
  ]

  check('are there for every question', () => {
    const asked = [...starts.map(({id}) => id), 'kubelet/log-names', 'kube-proxy/log-names']
    expect([...idsOf('kubelet'), ...idsOf('kube-proxy')].sort()).toEqual(asked.sort())
  })

  // A flag that cannot be read is refused before there is a log.
  const logged = starts.filter(({logs, name}) => logs !== undefined && name !== 'feature-gate-no-bool')
  for (const {id} of logged) {
    check(`of a log end, for our reader, with why a daemon died: ${id}`, async () => {
      const files = memoryFiles({[String.raw`C:\k\logs\x\x.log`]: bytesOf(recording(id), 'log')})
      const lines = (await lastLogLines(files, String.raw`C:\k\logs\x`, 3)).join('\n')
      expect(lines).toMatch(/^F\d{4} [\d:.]+ +\d+ server\.go:\d+\] \S/m)
      expect(lines).not.toContain('goroutine')
      expect(fatalIn(id)).toContain(LAST_WORDS[id] ?? 'a question without an answer')
      expect(lines).toContain(fatalIn(id).split('\n')[0])
    })
  }
})

// They are services: k8s-win does not see their exit codes.
everyChangeIsSeen(['kubelet', 'kube-proxy'], ({what}) => what === 'exitCode')
