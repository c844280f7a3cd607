// The files of the examples that clouds read, as far as they can be checked without the cloud; and the pages.
import {spawnSync} from 'node:child_process'
import {chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, it, onTestFinished} from 'vitest'
import {parse} from 'yaml'
import {problemsIn, type Template} from './cloudformation.js'
import {commandOf, EXAMPLES, fileOf, printedBy, textOf} from './example.js'

const TEMPLATE = 'aws-autoscaling/template.yaml'

describe(TEMPLATE, () => {
  it('has resources and properties as AWS publishes them', () => {
    expect(problemsIn(parse(textOf(TEMPLATE)) as Template)).toEqual([])
  })

  it('is checked: wrong names, types and references are found', () => {
    const [parameters = '', resources = ''] = textOf(TEMPLATE).split('\nResources:')
    const broken = resources
      .replace('ImageId:', 'ImageID:')
      .replace(/MaxSize: .*/, '')
      .replace('VolumeSize: 100', 'VolumeSize: large')
      .replace('[Profile, Arn]', '[Profile, ARN]')
      .replace('${TokenParameter}', '${Token}')
    expect(problemsIn(parse(`${parameters}\nResources:${broken}`) as Template)).toEqual([
      'Role.Policies[0].PolicyDocument: none of its types',
      'Template.LaunchTemplateData.ImageID: unknown',
      'Template.LaunchTemplateData.IamInstanceProfile.Arn: no Profile.ARN',
      'Template.LaunchTemplateData.BlockDeviceMappings[0].Ebs.VolumeSize: no integer',
      'Nodes.MaxSize: missing',
    ])
  })

  it('takes the user data, whose limit is that of a parameter', async () => {
    expect((await printedBy(commandOf('aws-autoscaling').args)).userdata.length).toBeLessThan(4096)
  })
})

describe('azure-scale-set/template.json', () => {
  const text = textOf('azure-scale-set/template.json')
  const {parameters, variables} = JSON.parse(text) as Record<'parameters' | 'variables', Record<string, unknown>>

  it('names its parameters and variables, and uses all of them', () => {
    const named = (kind: string) => [
      ...new Set([...text.matchAll(RegExp(`${kind}\\('(\\w+)'\\)`, 'g'))].map(([, name]) => name)),
    ]
    expect(named('parameters').sort()).toEqual(Object.keys(parameters).sort())
    expect(named('variables').sort()).toEqual(Object.keys(variables).sort())
  })

  it('reads every member of the extension that k8s-win prints, and no other', () => {
    const read = [...text.matchAll(/parameters\('extension'\)\.(\w+)/g)].map(([, name]) => name)
    expect(read.sort()).toEqual(Object.keys(JSON.parse(textOf('azure-scale-set/extension.json')) as object).sort())
  })
})

it('gce-managed-group and openstack read the file that the command writes', () => {
  expect(textOf('gce-managed-group/main.tf')).toContain('file("${path.module}/userdata.cmd")')
  expect(textOf('openstack/nodes.yaml')).toContain('{get_file: userdata.cmd}')
  expect(parse(textOf('openstack/nodes.yaml'))).toHaveProperty('resources.nodes.properties.resource_def.type')
  for (const example of ['gce-managed-group', 'openstack'])
    expect(commandOf(example).output).toMatch(/\/userdata\.cmd$/)
})

/** Keeps the arguments of each call, and the files that they name. */
const GOVC = `#!/bin/sh
echo "$@" >>"$CALLS/calls"
for word; do case $word in broken) exit 1 ;; guestinfo.*) cp "\${word#*=}" "$CALLS/\${word%%=*}" ;; esac; done
`

/** `userdata`: userdata.txt; undefined for none. */
function createNodes(args: readonly string[], userdata: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'vsphere-'))
  onTestFinished(() => rmSync(folder, {force: true, recursive: true}))
  copyFileSync(fileOf('vsphere/create-nodes.sh'), join(folder, 'create-nodes.sh'))
  if (userdata !== undefined) writeFileSync(join(folder, 'userdata.txt'), userdata)
  writeFileSync(join(folder, 'govc'), GOVC)
  chmodSync(join(folder, 'govc'), 0o700)
  const env = {CALLS: folder, PATH: `${folder}:${process.env['PATH']}`, TMPDIR: folder}
  const {status, stderr} = spawnSync('/bin/sh', [join(folder, 'create-nodes.sh'), ...args], {encoding: 'utf8', env})
  const files = readdirSync(folder)
  expect(files.filter((name) => name.startsWith('tmp'))).toEqual([])
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return {calls: files.includes('calls') ? read('calls').trim().split('\n') : [], read, status, stderr}
}

describe.skipIf(process.platform === 'win32')('vsphere/create-nodes.sh', () => {
  const PRINTED = textOf('vsphere/userdata.txt')
  /** The variables are found in any order, and metadata are not used. */
  const USERDATA = `guestinfo.metadata=unused\nguestinfo.metadata.encoding=base64\n${PRINTED}`

  it.each([
    ['what the command prints', PRINTED],
    ['metadata before it, and Windows line ends', USERDATA.replaceAll('\n', '\r\n')],
  ])('hands the user data over in files, and metadata for each machine: %s', (_, userdata) => {
    const {calls, read, status, stderr} = createNodes(['template', '9', '10'], userdata)
    expect([status, stderr]).toEqual([0, ''])
    for (const key of ['guestinfo.userdata', 'guestinfo.userdata.encoding']) {
      expect(PRINTED.split('\n')).toContain(`${key}=${read(key)}`)
    }
    expect(JSON.parse(read('guestinfo.metadata'))).toEqual({'instance-id': 'win-10', 'local-hostname': 'win-10'})
    expect(calls.map((call) => /^vm\.\w+/.exec(call)?.[0])).toEqual(
      Array(2).fill(['vm.clone', 'vm.change', 'vm.power']).flat(),
    )
    expect([calls[0], calls[3]]).toEqual([
      'vm.clone -vm template -on=false win-9',
      'vm.clone -vm template -on=false win-10',
    ])
    expect(calls.join('\n')).not.toContain(read('guestinfo.userdata').slice(0, 40))
    expect(calls.join('\n')).not.toContain('unused')
  })

  const GOOD = ['template', '1', '2']
  it.each([
    ['no arguments', [], PRINTED, /Three arguments/],
    ['two arguments', ['template', '1'], PRINTED, /Three arguments/],
    ['an empty template', ['', '1', '2'], PRINTED, /Three arguments/],
    ['no number', ['template', '1', 'two'], PRINTED, /Three arguments/],
    ['no machine', ['template', '2', '1'], PRINTED, /greater/],
    ['no userdata.txt', GOOD, undefined, /cannot be read/],
    ['an empty userdata.txt', GOOD, '', /no guestinfo\.userdata\./],
    ['an empty value', GOOD, PRINTED.replace(/(guestinfo\.userdata=).*/, '$1'), /no guestinfo\.userdata\./],
    ['no encoding', GOOD, PRINTED.replace(/guestinfo\.userdata\.encoding=.*/, ''), /no guestinfo\.userdata\.encoding/],
    ['another format', GOOD, 'rem cmd\r\n@echo off\r\n', /no guestinfo\.userdata\./],
  ])('clones nothing and fails: %s', (_, args, userdata, said) => {
    const {calls, status, stderr} = createNodes(args, userdata)
    expect([status, calls]).toEqual([1, []])
    expect(stderr).toMatch(said)
  })

  it('ends at the first clone that fails', () => {
    const {calls, status} = createNodes(['broken', '1', '3'], PRINTED)
    expect([status, calls]).toEqual([1, ['vm.clone -vm broken -on=false win-1']])
  })
})

const SECTIONS = [
  'Fill in',
  'Create the nodes',
  'A hundred machines at once',
  'When a node is missing',
  'What was checked',
]

describe('the pages', () => {
  const folders = readdirSync(fileURLToPath(fileOf('.'))).filter((name) => name !== 'README.md')

  it('are one per example, and all are linked', () => {
    expect(folders).toEqual(expect.arrayContaining([...EXAMPLES]))
    for (const folder of folders) expect(textOf('README.md')).toContain(`(${folder}/README.md)`)
  })

  it.each(folders)('%s has the five sections, on one page, and names all of its files', (folder) => {
    const text = textOf(`${folder}/README.md`)
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(SECTIONS)
    expect(text.split('\n').length).toBeLessThan(60)
    const files = readdirSync(fileOf(folder)).filter((name) => name !== 'README.md')
    expect(files.filter((name) => !text.includes(name))).toEqual([])
  })
})
