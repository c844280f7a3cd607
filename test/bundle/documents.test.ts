// What is reported of a bundle: the documents fit their published schemas, and the text is readable.
import {describe, expect, it} from 'vitest'
import type {BundleManifest} from '../../src/bundle/assemble.js'
import {recogniseIn, summaryText} from '../../src/bundle/summary.js'
import {bundleDocument, bundleLines} from '../../src/output/text/bundle-text.js'
import {schemaErrors} from '../schemas.js'
import {HostFolder} from '../steps/host-folder.js'
import {bundleOn} from './bundle-on.js'

const MANIFEST: BundleManifest = {
  at: '2026-01-31T12:00:00.000Z',
  baseDir: String.raw`C:\k`,
  durationMs: 400,
  entries: [{bytes: 3, cut: 'the first 9 bytes', path: 'logs/kubelet/a.log', sha256: 'a'.repeat(64)}],
  failed: Array.from({length: 13}, (_, index) => ({collector: `c-${index}`, reason: 'not done within 15 s'})),
  leftOut: [{bytes: 7, path: String.raw`C:\k\logs\kubelet\b.log`, reason: 'no room left'}],
  limitBytes: 100,
  madeBy: 'k8s-win 1.2.3',
  node: 'set-up',
  schemaVersion: 1,
  simulated: false,
  warnings: ['The journal has a line that cannot be read.'],
}
const REPORT = {bytes: 3 * 1024 ** 2, manifest: MANIFEST, path: String.raw`C:\support.zip`}

describe('the documents of a bundle', () => {
  it('fit their schemas', async () => {
    const host = HostFolder.empty()
    const {report, text} = await bundleOn(host)
    expect(schemaErrors('bundle-manifest', JSON.parse(text('manifest.json')))).toEqual([])
    expect(schemaErrors('bundle', bundleDocument(report))).toEqual([])
    host.discard()
  })

  it('fit them with all that they may hold', () => {
    expect(schemaErrors('bundle-manifest', MANIFEST)).toEqual([])
    expect(schemaErrors('bundle', bundleDocument(REPORT))).toEqual([])
    expect(schemaErrors('bundle', {...bundleDocument(REPORT), token: 'x'})).not.toEqual([])
  })
})

it('the output shows where it is, what is missing, and what to do with it', () => {
  expect(bundleLines(REPORT)).toEqual([
    'Warning: The journal has a line that cannot be read.',
    ...Array.from({length: 10}, (_, index) => `Warning: c-${index} could not be collected: not done within 15 s`),
    '... and 3 more; summary.txt in the bundle has all.',
    '1 long file was cut; manifest.json in the bundle says where.',
    '1 file was left out; manifest.json in the bundle names it.',
    String.raw`Wrote C:\support.zip (3.0 MiB, 1 files). Read summary.txt in it first.`,
    'Known secrets, and values that look like one, are replaced by ***. Review the bundle before you share it.',
  ])
})

describe('the summary', () => {
  const log = (path: string, text: string) => ({bytes: Buffer.from(text), path, text})
  const LINE =
    'E0131 12:00:00.000000    2004 kubelet.go:1] hnsCall failed in Win32: The network was not found. (0x803b0010)'

  it('names the known failures that the logs show, each once, with cause and fix', () => {
    const rendered = [
      log('logs/kubelet/new.log', `${LINE}\n`),
      {...log('logs/kubelet/old.log', `${LINE}\n`), cut: 'the first 5 of 9 bytes'},
    ]
    const known = recogniseIn(rendered)
    expect(known).toHaveLength(1)
    expect(known[0]?.path).toBe('logs/kubelet/new.log')
    const text = summaryText({
      at: MANIFEST.at,
      baseDir: MANIFEST.baseDir,
      failed: MANIFEST.failed,
      leftOut: MANIFEST.leftOut,
      madeBy: MANIFEST.madeBy,
      node: 'begun',
      opinions: [
        {
          problems: ['kubelet: stopped (wanted: running)\nCause: a\nNext: b'],
          verdict: 'status: degraded (exit code 8)',
        },
      ],
      rendered,
      warnings: [],
    })
    expect(text).toContain(
      `- ${known[0]?.signature.id} (logs/kubelet/new.log)\n  Cause: ${known[0]?.signature.cause}\n  Fix: `,
    )
    expect(text).toContain('- kubelet: stopped (wanted: running)\n  Cause: a\n  Next: b\n')
    expect(text).toContain('Node            setup was started here and did not finish\n')
    expect(text).toContain('- c-12: not done within 15 s\n')
    expect(text).toContain(String.raw`- C:\k\logs\kubelet\b.log (7 bytes): no room left`)
    expect(text).toContain('- of logs/kubelet/old.log: the first 5 of 9 bytes\n')
  })

  it('reports nothing that a file of the bundle proves wrong', () => {
    const kubelet = log('logs/kubelet/a.log', 'E0131 12:00:00.000000    2004 cni.go:239] no networks found in x')
    expect(recogniseIn([kubelet]).map(({signature}) => signature.id)).toEqual(['cni-config-missing'])
    expect(recogniseIn([kubelet, log('configuration/cni.conf', '{}')])).toEqual([])
  })

  it('knows none in logs of others', () => {
    expect(recogniseIn([log('logs/k8s-win/a.log', LINE), log('state/journal.ndjson', LINE)])).toEqual([])
  })
})
