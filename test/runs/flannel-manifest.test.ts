import {parseAllDocuments} from 'yaml'
import {describe, expect, it} from 'vitest'
import {ProblemsError} from '../../src/errors/k8s-win-error.js'
import {flannelHead, jsonText, yamlText} from '../../src/output/text/manifest-text.js'
import {flannelManifest} from '../../src/runs/flannel-manifest.js'

const text = (objects: readonly object[]): string => JSON.stringify(objects)

describe('the options of the manifest', () => {
  it('are those of setup, with its defaults', () => {
    const {clusterCIDR, objects} = flannelManifest({}, {})
    expect(clusterCIDR).toBe('10.244.0.0/16')
    expect(text(objects)).toContain('ghcr.io/flannel-io/flannel:v0.28.9')
    expect(text(objects)).toContain('flannel-cni-plugin:v1.9.1-flannel3')
  })

  it('may be flags or variables of the environment; flags win', () => {
    const environment = {K8S_WIN_CLUSTER_CIDR: '10.1.0.0/16', K8S_WIN_FLANNEL_VERSION: 'v0.27.4'}
    const {clusterCIDR, objects} = flannelManifest({'cluster-cidr': '10.2.0.0/16'}, environment)
    expect(clusterCIDR).toBe('10.2.0.0/16')
    expect(text(objects)).toContain('flannel:v0.27.4')
    expect(text(objects)).not.toContain('10.1.0.0')
  })

  it('that are wrong are reported all at once', () => {
    const given = {'cluster-cidr': '10.244.0.1/16', 'flannel-cni-version': 'x', 'flannel-version': '0.11.0'}
    try {
      flannelManifest(given, {})
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ProblemsError)
      const {exitCode, problems} = error as ProblemsError
      expect(exitCode).toBe(2)
      expect(problems.map(({message}) => message)).toEqual([
        '--cluster-cidr "10.244.0.1/16" cannot be used',
        '--flannel-version "0.11.0" cannot be used',
        '--flannel-cni-version "x" cannot be used',
      ])
      expect(problems[2]?.fix).toBe('Set --flannel-cni-version to a version such as 1.9.1-flannel3.')
    }
  })

  it('name a version of flannel where one is wanted', () => {
    expect(() => flannelManifest({'flannel-version': 'x'}, {})).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({fix: 'Set --flannel-version to a version such as 0.28.9.'})],
      }) as Error,
    )
  })

  it.each(['10.244.0.0/16\nkind: Secret', '10.244.0.0/16"', 'fd00::/48', '', '127.0.0.0/8', '10.1.0.0/28'])(
    'take no network like %j',
    (cidr) => {
      expect(() => flannelManifest({'cluster-cidr': cidr}, {})).toThrow(ProblemsError)
    },
  )
})

describe('the manifest as text', () => {
  const {clusterCIDR, objects} = flannelManifest({}, {})

  it('is YAML that reads back as the same objects, with the head as comments', () => {
    const yaml = yamlText(objects, flannelHead(clusterCIDR))
    const documents = parseAllDocuments(yaml)
    expect(documents.flatMap((document) => ('errors' in document ? document.errors : []))).toEqual([])
    expect(documents.map((document) => document.toJS() as unknown)).toEqual(objects)
    const [head = ''] = yaml.split('---\n')
    expect(
      head
        .trim()
        .split('\n')
        .every((line) => line.startsWith('#')),
    ).toBe(true)
    for (const word of ['br_netfilter', 'net.bridge.bridge-nf-call-iptables=1', 'VNI 4096', '4789', '10.244.0.0/16']) {
      expect(head).toContain(word)
    }
    expect(yaml).toMatch(/^[\n -~]+$/)
  })

  it('is JSON as one list, or one object a line', () => {
    expect(JSON.parse(jsonText(objects, 'json'))).toEqual({apiVersion: 'v1', items: objects, kind: 'List'})
    const lines = jsonText(objects, 'ndjson').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(objects)
  })
})
