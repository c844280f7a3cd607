// What is wrong with lists, names and switches, and where it is said to stand.
import {describe, expect, it} from 'vitest'

import {resolveConfig} from '../../src/config/options/resolve-setup.js'
import type {ProblemsError} from '../../src/errors/k8s-win-error.js'
import {problemsOf} from './problems-of.js'

describe('what is wrong', () => {
  it.each([
    ['node-label', ['a=1', 'b=2', 'a=3'], 'a is set more than once.'],
    ['taint', ['a=1:NoSchedule', 'a=2:NoExecute', 'a=3:NoSchedule'], 'a:NoSchedule is set more than once.'],
    ['digest', [`shawl=sha256:${'0'.repeat(64)}`, `shawl=sha256:${'1'.repeat(64)}`], 'shawl is set more than once.'],
  ] as const)('is a --%s that is there already', (flag, values, reason) => {
    const {problems} = problemsOf({[flag]: values})
    expect(problems.map((problem) => [problem.id, problem.reason])).toEqual([['BAD_VALUE', reason]])
  })

  it.each([
    ['skip', 'kubelet-servce', 'did you mean kubelet-service?'],
    ['ignore-check', 'prots', 'did you mean ports?'],
    ['dry-run', 'maybe', 'neither true nor false'],
    ['yes', '1', 'neither true nor false'],
    ['reset', '$true', 'neither true nor false'],
    ['adopt', 'ja', 'neither true nor false'],
  ] as const)('is --%s %s', (flag, value, reason) => {
    const {problems} = problemsOf({[flag]: value})
    expect(problems.map((problem) => problem.reason)).toEqual([expect.stringContaining(reason)])
  })

  it('is reported where it stands', () => {
    const where = {
      'cluster-cidr': 'node.yaml:3:14 clusterCIDR',
      release: 'K8S_WIN_RELEASE',
      skip: ['n:1:1 skip', 'n:2:1 skip'],
    }
    const networks = {'cluster-cidr': '10.10.0.0/16', 'service-cidr': '10.10.0.0/16'}
    const given = {...networks, release: '1.40.0', skip: ['docker', 'nothing']}
    try {
      resolveConfig({given, where})
      expect.unreachable()
    } catch (error) {
      expect((error as ProblemsError).problems.map(({message}) => message)).toEqual([
        'n:2:1 skip "nothing" cannot be used',
        'K8S_WIN_RELEASE: Kubernetes 1.40.0 cannot be set up',
        'node.yaml:3:14 clusterCIDR 10.10.0.0/16 and --service-cidr 10.10.0.0/16 overlap',
      ])
    }
  })
})
