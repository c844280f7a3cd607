// Words of kubeadm, kubectl, rke2, eksctl and the original scripts lead to the ones that k8s-win has.
import {describe, expect, test} from 'vitest'
import manifest from '../../../oclif.manifest.json' with {type: 'json'}
import {normalizeArguments} from '../../../src/cli/arguments/powershell-arguments.js'
import {specOf} from '../../../src/cli/arguments/run-command-line.js'
import {COMMANDS_OF_OTHERS, commandMeant, FLAGS_OF_OTHERS} from '../../../src/cli/arguments/words-of-others.js'
import {plainName} from '../../../src/config/nearest.js'
import {k8sWin} from '../program.js'

const commands = manifest.commands as unknown as Record<string, {flags: Parameters<typeof specOf>[1]}>
const of = (id: string) => specOf(id, commands[id]!.flags)
const fixOf = (id: string, flag: string) => normalizeArguments([flag, 'x'], of(id)).problems.map(({fix}) => fix)

describe('review U2-19: words of others', () => {
  test.each([
    ['join', 'setup'],
    ['init', 'setup'],
    ['install', 'setup'],
    ['Uninstall', 'reset'],
    ['drain', 'reset'],
    ['get', 'status'],
    ['must-gather', 'logs --bundle support.zip'],
  ])('the command %s is called %s here', (word, command) => {
    expect(commandMeant(word)).toBe(command)
  })

  test('review P3-5: the name of a daemon leads to the command that runs it', async () => {
    for (const word of ['kubelet', 'kube-proxy', 'flanneld.exe', 'containerd']) {
      const {stdout} = await k8sWin([word, '--json'])
      expect(stdout).toContain(`k8s-win run ${word.replace('.exe', '')}\\"`)
    }
    expect((await k8sWin(['stauts'])).stderr).toContain('"k8s-win status"')
  })

  test.each([
    ['setup', '--kubernetes-version', '--release'],
    ['setup', '--pod-cidr', '--cluster-cidr'],
    ['setup', '--discovery-token-ca-cert-hash', '--ca-cert-hash'],
    ['setup', '--data-dir', '--base-dir'],
    ['setup', '-ManagementIP', '-NodeIp'],
    ['setup', '-NanosServerImageTag', '-NanoserverTag'],
    ['setup', '--version', '"k8s-win --version"'],
    ['setup', '-webproxy', 'the environment variable HTTPS_PROXY'],
    ['setup', '-f', '--config'],
    ['reset', '-f', '--yes'],
    ['reset', '--approve', '--yes'],
    ['logs', '--log-level', '--level'],
    ['status', '--log-level', '--verbose'],
    ['logs', '-n', '--tail'],
  ])('%s %s: did you mean %s', (id, word, flag) => {
    expect(fixOf(id, word)).toEqual([expect.stringContaining(`Did you mean ${flag}?`)])
  })

  test('as the built command reports it', async () => {
    const {code, stdout} = await k8sWin(['join', '10.0.0.1:6443', '--token', 'x', '--json'])
    const {errors} = JSON.parse(stdout) as {errors: readonly {fix: string; id: string}[]}
    expect({code, errors}).toMatchObject({code: 2, errors: [{id: 'UNKNOWN_COMMAND'}]})
    expect(errors[0]?.fix).toContain('"k8s-win setup"')
  })

  test.each([
    ['status', ['-o', 'json'], ['--output=json']],
    ['setup', ['-o=ndjson', '-q'], ['--output=ndjson', '--quiet']],
    ['logs', ['-f'], ['--follow']],
    ['status', ['-w'], ['--watch']],
    ['setup', ['--BaseDir', 'x', '--NODE-NAME=y'], ['--base-dir=x', '--node-name=y']],
    ['setup', ['--DryRun', '--no-DryRun'], ['--no-dry-run']],
  ])('%s %j is %j', (id, argv, normal) => {
    expect(normalizeArguments(argv, of(id))).toMatchObject({argv: normal, problems: []})
  })

  test('every word leads to a command or a flag that exists, and is neither itself', () => {
    const ids = Object.keys(commands).map((id) => id.replaceAll(':', ' '))
    const flags = new Set(Object.values(commands).flatMap((command) => Object.keys(command.flags)))
    expect(Object.keys(FLAGS_OF_OTHERS).filter((flag) => !flags.has(flag))).toEqual([])
    for (const [command, words] of Object.entries(COMMANDS_OF_OTHERS)) {
      expect(ids).toContain(command.replace(/ --.*/, ''))
      expect(words.split(' ').filter((word) => ids.includes(word))).toEqual([])
    }
    for (const [flag, words] of Object.entries(FLAGS_OF_OTHERS)) {
      const its = Object.values(commands).filter((command) => flag in command.flags)
      // A word that some of them have themselves is still needed for the others.
      const isOwn = (word: string) =>
        its.every((command) => Object.keys(command.flags).map(plainName).includes(plainName(word)))
      expect(words.split(' ').filter(isOwn)).toEqual([])
    }
  })
})

describe('review U2-19: --quiet', () => {
  test('shows errors and the result only', async () => {
    const {mkdtemp, rm} = await import('node:fs/promises')
    const dir = await mkdtemp('/tmp/k8s-win-quiet-')
    const on = ['--simulate', 'ws2025', '--simulate-dir', `${dir}/host`]
    try {
      const done = await k8sWin(['setup', '-q', ...on])
      expect(done).toMatchObject({code: 0, stdout: ''})
      expect(done.stderr).not.toContain('kubelet: ')
      const failed = await k8sWin(['setup', '-q', '--interface-name', 'nope', ...on])
      expect(failed.code).toBe(3)
      expect(failed.stderr).toContain('Error: ')
    } finally {
      await rm(dir, {force: true, recursive: true})
    }
  }, 60_000)

  test('contradicts --verbose', async () => {
    const {stderr} = await k8sWin(['status', '-q', '-v'])
    expect(stderr).toContain('CONTRADICTING_FLAGS')
  })
})
