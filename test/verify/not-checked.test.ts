// What verify could not check is not green: exit code 8, unless nothing is there that could be checked.
import {describe, expect, test} from 'vitest'
import {EXPLANATIONS} from '../../src/runs/explain.js'
import type {World} from '../../src/simulator/world.js'
import {CONTAINERD_PROFILE, setUpHost} from '../reset/set-up-host.js'
import {all, verifyOn} from './verify-run.js'

const NOT_CHECKED = {exitCode: 8, outcome: 'not-checked'}
const node = setUpHost({}, undefined, CONTAINERD_PROFILE)
const useUpQuota = ({cluster}: World): void => {
  cluster.namespaces = [{name: 'default', quotas: [{name: 'none', pods: 0}]}]
}

describe('review P3-1: what could not be checked is exit code 8', () => {
  test('for lack of rights', async () => {
    const {checks, result} = await verifyOn(node.copy(), {kubeconfig: undefined})
    expect(checks).toEqual(all('not checked'))
    expect(result).toMatchObject(NOT_CHECKED)
    expect(result.error).toBeUndefined()
  })

  test('for lack of an image', async () => {
    const host = node.copy()
    host.edit(({containerd}) => (containerd.images = []))
    expect((await verifyOn(host)).result).toMatchObject(NOT_CHECKED)
  })

  test('because the API server refused the pod', async () => {
    const host = node.copy()
    host.edit(useUpQuota)
    expect((await verifyOn(host)).result).toMatchObject(NOT_CHECKED)
  })

  test('but not what has nothing to check: no pod on another node', async () => {
    const host = node.copy()
    host.edit(({cluster}) => {
      for (const service of cluster.services)
        if (service.name === 'kube-dns') service.endpoints = [{address: '10.244.3.9', node: 'win-1', pod: 'dns'}]
    })
    const {result} = await verifyOn(host)
    expect(result.checks.find(({id}) => id === 'smoke-pods')).toMatchObject({
      nothingToCheck: true,
      result: 'not-checked',
    })
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
  })
})

test('review P3-1: every fix that names verify passes a kubeconfig', () => {
  const fixes = EXPLANATIONS.map(({fix}) => fix).filter((fix) => fix.includes('k8s-win verify'))
  expect(fixes.length).toBeGreaterThan(0)
  expect(fixes.filter((fix) => /k8s-win verify(?! --kubeconfig)/.test(fix))).toEqual([])
})
