// One parser a kind of value: what it takes, what it refuses, and what it says is wanted.
import {describe, expect, it} from 'vitest'

import * as parse from '../../../src/config/options/parse-option.js'

const reasonOf = (result: object): string => ('reason' in result ? String(result.reason) : 'no reason')

describe('a network of the cluster', () => {
  const both = [parse.clusterCIDR, parse.serviceCIDR]

  it.each([
    '10.244.0.0/16',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '168.0.0.0/8',
    '223.255.0.0/16',
    '1.0.0.0/8',
    '10.1.2.0/24',
  ])('may be %s', (text) => {
    for (const parser of both) expect(parser(text)).toEqual({value: text})
  })

  it('may be small for services; of the pods every node gets a /24', () => {
    expect(parse.serviceCIDR('192.168.1.16/28')).toEqual({value: '192.168.1.16/28'})
    expect(parse.clusterCIDR('192.168.1.16/28')).toMatchObject({
      reason: 'Its prefix must be from /8 to /24: every node gets a /24 of it.',
    })
    expect(reasonOf(parse.clusterCIDR('192.168.1.0/25'))).toContain('/24')
    expect(reasonOf(parse.serviceCIDR('10.0.0.0/29'))).toContain('/8 to /28.')
  })

  it.each([
    ['0.0.0.0/8', 'this network'],
    ['127.0.0.0/8', 'loopback'],
    ['127.5.0.0/16', 'loopback'],
    ['169.254.0.0/16', 'link-local'],
    ['169.254.7.0/24', 'link-local'],
    ['169.0.0.0/8', 'link-local'],
    ['224.0.0.0/8', 'multicast'],
    ['239.1.0.0/16', 'multicast'],
    ['240.0.0.0/8', 'reserved'],
    ['255.0.0.0/8', 'reserved'],
  ])('can never be %s', (text, why) => {
    for (const parser of both) expect(reasonOf(parser(text))).toContain(why)
  })

  it.each([
    ['10.244.0.0', 'not an IPv4 network'],
    ['banana', 'not an IPv4 network'],
    ['fd00::/64', 'not an IPv4 network'],
    ['10.0.0.0/7', '/8 to /2'],
    ['10.244.1.0/16', 'the network is 10.244.0.0/16'],
  ])('is not %s', (text, why) => {
    for (const parser of both) expect(reasonOf(parser(text))).toContain(why)
  })

  it('offers the network where bits stand behind the prefix', () => {
    expect(parse.clusterCIDR('10.244.1.0/16')).toMatchObject({wanted: '10.244.0.0/16'})
  })
})

describe('address', () => {
  it('takes what others can reach', () => {
    expect(parse.address('10.0.0.5')).toEqual({value: '10.0.0.5'})
  })

  it.each([
    ['10.0.0', 'not an IPv4 address'],
    ['win-1', 'not an IPv4 address'],
    ['169.254.1.1', '169.254'],
    ['127.0.0.1', 'cannot reach'],
    ['0.0.0.0', 'cannot reach'],
  ])('refuses %s', (text, why) => {
    expect(reasonOf(parse.address(text))).toContain(why)
  })
})

describe('nodeName', () => {
  it('is lower-cased (kubernetes#71799)', () => {
    expect(parse.nodeName('WIN-1.Corp')).toEqual({value: 'win-1.corp'})
  })

  it.each(['', '-win', 'win-', 'win_1', 'win..1', 'win 1', 'wïn', `${'a'.repeat(254)}`])('refuses %o', (text) => {
    expect(reasonOf(parse.nodeName(text))).toContain('node name')
  })
})

describe('the other texts', () => {
  it.each([
    ['domain', 'cluster.local', 'cluster_local'],
    ['tag', 'ltsc2019', 'a/b'],
    ['tag', '10.0.17763.802', '-1'],
    ['tag', '1809', ''],
    ['tag', 'a', 'a'.repeat(129)],
    ['registry', 'mcr.microsoft.com', 'https://mcr.microsoft.com'],
    ['registry', 'registry.example.com:5000', 'registry:port'],
    ['registry', 'mirror/mcr', 'mirror/'],
    ['registry', 'foo/a.b/c__d/e--f', 'foo/../bar'],
    ['registry', 'foo/bar', 'foo/./bar'],
    ['registry', 'foo/b-r', 'foo/-bar'],
    ['file', String.raw`C:\k\kubeconfig`, ' '],
    ['interfaceName', 'Ethernet 2 (Team)', ''],
  ] as const)('%s takes %s and refuses %o', (kind, good, bad) => {
    expect(parse[kind](good)).toEqual({value: good})
    expect(parse[kind](bad)).toHaveProperty('reason')
  })
})

describe('digest', () => {
  const hex = 'AB'.repeat(32)

  it.each([`flanneld=sha256:${hex}`, `FlannelD=SHA256:${hex.toLowerCase()}`])('%s is taken', (text) => {
    expect(parse.digest(text)).toEqual({value: ['flanneld', {algorithm: 'sha256', hex: hex.toLowerCase()}]})
  })

  it('may be a sha512', () => {
    expect(parse.digest(`kubernetes=sha512:${hex}${hex}`)).toMatchObject({value: ['kubernetes', {algorithm: 'sha512'}]})
  })

  it.each([
    [`kubelet=sha256:${hex}`, 'Unknown artifact; valid are kubernetes,'],
    [`flanneld=sha256:${hex}00`, '64 hexadecimal digits'],
    [`flanneld=sha512:${hex}`, '128'],
    [`flanneld=md5:${hex}`, '64 hexadecimal digits'],
    [`flanneld:${hex}`, '64 hexadecimal digits'],
    [hex, '64 hexadecimal digits'],
    ['', '64 hexadecimal digits'],
  ])('%s is refused', (text, why) => {
    expect(parse.digest(text)).toMatchObject({reason: expect.stringContaining(why) as string})
  })
})

describe('timeout', () => {
  it.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['24h', 86_400_000],
  ])('%s is %i ms', (text, value) => {
    expect(parse.timeout(text)).toEqual({value})
  })

  it.each(['', '0s', '25h', '15', 'm', '1.5h', '-1m', '1m1h', '1 m', '90S', 'forever'])('%o is refused', (text) => {
    expect(parse.timeout(text)).toHaveProperty('reason')
  })
})

describe('a switch', () => {
  it.each([
    ['true', true],
    ['True', true],
    ['FALSE', false],
  ])('%s', (text, value) => {
    expect(parse.truth(text)).toEqual({value})
  })

  it.each(['', 'yes', '1', '$true'])('%o is refused', (text) => {
    expect(parse.truth(text)).toHaveProperty('reason')
  })
})

describe('a name of a list', () => {
  const parser = parse.oneOf(['base-dir', 'base-images', 'docker'])

  it('is taken in any case', () => {
    expect(parser('Base-Images')).toEqual({value: 'base-images'})
  })

  it('is suggested where it is nearly right', () => {
    expect(parser('dokcer')).toEqual({
      reason: 'The name is unknown; did you mean docker?',
      wanted: 'one of: base-dir, base-images, docker',
    })
    expect(parser('something-else')).toMatchObject({reason: 'The name is unknown.'})
  })
})

describe('a whole number', () => {
  it.each(['10', '250', '010'])('may be %s', (text) => {
    expect(parse.wholeNumber(10, 250)(text)).toEqual({value: Number(text)})
  })

  it.each(['9', '251', '-10', '+10', '1e2', '10.5', '0x20', ' 10', '', '٣٠', '99999999999'])('is not %j', (text) => {
    expect(parse.wholeNumber(10, 250)(text)).toMatchObject({wanted: 'a whole number from 10 to 250'})
  })
})
