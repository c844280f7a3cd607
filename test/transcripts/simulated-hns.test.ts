// The simulated HNS beside hcsshim, the client that flannel, the CNI plugins and kube-proxy have: its requests are
// made again, in the order of recorders/hns-client.go, and the answers are what it read in them.
import {expect} from 'vitest'
import {hnsCall} from '../../src/simulator/windows/hns.js'
import {makeStage} from '../simulator/fresh-model.js'
import {check, everyChangeIsSeen} from './checks.js'
import {idsOf, recording, textOf} from './corpus.js'

interface Read {
  readonly error: string
  readonly name: string
  readonly read: unknown
}
interface Answer {
  readonly Error?: string
  readonly Output?: unknown
  readonly Success: boolean
}

const ID = '00000000-0000-4000-8000-000000000000'
const ANY_ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi
/** By chance, as ids are. */
const SOURCE_MAC = /(?<="SourceMac":")00-15-5D(?:-[\dA-F]{2}){3}/g
/** What the client looks for, and its request; `named` is what it then picks from a list. */
const STEPS: readonly {readonly name: string; readonly named?: string; readonly request: string}[] = [
  {name: 'globals', request: '01'},
  {name: 'networks', request: '02'},
  {name: 'network-missing', named: 'Network nothing', request: '02'},
  {name: 'network-create', request: '03'},
  {name: 'network-create-again', request: '03'},
  {name: 'network-by-name', named: 'Network vxlan0', request: '02'},
  {name: 'network-by-id', request: '04'},
  {name: 'endpoint-create', request: '05'},
  {name: 'endpoint-outside', request: '06'},
  {name: 'endpoints', request: '07'},
  {name: 'endpoint-missing', named: 'Endpoint nothing', request: '07'},
  {name: 'load-balancer', request: '08'},
  {name: 'policy-lists', request: '09'},
  {name: 'load-balancer-delete', request: '10'},
  {name: 'endpoint-delete', request: '11'},
  {name: 'endpoint-delete-again', request: '11'},
  {name: 'network-delete', request: '12'},
]

const likeRecorded = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll(ANY_ID, ID).replaceAll(SOURCE_MAC, 'MAC')) as T

/** What the client makes of an answer, by its source (internal/hns/hnsfuncs.go and the finders by name). */
function clientReads(hresult: number, response: string, named = ''): Omit<Read, 'name'> {
  if (hresult !== 0) {
    const code = hresult >>> 0
    const told = `winapi error #${code} (0x${code.toString(16)})`
    return {error: `failed during hnsCallRawResponse: hnsCall failed in Win32: ${told}`, read: null}
  }

  const {Error: error = '', Output, Success} = JSON.parse(response) as Answer
  if (!Success) return {error: `hns failed with error : ${error}`, read: null}
  if (named === '') return {error: '', read: Output}
  const found = (Output as {Name: string}[]).find(({Name}) => Name === named.split(' ')[1])
  return found ? {error: '', read: found} : {error: `${named} not found`, read: null}
}

async function replay(): Promise<Read[]> {
  const stage = makeStage()
  const ids = new Map<string, string>()
  const reads: Read[] = []
  for (const {name, named, request} of STEPS) {
    const entry = recording(`hcsshim/request-${request}`)
    const [, method = '', path = ''] = /^HNSCall (\S+) (\S+)/.exec(entry.asked) ?? []
    const body = textOf(entry, 'out').trim()
    expect([entry.asked, body !== '']).toEqual([entry.asked, method === 'POST'])
    expect(entry.asked).toBe(`HNSCall ${method} ${path} ${body}`.trimEnd())
    // Ids are zeros in the recordings: the one that is meant follows from the kind of thing.
    const kind = path.split('/')[1] ?? ''
    const meant = body.includes('VirtualNetwork') ? 'networks' : body.includes('References') ? 'endpoints' : kind
    const known = ids.get(meant) ?? ''
    const verb = method as 'DELETE' | 'GET' | 'POST'
    const {hresult, response} = await hnsCall(stage, verb, path.replace(ID, known), body.replaceAll(ID, known))
    const {error, read: output} = clientReads(hresult, response, named)
    // GetHNSGlobals makes a structure of the version.
    const read = name === 'globals' ? {Version: output} : output
    if (method === 'POST' && error === '') ids.set(kind, (read as {ID: string}).ID)
    // The client throws away what a deletion answers.
    reads.push({error, name, read: method === 'DELETE' ? null : read})
  }

  return reads
}

check('is asked every recorded request', () => {
  const requests = new Set(STEPS.map(({request}) => `hcsshim/request-${request}`))
  expect(idsOf('hcsshim').sort()).toEqual(['hcsshim/read', ...requests].sort())
})

check('answers today what the client read', async () => {
  const recorded = textOf(recording('hcsshim/read'), 'out')
    .trim()
    .split('\n')
    .map((line) => likeRecorded(JSON.parse(line) as Read))
  const now = likeRecorded(await replay())
  expect(now.map(({error, name}) => [name, error])).toEqual(recorded.map(({error, name}) => [name, error]))
  // The client drops the keys that it does not know.
  expect(now).toMatchObject(recorded)
})

everyChangeIsSeen(['hcsshim'])
