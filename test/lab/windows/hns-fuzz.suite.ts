// 10,000 generated requests and answers through the lab's vmcompute.dll: each arrives as it is, is judged, and is freed.
import assert from 'node:assert/strict'
import {after, before, describe, test} from 'node:test'
import * as fc from 'fast-check'
import {K8sWinError} from '../../../src/errors/k8s-win-error.js'
import {type Hns, openHns} from '../../../src/host/hns/hns.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {HnsReply, Win32} from '../../../src/machine/win32.js'
import {watchComMemory} from '../hns/com-memory.js'
import {putDll} from '../hns/dll.js'
import {exchanges, type HnsExchange} from '../hns/hostile.js'
import {type HnsAnswer, type HnsServer, serveHns} from '../world/hns-pipe.js'
import {IS_WINE, PROGRAMS} from './windows-host.js'

const SEED = 1709
const RUNS = 10_000
const MEGABYTE = 1024 * 1024
const LARGE_RUNS = 500
/** None of the large answers freed is 500 more; all of them freed was 12. */
const GROWTH_MB = 200
const skip = !IS_WINE && "a real Windows' vmcompute.dll is not replaced"

describe('HNS, whatever it answers', {skip}, () => {
  const {win32} = openRealMachine()
  let answer: HnsAnswer
  let asked: readonly string[]
  let server: HnsServer
  let memory: ReturnType<typeof watchComMemory>

  before(async () => {
    await putDll(PROGRAMS!)
    memory = watchComMemory(PROGRAMS!)
    server = await serveHns(async (...request) => {
      asked = request
      return answer
    })
  })
  after(() => server.close())

  async function exchange({answer: given, method, path, request}: HnsExchange): Promise<HnsReply> {
    answer = given
    const reply = await win32.hnsCall(method, path, request)
    assert.deepEqual(asked, [method, upToNul(path), upToNul(request)])
    assert.deepEqual(reply, {hresult: given.hresult, response: upToNul(given.response ?? '')})
    return reply
  }

  test(`${RUNS} exchanges arrive as they are, and nothing of them is left in memory (seed ${SEED})`, async () => {
    const before = memory()
    let answers = 0
    let values = 0
    const property = fc.asyncProperty(exchanges, async (one) => {
      if (one.answer.response !== undefined) answers++
      values += await judge(await exchange(one))
    })
    await fc.assert(property, {numRuns: RUNS, seed: SEED})
    const now = memory()
    // The generator must have been hostile, and not only that.
    assert.ok(values > RUNS / 5 && values < RUNS * 2, `${values} values of ${RUNS * OPERATIONS.length} operations`)
    assert.ok(answers > RUNS / 2 && answers < RUNS, `${answers} answers`)
    assert.ok(now.made - before.made >= answers, `${now.made - before.made} blocks for ${answers} answers`)
    assert.equal(now.left - before.left, 0, 'answers that were never freed')
  })

  test(`${LARGE_RUNS} answers of a megabyte do not stay`, async () => {
    const response = 'ä'.repeat(MEGABYTE / 2)
    const large: HnsExchange = {answer: {hresult: 0, response}, method: 'GET', path: '/networks/', request: ''}
    for (let warm = 0; warm < 20; warm++) await exchange(large)
    const before = process.memoryUsage.rss()
    for (let run = 0; run < LARGE_RUNS; run++) await exchange(large)
    const growth = Math.round((process.memoryUsage.rss() - before) / MEGABYTE)
    assert.ok(growth < GROWTH_MB, `${growth} MB more than before`)
  })
})

/** An embedded NUL ends a text: that is what a PCWSTR is. */
function upToNul(text: string): string {
  return text.split('\0', 1)[0]!
}

const OPERATIONS: readonly ((hns: Hns) => Promise<unknown>)[] = [
  // Read as the step overlay-network does.
  async (hns) => {
    const network = await hns.network('vxlan0')
    return network && [network.Type.toLowerCase(), network.Subnets?.[0]?.Policies?.find(({Type}) => Type === 'VSID')]
  },
  (hns) => hns.removeNetwork('A'),
  (hns) => hns.createNetwork({Name: 'External', NetworkAdapterName: 'Ethernet0', Subnets: [], Type: 'overlay'}),
  (hns) => hns.version(),
]

/** Every operation on the reply ends with a value or an error people can read; reports how many with a value. */
async function judge(reply: HnsReply): Promise<number> {
  const hns = openHns({hnsCall: async () => reply} as unknown as Win32)
  let values = 0
  for (const operate of OPERATIONS) {
    try {
      await operate(hns)
      values++
    } catch (error) {
      assert.ok(error instanceof K8sWinError, error as Error)
      assert.equal(error.id, 'HNS_REFUSED')
      assert.ok(error.reason.length < 1000, 'too long to read')
    }
  }
  return values
}
