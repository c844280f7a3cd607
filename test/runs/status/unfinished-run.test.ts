// What status and doctor report of a setup that stopped before it installed anything.
import {describe, expect, test} from 'vitest'
import {examine} from '../../doctor/doctor-rig.js'
import {withoutContainers} from '../../fixtures/restart-due.js'
import {setupOn} from '../../setup/in-process.js'
import {statusOn} from '../../status/status-on.js'
import {HostFolder} from '../../steps/host-folder.js'

const PROFILE = 'ws2022-containerd'
const ENABLING = {'enable-features': true}
const HOLDER = {command: 'k8s-win setup --enable-features', processId: 4711, user: 'ann'}

const AGAIN = 'un "k8s-win setup" with the options it was run with: it resumes.'

/** Docker, and the releases that are set up with it, have nothing to do with this node. */
const OTHER_NODE = /docker|(?<!\d)1\.21\./i

async function problemsOn(host: HostFolder) {
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  const {document: examined} = await examine(host, {profile: PROFILE})
  expect(JSON.stringify(document)).not.toMatch(OTHER_NODE)
  expect(JSON.stringify(examined.problems)).not.toMatch(OTHER_NODE)
  expect(examined.problems[0]).toMatchObject({id: 'SETUP_UNFINISHED', next: document.problems[0]?.next})
  return document.problems
}

describe('a setup with containerd', () => {
  test('that required a restart: restart Windows, then run it again', async () => {
    const host = await HostFolder.fresh(withoutContainers, PROFILE)
    expect((await setupOn(host.dir, ENABLING)).result.exitCode).toBe(10)
    const [problem] = await problemsOn(host)
    expect(problem).toMatchObject({
      cause: 'The last run ended with: Windows must be restarted.',
      command: 'k8s-win setup',
      id: 'SETUP_UNFINISHED',
      next: `If Windows was not restarted since then, restart it. Then r${AGAIN}`,
    })
  })

  test('that dism.exe has stopped: no restart', async () => {
    const host = await HostFolder.fresh(withoutContainers, PROFILE)
    host.edit(({os}) => (os.features = {containers: false, failure: 87}))
    await setupOn(host.dir, ENABLING)
    expect((await problemsOn(host))[0]).toMatchObject({id: 'SETUP_UNFINISHED', next: `R${AGAIN}`})
  })

  test('that was killed after one that required a restart: the killed run is named', async () => {
    const host = await HostFolder.fresh(withoutContainers, PROFILE)
    const killed: HostFolder[] = []
    await setupOn(host.dir, ENABLING, {
      after({via, what}) {
        if (via === 'run' && /dism\.exe$/i.test(what) && killed.length === 0) killed.push(host.copy())
        return Promise.resolve()
      },
      holder: HOLDER,
    })
    const [cut = host] = killed
    cut.put(String.raw`k\k8s-win\result.json`, host.read(String.raw`k\k8s-win\result.json`))
    expect((await problemsOn(cut))[0]).toMatchObject({
      cause: expect.stringMatching(
        /^The last run was killed\. It was process 4711 of ann, which began at 20\S+: k8s-win setup --enable-features$/,
      ) as string,
      id: 'SETUP_UNFINISHED',
      next: `R${AGAIN}`,
    })
  })
})
