// A stored value that cannot be used is damage of node.yaml, whatever option it is of; one that was asked for is not.
import {describe, expect, it} from 'vitest'
import {type OptionFlag, optionOf, OPTIONS} from '../../src/config/options/options.js'
import {ProblemsError} from '../../src/errors/k8s-win-error.js'
import {configured, fileWith, type Sources, storedIn} from './configuration-rig.js'

const STORED = storedIn(String.raw`C:\k`)

const BAD: Readonly<Partial<Record<OptionFlag, string>>> = {
  'base-images': 'alpine',
  'ca-cert-hash': 'sha256:1',
  'client-ca-file': 'C:\\a\0b',
  'cluster-cidr': 'banana',
  'cluster-dns': 'x',
  'cluster-domain': '-',
  'cni-version': 'x',
  'containerd-version': 'x',
  'crictl-version': 'x',
  digest: 'kubernetes=md5:1',
  'docker-endpoint': 'tcp://10.0.0.9:2375',
  'flannel-cni-version': 'x',
  'flannel-version': '0.1',
  'flanneld-kubeconfig': 'C:\\a\0b',
  'ignore-check': 'nothing',
  'image-registry': 'https://x',
  'interface-name': ' ',
  'kube-proxy-kubeconfig': 'C:\\a\0b',
  kubeconfig: 'C:\\a\0b',
  'kubelet-kubeconfig': 'C:\\a\0b',
  'nanoserver-tag': '!',
  'node-ip': '169.254.0.1',
  'node-label': '!=x',
  'node-name': 'A_B',
  release: '9.9.9',
  runtime: 'podman',
  server: 'http://x',
  'servercore-tag': '!',
  'service-cidr': '10.244.0.0/16',
  skip: 'nothing',
  taint: '!',
  timeout: 'soon',
  'token-file': 'C:\\a\0b',
}

async function problemsOf(sources: Sources): Promise<ProblemsError> {
  const error: unknown = await configured(sources).catch((reason: unknown) => reason)
  if (error instanceof ProblemsError) return error
  throw new Error('no problem was found')
}

describe('what is stored and cannot be used', () => {
  // A switch can be nothing but true or false; the base directory is that of the file itself.
  const flags = OPTIONS.filter(({flag, key, kind}) => key !== undefined && kind !== 'switch' && flag !== 'base-dir')

  it.each(flags.map(({flag}) => flag))('is reported for node.yaml, with the place: %s', async (flag) => {
    const {exitCode, problems} = await problemsOf({texts: {[STORED]: fileWith(optionOf(flag), BAD[flag] ?? '')}})
    expect([exitCode, problems.map(({id}) => id)]).toEqual([3, ['STORED_CONFIG_UNUSABLE']])
    expect(problems[0]?.message).toContain(STORED)
    expect(problems[0]?.reason).toMatch(/\\node\.yaml:\d+:\d+:? [A-Za-z.]+.*\.$/)
  })

  it('is one problem, however much it is', async () => {
    const text = `${fileWith(optionOf('release'), '9.9.9')}nodeIP: "x"\n`
    const {problems} = await problemsOf({texts: {[STORED]: text}})
    expect(problems.map(({reason}) => reason)).toEqual([
      expect.stringMatching(
        /nodeIP "x" cannot be used\. .* release: Kubernetes 9\.9\.9 cannot be set up\. k8s-win sets up/,
      ),
    ])
  })
})

describe('what was asked for', () => {
  const texts = {[STORED]: fileWith(optionOf('cluster-cidr'), '10.1.0.0/16')}

  it('takes the place of what is stored and cannot be used', async () => {
    const broken = {[STORED]: fileWith(optionOf('release'), '9.9.9')}
    const {config} = await configured({argv: ['--release', '1.22.17'], texts: broken})
    expect(config.release.text).toBe('1.22.17')
  })

  it('is its own fault, also where only the stored value makes it one', async () => {
    const {exitCode, problems} = await problemsOf({argv: ['--service-cidr', '10.1.0.0/20'], texts})
    expect([exitCode, problems.map(({id}) => id)]).toEqual([2, ['OVERLAPPING_CIDRS']])
  })

  it('and what is stored are distinguished', async () => {
    const broken = {[STORED]: fileWith(optionOf('release'), '9.9.9')}
    const {exitCode, problems} = await problemsOf({
      argv: ['--node-ip', 'x'],
      dockerHost: 'tcp://10.0.0.9:2375',
      texts: broken,
    })
    expect(exitCode).toBe(2)
    expect(problems.map(({id}) => id).sort()).toEqual(['BAD_VALUE', 'REMOTE_DOCKER', 'STORED_CONFIG_UNUSABLE'])
  })
})
