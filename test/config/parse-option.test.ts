// One parser a kind of value: what it takes, what it refuses, and what it says is wanted.
import {describe, expect, it} from 'vitest'

import * as parse from '../../src/config/parse-option.js'
import type {K8sWinError} from '../../src/errors/k8s-win-error.js'

const reasonOf = (result: object): string => ('reason' in result ? String(result.reason) : 'no reason')

describe('cidr', () => {
  it.each(['10.244.0.0/16', '10.0.0.0/8', '192.168.1.16/28'])('takes %s', (text) => {
    expect(parse.cidr(text)).toEqual({value: text})
  })

  it.each([
    ['10.244.0.0', 'no IPv4 network'],
    ['banana', 'no IPv4 network'],
    ['fd00::/64', 'no IPv4 network'],
    ['10.0.0.0/7', '/8 to /28'],
    ['10.0.0.0/29', '/8 to /28'],
    ['10.244.1.0/16', 'the network is 10.244.0.0/16'],
  ])('refuses %s', (text, why) => {
    expect(reasonOf(parse.cidr(text))).toContain(why)
  })

  it('offers the network where bits stand behind the prefix', () => {
    expect(parse.cidr('10.244.1.0/16')).toMatchObject({wanted: '10.244.0.0/16'})
  })
})

describe('address', () => {
  it('takes what others can reach', () => {
    expect(parse.address('10.0.0.5')).toEqual({value: '10.0.0.5'})
  })

  it.each([
    ['10.0.0', 'no IPv4 address'],
    ['win-1', 'no IPv4 address'],
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
    ['file', String.raw`C:\k\kubeconfig`, ' '],
    ['interfaceName', 'Ethernet 2 (Team)', ''],
  ] as const)('%s takes %s and refuses %o', (kind, good, bad) => {
    expect(parse[kind](good)).toEqual({value: good})
    expect(parse[kind](bad)).toHaveProperty('reason')
  })
})

describe('digests', () => {
  const read = (given: string | string[] | undefined) => {
    const problems: K8sWinError[] = []
    return {problems, result: parse.digests(given, (problem) => problems.push(problem))}
  }

  const hex = 'AB'.repeat(32)

  it('are none where none is given', () => {
    expect(read(undefined)).toEqual({problems: [], result: {}})
  })

  it.each([`flanneld=sha256:${hex}`, `FlannelD=SHA256:${hex.toLowerCase()}`])('%s is taken', (text) => {
    const wanted = {problems: [], result: {flanneld: {algorithm: 'sha256', hex: hex.toLowerCase()}}}
    expect(read(text)).toEqual(wanted)
    expect(read([text])).toEqual(wanted)
  })

  it('may be several, of both kinds', () => {
    const {problems, result} = read([`kubernetes=sha512:${hex}${hex}`, `shawl=sha256:${hex}`])
    expect(problems).toEqual([])
    expect(Object.keys(result)).toEqual(['kubernetes', 'shawl'])
    expect(result.kubernetes?.algorithm).toBe('sha512')
  })

  it.each([
    [`kubelet=sha256:${hex}`, 'no artifact of that name; there are kubernetes,'],
    [`flanneld=sha256:${hex}00`, '64 hexadecimal digits'],
    [`flanneld=sha512:${hex}`, '128'],
    [`flanneld=md5:${hex}`, '64 hexadecimal digits'],
    [`flanneld:${hex}`, '64 hexadecimal digits'],
    [hex, '64 hexadecimal digits'],
    ['', '64 hexadecimal digits'],
  ])('%s is refused', (text, why) => {
    const {problems, result} = read([text, `shawl=sha256:${hex}`])
    expect(problems.map((problem) => problem.id)).toEqual(['BAD_VALUE'])
    expect(problems[0]?.reason).toContain(why)
    expect(Object.keys(result)).toEqual(['shawl'])
  })
})
