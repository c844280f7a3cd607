// Would the pods of a DaemonSet land on this node?
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {DaemonSet} from '../../../src/host/cluster/objects.js'
import {readDaemonSet} from '../../../src/host/cluster/objects.js'
import {labelsOf, landsOn, type NodeFace} from '../../../src/preflight/checks/placement.js'

const NODE: NodeFace = {labels: labelsOf('win-1', 17_763, {pool: 'a', size: '8'}), name: 'win-1', taints: []}
const TAINTED: NodeFace = {...NODE, taints: [{effect: 'NoSchedule', key: 'os', value: 'windows'}]}

const set = (spec: object): DaemonSet => readDaemonSet({metadata: {name: 'x'}, spec: {template: {spec}}})
const required = (...nodeSelectorTerms: readonly unknown[]): DaemonSet =>
  set({affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms}}}})
const term = (key: string, operator: string, ...values: readonly string[]) => ({
  matchExpressions: [{key, operator, values}],
})

describe('a selector', () => {
  test.each<[object, boolean]>([
    [{}, true],
    [{'kubernetes.io/os': 'linux'}, false],
    [{'beta.kubernetes.io/os': 'linux'}, false],
    [{'kubernetes.io/os': 'windows'}, true],
    [{'node-role.kubernetes.io/control-plane': ''}, false],
    [{pool: 'a'}, true],
    [{'kubernetes.io/os': 'windows', pool: 'b'}, false],
  ])('%o: %s', (nodeSelector, lands) => {
    expect(landsOn(set({nodeSelector}), NODE)).toBe(lands)
  })
})

describe('an affinity', () => {
  test.each<[string, DaemonSet, boolean]>([
    ['In', required(term('kubernetes.io/os', 'In', 'linux')), false],
    ['In with both', required(term('kubernetes.io/os', 'In', 'linux', 'windows')), true],
    ['NotIn', required(term('kubernetes.io/os', 'NotIn', 'windows')), false],
    ['NotIn of what it has not', required(term('gpu', 'NotIn', 'yes')), true],
    ['Exists', required(term('gpu', 'Exists')), false],
    ['DoesNotExist', required(term('gpu', 'DoesNotExist')), true],
    ['Gt', required(term('size', 'Gt', '4')), true],
    ['Lt', required(term('size', 'Lt', '4')), false],
    ['either term is enough', required(term('gpu', 'Exists'), term('pool', 'In', 'a')), true],
    [
      'both expressions of a term are needed',
      required({
        matchExpressions: [
          {key: 'gpu', operator: 'Exists'},
          {key: 'pool', operator: 'Exists'},
        ],
      }),
      false,
    ],
    ['a term with nothing in it', required({}), false],
    ['no terms', required(), false],
    [
      'this node by its name',
      required({matchFields: [{key: 'metadata.name', operator: 'In', values: ['win-1']}]}),
      true,
    ],
    ['another by its name', required({matchFields: [{key: 'metadata.name', operator: 'In', values: ['x']}]}), false],
    ['an operator nobody knows', required(term('pool', 'Like', 'a')), false],
    [
      'one that is only preferred',
      set({affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}}),
      true,
    ],
  ])('%s', (_, daemonSet, lands) => {
    expect(landsOn(daemonSet, NODE)).toBe(lands)
  })
})

test.each<[operator: string, label: string, bound: string, lands: boolean]>([
  ['Gt', '8', '4', true],
  ['Gt', '+8', '-4', true],
  ['Gt', '9007199254740993', '9007199254740992', true],
  ['Gt', '9223372036854775808', '4', false],
  ['Gt', '8.5', '4', false],
  ['Gt', '0x10', '4', false],
  ['Gt', '1e3', '4', false],
  ['Lt', '', '4', false],
  ['Lt', ' 2', '4', false],
  ['Lt', '2', ' 4', false],
])('review K10: %s compares %o with %o as Go’s ParseInt reads them: %s', (operator, size, bound, lands) => {
  expect(landsOn(required(term('size', operator, bound)), {...NODE, labels: {...NODE.labels, size}})).toBe(lands)
})

test('review K10: a template that names a node lands there only', () => {
  expect(landsOn(set({nodeName: 'win-1'}), NODE)).toBe(true)
  expect(landsOn(set({nodeName: 'linux-1'}), NODE)).toBe(false)
})

describe('a taint', () => {
  test.each<[readonly object[], boolean]>([
    [[], false],
    [[{operator: 'Exists'}], true],
    [[{effect: 'NoSchedule', operator: 'Exists'}], true],
    [[{effect: 'NoExecute', operator: 'Exists'}], false],
    [[{key: 'os', operator: 'Exists'}], true],
    [[{key: 'os', value: 'windows'}], true],
    [[{key: 'os', value: 'linux'}], false],
    [[{key: 'other', operator: 'Exists'}], false],
  ])('with the tolerations %o: %s', (tolerations, lands) => {
    expect(landsOn(set({tolerations}), TAINTED)).toBe(lands)
  })

  test('that is only a preference keeps nothing away', () => {
    const node: NodeFace = {...NODE, taints: [{effect: 'PreferNoSchedule', key: 'os', value: ''}]}
    expect(landsOn(set({}), node)).toBe(true)
  })
})

test('a specification of any shape is decided', () => {
  const keys = ['nodeSelector', 'affinity', 'nodeAffinity', 'nodeSelectorTerms', 'matchExpressions', 'tolerations']
  const {tree} = fc.letrec((tie) => ({
    tree: fc.oneof(
      {maxDepth: 4},
      fc.jsonValue({maxDepth: 1}),
      fc.array(tie('tree'), {maxLength: 3}),
      fc.dictionary(fc.constantFrom(...keys, 'requiredDuringSchedulingIgnoredDuringExecution'), tie('tree')),
    ),
  }))
  fc.assert(
    fc.property(tree, (spec) => {
      const daemonSet = readDaemonSet({spec: {template: {spec}}})
      expect(typeof landsOn(daemonSet, TAINTED)).toBe('boolean')
      // Whatever else it asks for, it is kept off by a selector.
      expect(landsOn({...daemonSet, nodeSelector: {'kubernetes.io/os': 'linux'}}, TAINTED)).toBe(false)
    }),
    {numRuns: 200},
  )
})
