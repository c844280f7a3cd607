// Proxies without a scheme, which Go and curl take as they are: their passwords are nowhere in a bundle.
import {expect, test} from 'vitest'
import {healthyNode} from '../status/status-on.js'
import {bundleOn} from './bundle-on.js'

/** Each with a password of its own; one without a port, which nothing but its place shows to be a proxy. */
const PROXIES = {
  docker: 'bob:four-secret@proxy:3128',
  machine: String.raw`corp\bob:three-secret@proxy`,
  process: 'bob:one-secret@proxy:3128',
  processLower: 'bob:two/secret@proxy',
}

test('review S2-3: a bundle shows proxies without their passwords, also without a scheme', async () => {
  const host = await healthyNode()
  host.put(String.raw`k\logs\kubelet\proxy.log`, `proxies: ${Object.values(PROXIES).join(' , ')} END\n`)
  host.edit((world) => {
    const key = Object.keys(world.registry).find((name) => /Session Manager\\Environment$/i.test(name)) ?? ''
    world.registry[key] = {...world.registry[key], HTTPS_PROXY: {data: PROXIES.machine, type: 'REG_SZ'}}
    world.docker.httpsProxy = PROXIES.docker
  })
  const made = await bundleOn(host, {
    environment: {HTTPS_PROXY: PROXIES.process, http_proxy: PROXIES.processLower},
    withTranscript: false,
  })
  const found = [...made.members].filter(([, bytes]) => /(?:one|two|three|four).secret/.test(bytes.toString('utf8')))
  expect(found.map(([name]) => name)).toEqual([])
  expect(JSON.parse(made.text('windows/environment.json'))).toMatchObject({
    machineProxies: {HTTPS_PROXY: 'http://proxy/'},
    processProxies: {HTTPS_PROXY: 'http://proxy:3128/', http_proxy: 'http://proxy/'},
  })
  expect(JSON.parse(made.text('docker/info.json'))).toMatchObject({HttpProxy: '', HttpsProxy: 'http://proxy:3128/'})
  expect([...made.members].find(([name]) => name.endsWith('proxy.log'))?.[1].toString()).toContain('END')
})
