// What is printed for every cloud and format, letter by letter: UPDATE_GOLDEN=1 npx vitest run test/userdata writes it anew.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {gunzipSync} from 'node:zlib'
import {describe, expect, it} from 'vitest'
import {USERDATA_FORMATS} from '../../src/config/options/userdata-options.js'
import {USERDATA_ROWS} from '../../src/runs/userdata/clouds.js'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import {FORMS} from './forms.js'
import {DIGEST, refusals, SERVER, userdataOf} from './rig.js'

const NODE = String.raw`C:\given\node.yaml`
const CA = String.raw`C:\given\ca.pem`
const CONFIG = `apiVersion: k8s-win/v1\nkind: NodeConfig\ninterfaceName: "Übertragung"\nnodeLabels:\n  note: ''\n`
const LONG = CONFIG + Array.from({length: 200}, (_, index) => `  label${index}: ${'x'.repeat(60)}\n`).join('')
const TEXTS = {[NODE]: CONFIG, [CA]: CLUSTER_CA}
const OPTIONS = [...SERVER, '--config', NODE, '--client-ca-file', CA, '--kubelet-arg', 'a=100%', '--no-publish']

const folder = fileURLToPath(new URL('golden/', import.meta.url))
function golden(name: string, produced: string): string {
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(folder, {recursive: true})
    writeFileSync(`${folder}${name}`, produced)
  }
  return readFileSync(`${folder}${name}`, 'utf8')
}

/** By format: what a launcher knows it by, at the first byte. */
const MARKERS: Readonly<Record<string, RegExp>> = {
  'aws-script': /^<script>\r\n/,
  'azure-cse': /^\{\n/,
  'gce-script': /^@echo off\r\n/,
  'vsphere-guestinfo':
    /^guestinfo\.metadata=.*\nguestinfo\.metadata\.encoding=base64\nguestinfo\.userdata=cmVtIGNtZA0K/,
}
const MARKER_OF: Readonly<Record<string, RegExp>> = {
  'cloud-config': /^#cloud-config\n/,
  multipart: /^Content-Type: multipart\/mixed; boundary="[^"]+"\nMIME-Version: 1\.0\n\n/,
  script: /^rem cmd\r\n/,
}

describe.each(FORMS)('$name', ({cloud, format, name, options}) => {
  it('is as the golden file, twice', async () => {
    const {userdata} = await userdataOf(cloud, [...options, ...OPTIONS], TEXTS)
    expect(userdata).toBe(golden(`${name}.txt`, userdata))
    expect((await userdataOf(cloud, [...options, ...OPTIONS], TEXTS)).userdata).toBe(userdata)
  })

  it('is ASCII without a byte order mark, has its marker at the first byte, and is within the limit', async () => {
    const {userdata} = await userdataOf(cloud, [...options, ...OPTIONS], TEXTS)
    expect(userdata).toMatch(/^[\r\n\u0020-\u007E]+$/)
    expect(userdata).toMatch(MARKERS[name] ?? (MARKER_OF[format] as RegExp))
    expect(userdata.length).toBeLessThanOrEqual(USERDATA_ROWS[cloud].limit ?? Infinity)
  })
})

it('the default is the first format, and other pairs are refused', async () => {
  for (const [cloud, {formats}] of Object.entries(USERDATA_ROWS)) {
    const volume = cloud === 'hyperv' ? ['--iso', 'win-1.iso'] : []
    expect(await userdataOf(cloud, volume)).toMatchObject({cloud, format: formats[0]})
    for (const format of USERDATA_FORMATS.filter((one) => !formats.includes(one))) {
      const [problem] = await refusals(userdataOf(cloud, [...volume, '--format', format]))
      expect(problem?.id, `${cloud} ${format}`).toBe('BAD_CHOICE')
    }
  }
})

it('guestinfo has an instance ID, without which cloudbase-init runs it at every start', async () => {
  const idOf = async (...argv: string[]): Promise<unknown> => {
    const {userdata} = await userdataOf('vsphere', argv)
    return JSON.parse(Buffer.from(/^guestinfo\.metadata=(.*)$/m.exec(userdata)?.[1] ?? '', 'base64').toString('utf8'))
  }
  expect(JSON.stringify(await idOf())).toMatch(/^\{"instance-id":"k8s-win-[\da-f]{32}"\}$/)
  expect(await idOf()).toEqual(await idOf())
  expect(await idOf('--node-name', 'other')).not.toEqual(await idOf())
})

it('in a volume is the script, and no second container', async () => {
  expect(await userdataOf('vsphere', ['--iso', 'x.iso'])).toMatchObject({format: 'script'})
  expect((await refusals(userdataOf('vsphere', ['--iso', 'x.iso', '--format', 'guestinfo'])))[0]?.id).toBe('BAD_CHOICE')
  expect((await refusals(userdataOf('aws', ['--iso', 'x.iso'])))[0]?.id).toBe('BAD_CHOICE')
  expect((await refusals(userdataOf('hyperv')))[0]?.id).toBe('MISSING_FLAG')
  const dash = await refusals(userdataOf('hyperv', ['--iso', '-']))
  expect(dash.map(({id, message}) => [id, message.includes('--iso "-"')])).toEqual([['BAD_VALUE', true]])
})

it('what is long is packed in guestinfo, the same on every system', async () => {
  const long = {[NODE]: LONG}
  const {userdata} = await userdataOf('vsphere', ['--config', NODE], long)
  expect(userdata).toMatch(/\nguestinfo\.userdata\.encoding=gzip\+base64\n$/)
  const packed = Buffer.from(/^guestinfo\.userdata=(.*)$/m.exec(userdata)?.[1] ?? '', 'base64')
  // RFC 1952: no time of the file, and no operating system.
  expect([...packed.subarray(4, 8), packed[9]]).toEqual([0, 0, 0, 0, 255])
  expect(gunzipSync(packed).toString()).toMatch(/^rem cmd\r\n/)
})

it('what is too long for a cloud, or for a line, is refused', async () => {
  const long = {[NODE]: LONG}
  await expect(userdataOf('aws', ['--config', NODE], long)).rejects.toMatchObject({id: 'USERDATA_TOO_LARGE'})
  await expect(userdataOf('azure', ['--config', NODE], long)).rejects.toMatchObject({id: 'USERDATA_TOO_LARGE'})
  expect((await userdataOf('gce', ['--config', NODE], long)).userdata.length).toBeGreaterThan(16_384)
  const many = Array.from({length: 200}, (_, index) => ['--node-label', `a${index}=${'b'.repeat(40)}`]).flat()
  await expect(userdataOf('gce', many)).rejects.toMatchObject({id: 'USERDATA_TOO_LARGE'})
  const tooLarge = await refusals(userdataOf('aws', ['--config', NODE], {[NODE]: 'x'.repeat(70_000)}))
  expect(tooLarge.map(({id}) => id)).toEqual(['CONFIG_FILE_UNUSABLE'])
})

it('the digest is that of the option, in the script', async () => {
  expect((await userdataOf('aws')).userdata.split(DIGEST)).toHaveLength(4)
})
