// The table that the flags, the environment variables, the configuration file and the help are made from.
import {describe, expect, it} from 'vitest'

import {environmentVariable, OPTIONS} from '../../src/config/options.js'

const options = OPTIONS

/** Flag, default and key: other programs rely on them. */
const CONTRACT: readonly (readonly [flag: string, fallback: string | undefined, key: string | undefined])[] = [
  ['base-dir', String.raw`c:\k`, 'baseDir'],
  ['cluster-cidr', '10.244.0.0/16', 'clusterCIDR'],
  ['service-cidr', '10.10.0.0/16', 'serviceCIDR'],
  ['interface-name', 'Ethernet0', 'interfaceName'],
  ['release', '1.21.5', 'release'],
  ['runtime', 'auto', 'runtime'],
  ['containerd-version', '2.3.4', 'versions.containerd'],
  ['crictl-version', '1.36.0', 'versions.crictl'],
  ['base-images', 'nanoserver,servercore', 'images.base'],
  ['enable-dsr', 'false', 'enableDSR'],
  ['enable-features', 'false', 'enableFeatures'],
  ['feature-gate', undefined, 'featureGates'],
  ['server', undefined, 'join.server'],
  ['token', undefined, undefined],
  ['token-file', undefined, 'join.tokenFile'],
  ['ca-cert-hash', undefined, 'join.caCertHashes'],
  ['unsafe-skip-ca-verification', 'false', undefined],
  ['kubeconfig', undefined, 'kubeconfig'],
  ['kubelet-kubeconfig', undefined, 'kubelet.kubeconfig'],
  ['kube-proxy-kubeconfig', undefined, 'kubeProxy.kubeconfig'],
  ['flanneld-kubeconfig', undefined, 'flanneld.kubeconfig'],
  ['client-ca-file', undefined, 'clientCAFile'],
  ['node-name', undefined, 'nodeName'],
  ['node-ip', undefined, 'nodeIP'],
  ['cluster-dns', undefined, 'clusterDNS'],
  ['cluster-domain', 'cluster.local', 'clusterDomain'],
  ['nanoserver-tag', undefined, 'images.nanoserverTag'],
  ['servercore-tag', undefined, 'images.servercoreTag'],
  ['image-registry', 'mcr.microsoft.com', 'images.registry'],
  ['detach', undefined, undefined],
  ['launcher', undefined, undefined],
  ['docker-endpoint', 'npipe:////./pipe/docker_engine', 'dockerEndpoint'],
  ['flannel-version', '0.28.9', 'versions.flannel'],
  ['cni-version', '1.9.1', 'versions.cni'],
  ['flannel-cni-version', '1.9.1-flannel3', 'versions.flannelCNI'],
  ['digest', undefined, 'digests'],
  ['node-label', undefined, 'nodeLabels'],
  ['taint', undefined, 'taints'],
  ['adopt', 'false', 'adopt'],
  ['allow-restart', 'false', 'allowRestart'],
  ['skip', undefined, 'skip'],
  ['ignore-check', undefined, 'ignoreChecks'],
  ['timeout', '30m', 'timeout'],
  ['reset', 'false', undefined],
  ['config', undefined, undefined],
  ['dry-run', 'false', undefined],
  ['yes', 'false', undefined],
]

describe('the options', () => {
  it('are those that other programs rely on', () => {
    expect(options.map(({flag}) => flag).sort()).toEqual(CONTRACT.map(([flag]) => flag).sort())
  })

  it.each(CONTRACT)('have --%s with default %s and key %s', (flag, fallback, key) => {
    const option = options.find((candidate) => candidate.flag === flag)
    expect(option?.key).toBe(key)
    expect(option?.default).toBe(fallback)
  })

  it('have flags in kebab-case and of more than one letter', () => {
    for (const {flag} of options) expect(flag).toMatch(/^[a-z]{2,}(-[a-z]+)*$/)
  })

  it.each(['flag', 'key', 'summary'] as const)('have each %s once', (field) => {
    const values = options.flatMap((option) => option[field] ?? [])
    expect(new Set(values).size).toBe(values.length)
  })

  it('have flags that are distinguished without their dashes, as PowerShell-style flags are', () => {
    const names = options.map(({flag}) => flag.replaceAll('-', ''))
    expect(new Set(names).size).toBe(names.length)
  })

  it('say what is used where nothing is given', () => {
    for (const option of options) expect(option.default ?? option.absent).toBeTruthy()
  })

  it('have an environment variable each', () => {
    expect(environmentVariable('base-dir')).toBe('K8S_WIN_BASE_DIR')
    expect(environmentVariable('flannel-cni-version')).toBe('K8S_WIN_FLANNEL_CNI_VERSION')
  })
})
