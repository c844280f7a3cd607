// Every ID that k8s-win shows can be explained.
import {describe, expect, it} from 'vitest'
import {EXIT_CODES} from '../../src/cli/exit-codes.js'
import {ERRORS} from '../../src/errors/catalogue.js'
import {K8sWinError} from '../../src/errors/k8s-win-error.js'
import {NODE_CHECKS, REPORTING_CHECKS} from '../../src/health/health-checks.js'
import {explanationDocument, explanationLines} from '../../src/output/text/explanation.js'
import {CHECKS} from '../../src/preflight/index.js'
import {explain} from '../../src/runs/explain.js'
import {SIGNATURES} from '../../src/signatures/index.js'
import {k8sWin} from '../cli/program.js'
import {schemaErrors} from '../schemas.js'

const FIT = {clean: (text: string) => text, width: 79}

const idsOf = (things: readonly {readonly id: string}[]): string[] => things.map(({id}) => id)
const CHECK_IDS = idsOf([...CHECKS, ...REPORTING_CHECKS, ...NODE_CHECKS])

describe.each([
  {ids: idsOf(ERRORS), kind: 'error'},
  {ids: [...new Set(CHECK_IDS)], kind: 'check'},
  {ids: idsOf(SIGNATURES), kind: 'known failure'},
])('every $kind', ({ids, kind}) => {
  it('has an ID of its own, and its explanation is of the schema', () => {
    for (const id of ids) {
      const explanation = explain(id)
      expect(explanation).toMatchObject({id, kind})
      expect(schemaErrors('explanation', explanationDocument(explanation)), id).toEqual([])
      const lines = explanationLines(explanation, FIT)
      expect(lines[0]).toBe(`${id} (${kind})`)
      // A command of its own line is not wrapped: it is to be copied.
      const own = new Set(explanation.fix.split('\n').slice(1))
      const wide = lines.filter((line) => line.length > FIT.width && !own.has(line.trim()))
      expect(wide, id).toEqual([])
    }
  })
})

it('review U2-24: the url of an error in a document is explained, also where there is no docs folder', () => {
  for (const {describe: text, id} of ERRORS) expect(explain(new K8sWinError(id, text()).url).id).toBe(id)
  expect(() => explain('docs/errors.md#nothing')).toThrow('nothing')
})

it('review R2-1: an error that may come before and after the first change has all its exit codes', () => {
  const shown = (id: string): string => explanationLines(explain(id), FIT).join('\n')
  expect(shown('API_SERVER_REFUSES')).toMatch(/Exit code: 3, or 5 once a step has begun, 6 in the last check of setup/)
  expect(shown('BAD_VALUE')).toMatch(/Exit code: 2$/m)
})

it('of an error never says only the name of what a message fills in', () => {
  for (const id of idsOf(ERRORS)) {
    const {cause = '', fix} = explain(id)
    expect(
      [id, cause, fix].filter((text) => /^(?:<\w+>[ .]?)+$/.test(text)),
      id,
    ).toEqual([])
  }
})

it.each(['no_pod_cidr', 'No-Pod-Cidr'])('%s: case and separators do not matter', (id) => {
  expect(explain(id)).toMatchObject({exitCode: 6, id: 'NO_POD_CIDR'})
})

it('review U11: an unknown ID is exit 2, with the one that was meant', () => {
  expect(() => explain('NO_POT_CIDR')).toThrow(
    expect.objectContaining({exitCode: 2, fix: expect.stringContaining('NO_POD_CIDR') as string, id: 'UNKNOWN_ID'}),
  )
})

describe('review U2-18: what is not an ID of ours', () => {
  it.each([
    ['10', {exitCode: 10, fix: expect.stringContaining('RESTART') as string, kind: 'exit code'}],
    ['exit code 3', {fix: expect.stringContaining('PORT_TAKEN') as string, kind: 'exit code'}],
    ['0x803b001a', {kind: 'code of Windows', message: expect.stringContaining('HCN_E_REGKEY_FAILURE') as string}],
    ['0x803b0013', {id: 'hns-port-exists', message: expect.stringContaining('HCN_E_PORT_ALREADY_EXISTS') as string}],
    ['0x803B0006', {kind: 'known failure', message: expect.stringContaining('HCN_E_ADAPTER_NOT_FOUND') as string}],
    ['0x803b002c', {message: expect.stringContaining('HCN_E_ENTITY_HAS_REFERENCES') as string}],
    ['1053', {cause: expect.stringContaining('service manager') as string, kind: 'known failure'}],
  ])('%s is explained', (text, wanted) => {
    const explanation = explain(text, EXIT_CODES)
    expect(explanation).toMatchObject(wanted)
    expect(schemaErrors('explanation', explanationDocument(explanation))).toEqual([])
  })

  it.each(['12', '0x803bffff', '0x12'])('%s is unknown', (text) => {
    expect(() => explain(text, EXIT_CODES)).toThrow(expect.objectContaining({id: 'UNKNOWN_ID'}))
  })

  it('--list has every ID, and nothing wider than the screen', async () => {
    const {code, stdout} = await k8sWin(['explain', '--list'])
    expect(code).toBe(0)
    const listed = new Set(stdout.split('\n').map((line) => line.trim().split(' ')[0]))
    expect([...idsOf(ERRORS), ...CHECK_IDS, ...idsOf(SIGNATURES)].filter((id) => !listed.has(id))).toEqual([])
    const {stdout: lines} = await k8sWin(['explain', '--list', '-o', 'ndjson'])
    expect(lines.trimEnd().split('\n').length).toBeGreaterThan(ERRORS.length)
  })
})

describe('as a program', () => {
  it('explains several, one document per line', async () => {
    const {code, stdout} = await k8sWin(['explain', 'NO_POD_CIDR', 'disk', '--output', 'ndjson'])
    expect(code).toBe(0)
    const documents = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as {id: string})
    expect(idsOf(documents)).toEqual(['NO_POD_CIDR', 'disk'])
  })

  it.each([
    {args: [], id: 'MISSING_ID'},
    {args: ['nothing-like-it-at-all'], id: 'UNKNOWN_ID'},
  ])('$id: exit 2', async ({args, id}) => {
    const {code, stderr} = await k8sWin(['explain', ...args])
    expect({code, isTold: stderr.includes(id)}).toEqual({code: 2, isTold: true})
  })
})
