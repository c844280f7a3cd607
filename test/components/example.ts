// The node of docs/facts.md#a-node-with-the-defaults: the defaults, node win-1, 10.0.0.5.
import {runtimeOf} from '../../src/config/choose-release.js'
import type {Node} from '../../src/config/model.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {parseVersion} from '../../src/config/version.js'
import {setupConfig} from '../fixtures/setup-config.js'

export function exampleNode(given: GivenOptions = {}, facts: Partial<Node> = {}): Node {
  return {
    ...setupConfig(given),
    adapterName: 'Ethernet0',
    clientCA: 'the authority',
    clusterDNS: '10.10.0.10',
    hostBuild: 17_763,
    kubeletProxy: '',
    kubeletRotates: true,
    nanoserverTag: '1809',
    nodeIP: '10.0.0.5',
    nodeName: 'win-1',
    proxy: {},
    servercoreTag: 'ltsc2019',
    ...facts,
  }
}

/** The same node with any release, also one that --release does not accept. */
export function releaseNode(release: string, facts: Partial<Node> = {}): Node {
  const version = parseVersion(release)
  if (!version) throw new Error(`${release} is not a version`)
  return exampleNode({}, {release: version, runtime: runtimeOf(version), ...facts})
}
