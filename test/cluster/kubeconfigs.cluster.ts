// The kubeconfigs that k8s-win writes, read by Debian's kubectl, and accepted by the cluster.
import {readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {bootstrapKubeconfig} from '../../src/components/bootstrap-kubeconfig.js'
import {readKubeconfig} from '../../src/host/cluster/kubeconfig.js'
import {kubeconfigFor} from './as-cluster.js'
import {type ControlPlane, FIRST_TOKEN, startControlPlane} from './control-plane.js'
import {nodeIdentity} from './node-identity.js'

let plane: ControlPlane

beforeAll(async () => {
  plane = await startControlPlane()
})
afterAll(() => plane?.close())

async function saved(name: string, content: string): Promise<string> {
  const file = path.join(plane.folder, name)
  await writeFile(file, content, {mode: 0o600})
  return file
}

/** Who the cluster takes its bearer for: 1.20 has no other question, and refuses this one with the name. */
async function userOf(kubeconfig: string): Promise<string | undefined> {
  const failed = await plane.kubectl(['get', 'priorityclasses'], {kubeconfig}).then(
    () => '',
    (error: unknown) => (error as {stderr: string}).stderr,
  )
  return /User "([^"]+)"/.exec(failed)?.[1]
}

test('bootstrap-kubeconfig', async () => {
  const text = bootstrapKubeconfig({ca: plane.ca, server: plane.server, token: FIRST_TOKEN})
  const kubeconfig = await saved('bootstrap-kubeconfig', text)
  expect(await userOf(kubeconfig)).toBe('system:bootstrap:abcdef')
  const shown = await plane.kubectl(['config', 'view', '--minify', '--raw', '--output=json'], {kubeconfig})
  expect(JSON.parse(shown)).toMatchObject({
    clusters: [
      {
        cluster: {'certificate-authority-data': Buffer.from(plane.ca).toString('base64'), server: plane.server},
      },
    ],
    users: [{user: {token: FIRST_TOKEN}}],
  })
})

test("the copy of a node's kubeconfig, with the files that it names inside", async () => {
  const {cert, key} = await nodeIdentity(plane, 'win-5', {token: FIRST_TOKEN})
  await saved('win-5.pem', `${cert}${key}`)
  const file = await saved(
    'win-5.conf',
    kubeconfigFor(plane, {}).replace('user: {}', 'user: {client-certificate: win-5.pem, client-key: win-5.pem}'),
  )
  const kubeconfig = await saved('copy', (await readKubeconfig(file, await readFile(file), readFile)).write())
  expect(await userOf(file)).toBe('system:node:win-5')
  expect(await userOf(kubeconfig)).toBe('system:node:win-5')
})

test("the copy of kubeadm's admin.conf", async () => {
  const {adminKubeconfig} = plane
  const copy = (await readKubeconfig(adminKubeconfig, await readFile(adminKubeconfig), readFile)).write()
  const kubeconfig = await saved('admin-copy', copy)
  expect(await plane.kubectl(['get', 'nodes', '--output=name'], {kubeconfig})).toBe('node/control-plane\n')
})
