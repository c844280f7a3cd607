// The health endpoint of a daemon, of which any account may have taken the port while the daemon does not run.
import {expect, test} from 'vitest'
import {daemonHealth} from '../../src/host/local-health.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {serve} from '../machine/real/servers.js'

const {http} = openRealMachine({environment: {}})

test('a redirect is not followed: k8s-win would request any address as SYSTEM', async () => {
  let asked = 0
  const other = await serve((_, response) => {
    asked++
    response.end('ok')
  })
  const url = await serve((_, response) => response.writeHead(302, {location: other}).end())
  expect(await daemonHealth(http, url, {deadlineMs: 5000})).toMatchObject({state: 'sick'})
  expect(asked).toBe(0)
})

test('a response of a megabyte is not read', async () => {
  const url = await serve((_, response) => response.end(Buffer.alloc(2 ** 20)))
  const said = expect.stringContaining('TOO_LARGE') as string
  expect(await daemonHealth(http, url, {deadlineMs: 5000})).toEqual({said, state: 'refused'})
})
