// Requests and answers as a well or an ill HNS may give them, generated.
import * as fc from 'fast-check'
import type {HnsAnswer} from '../world/hns-pipe.js'

export interface HnsExchange {
  readonly method: 'DELETE' | 'GET' | 'POST'
  readonly path: string
  readonly request: string
  readonly answer: HnsAnswer
}

/** Any UTF-16, lone surrogates and NULs too. */
const units = fc
  .array(fc.integer({max: 0xff_ff, min: 0}), {maxLength: 40})
  .map((codes) => String.fromCharCode(...codes))
const surrogates = fc
  .array(fc.constantFrom('\uD800', '\uDBFF', '\uDC00', '\uDFFF', '\uD83D\uDE00', 'a', '"', '\\'), {maxLength: 12})
  .map((pieces) => pieces.join(''))
const text = fc.oneof(fc.string(), units, surrogates)

const anything = fc.oneof(fc.jsonValue(), fc.constantFrom(null, '', 'true', '0', 0, 1, [], {}), text)

/** Makes a field of what should be in it. */
type Field = (value: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>

/** Often something else, or nothing. */
const wrong: Field = (value) =>
  fc.oneof(
    {arbitrary: value, weight: 4},
    {arbitrary: anything, weight: 1},
    {arbitrary: fc.constant(undefined), weight: 1},
  )
const right: Field = (value) => value

function answersWith(field: Field): fc.Arbitrary<string> {
  const id = field(fc.constantFrom('A', 'B', 'C'))
  const listOf = (one: fc.Arbitrary<unknown>) => field(fc.array(field(one), {maxLength: 3}))
  const policy = fc.record({Type: field(fc.constantFrom('VSID', 'ELB')), VSID: field(fc.nat())})
  const subnet = fc.record({AddressPrefix: field(fc.constant('10.244.3.0/24')), Policies: listOf(policy)})
  const network = fc.record({
    ID: id,
    Name: field(fc.constantFrom('vxlan0', 'nat')),
    Subnets: listOf(subnet),
    Type: field(fc.constantFrom('Overlay', 'overlay', 'nat')),
    VirtualNetwork: field(fc.constantFrom('A', 'B')),
  })
  const policyList = fc.record({ID: id, References: listOf(text)})
  const version = fc.record({Major: field(fc.nat(15)), Minor: field(fc.nat(15))})
  const answer = fc.record({
    Error: field(text),
    ErrorCode: field(fc.constantFrom(0x80_3b_00_01, 0x80_3b_00_06, 0x80_07_00_57)),
    Output: fc.oneof(listOf(network), listOf(policyList), version, field(fc.constantFrom('', null, undefined, []))),
    Success: field(fc.constantFrom(true, true, true, false)),
  })
  return answer.map((value) => JSON.stringify(value))
}

const [well, ill] = [answersWith(right), answersWith(wrong)]
/** Truncated. */
const cutShort = fc.tuple(well, fc.double({max: 1, min: 0, noNaN: true})).map(([json, part]) => {
  return json.slice(0, Math.floor(json.length * part))
})
const nested = fc
  .tuple(fc.constantFrom('[', '{"Success":', '{"Success":true,"Output":['), fc.integer({max: 20_000, min: 1}))
  .map(([piece, times]) => piece.repeat(times))
const megabytes = fc
  .tuple(fc.constantFrom('x', 'ä', '\uDC00', '[null],'), fc.integer({max: 2_000_000, min: 500_000}))
  .map(([piece, length]) => `{"Success":true,"Output":[${piece.repeat(length / piece.length)}]}`)

const response = fc.oneof(
  {arbitrary: well, weight: 300},
  {arbitrary: ill, weight: 300},
  {arbitrary: fc.json(), weight: 100},
  {arbitrary: cutShort, weight: 100},
  {arbitrary: text, weight: 100},
  {arbitrary: fc.constant(undefined), weight: 100},
  {arbitrary: fc.constant(''), weight: 20},
  {arbitrary: nested, weight: 10},
  {arbitrary: megabytes, weight: 1},
)

const SIGN = 0x80_00_00_00
const hresult = fc.oneof(
  {arbitrary: fc.constant(0), weight: 6},
  // FACILITY_WIN32, HNS' own (0x3b), and whatever has 32 bits.
  {arbitrary: fc.nat(0xff_ff).map((code) => SIGN | 0x07_00_00 | code | 0), weight: 2},
  {arbitrary: fc.nat(0xff).map((code) => SIGN | 0x3b_00_00 | code | 0), weight: 2},
  {arbitrary: fc.integer({max: 2 ** 31 - 1, min: -(2 ** 31)}), weight: 2},
  {arbitrary: fc.constantFrom(1, 2 ** 31 - 1, -1, -(2 ** 31)), weight: 1},
)

const PATHS = ['/networks/', '/endpoints/', '/policylists/', '/globals/version', '/portpools', '/activities/', '', '/']
const request = fc.oneof(
  {arbitrary: fc.constant(''), weight: 200},
  {arbitrary: fc.json(), weight: 200},
  {arbitrary: text, weight: 200},
  {arbitrary: megabytes, weight: 1},
)

export const exchanges: fc.Arbitrary<HnsExchange> = fc.record({
  answer: fc.record({hresult, response}),
  method: fc.constantFrom('DELETE' as const, 'GET' as const, 'POST' as const),
  path: fc.oneof(fc.constantFrom(...PATHS), text),
  request,
})
