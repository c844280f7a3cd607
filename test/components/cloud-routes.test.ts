import {expect, it} from 'vitest'
import {routesOf} from '../../src/components/cloud-routes.js'

const via = (cloud: Parameters<typeof routesOf>[0], gateway?: string) =>
  routesOf(cloud, gateway).map(({destination, nextHop}) => `${destination} ${nextHop}`)

it('the routes of a cloud go through the gateway, on Google Compute Engine to the interface itself', () => {
  expect(via('azure', '10.0.0.1')).toEqual(['169.254.169.254/32 10.0.0.1'])
  expect(via('openstack', '10.0.0.1')).toEqual(['169.254.169.254/32 10.0.0.1'])
  expect(routesOf('gce', '10.0.0.1')).toEqual([
    {byHand: true, destination: '169.254.169.254/32', metric: 1, nextHop: '0.0.0.0', persistent: false},
  ])
  expect(via('aws', '10.0.0.1').map((route) => route.split(/[./ ]/)[3])).toEqual([
    '254',
    '250',
    '251',
    '253',
    '249',
    '123',
  ])
  expect(routesOf('aws', '10.0.0.1').every(({metric, persistent}) => metric === 1 && !persistent)).toBe(true)
  expect(via('none', '10.0.0.1')).toEqual([])
})

it('without a gateway there are only those that need none', () => {
  expect([via('aws'), via('gce')]).toEqual([[], ['169.254.169.254/32 0.0.0.0']])
})
