import {describe, expect, it} from 'vitest'
import {openLogFiles} from '../../src/logs/open-files.js'
import {readLogs} from '../../src/logs/read-logs.js'
import {previousRun} from '../../src/logs/previous-run.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {all, foldersOf, klogFile, klogLine, LOGS, messagesOf, readerOf} from './log-reader.js'

async function previous(
  component: 'flanneld' | 'k8s-win' | 'kubelet',
  contents: Record<string, string>,
): Promise<string[]> {
  const reader = readerOf(memoryFiles(contents))
  const parts = await previousRun(reader, await openLogFiles(reader, foldersOf(component)))
  return messagesOf(await all(readLogs(reader, parts, {wanted: {}})))
}

const shawl = (...messages: readonly string[]): string =>
  messages.map((message) => `2026-11-15 06:08:14 [INFO] ${message}\n`).join('')
const CURRENT = `${LOGS}\\flanneld\\shawl_for_flanneld_rCURRENT.log`
const OLDER = `${LOGS}\\flanneld\\shawl_for_flanneld_r2026-11-15_06-00-00.log`
const BEGIN = '********** LAUNCH **********'
const START = 'Launching command'

describe('the run before the last start', () => {
  it("is that of klog's last process but one, with all of its files", async () => {
    const contents = {
      [klogFile('kubelet', '20261115-000000', 1)]: klogLine(1, 'first'),
      [klogFile('kubelet', '20261115-000100', 2)]: klogLine(60, 'second'),
      [klogFile('kubelet', '20261115-000200', 2)]: klogLine(120, 'second, its next file'),
      [klogFile('kubelet', '20261115-000300', 3)]: klogLine(180, 'last'),
    }
    expect(await previous('kubelet', contents)).toEqual(['second', 'second, its next file'])
  })

  const RUNNER = `${LOGS}\\kubelet\\kubelet.log`
  const FULL = `${LOGS}\\kubelet\\kubelet-20261115-000200.log`
  const of = (process: number, seconds: number, text: string): string =>
    klogLine(seconds, text).replace('    1 a.go', `    ${process} a.go`)

  it('is that of another process in the file of kube-log-runner, over files that were rotated', async () => {
    const one = [
      of(7, 1, 'first'),
      of(8, 60, 'second'),
      'panic: it ended\n',
      'goroutine 1 [running]:\n',
      of(9, 90, 'last'),
    ]
    expect(await previous('kubelet', {[RUNNER]: one.join('')})).toEqual([
      'second',
      expect.stringMatching(/^panic: it ended/),
    ])
    const rotated = {
      [FULL]: of(7, 1, 'first') + of(8, 60, 'second'),
      [RUNNER]: of(8, 130, 'second, its next file') + of(9, 180, 'last') + of(9, 181, 'still the last'),
    }
    expect(await previous('kubelet', rotated)).toEqual(['second', 'second, its next file'])
  })

  it("is klog's last one where kube-log-runner has written only one", async () => {
    const contents = {
      [klogFile('kubelet', '20261115-000000', 1)]: klogLine(1, 'first'),
      [klogFile('kubelet', '20261115-000100', 2)]: klogLine(60, 'before the upgrade'),
      [RUNNER]: of(3, 180, 'last'),
    }
    expect(await previous('kubelet', contents)).toEqual(['before the upgrade'])
    expect(await previous('kubelet', {[RUNNER]: of(3, 180, 'last')})).toEqual([])
  })

  it('is none where there was only one', async () => {
    expect(await previous('kubelet', {[klogFile('kubelet', '20261115-000000')]: klogLine(1, 'x')})).toEqual([])
    expect(await previous('flanneld', {[CURRENT]: shawl(BEGIN, START, 'x')})).toEqual([])
    expect(await previous('flanneld', {})).toEqual([])
  })

  it('is between two launches of shawl, which starts flanneld again and again', async () => {
    const contents = {[CURRENT]: shawl(BEGIN, START, 'one', START, 'two', 'ended', START, 'three')}
    expect(await previous('flanneld', contents)).toEqual([START, 'two', 'ended'])
  })

  it('goes over files that were rotated', async () => {
    const older = shawl(BEGIN, START, 'one', START, 'two').replaceAll('06:08', '06:00')
    const contents = {[CURRENT]: shawl('ended', START, 'three'), [OLDER]: older}
    expect(await previous('flanneld', contents)).toEqual([START, 'two', 'ended'])
    expect(await previous('flanneld', {[CURRENT]: shawl('ended', START, 'three')})).toEqual(['ended'])
  })

  it('of k8s-win is the last file but one', async () => {
    const contents = {
      [`${LOGS}\\k8s-win\\setup-1.log`]: '2026-11-15T06:00:00.000Z one\n',
      [`${LOGS}\\k8s-win\\setup-2.log`]: '2026-11-15T07:00:00.000Z two\n',
    }
    expect(await previous('k8s-win', contents)).toEqual(['one'])
  })
})
