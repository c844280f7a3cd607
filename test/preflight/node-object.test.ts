// A node of this host's name in the cluster: this host's, or another machine's.
import {describe, expect, test} from 'vitest'
import type {ClusterNode} from '../../src/simulator/world.js'
import {THIS_NODE} from '../fixtures/this-node.js'
import {checkOne} from './cluster-bench.js'

describe('the node of this name', () => {
  const elsewhere = [{address: '10.0.0.77', type: 'InternalIP'}]
  const verdict = async (part: Partial<ClusterNode>): Promise<string> => {
    const {problems, result} = await checkOne('node-object', {
      sicken: ({cluster: {nodes}}) => nodes.push({...THIS_NODE, ...part}),
    })
    return problems.length > 0 ? problems.map(({reason}) => reason).join() : result
  }

  test.each<[string, Partial<ClusterNode>]>([
    ['as it was', {}],
    ['at another address, when it was last heard of', {addresses: elsewhere, ready: false}],
    ['under another computer name', {machineID: 'OLD-NAME'}],
    ['made beforehand, with nothing in it', {addresses: [], machineID: ''}],
  ])("is k8s-win's: %s", async (_, part) => {
    expect(await verdict(part)).toBe('pass')
  })

  test.each<[string, Partial<ClusterNode>, RegExp]>([
    ['another computer', {addresses: elsewhere, machineID: 'WIN-9'}, /the computer WIN-9 with 10\.0\.0\.77\.$/],
    ['a copy of this computer that is alive', {addresses: elsewhere}, /WIN-1 with 10\.0\.0\.77, which is Ready/],
  ])("is not k8s-win's: %s", async (_, part, reason) => {
    expect(await verdict(part)).toMatch(reason)
  })
})
