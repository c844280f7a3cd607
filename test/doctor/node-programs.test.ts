// The programs of a node, and the records of what was installed: changed, missing, lost.
import {describe, expect, it} from 'vitest'
import {examine, setUpNode} from './doctor-rig.js'

const JOURNAL = String.raw`k\k8s-win\journal.ndjson`

describe('programs', () => {
  it('with bytes that were not verified: PROGRAM_CHANGED, each by its path', async () => {
    const host = await setUpNode()
    for (const path of [String.raw`k\flanneld.exe`, String.raw`k\kubernetes\node\bin\kubelet.exe`]) {
      host.put(path, `${host.read(path)}x`)
    }
    const {check, document} = await examine(host)
    const wrong = 'is not the one that was verified when it was installed'
    expect(check('node-programs')).toMatchObject({
      cause: expect.stringMatching(/Find out who before you trust this host/) as string,
      fix: expect.stringMatching(/k8s-win setup/) as string,
      message: String.raw`The program C:\k\kubernetes\node\bin\kubelet.exe ${wrong}; The program C:\k\flanneld.exe ${wrong}`,
      result: 'fail',
    })
    expect(document.exitCode).toBe(3)
  })

  it('that is not there: PROGRAM_MISSING', async () => {
    const host = await setUpNode()
    host.remove(String.raw`k\cni\flannel.exe`)
    expect((await examine(host)).check('node-programs')).toMatchObject({
      cause: expect.stringMatching(/antivirus/) as string,
      message: String.raw`The program C:\k\cni\flannel.exe is not there`,
      result: 'fail',
    })
  })

  it('of the installed version are judged by it, whichever is asked about', async () => {
    const {check} = await examine(await setUpNode(), {given: {release: '1.22.12'}})
    expect(check('node-programs').message).toMatch(/^\d+ programs as they were verified$/)
  })
})

describe('records', () => {
  it.each([
    ['deleted', undefined],
    ['emptied', 0],
  ])('a journal that was %s is told, with what comes of it', async (_, bytes) => {
    const host = await setUpNode()
    const written = host.read(JOURNAL)
    if (bytes === undefined) host.remove(JOURNAL)
    else host.put(JOURNAL, written.slice(0, bytes))
    const {check, document} = await examine(host)
    expect(document).toMatchObject({node: 'set-up', verdict: 'warned'})
    expect(check('node-records')).toMatchObject({
      fix: expect.stringMatching(/k8s-win reset --yes/) as string,
      message: expect.stringMatching(
        /journal\.ndjson is lost, or a part of it: it does not name .*the service kubeproxy/,
      ) as string,
      result: 'warn',
    })
  })

  it('a journal whose end was cut off is reported', async () => {
    const host = await setUpNode()
    host.put(JOURNAL, host.read(JOURNAL).slice(0, 6000))
    const {check, document} = await examine(host)
    expect(document).toMatchObject({node: 'set-up', verdict: 'warned'})
    expect(check('node-records')).toMatchObject({
      message: expect.stringContaining('its end is missing') as string,
      result: 'warn',
    })
  })

  it('without a journal no digest is known, and that is not called well', async () => {
    const host = await setUpNode()
    host.remove(JOURNAL)
    expect((await examine(host)).check('node-programs')).toMatchObject({
      looked: false,
      message: expect.stringMatching(/^all are there, but the journal has no digest of/) as string,
    })
  })

  it('all of them gone while our services run from here: RECORDS_LOST, and the node is looked at', async () => {
    const host = await setUpNode()
    host.remove(String.raw`k\k8s-win`)
    const {check, document} = await examine(host)
    expect(document).toMatchObject({exitCode: 3, node: 'unknown'})
    expect(check('node-records')).toMatchObject({
      cause: expect.stringMatching(/services kubelet, flanneld, kubeproxy are ours and run from here/) as string,
      fix: expect.stringMatching(/k8s-win setup" with the options of the last one.*--yes/) as string,
      message: String.raw`The records of setup in C:\k\k8s-win are lost`,
      result: 'fail',
    })
    expect(check('node-services').result).toBe('pass')
  })
})

describe('a reset that did not come to its end', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['result.json', {command: 'reset', exitCode: 6, steps: [{id: 'daemons', state: 'failed'}]}, 'k8s-win reset'],
    ['lock.json', {command: 'k8s-win reset --drain --yes', since: 'x'}, 'k8s-win reset --drain'],
  ])('by its %s: RESET_UNFINISHED, and nobody is blamed for what is gone', async (file, content, again) => {
    const host = await setUpNode(({services}) =>
      Object.assign(services['kubeproxy'] ?? {}, {processId: 0, state: 'stopped'}),
    )
    host.put(`k\\k8s-win\\${file}`, JSON.stringify(content))
    const {check, document, notable} = await examine(host)
    expect(document).toMatchObject({exitCode: 3, node: 'leaving'})
    expect(notable).toEqual({'node-records': 'fail'})
    expect(check('node-records')).toMatchObject({
      fix: `Run "${again}" (and what else it was run with) to go on with it, or "k8s-win setup" to have the node again.`,
      message: 'A reset began here and did not come to its end',
    })
    expect(JSON.stringify(document)).not.toContain('Somebody')
  })

  it('of one that was refused nothing is told', async () => {
    const host = await setUpNode()
    const refused = {command: 'reset', exitCode: 3, steps: []}
    host.put(String.raw`k\k8s-win\result.json`, JSON.stringify(refused))
    expect((await examine(host)).document).toMatchObject({exitCode: 0, node: 'set-up'})
  })
})
