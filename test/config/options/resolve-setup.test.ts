// From text to a valid configuration: defaults, spellings, and all problems at once.
import {describe, expect, it} from 'vitest'

import type {GivenOptions} from '../../../src/config/options/options.js'
import {resolveConfig} from '../../../src/config/options/resolve-setup.js'
import {ProblemsError} from '../../../src/errors/k8s-win-error.js'
import {OPTION_ROWS} from '../option-rows.js'
import {problemsOf} from '../problems-of.js'

const resolve = (given: GivenOptions = {}, dockerHost?: string) => resolveConfig({dockerHost, given})

describe('nothing given', () => {
  it('is the defaults, and nothing that the host or the cluster must say', () => {
    const values = Object.assign({}, ...Object.values(OPTION_ROWS).map(({absent}) => absent)) as object
    expect(resolve()).toEqual({
      ...values,
      isStored: false,
      origin: {given: {}, sources: {}, where: {}},
      versions: {
        cni: {major: 1, minor: 9, patch: 1, text: '1.9.1'},
        flannel: {major: 0, minor: 28, patch: 9, text: '0.28.9'},
        flannelCNI: {major: 1, minor: 9, patch: 1, text: '1.9.1-flannel3'},
      },
    })
  })

  it('does not name an interface: then any suitable one will do', () => {
    expect(resolve()).not.toHaveProperty('interfaceName')
    expect(resolve({'interface-name': 'Ethernet0'}).interfaceName).toBe('Ethernet0')
  })
})

describe('what is given', () => {
  it('is taken', () => {
    expect(
      resolve({
        'base-dir': 'd:/my node',
        'client-ca-file': 'ca.pem',
        'cluster-dns': '10.10.0.10',
        'flanneld-kubeconfig': 'f',
        'kube-proxy-kubeconfig': 'p',
        kubeconfig: 'k',
        'kubelet-kubeconfig': 'l',
        'nanoserver-tag': '1809',
        'node-ip': '10.0.0.5',
        'node-name': 'WIN-1',
        'servercore-tag': 'ltsc2019',
      }),
    ).toMatchObject({
      baseDir: String.raw`D:\my node`,
      clientCAFile: 'ca.pem',
      clusterDNS: '10.10.0.10',
      identityFiles: {flanneld: 'f', 'kube-proxy': 'p', kubelet: 'l'},
      kubeconfig: 'k',
      nanoserverTag: '1809',
      nodeIP: '10.0.0.5',
      nodeName: 'win-1',
      servercoreTag: 'ltsc2019',
    })
  })

  it('may have a "v" before a version', () => {
    const config = resolve({'cni-version': 'v1.2.0', 'flannel-version': 'v0.21.0', release: 'v1.22.17'})
    expect([config.release?.text, config.versions.cni.text, config.versions.flannel.text]).toEqual([
      '1.22.17',
      '1.2.0',
      '0.21.0',
    ])
  })

  it.each(['1.21.0', '1.21.14', '1.22.17', '1.23.17'])('may be the release %s', (release) => {
    expect(resolve({release}).release?.text).toBe(release)
  })

  it('may be labels and taints, in one order', () => {
    const config = resolve({'node-label': ['b=2', 'a='], taint: 'os=windows:NoSchedule,x:NoExecute'})
    expect(Object.entries(config.nodeLabels)).toEqual([
      ['a', ''],
      ['b', '2'],
    ])
    expect(config.taints).toEqual([
      {effect: 'NoSchedule', key: 'os', value: 'windows'},
      {effect: 'NoExecute', key: 'x', value: ''},
    ])
  })

  it('may be the runtime and its versions', () => {
    const given = {'containerd-version': 'v1.7.25', 'crictl-version': '1.36.0', 'enable-dsr': true, runtime: 'Docker'}
    const config = resolve({...given, 'base-images': 'nanoserver'})
    expect(config).toMatchObject({baseImages: ['nanoserver'], enableDSR: true, runtime: 'docker'})
    expect([config.versions.containerd?.text, config.versions.crictl?.text]).toEqual(['1.7.25', '1.36.0'])
  })

  it('may be how to run', () => {
    expect(
      resolve({adopt: true, 'ignore-check': 'ports,disk,ports', skip: ['Docker', 'net-conf'], timeout: '90s'}),
    ).toMatchObject({adopt: true, ignoreChecks: ['ports', 'disk'], skip: ['docker', 'net-conf'], timeoutMs: 90_000})
  })

  it('cannot be changed afterwards', () => {
    const config = resolve({digest: [`shawl=sha256:${'0'.repeat(64)}`]})
    expect(() => Object.assign(config, {baseDir: 'x'})).toThrow(TypeError)
    expect(() => Object.assign(config.versions, {cni: undefined})).toThrow(TypeError)
    expect(() => Object.assign(config.digests, {shawl: undefined})).toThrow(TypeError)
    expect(() => Object.assign(config.identityFiles, {kubelet: 'x'})).toThrow(TypeError)
  })
})

describe('what is wrong', () => {
  it.each(['user:secret@mirror.corp', 'https://user:secret@mirror.corp', 'user:se@cret@mirror.corp'])(
    'review S2-3: is shown without its password: %s',
    (value) => {
      const {problems} = problemsOf({'image-registry': value})
      expect(problems[0]?.message).toContain('***@mirror.corp')
      expect(problems[0]?.message).not.toContain('cret')
    },
  )

  it('is reported all at once, with exit code 2', () => {
    const error = problemsOf(
      {
        'base-dir': 'k',
        'cluster-cidr': 'banana',
        digest: ['x', 'y'],
        'image-registry': 'https://x',
        'node-ip': '169.254.1.1',
        'node-name': '_',
        release: 'latest',
      },
      'tcp://10.0.0.9:2375',
    )
    expect(error.exitCode).toBe(2)
    expect(error.problems.map((problem) => problem.message.split(' ')[0]).sort()).toEqual([
      '--base-dir',
      '--cluster-cidr',
      '--digest',
      '--digest',
      '--image-registry',
      '--node-ip',
      '--node-name',
      '--release',
      'DOCKER_HOST',
    ])
    for (const problem of error.problems) expect(problem.fix).not.toBe('')
  })

  const refused = Object.entries(OPTION_ROWS).flatMap(([flag, {invalid = []}]) =>
    invalid.map((value) => ({flag, value})),
  )
  it.each(refused)('is --$flag "$value"', ({flag, value}) => {
    const {exitCode, problems} = problemsOf({[flag]: value})
    expect([exitCode, problems.map(({id}) => id)]).toEqual([2, ['BAD_VALUE']])
    expect(problems[0]?.message).toContain(`--${flag}`)
  })

  it.each([
    ['10.244.0.0/16', '10.244.0.0/16'],
    ['10.0.0.0/8', '10.10.0.0/16'],
    ['10.10.5.0/24', '10.10.0.0/16'],
    ['10.10.5.0/24', '10.96.0.0/12,10.10.0.0/16'],
  ])('is CIDRs that overlap: %s and %s', (cluster, service) => {
    const {problems} = problemsOf({'cluster-cidr': cluster, 'service-cidr': service})
    expect(problems.map((problem) => problem.id)).toEqual(['OVERLAPPING_CIDRS'])
    expect(problems[0]?.message).toContain(cluster)
    expect(problems[0]?.message).toContain(service)
  })

  it.each(['1.20.15', '1.38.0', '0.21.5', '2.21.5'])('is the release %s, for which nothing is known', (release) => {
    expect(problemsOf({release}).problems.map((problem) => problem.id)).toEqual(['RELEASE_UNSUPPORTED'])
  })

  it('is a release that is too old, for another reason than one that is too new', () => {
    const [old] = problemsOf({release: '1.20.15'}).problems
    expect(old?.reason).toMatch(/this one is older/)
    expect(problemsOf({release: '1.99.0'}).problems[0]?.reason).toMatch(/this one is newer/)
  })

  it.each(['1.36.0-rc.1', '1.23.0-alpha.1'])('is the pre-release %s', (release) => {
    const [problem, ...others] = problemsOf({release}).problems
    expect([problem, others]).toMatchObject([{exitCode: 2, id: 'RELEASE_UNSUPPORTED'}, []])
    expect(problem?.reason).toMatch(/pre-release/)
  })

  it('review J6: several service networks are accepted, and each is judged', () => {
    expect(resolve({'service-cidr': '10.96.0.0/12,10.200.0.0/16'}).serviceCIDR).toBe('10.96.0.0/12,10.200.0.0/16')
    for (const wrong of [
      '10.96.0.0/12,',
      '10.96.0.0/12,10.98.0.0/16',
      '10.96.0.0/12, 10.200.0.0/16',
      '10.96.0.0/12,10.200.0.1/16',
    ]) {
      expect(problemsOf({'service-cidr': wrong}).problems.map(({id}) => id)).toEqual(['BAD_VALUE'])
    }
  })

  it('is the service network as the address of its DNS service', () => {
    const [problem] = problemsOf({'cluster-dns': '10.10.0.0', 'service-cidr': '10.10.0.0/16'}).problems
    expect(problem).toMatchObject({
      id: 'BAD_VALUE',
      reason: 'It is the service network 10.10.0.0/16 itself, and no service has that address.',
    })
    expect(resolve({'cluster-dns': '10.10.255.255'}).clusterDNS).toBe('10.10.255.255')
  })

  it.each<[GivenOptions, string[]]>([
    [{release: '1.27.16', runtime: 'docker'}, ['DOCKER_UNSUPPORTED']],
    [{release: '1.22.17', runtime: 'containerd'}, ['BAD_VALUE']],
    [{'base-images': 'none', release: '1.22.17'}, ['BAD_VALUE']],
    [{'base-images': 'servercore', runtime: 'docker'}, ['BAD_VALUE']],
  ])('is a runtime that does not fit: %j', (given, ids) => {
    expect(problemsOf(given).problems.map(({id}) => id)).toEqual(ids)
  })

  it('is repaired where it was given', () => {
    const given = {'dry-run': '1'}
    expect(() => resolveConfig({given, where: {'dry-run': 'K8S_WIN_DRY_RUN'}})).toThrowError(
      expect.objectContaining({
        problems: [expect.objectContaining({fix: 'Set K8S_WIN_DRY_RUN to true or false.'})],
      }),
    )
    expect(problemsOf(given).problems[0]?.fix).toBe('Set --dry-run to true or false.')
  })
})

describe('a problem of a configuration file', () => {
  const rows = Object.entries(OPTION_ROWS).flatMap(([flag, {invalid = [], key}]) =>
    key === undefined ? [] : invalid.map((value) => ({flag, key, value})),
  )
  const flags = Object.entries(OPTION_ROWS).flatMap(([flag, {key}]) => (key === undefined ? [] : [`--${flag}`]))

  it.each([...rows, {flag: 'timeout', key: 'timeout', value: '5'}])(
    'review U2-25: names the key and the line, no flag: $key "$value"',
    ({flag, key, value}) => {
      const where = `node.yaml:3:10 ${key}`
      const given = {[flag]: value}
      const found = (() => {
        try {
          resolveConfig({given, where: {[flag]: where}})
        } catch (error) {
          if (error instanceof ProblemsError) return error.problems
          throw error
        }
        return []
      })()
      expect(found.some(({message}) => message.includes(where))).toBe(true)
      for (const {fix, message} of found.filter((one) => one.message.includes(where))) {
        expect(fix.match(/--[a-z-]+/g)?.filter((one) => flags.includes(one)) ?? [], message).toEqual([])
      }
    },
  )
})

describe('what only watch writes, with --no-watch', () => {
  const METRICS = String.raw`C:\m\k8s-win.prom`
  const idsOf = (given: GivenOptions, source: 'flag' | 'stored'): string[] => {
    const sources = Object.fromEntries(Object.keys(given).map((flag) => [flag, flag === 'watch' ? 'flag' : source]))
    try {
      resolveConfig({given, sources})
    } catch (error) {
      return error instanceof ProblemsError ? error.problems.map(({id}) => id) : [String(error)]
    }
    return []
  }

  it.each([
    [{publish: 'true'}, ['CONTRADICTING_FLAGS']],
    [{'metrics-file': METRICS}, ['CONTRADICTING_FLAGS']],
    [{publish: 'false'}, []],
    [{'metrics-file': 'none'}, []],
  ])('%j', (given, ids) => {
    expect(idsOf({...given, watch: 'false'}, 'flag')).toEqual(ids)
    expect(idsOf({...given, watch: 'false'}, 'stored')).toEqual([])
    expect(idsOf({...given, watch: 'true'}, 'flag')).toEqual([])
  })
})
