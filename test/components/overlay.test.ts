import {expect, test} from 'vitest'
import {isMadeByFlanneld, isOfOldFlannel} from '../../src/components/overlay.js'

const NETWORK = {
  ID: 'a',
  Name: 'vxlan0',
  Subnets: [{AddressPrefix: '10.244.3.0/24', GatewayAddress: '10.244.3.1', Policies: [{Type: 'VSID', VSID: 4096}]}],
  Type: 'overlay',
}

test.each([
  {Flags: 0, isMade: false, isOld: true},
  {Flags: 8, isMade: true, isOld: false},
  {Flags: undefined, isMade: false, isOld: false},
])('a network with the flags $Flags', ({Flags, isMade, isOld}) => {
  const network = {...NETWORK, ...(Flags !== undefined && {Flags})}
  expect([isMadeByFlanneld(network), isOfOldFlannel(network)]).toEqual([isMade, isOld])
})
