import {expect, it} from 'vitest'
import {klogName, readableNames} from '../../src/logs/file-names.js'

const name = (severity: string, stamp = '20260101-000000', process = 1234): string =>
  `kubelet.exe.WIN-1.WORKGROUP_WIN-1$.log.${severity}.${stamp}.${process}`

it("takes klog's names apart", () => {
  expect(klogName(name('WARNING'))).toEqual({
    process: 1234,
    program: 'kubelet.exe.win-1.workgroup_win-1$',
    severity: 'WARNING',
    stamp: '20260101-000000',
  })
  expect(klogName('shawl_for_flanneld_rCURRENT.log')).toBeUndefined()
})

it.each<[string, readonly string[], readonly string[]]>([
  ['of a start only the fullest is read', [name('ERROR'), name('INFO'), name('WARNING')], [name('INFO')]],
  ['the next fullest, where that is gone', [name('ERROR'), name('WARNING')], [name('WARNING')]],
  [
    'a graver file that was begun anew by itself, or a second before, repeats lines too',
    [name('ERROR', '20260103-000000'), name('ERROR', '20251231-235959'), name('INFO')],
    [name('INFO')],
  ],
  [
    'each process has its own',
    [name('ERROR', '20260101-000000', 1), name('INFO', '20260101-000000', 2)],
    [name('ERROR', '20260101-000000', 1), name('INFO', '20260101-000000', 2)],
  ],
  [
    'an older process with the same number is another',
    [name('ERROR', '20250101-000000'), name('INFO')],
    [name('ERROR', '20250101-000000'), name('INFO')],
  ],
  ['others are all read', ['a.log', 'setup-1.log'], ['a.log', 'setup-1.log']],
])('%s', (_, names, read) => {
  expect(readableNames(names)).toEqual(read)
})
