// What others have put into our folders for logs and records: --purge leaves it, and reports it; a plan reports the same.
import {expect, test} from 'vitest'
import type {HostFolder} from '../steps/host-folder.js'
import {type ResetEnd, resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const {before, copy} = setUpHost()
const PURGE = {given: {purge: true}}
const KLOG = String.raw`k\logs\kubelet\kubelet.exe.WIN-1.NT_AUTHORITY_SYSTEM.log.WARNING.20260101-000000.77`
const THEIRS = [
  String.raw`k\k8s-win\bundle.zip`,
  String.raw`k\k8s-win\sub\journal.ndjson`,
  String.raw`k\logs\flanneld\own.zip`,
  String.raw`k\logs\k8s-win\own.txt`,
  String.raw`k\logs\kubelet\own.txt`,
  String.raw`k\logs\kubelet\sub\b.txt`,
  String.raw`k\logs\other.txt`,
]

/** Without folders, and the kubeconfig that was there. */
function filesLeft(host: HostFolder): string[] {
  const paths = [...wholeHost(host).keys()].filter((path) => path.startsWith('files > k/'))
  return paths
    .filter((path) => !paths.some((other) => other.startsWith(`${path}/`)))
    .map((path) => path.slice('files > '.length).replaceAll('/', '\\'))
    .filter((path) => path !== String.raw`k\kubeconfig`)
    .sort()
}

const stays = ({warnings}: ResetEnd): string[] => warnings.filter((warning) => warning.startsWith('the folder')).sort()

test('stays, and is reported; what we and our daemons wrote beside it goes', async () => {
  const host = copy()
  for (const path of THEIRS) host.put(path, 'theirs')
  for (const path of [KLOG, String.raw`k\k8s-win\journal.ndjson.damaged`]) host.put(path, 'ours')
  const plan = await resetOn(host.dir, {given: {'dry-run': true, purge: true}})
  const deed = await resetOn(host.dir, PURGE)
  expect(deed.result.exitCode).toBe(0)
  expect(THEIRS.filter((path) => !host.has(path))).toEqual([])
  expect(filesLeft(host)).toEqual(THEIRS)
  expect(stays(deed)).toEqual(
    [
      String.raw`the folder C:\k\k8s-win is kept because it contains files not created by k8s-win: bundle.zip, sub`,
      String.raw`the folder C:\k\logs is kept because it contains files not created by k8s-win: other.txt`,
      String.raw`the folder C:\k\logs\flanneld is kept because it contains files not created by k8s-win: own.zip`,
      String.raw`the folder C:\k\logs\k8s-win is kept because it contains files not created by k8s-win: own.txt`,
      String.raw`the folder C:\k\logs\kubelet is kept because it contains files not created by k8s-win: own.txt, sub`,
    ].sort(),
  )
  expect(stays(plan)).toEqual(stays(deed))

  const again = await resetOn(host.dir, PURGE)
  expect(again.result).toMatchObject({exitCode: 0, steps: []})
  expect(filesLeft(host)).toEqual(THEIRS)
})

test('does not keep our own files, whatever they are called after a crash or a full disk', async () => {
  const host = copy()
  const cut = '01234567-89ab-cdef-0123-456789abcdef.tmp'
  for (const path of [
    KLOG,
    String.raw`k\k8s-win\journal.ndjson.damaged`,
    String.raw`k\k8s-win\node.yaml.${cut}`,
    String.raw`k\logs\flanneld\shawl_for_flanneld_r2026-01-01_00-00-00.log`,
    String.raw`k\logs\k8s-win\setup-2026-01-01T00-00-00-000Z.log`,
    String.raw`k\logs\k8s-win\setup-2026-01-01T00-00-00-000Z.log.trace`,
    String.raw`k\logs\kubelet\kubelet.exe.INFO`,
    String.raw`k\logs\kubeproxy\kube-proxy.exe.WIN-1.user.log.INFO.20260101-000000.77`,
  ])
    host.put(path, 'ours')
  expect((await resetOn(host.dir, PURGE)).result.exitCode).toBe(0)
  expect(differences(before(), wholeHost(host))).toEqual([])
})

test.each([{}, {purge: true}])(
  'in a folder that setup made is reported by the plan as by the deed: %j',
  async (given) => {
    const host = copy()
    host.put(String.raw`k\cni\theirs.txt`, 'theirs')
    const plan = await resetOn(host.dir, {given: {...given, 'dry-run': true}})
    const deed = await resetOn(host.dir, {given})
    expect(stays(deed)).toEqual([
      String.raw`the folder C:\k\cni is kept because it contains files not created by k8s-win: theirs.txt`,
    ])
    expect(stays(plan)).toEqual(stays(deed))
  },
)
