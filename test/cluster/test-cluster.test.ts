// The verdict and the exit code of npm run test:cluster.
import {expect, test} from 'vitest'
import {KubernetesNotAvailable} from '../transcripts/recorders/kubernetes-programs.js'
import {type ClusterPlace, testCluster} from './test-cluster.js'

const HERE: ClusterPlace = {arch: 'x64', missingTools: [], platform: 'linux'}

async function start(place: ClusterPlace, build: () => Promise<unknown>, code = 0) {
  let complaints = ''
  const ran: (readonly string[])[] = []
  const exitCode = await testCluster({
    argv: ['discovery'],
    build,
    complain: (text) => (complaints += text),
    place,
    async run(argv) {
      ran.push(argv)
      return code
    },
  })
  return {complaints, exitCode, ran}
}

test.each([
  {place: {...HERE, platform: 'win32'}, reason: 'not on win32'},
  {place: {...HERE, arch: 'riscv64'}, reason: 'this machine is riscv64'},
  {place: {...HERE, missingTools: ['apt-get', 'openssl']}, reason: 'apt-get, openssl not found'},
])('where it cannot run it reports NOT RUN, and neither passed nor failed: $reason', async ({place, reason}) => {
  const {complaints, exitCode, ran} = await start(place, () => Promise.reject(new Error('must not build')))
  expect({exitCode, ran}).toEqual({exitCode: 75, ran: []})
  expect(complaints).toMatch(/^=+\nNOT RUN: the real control plane/)
  expect(complaints).toContain(
    `Reason: ${reason.startsWith('not on') ? 'the control plane runs on Linux, ' : ''}${reason}`,
  )
  expect(complaints).toContain('This is not a pass.')
})

test('packages that cannot be had are NOT RUN with the reason of apt', async () => {
  const {complaints, exitCode} = await start(HERE, () =>
    Promise.reject(new KubernetesNotAvailable('the mirror does not offer the sources of kubernetes in bookworm')),
  )
  expect(exitCode).toBe(75)
  expect(complaints).toContain('Reason: the mirror does not offer the sources of kubernetes in bookworm')
})

test('a build that fails is a failure', async () => {
  const {complaints, exitCode, ran} = await start(HERE, () => Promise.reject(new Error('ended with 2')))
  expect({complaints, exitCode, ran}).toEqual({complaints: 'cluster: FAILED: ended with 2\n', exitCode: 1, ran: []})
})

test('names of files reach vitest, whose exit code is the result', async () => {
  expect(await start(HERE, async () => {})).toEqual({complaints: '', exitCode: 0, ran: [['discovery']]})
  expect((await start(HERE, async () => {}, 1)).exitCode).toBe(1)
})
