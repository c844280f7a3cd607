// status of a cluster with many nodes: it reads their metadata, and no whole Node but its own.
import {expect, test} from 'vitest'
import type {HttpRequest, HttpResponse} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {statusOn} from './status-on.js'

const PROFILE = 'ws2022-containerd'
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

const items = ({body}: HttpResponse): readonly object[] =>
  (JSON.parse(body.toString('utf8')) as {items: readonly object[]}).items

test('review K3-6: status lists the metadata of Nodes only', async () => {
  const node = HostFolder.empty()
  await setupOn(node.dir, {}, {}, PROFILE)
  const asked: {readonly answer: HttpResponse; readonly request: HttpRequest}[] = []
  const wrap = (machine: Machine): Machine => ({
    ...machine,
    http: {
      ...machine.http,
      async request(request) {
        const answer = await machine.http.request(request)
        if (/\/api\/v1\/nodes(?:\?|$)/.test(request.url)) asked.push({answer, request})
        return answer
      },
    },
  })
  const {document} = await statusOn(node.dir, {profile: PROFILE, wrap})
  node.discard()
  expect(document.verdict).toBe('healthy')
  expect(asked.map(({request}) => request.headers?.['accept'])).toEqual([METADATA])
  const read = asked.flatMap(({answer}) => items(answer))
  expect(read).toHaveLength(4)
  expect(read.filter((one) => 'spec' in one || 'status' in one)).toEqual([])
})
