// The configuration file: read strictly, every problem with its place, whatever the file holds.
import {describe, expect, it} from 'vitest'
import {readConfigFile} from '../../../src/config/options/config-file.js'

const HEAD = 'apiVersion: k8s-win/v1\nkind: NodeConfig\n'
const read = (body: string, name = 'node.yaml') => readConfigFile(HEAD + body, name, 'file')
const told = (body: string) => read(body).problems.map(({id, message}) => `${id} ${message}`)

describe('what is there', () => {
  it('is taken as text, with its place', () => {
    const body = 'release: 1.22.17\nimages:\n  registry: "mirror.example"\nadopt: true\n'
    expect(read(body)).toEqual({
      given: {adopt: 'true', 'image-registry': 'mirror.example', release: '1.22.17'},
      problems: [],
      source: 'file',
      where: {
        adopt: 'node.yaml:6:8 adopt',
        'image-registry': 'node.yaml:5:13 images.registry',
        release: 'node.yaml:3:10 release',
      },
    })
  })

  it('may be nothing but the two keys by which we know it', () => {
    expect(read('')).toMatchObject({given: {}, problems: []})
    expect(read('# a comment\n')).toMatchObject({given: {}, problems: []})
  })

  it.each([
    ['nodeLabels:\n  a: b\n  c: "1"\n', ['a=b', 'c=1'], ['node.yaml:4:3 nodeLabels', 'node.yaml:5:3 nodeLabels']],
    ['nodeLabels: [a=b, c=1]\n', ['a=b', 'c=1'], ['node.yaml:3:14 nodeLabels', 'node.yaml:3:19 nodeLabels']],
    ['nodeLabels: {}\n', [], []],
  ])('labels are a mapping or a list: %o', (body, labels, places) => {
    const {given, problems, where} = read(body)
    expect(problems).toEqual([])
    expect(given['node-label']).toEqual(labels)
    expect(where['node-label']).toEqual(places)
  })

  it('an alias stands for what its anchor names', () => {
    const {given, problems} = read('nodeName: &name win-7\nclusterDomain: *name\nskip: [&s docker, *s]\n')
    expect(problems).toEqual([])
    expect(given).toMatchObject({'cluster-domain': 'win-7', 'node-name': 'win-7', skip: ['docker', 'docker']})
  })

  it.each([
    ['kubeconfig: kc', String.raw`C:\given\node.yaml`, String.raw`C:\given\kc`],
    ['kubeconfig: ..\\kc', String.raw`C:\given\node.yaml`, String.raw`C:\kc`],
    ['kubeconfig: kc', '/given/node.yaml', '/given/kc'],
    ['kubeconfig: ./kc', 'node.yaml', 'kc'],
    ['kubeconfig: D:\\kc', String.raw`C:\given\node.yaml`, String.raw`D:\kc`],
    ['kubeconfig: C:/kc', '/given/node.yaml', 'C:/kc'],
    ['kubeconfig: /kc', '/given/node.yaml', '/kc'],
    ['kubeconfig: \\\\server\\share\\kc', String.raw`C:\given\node.yaml`, String.raw`\\server\share\kc`],
  ])('%s in %s is %s', (body, name, path) => {
    expect(read(body, name)).toMatchObject({given: {kubeconfig: path}, problems: []})
  })
})

describe('a number', () => {
  it.each([
    ['release: 1.30', {release: '1.30'}],
    ['timeout: 5', {timeout: '5'}],
    ['nodeName: 0x1F', {'node-name': '0x1F'}],
    ['nodeLabels: {build: 1809}', {'node-label': ['build=1809']}],
    ['taints: [7]', {taint: ['7']}],
  ])('review U2-25: is taken as it is written: %s', (body, given) => {
    expect(read(body)).toMatchObject({given, problems: []})
  })
})

describe('what is wrong', () => {
  it.each([
    ['relase: 1.21.5', 'CONFIG_UNKNOWN_KEY node.yaml:3:1: unknown key relase'],
    ['images: {foo: x}', 'CONFIG_UNKNOWN_KEY node.yaml:3:10: unknown key images.foo'],
    ['<<: {release: 1.21.5}', 'CONFIG_UNKNOWN_KEY node.yaml:3:1: unknown key <<'],
    ['config: other.yaml', 'CONFIG_UNKNOWN_KEY node.yaml:3:1: unknown key config'],
    ['release:', 'CONFIG_WRONG_TYPE node.yaml:3:9: release must be text'],
    ['release: [1.22.1]', 'CONFIG_WRONG_TYPE node.yaml:3:10: release must be text'],
    ['nodeName: "a\\nb"', 'CONFIG_WRONG_TYPE node.yaml:3:11: nodeName must be text'],
    ['images: x', 'CONFIG_WRONG_TYPE node.yaml:3:9: images must be a mapping of keys to values'],
    ['adopt: yes', 'CONFIG_WRONG_TYPE node.yaml:3:8: adopt must be true or false'],
    ['adopt: "true"', 'CONFIG_WRONG_TYPE node.yaml:3:8: adopt must be true or false'],
    ['skip: docker', 'CONFIG_WRONG_TYPE node.yaml:3:7: skip must be a list of names'],
    ['taints:\n- true', 'CONFIG_WRONG_TYPE node.yaml:4:3: taints[0] must be text'],
    ['taints: {a: b}', 'CONFIG_WRONG_TYPE node.yaml:3:9: taints must be a list of texts'],
    ['nodeLabels: {a: true}', 'CONFIG_WRONG_TYPE node.yaml:3:17: nodeLabels.a must be text'],
    ['nodeLabels: {true: a}', "CONFIG_WRONG_TYPE node.yaml:3:14: nodeLabels's name must be text"],
    ['nodeName: *nobody', 'CONFIG_WRONG_TYPE node.yaml:3:11: nodeName must be text'],
    ['nodeName: a\nnodeName: b', 'CONFIG_REPEATED_KEY node.yaml:4:1: nodeName is set twice'],
    ['kind: NodeConfig', 'CONFIG_REPEATED_KEY node.yaml:3:1: kind is set twice'],
    ['a: b: c', 'CONFIG_SYNTAX node.yaml:3:4 is not valid YAML'],
    ['release: "1.21.5', 'CONFIG_SYNTAX node.yaml:3:17 is not valid YAML'],
    ['\trelease: 1.21.5', 'CONFIG_SYNTAX node.yaml:3:1 is not valid YAML'],
    ['release: !!binary x\n---\na: b', 'CONFIG_SYNTAX node.yaml:4:1 is not valid YAML'],
    ['release: !own x', 'CONFIG_SYNTAX node.yaml:3:10 is not valid YAML'],
  ])('%o', (body, problem) => {
    expect(told(body)).toContain(problem)
  })

  it.each([
    ['', 'CONFIG_WRONG_TYPE node.yaml:1:1: the file must be a mapping of keys to values'],
    ['[]', 'CONFIG_WRONG_TYPE node.yaml:1:1: the file must be a mapping of keys to values'],
    ['release: 1.21.5', 'CONFIG_KIND node.yaml:1:1: apiVersion is not k8s-win/v1'],
    ['release: 1.21.5', 'CONFIG_KIND node.yaml:1:1: kind is not NodeConfig'],
    ['apiVersion: k8s-win/v2\nkind: NodeConfig', 'CONFIG_KIND node.yaml:1:13: apiVersion is not k8s-win/v1'],
    ['apiVersion: v1\nkind: Config', 'CONFIG_KIND node.yaml:2:7: kind is not NodeConfig'],
  ])('the whole file: %o', (text, problem) => {
    const {problems} = readConfigFile(text, 'node.yaml', 'file')
    expect(problems.map(({id, message}) => `${id} ${message}`)).toContain(problem)
  })

  it('is reported all at once, in the order of the file', () => {
    const body = 'relase: x\nadopt: 1\nimages: {registy: x}\nskip: [true]\n'
    expect(read(body).problems.map(({message}) => message.split(' ')[0])).toEqual([
      'node.yaml:3:1:',
      'node.yaml:4:8:',
      'node.yaml:5:10:',
      'node.yaml:6:8:',
    ])
  })

  it('is reported with what was meant', () => {
    const [one, two, three] = read('relase: x\nimages: {registy: x}\nimages2: 1\n').problems
    expect(one?.fix).toContain('Did you mean release?')
    expect(two?.fix).toContain('Did you mean images.registry?')
    expect(three?.fix).toContain('Did you mean images?')
    expect(read('nodeName: true').problems[0]?.fix).toBe('Put it in quotes.')
  })

  it('is never reported with the text of a line', () => {
    const secret = 'hunter2-hunter2'
    for (const body of [`a: b: ${secret}`, `"${secret}`, `? ${secret} : [`, `release: !x ${secret}`]) {
      const {problems} = read(body)
      expect(problems.length).toBeGreaterThan(0)
      expect(JSON.stringify(problems.map(({fix, message, reason}) => [fix, message, reason]))).not.toContain(secret)
    }
  })
})
