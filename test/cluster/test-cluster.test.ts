// The verdict and the exit code of npm run test:cluster.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, describe, expect, test} from 'vitest'
import {KubernetesNotAvailable} from '../transcripts/recorders/kubernetes-programs.js'
import {API_SERVER, CONTROLLER_MANAGER, KUBEADM_CONFIG} from './arguments.js'
import {budget, budgetsPath} from './objects.js'
import {CLUSTER_PROGRAMS, clusterPrograms, minorOf, PROGRAMS_VARIABLE} from './programs.js'
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

describe('review J14: the control plane may be of any release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'))
  afterAll(() => rmSync(folder, {recursive: true}))
  const environment = {[PROGRAMS_VARIABLE]: folder, PATH: ''}

  test('its programs come from a folder, and those that are missing are named', async () => {
    await expect(clusterPrograms(environment)).rejects.toThrow(/does not have etcd, kube-apiserver, /)
    for (const name of CLUSTER_PROGRAMS) writeFileSync(join(folder, name), '')
    expect(await clusterPrograms(environment)).toMatchObject({kubeadm: join(folder, 'kubeadm')})
  })

  test('its command lines have only what the release knows', () => {
    const place = {client: 1, folder: '/x', manager: 2, peer: 3, port: 4}
    const textOf = (release: string): string => {
      const here = {...place, minor: minorOf(release), release}
      return [...API_SERVER(here), ...CONTROLLER_MANAGER(here), KUBEADM_CONFIG(here, 'token')].join('\n')
    }
    expect(textOf('v1.20.2')).toMatch(/--insecure-port=0[^]*--port=0[^]*v1beta2[^]*kubernetesVersion: v1\.20\.2/)
    expect(textOf('v1.36.4')).toMatch(/v1beta4[^]*kubernetesVersion: v1\.36\.4/)
    expect(textOf('v1.36.4')).not.toMatch(/--(?:insecure-)?port=0/)
  })

  test.each([
    [20, 'policy/v1beta1'],
    [21, 'policy/v1'],
    [36, 'policy/v1'],
  ])('disruption budgets of 1.%i are of %s', (minor, apiVersion) => {
    expect(budget(minor, 'web', 'web', 1)).toMatchObject({apiVersion})
    expect(budgetsPath(minor)).toBe(`/apis/${apiVersion}/namespaces/default/poddisruptionbudgets`)
  })
})
