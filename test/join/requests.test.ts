// How many requests, on how many connections, the API server gets from a node that joins, and from status.
import {describe, expect, test} from 'vitest'
import type {HttpRequest} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {statusOn} from '../status/status-on.js'
import type {HostFolder} from '../steps/host-folder.js'
import {joiningHost, joinOn, PROFILE, SERVER} from './joining-host.js'

interface Sent {
  readonly connection?: number
  readonly outcome: string
  readonly what: string
}

/** Those in the transcript since `from`. */
const sentSince = (host: HostFolder, from: number): readonly Sent[] =>
  (host.transcript as readonly Sent[]).slice(from).filter(({what}) => what.includes(SERVER))

const connectionsOf = (sent: readonly Sent[]): number => new Set(sent.map(({connection}) => connection)).size

/** Requests with their body: reviews differ only there. */
function listening(): {readonly asked: string[]; wrap(machine: Machine): Machine} {
  const asked: string[] = []
  const note = ({body, headers, method, tls, url}: HttpRequest): void => {
    const who = headers?.['authorization'] ?? tls?.cert ?? ''
    if (url.startsWith(SERVER))
      asked.push(`${method} ${url.slice(SERVER.length)} ${typeof body === 'string' ? body : ''}\n${who}`)
  }
  return {
    asked,
    wrap: (machine) => ({
      ...machine,
      http: {
        ...machine.http,
        request(request) {
          note(request)
          return machine.http.request(request)
        },
      },
    }),
  }
}

describe('review J4: the API server gets', () => {
  test('of a join at most 45 requests on 8 connections, and of status 12 on 4, without a review', async () => {
    const host = await joiningHost()
    const join = listening()
    expect((await joinOn(host, {}, {wrap: join.wrap})).result.exitCode).toBe(0)
    const sent = sentSince(host, 0)
    expect(sent.length).toBe(join.asked.length)
    expect(sent.length).toBeLessThanOrEqual(45)
    expect(connectionsOf(sent)).toBeLessThanOrEqual(8)
    // No connection outlives the interruption of the network.
    expect(sent.filter(({outcome}) => outcome.startsWith('error'))).toEqual([])
    // The token and the node are two. Only who waits for a change asks twice: for the Node, and by the last check.
    const reviews = join.asked.filter((one) => one.includes('selfsubject'))
    expect(new Set(reviews).size).toBe(reviews.length)

    const from = host.transcript.length
    const status = listening()
    const {document} = await statusOn(host.dir, {profile: PROFILE, wrap: status.wrap})
    expect(document).toMatchObject({exitCode: 0, problems: [], verdict: 'healthy'})
    const looked = sentSince(host, from)
    expect(looked.length).toBeLessThanOrEqual(12)
    expect(connectionsOf(looked)).toBeLessThanOrEqual(4)
    expect(looked.filter(({what}) => what.includes('review'))).toEqual([])
    expect(new Set(status.asked).size).toBe(status.asked.length)
  })

  test('the reviews of status where a request was forbidden: what is missing is named with its fix', async () => {
    const host = await joiningHost()
    expect((await joinOn(host)).result.exitCode).toBe(0)
    host.edit(({cluster}) => {
      cluster.roleBindings = (cluster.roleBindings ?? []).filter(({name}) => !name.startsWith('k8s-win'))
    })
    const {document} = await statusOn(host.dir, {profile: PROFILE})
    expect(document.problems.map(({id}) => id)).toContain('NODE_ACCESS_MISSING')
  })
})
