// The script of every cloud under its launcher, on the simulated Windows: first boot, restarts, failures, retries, second boot.
import {describe, expect, it} from 'vitest'
import {parseSetup} from '../../src/cli/arguments/parse-setup.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {rehearsalLines} from '../../src/runs/userdata/rehearsal-text.js'
import {runOwnProgram} from '../../src/runs/userdata/rehearsed-program.js'
import {makeTokenSecret} from '../../src/simulator/cluster/bootstrap-tokens.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {assets} from '../fixtures/assets.js'
import {withoutContainers} from '../fixtures/restart-due.js'
import {sample, turn} from '../sample.js'
import {HostFolder} from '../steps/host-folder.js'
import {codesOf, type Form, FORMS, PROFILE, PROGRAM_FILE, rehearseOn} from './rehearsed.js'
import {DIGEST, URL_OF_PROGRAM} from './rig.js'

const ALL: readonly Form[] = Object.values(FORMS)
const CLOUDBASE: readonly Form[] = [FORMS.openstack, FORMS.multipart, FORMS.guestinfo, FORMS.hyperv]

const atFirst =
  (change: (world: World) => void) =>
  (nth: number, world: World): void => {
    if (nth === 1) change(world)
  }

const without = (url: string, until: number) => (nth: number, world: World) => {
  if (nth < until) world.downloads[url] = {...world.downloads[url], fault: 'not-found'}
  else delete world.downloads[url]?.fault
}

/** Of the release of the simulated cluster. */
const noKubernetes =
  (until: number) =>
  (nth: number, world: World): void => {
    const release = world.cluster.version
    const url = `https://dl.k8s.io/${release}/kubernetes-node-windows-amd64.tar.gz`
    if (nth < until) world.downloads[url] = {fault: 'unreachable'}
    else delete world.downloads[url]
  }

describe('the first boot', () => {
  it.each(sample(ALL, 4))('$name: the node is Ready, and the launcher reports success', async (form) => {
    const rehearsal = await rehearseOn(form)
    expect(rehearsal).toMatchObject({belief: 'done', exitCode: 0, isReady: true})
    expect(codesOf(rehearsal)).toEqual(form.name === 'gce' ? [0, 0] : [0])
    expect(rehearsal.starts[0]?.runs[0]?.setup).toMatchObject({errors: [], exitCode: 0, isReady: true})
  })

  it.each(['azure-kv:My-Vault/Join', 'azure-kv:ABCDEF01-90ab-cdef-1234-567890ABCDEF@my-vault/join'])(
    'fetches %s, whose case does not matter to Azure',
    async (tokenFrom) => {
      const form = {...FORMS['azure-cse'], options: ['--token-from', tokenFrom], tokenFrom}
      expect(await rehearseOn(form)).toMatchObject({exitCode: 0, isReady: true})
    },
  )

  it('reads the files that the script has embedded', async () => {
    const host = HostFolder.empty()
    const file = 'apiVersion: "k8s-win/v1"\nkind: "NodeConfig"\nnodeLabels:\n  rehearsed: "yes"\n'
    const rehearsal = await rehearseOn(FORMS.ec2launch, {
      host,
      options: ['--config', String.raw`C:\node.yaml`],
      texts: {[String.raw`C:\node.yaml`]: file},
    })
    expect(rehearsal).toMatchObject({exitCode: 0, isReady: true})
    expect(host.read(String.raw`Program Files\k8s-win\node.yaml`)).toBe(file)
    expect(host.world.services['kubelet']?.config.imagePath).toContain('rehearsed=yes')
  })

  it('shows a token of the user data nowhere', async () => {
    const rehearsal = await rehearseOn(FORMS.openstack)
    expect([...rehearsalLines(rehearsal), JSON.stringify(rehearsal)].join('\n')).not.toContain('fedcba9876543210')
  })
})

describe('the second boot', () => {
  it('gce: nothing changes, and nothing is asked of the secret store', async () => {
    const host = HostFolder.empty()
    const asked: number[] = []
    const rehearsal = await rehearseOn(FORMS.gce, {
      host,
      onStart: () => asked.push(host.transcript.filter(({what}) => what.includes('secretmanager')).length),
    })
    const second = rehearsal.starts[1]?.runs
    expect(second).toMatchObject([{by: 'launcher', exitCode: 0, setup: {changed: 0, isReady: true}}])
    expect(asked[1]).toBeGreaterThan(0)
    expect(host.transcript.filter(({what}) => what.includes('secretmanager'))).toHaveLength(asked[1] ?? 0)
    expect(host.transcript.filter(({what}) => what.includes(URL_OF_PROGRAM))).toHaveLength(1)
  })

  it('gce: a token that has expired since is not needed', async () => {
    const rehearsal = await rehearseOn(FORMS.gce, {
      onStart(nth, world) {
        if (nth === 2) world.cluster.secrets = []
      },
    })
    expect(rehearsal).toMatchObject({exitCode: 0, isReady: true})
    expect(rehearsal.starts[1]?.runs).toMatchObject([{setup: {changed: 0, errors: []}}])
  })

  it('gce: a program with another digest replaces the one that is there', async () => {
    const host = HostFolder.empty()
    await rehearseOn(FORMS.gce, {host})
    expect(host.read(PROGRAM_FILE)).toContain(DIGEST)
    const digest = DIGEST.replace('7', '8')
    expect(await rehearseOn(FORMS.gce, {digest, host})).toMatchObject({exitCode: 0, isReady: true})
    expect(host.read(PROGRAM_FILE)).toContain(digest)
  })
})

/** userdata adds --allow-restart where the launcher does not restart Windows. */
const RESTART = ['--enable-features']

describe('a restart of Windows', () => {
  it.each(sample([FORMS['cloud-config'], ...CLOUDBASE, FORMS.ec2launch], 3))('$name restarts it', async (form) => {
    const rehearsal = await rehearseOn(form, {onStart: atFirst(withoutContainers), options: RESTART})
    expect(codesOf(rehearsal)).toEqual([form.name === 'ec2launch' ? 3010 : 1003, 0])
    expect(rehearsal.starts.map(({restart}) => restart)).toEqual(['launcher', undefined])
    expect(rehearsal).toMatchObject({belief: 'done', exitCode: 0, isReady: true})
  })

  it('azure-cse: k8s-win restarts it, and its service continues', async () => {
    const rehearsal = await rehearseOn(FORMS['azure-cse'], {onStart: atFirst(withoutContainers), options: RESTART})
    expect([codesOf(rehearsal), codesOf(rehearsal, 'k8s-win-run')]).toEqual([[0], [0]])
    expect(rehearsal.starts[0]).toMatchObject({belief: 'done', restart: 'k8s-win'})
    expect(rehearsal).toMatchObject({belief: 'done', exitCode: 0, isReady: true})
  })

  it('azure-cse: nothing but --enable-features is asked for', async () => {
    const rehearsal = await rehearseOn(FORMS['azure-cse'], {isPlain: true, options: ['--enable-features']})
    expect(rehearsal).toMatchObject({belief: 'done', exitCode: 0, isReady: true})
    expect(rehearsal.starts).toHaveLength(2)
  })

  it('without --enable-features a new Windows Server is refused', async () => {
    const rehearsal = await rehearseOn(FORMS.ec2launch, {isPlain: true})
    const errors = rehearsal.starts[0]?.runs[0]?.setup?.errors ?? []
    expect(errors.map(({id}) => id)).toContain('CONTAINERS_MISSING')
    const lines = rehearsalLines(rehearsal)
    for (const {cause, id, message} of errors)
      expect(lines[lines.indexOf(`Cause: ${cause}`) - 1]).toBe(`${id}: ${message}`)
  })

  it('azure-cse with --no-allow-restart: it reports success, and the node is not Ready', async () => {
    const options = ['--enable-features', '--no-allow-restart']
    const rehearsal = await rehearseOn(FORMS['azure-cse'], {onStart: atFirst(withoutContainers), options})
    expect(codesOf(rehearsal)).toEqual([0])
    expect(rehearsal).toMatchObject({belief: 'done', exitCode: 10, isReady: false})
    expect(rehearsalLines(rehearsal).at(-1)).toMatch(/RESTART_REQUIRED.*, but .* success/)
  })

  it('gce with --no-allow-restart: nothing restarts it, and the node is not Ready', async () => {
    const options = ['--enable-features', '--no-allow-restart']
    const rehearsal = await rehearseOn(FORMS.gce, {isPlain: true, options})
    expect(rehearsal.starts.map(({restart}) => restart)).toEqual([undefined])
    expect(rehearsal).toMatchObject({exitCode: 10, isReady: false})
    expect(rehearsalLines(rehearsal).at(-1)).toContain('The node is not Ready (RESTART_REQUIRED)')
  })

  it.each(sample([FORMS['cloud-config'], ...CLOUDBASE], 2))(
    '$name with --launcher none: k8s-win restarts it, and its service continues',
    async (form) => {
      const options = ['--enable-features', '--launcher', 'none']
      const rehearsal = await rehearseOn(form, {isPlain: true, options})
      expect([codesOf(rehearsal), codesOf(rehearsal, 'k8s-win-run')]).toEqual([[10], [0]])
      expect(rehearsal.starts.map(({restart}) => restart)).toEqual(['k8s-win', undefined])
      expect(rehearsal).toMatchObject({belief: 'done', exitCode: 0, isReady: true})
      expect(rehearsalLines(rehearsal).at(-1)).toContain('and cloudbase-init reports success')
    },
  )

  it('ec2launch-v1: the service continues, though the launcher has logged a failure', async () => {
    const rehearsal = await rehearseOn(FORMS['ec2launch-v1'], {onStart: atFirst(withoutContainers), options: RESTART})
    expect([codesOf(rehearsal), codesOf(rehearsal, 'k8s-win-run')]).toEqual([[10], [0]])
    expect(rehearsal).toMatchObject({belief: 'failed', exitCode: 0, isReady: true})
  })

  it('gce: the service continues, and the script of the same start finds the node', async () => {
    const rehearsal = await rehearseOn(FORMS.gce, {onStart: atFirst(withoutContainers), options: RESTART})
    expect([codesOf(rehearsal), codesOf(rehearsal, 'k8s-win-run')]).toEqual([[10, 0, 0], [0]])
    expect(rehearsal.starts.map(({restart}) => restart)).toEqual(['k8s-win', 'later', undefined])
    expect(rehearsal).toMatchObject({exitCode: 0, isReady: true})
  })

  it.each([
    ['azure-cse', [0], [3]],
    ['cloud-config', [1003, 1003, 1003, 3], []],
    ['ec2launch', [3010, 3], []],
    ['ec2launch-v1', [10], [3]],
    ['gce', [10, 3, 3], [3]],
    ['guestinfo', [1003, 1002, 1002, 3], []],
    ['hyperv', [1003, 1002, 1002, 3], []],
    ['multipart', [1003, 1002, 1002, 3], []],
    ['openstack', [1003, 1002, 1002, 3], []],
  ] as const)('%s: a token that expires before the second start is reported', async (name, launcher, service) => {
    const rehearsal = await rehearseOn(FORMS[name], {
      onStart(nth, world) {
        if (nth === 1) withoutContainers(world)
        else world.cluster.secrets = []
      },
      options: RESTART,
    })
    expect([codesOf(rehearsal), codesOf(rehearsal, 'k8s-win-run')]).toEqual([launcher, service])
    expect(rehearsal).toMatchObject({exitCode: 3, isReady: false})
    const errors = rehearsal.starts.slice(1).flatMap(({runs}) => runs.flatMap(({setup}) => setup?.errors ?? []))
    expect(new Set(errors.map(({id}) => id))).toEqual(new Set(['JOIN_TOKEN_UNSIGNED']))
  })

  it('ec2launch: a new token in the store takes the place of one that has expired', async () => {
    const {tokenFrom = ''} = FORMS.ec2launch
    const rehearsal = await rehearseOn(FORMS.ec2launch, {
      onStart(nth, {cluster, os}) {
        if (nth === 1) return
        cluster.secrets = [makeTokenSecret('ghijkl', '0123456789abcdef')]
        os.metadata!.secrets![tokenFrom] = 'ghijkl.0123456789abcdef'
      },
      isPlain: true,
      options: RESTART,
    })
    expect(codesOf(rehearsal)).toEqual([3010, 0])
    expect(rehearsal).toMatchObject({belief: 'done', exitCode: 0, isReady: true})
  })
})

describe('a failure', () => {
  it.each(sample(ALL, 4))('$name: one that time does not cure is not tried again by k8s-win', async (form) => {
    const rehearsal = await rehearseOn(form, {onStart: (_, world) => (world.os.computerName = 'WIN_1')})
    expect(codesOf(rehearsal)).toEqual(form.name === 'gce' ? [3, 3] : [3])
    const isCloudbase = [...CLOUDBASE, FORMS['cloud-config']].includes(form)
    expect(rehearsal).toMatchObject({belief: isCloudbase ? 'done' : 'failed', exitCode: 3, isReady: false})
    expect(rehearsalLines(rehearsal).at(-1)?.includes(', but ')).toBe(isCloudbase)
  })

  it.each(
    sample(
      [
        ['openstack', [1002, 1002, 4]],
        // Only a restart runs it again there.
        ['cloud-config', [1003, 1003, 4]],
        ['ec2launch', [4]],
        ['azure-cse', [4]],
      ] as const,
      2,
    ),
  )('%s: a transient one is tried again as often as k8s-win allows', async (name, codes) => {
    const rehearsal = await rehearseOn(FORMS[name], {onStart: noKubernetes(99)})
    expect(codesOf(rehearsal)).toEqual(codes)
    expect(rehearsal).toMatchObject({belief: codes.length > 1 ? 'done' : 'failed', exitCode: 4, isReady: false})
  })

  it('openstack with --launcher none: a transient one is not tried again', async () => {
    const rehearsal = await rehearseOn(FORMS.openstack, {onStart: noKubernetes(2), options: ['--launcher', 'none']})
    expect(codesOf(rehearsal)).toEqual([4])
    expect(rehearsalLines(rehearsal).at(-1)).toMatch(/, but cloudbase-init reports success\.$/)
  })

  it.each(turn([FORMS.openstack, FORMS['cloud-config'], FORMS.gce], 2))('$name: a retry succeeds', async (form) => {
    const rehearsal = await rehearseOn(form, {onStart: noKubernetes(2)})
    expect(rehearsal.starts[0]?.runs[0]).toMatchObject({setup: {exitCode: 4}})
    expect(rehearsal).toMatchObject({belief: 'done', exitCode: 0, isReady: true})
  })
})

describe('the program', () => {
  it.each(
    sample(
      [
        // cloudbase-init would try it again at each start.
        ['openstack', [1002, 1002], 'unfinished'],
        ['cloud-config', [4], 'done'],
        ['ec2launch', [4], 'failed'],
        ['azure-cse', [4], 'failed'],
        ['gce', [4, 4], 'failed'],
      ] as const,
      3,
    ),
  )('%s: it cannot be downloaded', async (name, codes, belief) => {
    const rehearsal = await rehearseOn(FORMS[name], {onStart: without(URL_OF_PROGRAM, 99)})
    expect(codesOf(rehearsal)).toEqual(codes)
    expect(rehearsal).toMatchObject({belief, exitCode: 4, isReady: false})
    expect(rehearsal.starts[0]?.runs[0]).not.toHaveProperty('setup')
    expect(rehearsal.starts[0]?.runs[0]?.output).toEqual(['k8s-win.exe could not be downloaded.'])
    expect(rehearsalLines(rehearsal).at(-1)).toMatch(/^The node was not checked \(k8s-win\.exe was not run\)/)
  })

  it.each([[[]], [['--launcher', 'none']]])('can be downloaded at the next start: %j', async (options) => {
    const rehearsal = await rehearseOn(FORMS.openstack, {onStart: without(URL_OF_PROGRAM, 2), options})
    expect(codesOf(rehearsal)).toEqual([1002, 0])
    expect(rehearsal).toMatchObject({belief: 'done', exitCode: 0})
  })

  it.each(turn([FORMS.openstack, FORMS.ec2launch], 0))('$name: with another digest it is not run', async (form) => {
    const host = HostFolder.empty()
    const rehearsal = await rehearseOn(form, {
      host,
      onStart: (_, {downloads}) => (downloads[URL_OF_PROGRAM] = {fault: 'wrong-bytes', sha256: DIGEST}),
    })
    expect(codesOf(rehearsal)).toEqual([4])
    expect(rehearsal.starts[0]?.runs[0]).not.toHaveProperty('setup')
    expect(host.list(String.raw`Program Files\k8s-win`)).toEqual(['k8s-win.exe'])
    expect(host.read(PROGRAM_FILE)).not.toContain(DIGEST)
  })
})

describe('curl', () => {
  it.each(
    sample(
      [
        // Each of the two runs of curl.
        ['unreachable', 18],
        ['truncated', 2],
        ['not-found', 2],
      ] as const,
      2,
    ),
  )('%s: tries %d times', async (fault, tries) => {
    const host = HostFolder.empty()
    const rehearsal = await rehearseOn(FORMS.ec2launch, {
      host,
      onStart: (_, {downloads}) => (downloads[URL_OF_PROGRAM] = {fault, sha256: DIGEST}),
    })
    expect(codesOf(rehearsal)).toEqual([4])
    expect(host.transcript.filter(({what}) => what.includes(URL_OF_PROGRAM))).toHaveLength(tries)
  })
})

it('one that is interrupted shows nothing', async () => {
  const stopped = new AbortController()
  const onStart = () => stopped.abort(new InterruptedError())
  await expect(rehearseOn(FORMS.gce, {onStart, signal: stopped.signal})).rejects.toBeInstanceOf(InterruptedError)
})

it('k8s-win.exe refuses what setup refuses', async () => {
  const own = {
    assets,
    parse: parseSetup,
    redactor: createRedactor(),
    replaced: {},
    signal: new AbortController().signal,
  }
  const machine = await openSimulator({dir: HostFolder.empty().dir, profile: PROFILE})
  const ended = await runOwnProgram(own, {declare() {}, machine}, ['setup', '--relase=1.36', '--yes=maybe'], {})
  expect(ended).toMatchObject({code: 2, exitCode: 2, isReady: false})
  expect(ended.errors.map(({id}) => id)).toEqual(['UNKNOWN_FLAG', 'BAD_CHOICE'])
})

it('what people read', async () => {
  const rehearsal = await rehearseOn(FORMS['azure-cse'], {onStart: atFirst(withoutContainers), options: RESTART})
  await expect(`${rehearsalLines(rehearsal).join('\n')}\n`).toMatchFileSnapshot('golden/rehearsal.txt')
})
