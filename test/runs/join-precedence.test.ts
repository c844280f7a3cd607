// Options of joining from several sources: the stronger one wins also in another form, and stored values give way.
import {describe, expect, it} from 'vitest'
import {storedText} from '../../src/config/options/stored-config.js'
import {type K8sWinError, ProblemsError} from '../../src/errors/k8s-win-error.js'
import {configured, FILE, storedIn} from './configuration-rig.js'

const BASE = String.raw`C:\k`
const SERVER = 'https://10.0.0.1:6443'
const OTHER = 'https://10.0.0.2:6443'
const TOKEN = 'abcdef.0123456789abcdef'
const HASH = `sha256:${'0a'.repeat(32)}`
const HASH_2 = `sha256:${'0b'.repeat(32)}`
const HEAD = 'apiVersion: k8s-win/v1\nkind: NodeConfig\n'
const STORED = {[storedIn(BASE)]: storedText({'ca-cert-hash': [HASH], server: SERVER}, BASE)}

const idsOf = (error: unknown): unknown =>
  error instanceof ProblemsError ? error.problems.map((problem: K8sWinError) => problem.id) : error

describe('a node that has joined', () => {
  it('keeps its server and hashes', async () => {
    const {config} = await configured({texts: STORED})
    expect(config.join).toEqual({caCertHashes: [HASH], isVerificationSkipped: false, server: SERVER})
  })

  it('joins again with a token alone', async () => {
    const {config} = await configured({argv: ['-Token', TOKEN], texts: STORED})
    expect(config.join).toMatchObject({caCertHashes: [HASH], server: SERVER, token: TOKEN})
  })

  it.each(['--kubeconfig', '--kubelet-kubeconfig'])('gets %s instead', async (flag) => {
    const {config, given} = await configured({argv: [flag, 'k'], texts: STORED})
    expect(config.join).toBeUndefined()
    expect([given.server, given['ca-cert-hash']]).toEqual([undefined, undefined])
  })

  it('proves another cluster by its own hashes only', async () => {
    const argv = ['-Server', OTHER, '-TokenFile', '-']
    const error: unknown = await configured({argv, texts: STORED}).catch((reason: unknown) => reason)
    expect(idsOf(error)).toEqual(['JOIN_CA_HASH_MISSING'])
    const {config} = await configured({argv: [...argv, '-CaCertHash', HASH_2], texts: STORED})
    expect(config.join).toMatchObject({caCertHashes: [HASH_2], server: OTHER})
    const same = await configured({argv: ['-Server', 'HTTPS://10.0.0.1:6443/', '-TokenFile', '-'], texts: STORED})
    expect(same.config.join).toMatchObject({caCertHashes: [HASH], server: SERVER, tokenFile: '-'})
  })

  it('may skip the verification from now on', async () => {
    const {config} = await configured({argv: ['-UnsafeSkipCaVerification', '-Token', TOKEN], texts: STORED})
    expect(config.join).toMatchObject({caCertHashes: [], isVerificationSkipped: true, server: SERVER})
  })
})

describe('a node with a kubeconfig of the kubelet', () => {
  const texts = {[storedIn(BASE)]: storedText({'kubelet-kubeconfig': 'k', 'kube-proxy-kubeconfig': 'p'}, BASE)}

  it('joins with --server, and kube-proxy keeps its own', async () => {
    const {config} = await configured({argv: ['--server', SERVER], texts})
    expect(config.join?.server).toBe(SERVER)
    expect(config.identityFiles).toEqual({'kube-proxy': String.raw`C:\k\kube-proxy.kubeconfig`})
  })
})

describe('two tokens', () => {
  const argv = ['--server', SERVER, '--ca-cert-hash', HASH]

  it('of two sources: the stronger one is used', async () => {
    const environment = {K8S_WIN_TOKEN: TOKEN}
    const fromFile = await configured({argv: [...argv, '--token-file', 't'], environment})
    expect(fromFile.config.join).toMatchObject({tokenFile: 't'})
    expect(fromFile.config.join).not.toHaveProperty('token')
    const texts = {[FILE]: `${HEAD}join:\n  tokenFile: token.txt\n`}
    const fromVariable = await configured({argv: [...argv, '--config', FILE], environment, texts})
    expect(fromVariable.config.join).toMatchObject({token: TOKEN})
    expect(fromVariable.config.join).not.toHaveProperty('tokenFile')
    const only = await configured({argv: [...argv, '--config', FILE], texts})
    expect(only.config.join).toMatchObject({tokenFile: String.raw`C:\given\token.txt`})
  })

  it.each([
    [[...argv, '--token', TOKEN, '--token-file', 't'], {}],
    [argv, {K8S_WIN_TOKEN: TOKEN, K8S_WIN_TOKEN_FILE: 't'}],
  ])('of one source are refused', async (words, environment) => {
    const error: unknown = await configured({argv: words, environment}).catch((reason: unknown) => reason)
    expect(idsOf(error)).toEqual(['CONTRADICTING_FLAGS'])
  })
})

describe('a file', () => {
  it('may name standard input, and has no key for a token', async () => {
    const input = `${HEAD}join:\n  server: ${SERVER}\n  caCertHashes: ["${HASH}"]\n  tokenFile: "-"\n`
    const {config} = await configured({argv: ['--config', FILE], texts: {[FILE]: input}})
    expect(config.join).toEqual({caCertHashes: [HASH], isVerificationSkipped: false, server: SERVER, tokenFile: '-'})
    const texts = {[FILE]: `${HEAD}join:\n  token: ${TOKEN}\n`}
    const error: unknown = await configured({argv: ['--config', FILE], texts}).catch((reason: unknown) => reason)
    expect(idsOf(error)).toEqual(['CONFIG_UNKNOWN_KEY'])
    expect(
      JSON.stringify((error as ProblemsError).problems.map(({message, reason}) => [message, reason])),
    ).not.toContain(TOKEN)
  })
})

it('what is stored of joining are the server and the hashes', () => {
  const given = {
    'ca-cert-hash': [HASH],
    server: SERVER,
    token: TOKEN,
    'token-file': String.raw`C:\token.txt`,
    'unsafe-skip-ca-verification': true,
  }
  const text = storedText(given, BASE)
  expect(text).toContain(SERVER)
  expect(text).toContain(HASH)
  expect(text).not.toMatch(/token|unsafe|0123456789abcdef/i)
})
