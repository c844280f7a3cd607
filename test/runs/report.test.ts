// The page of a run, from what the run leaves on the host: read back, its numbers are those of the document.
import {expect, test, vi} from 'vitest'
import {watchRun, writePage} from '../../src/cli/run/write-report.js'
import type {K8sWinError} from '../../src/errors/k8s-win-error.js'
import {FileError} from '../../src/machine/files.js'
import {PAGE_BEGINNING} from '../../src/output/report/page.js'
import {reportDocument} from '../../src/output/report/report-document.js'
import {traceOf} from '../../src/output/run/run-log.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus} from '../../src/pipeline/run/events.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {demandReportTarget, pageOfLastRun, pageOfRun} from '../../src/runs/report.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {readMarkup} from '../output/report/read-markup.js'
import {seconds, tablesOf} from '../output/report/read-page.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'

const HOLDER = {command: 'k8s-win setup', processId: 4242, user: String.raw`WIN-1\me`}

const fresh = (downloads: World['downloads'] = {}): Promise<HostFolder> =>
  HostFolder.fresh((world) => void Object.assign(world.downloads, downloads), 'ws2025')

async function request({dir}: HostFolder, redactor = createRedactor()) {
  const machine = await openSimulator({dir, profile: 'ws2025', readOnly: true})
  return {environment: {}, machine, redactor, signal: new AbortController().signal, version: '0.1.0'}
}

const headOf = (page: string) => readMarkup(page).find(({name}) => name === 'h1')?.text
const textOf = (page: string) => readMarkup(page).find(({name}) => name === 'main')?.text ?? ''

test('the page of a setup that has ended is the page that setup itself writes, with the numbers of its document', async () => {
  const host = await fresh()
  const {events, result} = await setupOn(host.dir, {}, {}, 'ws2025')
  const {defaultPath, page} = await pageOfLastRun(await request(host))
  expect(page).toBe(await pageOfRun(await request(host), events, result))
  expect(defaultPath).toBe(result.log?.replace(/log$/, 'html'))

  const {Checks: checks, 'Steps and changes': steps = [], 'Versions and digests': versions = []} = tablesOf(page)
  const shown = result.steps.map(({durationMs, id, state, title}) => [`${title}${id}`, state, seconds(durationMs)])
  const found = steps.map(([title = '', state, , took]) => [title.replace('critical path', ''), state, took])
  expect(found).toEqual(expect.arrayContaining(shown))
  expect(checks?.map(([title, outcome]) => [title, outcome]).sort()).toEqual(
    result.checks.map(({id, result: outcome, title}) => [`${title}${id}`, outcome]).sort(),
  )
  const [, release, digest] = versions.find(([name]) => name?.endsWith('kubelet.exe')) ?? []
  expect(release).toBe('1.36.4')
  expect(digest).toMatch(/^sha256:[\da-f]{64}$/)
  expect(textOf(page)).toContain('network interrupted within these')
  expect(page.length).toBeLessThan(150_000)
})

test('a run with retries shows every try, on the row of its step', async () => {
  const flanneld = 'https://github.com/flannel-io/flannel/releases/download/v0.28.9/flanneld.exe'
  const host = await fresh({[flanneld]: {fault: 'truncated'}})
  const {events} = await setupOn(host.dir, {}, {}, 'ws2025')
  const tries = events.flatMap((event) =>
    event.type === 'log' && event.step === 'flannel-binary' ? [event.message] : [],
  )
  expect(tries).toHaveLength(3)
  const {page} = await pageOfLastRun(await request(host))
  const shown = tablesOf(page)['Tries, warnings and notices']?.filter(([, step]) => step === 'Install flanneld')
  expect(shown?.map(([, , text]) => text)).toEqual(tries)
  // And one in the legend.
  const marks = readMarkup(page).filter(({attributes, name}) => name === 'path' && attributes['class'] === 'try')
  expect(marks).toHaveLength(3 + 1)
})

test('a setup that failed', async () => {
  const host = await fresh({'mcr.microsoft.com/windows/nanoserver:ltsc2025': {fault: 'not-found'}})
  const {result} = await setupOn(host.dir, {}, {}, 'ws2025')
  const {page} = await pageOfLastRun(await request(host))
  expect(headOf(page)).toBe('k8s-win setupfailed')
  expect(textOf(page)).toContain(`Error ${result.error?.id}`)
})

test('a setup that was killed: how far it came, and who started it', async () => {
  const host = await fresh()
  let left: HostFolder | undefined
  await setupOn(
    host.dir,
    {},
    {
      after: async ({args, what}) => {
        if (left === undefined && `${what} ${args.join(' ')}`.includes('nanoserver')) left = host.copy()
        return Promise.resolve()
      },
      holder: HOLDER,
    },
    'ws2025',
  )
  const {page} = await pageOfLastRun(await request(left as HostFolder))
  expect(headOf(page)).toBe('k8s-win setupkilled')
  expect(textOf(page)).toContain('process 4242')
  const steps = tablesOf(page)['Steps and changes']
  expect(steps?.find(([title]) => title?.startsWith('Install containerd'))).toMatchObject({1: 'changed'})
  expect(steps?.find(([title]) => title?.startsWith('Pull base images'))).toMatchObject({1: ''})
})

test('where no run has left anything there is no page', async () => {
  await expect(pageOfLastRun(await request(await fresh()))).rejects.toMatchObject({id: 'NO_NODE'})
})

test('what is secret is hidden', async () => {
  const host = await fresh()
  const {events, result} = await setupOn(host.dir, {}, {}, 'ws2025')
  const redactor = createRedactor()
  redactor.register('correct horse battery')
  const said = {at: result.startedAt, level: 'warn', message: 'a: correct horse battery', type: 'log'} as const
  const page = await pageOfRun(await request(host, redactor), [...events, said], result)
  expect(textOf(page)).not.toContain('horse')
  expect(textOf(page)).toContain('a: ***')
})

test.each([
  [String.raw`C:\new.html`, undefined, 'usable'],
  [String.raw`C:\new.txt`, undefined, 'REPORT_TARGET_UNUSABLE'],
  [String.raw`C:\no-folder\new.html`, undefined, 'REPORT_TARGET_UNUSABLE'],
  [String.raw`C:\there.html`, '<!doctype html>\n<html lang="en"><head><title>of a user', 'REPORT_TARGET_UNUSABLE'],
  [String.raw`C:\there.html`, `${PAGE_BEGINNING} 0.1.0"/>`, 'usable'],
])('only a new file, or a page of k8s-win, is written to: %s, with %s: %s', async (path, content, expected) => {
  const host = await fresh()
  if (content !== undefined) host.put('there.html', content)
  const {clock, files} = (await request(host)).machine
  const found = await demandReportTarget({files, path}, clock).then(
    () => 'usable',
    (error: K8sWinError) => error.id,
  )
  expect(found).toBe(expected)
})

test('a page that cannot be written is an error with its reason', async () => {
  const {machine} = await request(await fresh())
  const files = {...machine.files, write: () => Promise.reject(new FileError('write', 'x', 'ENOSPC'))}
  const written = writePage({files, path: String.raw`C:\x.html`}, machine, '')
  await expect(written).rejects.toMatchObject({id: 'REPORT_NOT_WRITTEN'})
})

const RESULT = String.raw`k\k8s-win\result.json`
const TIME = '2026-01-01T00:00:00.000Z'
const RECAP = {changed: 0, failed: 0, ok: 0, skipped: 0}
const CHECK = {durationMs: 1, id: 'a', message: 'fine', result: 'pass', title: 'A'}
const SOUND = {command: 'setup', durationMs: 1, exitCode: 0, outcome: 'done', recap: RECAP, startedAt: TIME}

test.each([
  ['', 'NO_NODE'],
  ['{"steps":[{"id', 'NO_NODE'],
  ['[]', 'NO_NODE'],
  ['null', 'NO_NODE'],
  ['{"steps":["a"],"checks":"b"}', 'NO_NODE'],
  [JSON.stringify({...SOUND, checks: [1, null], steps: [{}]}), 'NO_NODE'],
  [JSON.stringify({...SOUND, checks: [CHECK], startedAt: 'soon'}), 'NO_NODE'],
  [JSON.stringify({...SOUND, checks: [1, null, CHECK], error: null, node: 7, steps: 'x'}), 'k8s-win setupdone'],
])('a damaged result without a log: what cannot be read is left out: %s: %s', async (content, expected) => {
  const host = await fresh()
  await setupOn(host.dir, {}, {}, 'ws2025')
  host.put(RESULT, content)
  const found = await pageOfLastRun(await request(host)).then(
    ({page}) => page,
    (error: K8sWinError) => error,
  )
  if (typeof found === 'string') {
    expect(headOf(found)).toBe(expected)
    expect(found).not.toMatch(/NaN|undefined|Invalid/)
  } else {
    expect(found).toMatchObject({exitCode: 9, id: expected, message: 'The last run has left nothing that can be shown'})
  }
})

test('a damaged trace: what cannot be read is left out', async () => {
  const host = await fresh()
  const {result} = await setupOn(host.dir, {}, {}, 'ws2025')
  const before = await pageOfLastRun(await request(host))
  const damaged = [
    'null',
    '{}',
    '{"type":"constructor"}',
    '{"type":"run-finished","result":null}',
    '{"type":"run-finished","result":{}}',
    '{"type":"check","check":null}',
    '{"type":"step-finished","step":{"id":"x"}}',
    '{"type":"log"}',
  ]
  const lines = [...damaged.map((json) => `${TIME} event ${json}`), 'soon event {"type":"log","message":"x"}']
  host.append(traceOf(result.log ?? '').slice(3), `${lines.join('\n')}\n`)
  expect(await pageOfLastRun(await request(host))).toEqual(before)
})

test('a result that cannot be read, of a run whose log can: the page does not call it killed', async () => {
  const host = await fresh()
  const {result} = await setupOn(host.dir, {}, {}, 'ws2025')
  const log = result.log ?? ''
  const begun = `${TIME} event {"type":"run-started","command":"setup","steps":[]}\n`
  host.put(traceOf(log).slice(3), begun)
  host.put(RESULT, JSON.stringify({log}))
  const {page} = await pageOfLastRun(await request(host))
  expect(headOf(page)).toBe('k8s-win setupunknown')
  expect(textOf(page)).toContain('The result of this setup cannot be read')
})

/** What --report writes to standard error at the end of a run, and to its file. */
async function finished(host: HostFolder, outcome: 'interrupted' | 'planned') {
  const {result} = await setupOn(host.dir, {}, {}, 'ws2025')
  const asked = {...(await request(host)), signal: AbortSignal.abort(new InterruptedError())}
  const write = vi.fn(() => Promise.resolve())
  const files = {...asked.machine.files, write}
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const finish = watchRun(new EventBus(() => 0), asked, {files, path: String.raw`C:\x.html`})
    await finish({...result, outcome})
    return {said: said.mock.calls.join('').replaceAll(/\s+/g, ' '), written: (write.mock.calls as unknown[][])[0]?.[1]}
  } finally {
    said.mockRestore()
  }
}

test('an interrupted run has its page, too', async () => {
  const {said, written} = await finished(await fresh(), 'interrupted')
  expect(headOf(String(written))).toBe('k8s-win setupinterrupted')
  expect(said).not.toContain('Warning')
})

test.each([
  ['interrupted', 'Fix: Write the page to another file: "k8s-win report <file.html>".'],
  ['planned', 'Fix: Run the same command again, with another file in --report.'],
] as const)('a file that appeared during the run stays, and the warning says what to do: %s', async (outcome, fix) => {
  const host = await fresh()
  host.put('x.html', 'of a user')
  const {said, written} = await finished(host, outcome)
  expect(written).toBeUndefined()
  expect(said).toContain(
    String.raw`Warning: The page of the run cannot be written to "C:\x.html" Cause: A file with this name`,
  )
  expect(said).toContain(fix)
})

test('a link to nothing is not replaced', async () => {
  const host = await fresh()
  host.link('x.html', 'gone.html')
  const {said, written} = await finished(host, 'interrupted')
  expect(written).toBeUndefined()
  expect(said).toContain('Cause: It is a link to a file that does not exist.')
})

test('the document has the bytes of the page, not its letters', () => {
  expect(reportDocument('x.html', 'K\u00FCber \u2192', {simulated: true})).toMatchObject({bytes: 10})
})
