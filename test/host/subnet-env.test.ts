import {expect, test} from 'vitest'
import {readSubnetEnv} from '../../src/host/ipam.js'

test.each([
  ['FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.3.1/24\nFLANNEL_MTU=1450\n', '10.244.3.0/24'],
  ['FLANNEL_SUBNET=10.244.3.1/24\r\nFLANNEL_IPMASQ=false\r\n', '10.244.3.0/24'],
  ['FLANNEL_SUBNET=\n', undefined],
  ['FLANNEL_SUBNET=fd00::/64\n', undefined],
  ['# FLANNEL_SUBNET=10.244.3.1/24', undefined],
  ['', undefined],
])('%j', (text, network) => {
  expect(readSubnetEnv(Buffer.from(text))).toBe(network)
})

test('a file that is not there', () => {
  expect(readSubnetEnv(undefined)).toBeUndefined()
})
