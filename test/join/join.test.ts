// setup with a bootstrap token: the node gets its own certificate, which all three daemons use, and the token is forgotten.
import {describe, expect, test} from 'vitest'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {
  BOOTSTRAP_FILE,
  JOIN,
  joiningHost,
  joinOn,
  KUBECONFIG,
  PROFILE,
  SERVER,
  TOKEN,
  warningsOf,
} from './joining-host.js'

const SECRET = '0123456789abcdef'

describe('a node that joins with a token', () => {
  test('has its own certificate in the end, and the token is nowhere', async () => {
    const host = await joiningHost()
    const {result} = await joinOn(host)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(result.steps.find(({id}) => id === 'node-certificate')).toMatchObject({state: 'changed'})
    expect(host.has(BOOTSTRAP_FILE)).toBe(false)
    const kubeconfig = host.read(KUBECONFIG)
    expect(kubeconfig).toContain(String.raw`client-certificate: C:\var\lib\kubelet\pki\kubelet-client-current.pem`)
    expect(kubeconfig).not.toContain('token')
    const {flanneld, kubelet, kubeproxy} = host.world.services
    expect(kubelet?.config.imagePath).toContain(String.raw`--bootstrap-kubeconfig=C:\k\bootstrap-kubeconfig`)
    expect(kubeproxy?.config.imagePath).toContain(String.raw`--kubeconfig=C:\k\kubeconfig`)
    expect(flanneld?.config.imagePath).toContain(String.raw`--kubeconfig-file=C:\k\kubeconfig`)
    const stored = host.read(String.raw`k\k8s-win\node.yaml`)
    expect(stored).toContain(SERVER)
    const {cluster: _, ...rest} = host.world
    const everywhere = JSON.stringify([host.filesBut(() => false), rest, host.transcript, result])
    for (const secret of [TOKEN, SECRET, Buffer.from(TOKEN).toString('base64')])
      expect(everywhere.includes(secret), secret).toBe(false)
    const {problems, verdict} = (await statusOn(host.dir, {profile: PROFILE})).document
    expect({problems, verdict}).toEqual({problems: [], verdict: 'healthy'})
  })

  test('a second setup changes nothing: without a token, with an expired one, and with the same command', async () => {
    const host = await joiningHost()
    expect((await joinOn(host)).result.error).toBeUndefined()
    host.edit(({cluster}) => (cluster.secrets = []))
    for (const given of [{}, JOIN]) {
      const {result} = await setupOn(host.dir, given, {}, PROFILE)
      expect(result).toMatchObject({exitCode: 0, recap: {changed: 0}})
      expect(result.checks.find(({id}) => id === 'safe-folders')?.message).toBe('restricted to administrators')
    }
  })

  test('a preview changes nothing, and says what the node will get', async () => {
    const host = await joiningHost()
    const before = host.state
    const {result} = await joinOn(host, {}, {dryRun: true})
    expect(result).toMatchObject({exitCode: 0, outcome: 'planned'})
    expect(result.steps.find(({id}) => id === 'node-certificate')).toMatchObject({state: 'would-change'})
    expect(JSON.stringify(result)).not.toContain(SECRET)
    expect(host.state).toEqual(before)
  })

  test('in a base directory that does not exist', async () => {
    const host = await joiningHost()
    const {result} = await joinOn(host, {'base-dir': String.raw`C:\kube`})
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
  })
})

describe('who the node is already', () => {
  test('a kubeconfig of the same cluster that was put there by hand is used', async () => {
    const host = await joiningHost()
    host.put(KUBECONFIG, makeKubeconfig(SERVER))
    const run = await joinOn(host)
    expect(run.result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(host.read(KUBECONFIG)).toBe(makeKubeconfig(SERVER))
    expect(warningsOf(run).join('\n')).not.toContain(SECRET)
  })

  test('one of another cluster is refused', async () => {
    const host = await joiningHost()
    host.put(KUBECONFIG, makeKubeconfig('https://10.9.9.9:6443').replace(/certificate-authority-data: .*/, 'x: y'))
    const before = host.state
    const {result} = await joinOn(host)
    expect(result).toMatchObject({error: {id: 'JOIN_OTHER_CLUSTER'}, exitCode: 3})
    expect(host.state).toEqual(before)
  })
})
