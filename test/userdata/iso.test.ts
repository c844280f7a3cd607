// The image of a drive with user data, read back by ECMA-119 and the Joliet specification. test/lab/iso.lab.ts has it read by
// Debian's programs.
import {createHash} from 'node:crypto'
import {describe, expect, it} from 'vitest'
import {isoImage, type IsoVolume} from '../../src/runs/userdata/iso.js'
import {readIso} from './iso-reader.js'

const text = (content: string): Buffer => Buffer.from(content)

const CONFIG_DRIVE: IsoVolume = {
  files: [
    {content: text(`rem cmd\r\n${'x'.repeat(5000)}`), name: 'user_data'},
    {content: text('{"uuid":"1"}'), name: 'meta_data.json'},
  ],
  folders: ['openstack', 'latest'],
  label: 'config-2',
}

const NO_CLOUD: IsoVolume = {
  files: [
    {content: text('rem cmd\r\n'), name: 'user-data'},
    {content: text('instance-id: "1"\n'), name: 'meta-data'},
  ],
  folders: [],
  label: 'cidata',
}

const filesOf = ({files, folders}: IsoVolume) =>
  Object.fromEntries(files.map(({content, name}) => [[...folders, name].join('/'), content]))

describe('isoImage', () => {
  it.each([CONFIG_DRIVE, NO_CLOUD])('has the true names in Joliet, and the label in lower case: $label', (volume) => {
    const {joliet, plain} = readIso(isoImage(volume))
    expect(joliet).toEqual({files: filesOf(volume), label: volume.label})
    expect(plain.label).toBe(volume.label)
  })

  it('has the names of level 1 in the primary descriptor, of the same bytes', () => {
    const {files} = readIso(isoImage(CONFIG_DRIVE)).plain
    expect(files).toEqual({
      'OPENSTAC/LATEST/META_DAT.JSO;1': CONFIG_DRIVE.files[1]?.content,
      'OPENSTAC/LATEST/USER_DAT.;1': CONFIG_DRIVE.files[0]?.content,
    })
    expect(Object.keys(readIso(isoImage(NO_CLOUD)).plain.files)).toEqual(['META_DAT.;1', 'USER_DAT.;1'])
  })

  it.each([0, 1, 2047, 2048, 2049, 65_535])('reads a file of %d bytes back', (length) => {
    const content = Buffer.alloc(length, 'ab')
    const {joliet} = readIso(isoImage({...NO_CLOUD, files: [{content, name: 'user-data'}, ...NO_CLOUD.files.slice(1)]}))
    expect(joliet.files['user-data']?.equals(content)).toBe(true)
  })

  it('lists files by name, in folders of any depth', () => {
    const names = ['b', 'c', 'a']
    for (const depth of [0, 1, 4]) {
      const folders = Array.from({length: depth}, (_, level) => `f${level}`)
      const volume = {files: names.map((name) => ({content: text(name), name})), folders, label: 'config-2'} as const
      const {joliet, plain} = readIso(isoImage(volume))
      expect(joliet.files).toEqual(filesOf(volume))
      const inside = ['A', 'B', 'C'].map((name) => [...folders.map((one) => one.toUpperCase()), `${name}.;1`].join('/'))
      expect(Object.keys(plain.files)).toEqual(inside)
    }
  })

  it('gives the same bytes for the same files, whenever it is made', () => {
    const digest = createHash('sha256').update(isoImage(CONFIG_DRIVE)).digest('hex')
    expect(digest).toBe('7e98b3d974fea5ce2042d2e4e9e9160cc1de118630d34242dee8b2023a32684c')
  })

  it('refuses files that would have the same short name', () => {
    const files = ['user-data', 'user_data'].map((name) => ({content: text(name), name}))
    expect(() => isoImage({...NO_CLOUD, files})).toThrow(RangeError)
  })

  it('refuses more files than a folder has room for', () => {
    const files = Array.from({length: 60}, (_, index) => ({content: text(''), name: `file${index}`}))
    expect(() => isoImage({...NO_CLOUD, files})).toThrow(RangeError)
  })
})
