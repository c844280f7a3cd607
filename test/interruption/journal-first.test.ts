// Over the trace of a fresh setup: before anything is changed, the journal says so. Reset removes what it names.
import {afterAll, expect, test} from 'vitest'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import {describeEffect} from '../../src/machine/pending-effects.js'
import {type JournalEntry, subjectOf} from '../../src/pipeline/ledger/entries.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './setup-run.js'

type Entry = Readonly<Record<string, string>>

const host = HostFolder.empty()
afterAll(() => host.discard())

/** Our own records, and what lies in a folder of k8s-win only until it is put in its place. */
const RECORDS = /^C:\\k\\(?:k8s-win|logs\\k8s-win|downloads)(?:\\|$)/i
const URL_PARTS = /\/(?<what>images\/create|networks\/create|images\/.+\/tag|build|containers\/.*)\??(?<query>.*)$/

function isNoted({args, via, what}: Effect, journal: readonly Entry[]): boolean {
  const has = (kind: string, part: Entry): boolean =>
    journal.some(
      (entry) => entry['kind'] === kind && Object.entries(part).every(([key, value]) => entry[key] === value),
    )
  const [first = '', second = ''] = args
  switch (via) {
    case 'files': {
      return isFileNoted(what === 'rename' ? second : first, has)
    }
    case 'http': {
      return isRequestNoted(what, first, has)
    }
    case 'run': {
      const rule = args.find((arg) => arg.startsWith('name='))?.slice('name='.length)
      if (rule !== undefined) return has('firewall-rule', {name: rule})
      return what.includes('host-local') ? has('reservation', {network: 'vxlan0'}) : isNamedIn(args, journal)
    }
    default: {
      return isCallNoted(what, args, has) ?? isNamedIn(args, journal)
    }
  }
}

/** By the field that names a thing of its kind. */
const isNamedIn = (args: readonly string[], journal: readonly Entry[]): boolean =>
  journal.some((entry) => {
    const name = subjectOf(entry as unknown as JournalEntry).slice(`${entry['kind']} `.length)
    return name !== '' && args.some((arg) => arg.toLowerCase() === name)
  })

type Has = (kind: string, part: Entry) => boolean

function isFileNoted(path: string, has: Has): boolean {
  if (RECORDS.test(path)) return true
  const isInTree = path.split('\\').some((_, index, parts) => has('tree', {path: parts.slice(0, index + 1).join('\\')}))
  return isInTree || has('file', {path}) || has('directory', {path})
}

function isRequestNoted(method: string, url: string, has: Has): boolean {
  if (method === 'DOWNLOAD') return true
  const {query = '', what = ''} = URL_PARTS.exec(url)?.groups ?? {}
  const parameters = new URLSearchParams(query)
  // Containers that prove an image have a label, by which the next run finds what this one left.
  if (what.startsWith('containers/')) return true
  if (what === 'networks/create') return has('docker-network', {name: 'host'})
  if (what === 'images/create') {
    return has('image-pull', {reference: `${parameters.get('fromImage')}:${parameters.get('tag')}`})
  }

  const reference = what === 'build' ? parameters.get('t') : `${parameters.get('repo')}:${parameters.get('tag')}`
  return has('image-tag', {reference: reference ?? ''})
}

function isCallNoted(call: string, args: readonly string[], has: Has): boolean | undefined {
  const [first = '', key = '', name = ''] = args
  switch (call) {
    case 'broadcastEnvironmentChange': {
      return has('environment-notified', {})
    }
    case 'changeService':
    case 'createService': {
      return has('service', {name: first})
    }
    case 'setRegistryValue': {
      const service = /\\Services\\(?<service>\w+)$/.exec(key)?.groups?.['service']
      if (service !== undefined) return has('service', {name: service})
      return name === 'Path' ? has('path-entry', {}) : has('environment', {name}) || undefined
    }
    case 'setSecurity': {
      return has('security', {path: first})
    }
    case 'startService': {
      // With the kubelet comes the node, with flanneld the network.
      const made = {flanneld: 'network', kubelet: 'node'}[first]
      return has('service', {name: first}) && (made === undefined || has(made, {}))
    }
    default: {
      return undefined
    }
  }
}

test('what is about to be changed stands in the journal', async () => {
  const path = String.raw`k\k8s-win\journal.ndjson`
  const journalNow = (): Entry[] =>
    host.has(path)
      ? host
          .read(path)
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Entry)
      : []
  const missing: string[] = []
  let changes = 0
  const {result} = await setupOn(host.dir, {
    wrap: (machine) =>
      interceptMachine(machine, async (effect, perform) => {
        if (effect.kind === 'change') {
          changes++
          if (!isNoted(effect, journalNow())) missing.push(`${effect.via} ${describeEffect(effect)}`)
        }
        return perform()
      }),
  })
  expect(result?.exitCode).toBe(0)
  expect(changes).toBeGreaterThan(100)
  expect(missing).toEqual([])
})

test('the check of this test reports what is not recorded', () => {
  const effect = (part: Partial<Effect>): Effect => ({args: [], kind: 'change', via: 'files', what: 'write', ...part})
  for (const one of [
    effect({args: [String.raw`C:\k\kubelet-config.yaml`]}),
    effect({args: ['a', String.raw`C:\k\flanneld.exe`], what: 'rename'}),
    effect({args: ['http://docker/v1.41/images/create?fromImage=x&tag=1'], via: 'http', what: 'POST'}),
    effect({args: ['kubelet'], via: 'win32', what: 'createService'}),
    effect({args: ['advfirewall', 'name=x'], via: 'run', what: 'netsh.exe'}),
  ]) {
    expect(isNoted(one, [])).toBe(false)
  }
})
