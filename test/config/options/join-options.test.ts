// The options of joining together: what they need, what they exclude, and that no problem shows a token.
import {describe, expect, it} from 'vitest'
import type {GivenOptions} from '../../../src/config/options/options.js'
import {resolveConfig} from '../../../src/config/options/resolve-setup.js'
import type {K8sWinError} from '../../../src/errors/k8s-win-error.js'
import {ProblemsError} from '../../../src/errors/k8s-win-error.js'

const SERVER = 'https://10.0.0.1:6443'
const TOKEN = 'abcdef.0123456789abcdef'
const HASH = `sha256:${'0a'.repeat(32)}`
const join = (given: GivenOptions) => resolveConfig({given}).join

function problemsOf(given: GivenOptions): readonly K8sWinError[] {
  try {
    join(given)
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems
    throw error
  }

  throw new Error('no problem was found')
}
const idsOf = (given: GivenOptions): string[] => problemsOf(given).map(({id}) => id)

describe('joining', () => {
  it('needs a flanneld that follows the renewed certificate, or one with a kubeconfig of its own', () => {
    const given = {'ca-cert-hash': [HASH], 'flannel-version': '0.13.0', server: SERVER, token: TOKEN}
    expect(problemsOf(given).map(({message}) => message)).toEqual(['--flannel-version "0.13.0" cannot be used'])
    expect(join({...given, 'flanneld-kubeconfig': String.raw`c:\flanneld`})).toMatchObject({server: SERVER})
    expect(join({...given, 'flannel-version': '0.14.0'})).toMatchObject({server: SERVER})
  })

  it('is asked for with a server, a token and a hash', () => {
    expect(join({'ca-cert-hash': [HASH.toUpperCase(), HASH], server: `${SERVER}/`, token: TOKEN})).toEqual({
      caCertHashes: [HASH],
      isVerificationSkipped: false,
      server: SERVER,
      token: TOKEN,
    })
    expect(join({server: SERVER, 'token-file': '-', 'unsafe-skip-ca-verification': true})).toEqual({
      caCertHashes: [],
      isVerificationSkipped: true,
      server: SERVER,
      tokenFile: '-',
    })
  })

  it('is not asked for by a switch that is off', () => {
    expect(join({'unsafe-skip-ca-verification': 'false'})).toBeUndefined()
    expect(join({})).toBeUndefined()
  })

  it('needs neither a token nor a hash a second time', () => {
    expect(join({server: SERVER})).toEqual({caCertHashes: [], isVerificationSkipped: false, server: SERVER})
  })

  it('goes with identities of kube-proxy and flanneld', () => {
    const given = {'flanneld-kubeconfig': 'f', 'kube-proxy-kubeconfig': 'p', server: SERVER}
    expect(join(given)?.server).toBe(SERVER)
  })
})

describe('what is wrong with joining', () => {
  it.each(['kubeconfig', 'kubelet-kubeconfig'] as const)('is --%s', (flag) => {
    for (const given of [
      {server: SERVER},
      {token: TOKEN},
      {'token-file': 't'},
      {'ca-cert-hash': [HASH]},
      {'unsafe-skip-ca-verification': true},
    ]) {
      const problems = problemsOf({...given, [flag]: 'k'})
      expect(problems.map(({id, message}) => [id, message])).toEqual([
        ['CONTRADICTING_FLAGS', `--${Object.keys(given)[0]} and --${flag} contradict each other`],
      ])
    }
  })

  it('is a missing server', () => {
    for (const given of [{token: TOKEN}, {'token-file': 't'}, {'ca-cert-hash': [HASH]}])
      expect(idsOf(given)).toEqual(['JOIN_SERVER_MISSING'])
    const [problem] = problemsOf({'token-file': 't', 'unsafe-skip-ca-verification': 'true'})
    expect(problem?.exitCode).toBe(2)
    expect(problem?.message).toContain('--token-file, --unsafe-skip')
  })

  it('is a token without a hash', () => {
    for (const given of [{token: TOKEN}, {'token-file': 't'}, {'ca-cert-hash': [''], token: TOKEN}])
      expect(idsOf({server: SERVER, ...given})).toEqual(['JOIN_CA_HASH_MISSING'])
  })

  it('are two tokens, and a hash that is to be ignored', () => {
    const given = {'ca-cert-hash': [HASH], server: SERVER, token: TOKEN, 'token-file': 't'}
    expect(idsOf(given)).toEqual(['CONTRADICTING_FLAGS'])
    expect(idsOf({...given, 'unsafe-skip-ca-verification': true})).toEqual([
      'CONTRADICTING_FLAGS',
      'CONTRADICTING_FLAGS',
    ])
  })

  it('is listed all at once, with where it was given', () => {
    const given = {'ca-cert-hash': ['sha256:1', HASH], server: 'http://h', token: 'abc.DEFGHIJKLMNOPQRS'}
    const where = {'ca-cert-hash': ['n.yaml:4:5 join.caCertHashes'], token: 'K8S_WIN_TOKEN'}
    expect.assertions(1)
    try {
      resolveConfig({given, where})
    } catch (error) {
      expect((error as ProblemsError).problems.map(({message}) => message)).toEqual([
        '--server "http://h" cannot be used',
        'K8S_WIN_TOKEN "***" cannot be used',
        'n.yaml:4:5 join.caCertHashes "sha256:1" cannot be used',
      ])
    }
  })

  it('shows no token', () => {
    const bad = 'abcdef.SECRETSECRETSECR'
    for (const given of [{token: bad}, {kubeconfig: 'k', token: bad}, {server: 'x', token: bad, 'token-file': 'y'}]) {
      const said = problemsOf(given).map(({fix, message, reason, stack}) => [fix, message, reason, stack].join('\n'))
      expect(said.join('\n')).not.toContain('SECRET')
    }
  })
})
