import {expect, test} from 'vitest'
import {parseAllDocuments} from 'yaml'
import {nodeAccessObjects} from '../../../src/components/node-access.js'
import {jsonText, nodeAccessHead, yamlText} from '../../../src/output/text/manifest-text.js'

test('the manifest of node-access is the objects, in YAML and in JSON', () => {
  const text = yamlText(nodeAccessObjects(), nodeAccessHead())
  expect(parseAllDocuments(text).map((document) => document.toJS() as unknown)).toEqual(nodeAccessObjects())
  expect(JSON.parse(jsonText(nodeAccessObjects(), 'json'))).toMatchObject({items: nodeAccessObjects(), kind: 'List'})
})

test('its head has the limits: every node gets the permissions, and how to remove them', () => {
  const head = nodeAccessHead().join(' ')
  for (const part of ['every node of the cluster', 'NodeRestriction', 'kubectl delete -f', '--kube-proxy-kubeconfig'])
    expect(head).toContain(part)
  for (const line of nodeAccessHead()) expect(line.length).toBeLessThanOrEqual(118)
})
