// A kubeconfig's plugin: a real program, asked as kubectl asks it, and every way it can fail to say who we are.
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'

import {NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {scratchFolder} from '../../machine/real/scratch.js'
import {AUTHORITY, clusterAt, impatient, NODE_USER, refusal, serveCluster, TOKEN} from './loopback-cluster.js'

const API = 'client.authentication.k8s.io/v1beta1'
const credential = (status: unknown, more: object = {}): object => ({
  apiVersion: API,
  kind: 'ExecCredential',
  status,
  ...more,
})

/** Node is a program that is here for certain, and by its whole path. */
const plugin = (code: string, more: object = {}): object => ({
  exec: {apiVersion: API, args: ['-e', code], command: process.execPath, ...more},
})
const printing = (value: unknown): object => plugin(`console.log(${JSON.stringify(JSON.stringify(value))})`)

it('review S10: a plugin that prints without end is ended, with its error', async () => {
  const {server} = await serveCluster()
  const user = plugin("const more = () => process.stdout.write('x'.repeat(65536), more); more()")
  const {id, reason} = await refusal((await clusterAt(server, {user})).about())
  expect(id).toBe('EXEC_PLUGIN_FAILED')
  expect(reason).toContain('It printed more than 1 MiB.')
})

describe('a plugin that gives', () => {
  it('a token', async () => {
    const {seen, server} = await serveCluster()
    const cluster = await clusterAt(server, {user: printing(credential({token: TOKEN}))})
    expect(await cluster.node('win-1')).toMatchObject({name: 'win-1'})
    expect(seen).toEqual(['GET /api/v1/nodes/win-1 system:serviceaccount:kube-system:node'])
  })

  it('a certificate', async () => {
    const {seen, server} = await serveCluster()
    const {cert, key} = NODE_CERTIFICATE
    const user = printing(credential({clientCertificateData: cert, clientKeyData: key}))
    expect(await (await clusterAt(server, {user})).node('win-1')).toMatchObject({name: 'win-1'})
    expect(seen).toEqual(['GET /api/v1/nodes/win-1 system:node:win-1'])
  })

  it('what it gets in its environment', async () => {
    const {server} = await serveCluster()
    const file = join(await scratchFolder(), 'told')
    const code = `
      require('node:fs').writeFileSync(process.env.TO, JSON.stringify([process.env.KUBERNETES_EXEC_INFO, process.env.A]))
      console.log(process.env.GIVE)`
    const env = [
      {name: 'TO', value: file},
      {name: 'GIVE', value: JSON.stringify(credential({token: TOKEN}))},
      {name: 'A', value: 'x "y" %z%'},
      {name: 'KUBERNETES_EXEC_INFO', value: 'not this'},
    ]
    for (const provideClusterInfo of [false, true]) {
      await (await clusterAt(server, {user: plugin(code, {env, provideClusterInfo})})).about()
      const [info, a] = JSON.parse(readFileSync(file, 'utf8')) as [string, string]
      expect(a).toBe('x "y" %z%')
      expect(JSON.parse(info)).toEqual({
        apiVersion: API,
        kind: 'ExecCredential',
        spec: {...(provideClusterInfo ? {cluster: {...AUTHORITY, server}} : {}), interactive: false},
      })
    }
  })

  it('is told what the cluster has for it (clientcmd/client_config.go, clusterExtensionKey)', async () => {
    const {server} = await serveCluster()
    const code = `
      const {spec} = JSON.parse(process.env.KUBERNETES_EXEC_INFO)
      console.log(spec.cluster.config.audience === 'aud-1' ? process.env.GIVE : '')`
    const env = [{name: 'GIVE', value: JSON.stringify(credential({token: TOKEN}))}]
    const extensions = [
      {extension: {audience: 'aud-0'}, name: 'example.com/other'},
      {extension: {audience: 'aud-1'}, name: 'client.authentication.k8s.io/exec'},
    ]
    const user = plugin(code, {env, provideClusterInfo: true})
    expect(await (await clusterAt(server, {cluster: {extensions}, user})).node('win-1')).toBeDefined()
  })

  it('is not asked where the kubeconfig has a token itself', async () => {
    const {server} = await serveCluster()
    expect(
      await (await clusterAt(server, {user: {...plugin('process.exit(1)'), token: TOKEN}})).node('win-1'),
    ).toBeDefined()
  })
})

describe('what a plugin gave', () => {
  /** Prints another token every time, and counts. */
  async function counting(tokens: readonly string[], more: object) {
    const file = join(await scratchFolder(), 'count')
    writeFileSync(file, '')
    const answers = tokens.map((token) => JSON.stringify(credential({token, ...more})))
    const code = `
      const fs = require('node:fs')
      fs.appendFileSync(process.env.TO, 'x')
      console.log(${JSON.stringify(answers)}[fs.readFileSync(process.env.TO, 'utf8').length - 1])`
    return {asked: () => readFileSync(file, 'utf8').length, user: plugin(code, {env: [{name: 'TO', value: file}]})}
  }

  it('is kept as long as it lasts', async () => {
    const {server} = await serveCluster()
    for (const [more, times] of [
      [{}, 1],
      [{expirationTimestamp: '2119-01-01T00:00:00Z'}, 1],
      [{expirationTimestamp: '2021-01-01T00:00:00Z'}, 2],
      [{expirationTimestamp: 'some day'}, 1],
    ] as const) {
      const {asked, user} = await counting([TOKEN, TOKEN], more)
      const cluster = await clusterAt(server, {user})
      await cluster.node('win-1')
      await cluster.node('win-1')
      expect(asked()).toBe(times)
    }
  })

  it('is asked for anew where the cluster takes it no more, once', async () => {
    const {seen, server, stage} = await serveCluster()
    const {asked, user} = await counting([TOKEN, 'canary-second', 'canary-third'], {})
    const cluster = await clusterAt(server, {user})
    await cluster.node('win-1')
    stage.world.cluster.tokens = {'canary-second': 'second'}
    stage.world.cluster.permissions = ['get nodes']
    await cluster.node('win-1')
    expect(seen.map((line) => line.split(' ').at(-1))).toEqual([
      'system:serviceaccount:kube-system:node',
      'nobody',
      'second',
    ])
    stage.world.cluster.tokens = {}
    const {id, reason} = await refusal(cluster.node('win-1'))
    expect(id).toBe('API_SERVER_REFUSES')
    expect(reason).toContain(`The plugin ${process.execPath} gave the credentials.`)
    expect(asked()).toBe(3)
  })
})

describe('a plugin that gives nothing', () => {
  const {cert, key} = NODE_CERTIFICATE

  it.each<[string, object, string]>([
    ['fails', plugin(`console.log("${TOKEN}"); console.error("${TOKEN}"); process.exit(7)`), 'It exited with 7.'],
    ['prints junk', plugin(`console.log("${TOKEN}")`), 'It printed no ExecCredential.'],
    ['prints null', plugin('console.log(null)'), 'It printed no ExecCredential.'],
    ['prints a token to stderr only', plugin(`console.error("${TOKEN}")`), 'It printed no ExecCredential.'],
    ['prints nothing', plugin(''), 'It printed no ExecCredential.'],
    ['prints another kind', printing(credential({token: TOKEN}, {kind: 'Status'})), 'It printed no ExecCredential.'],
    [
      'prints another version',
      printing(credential({token: TOKEN}, {apiVersion: 'client.authentication.k8s.io/v1'})),
      `not of ${API}`,
    ],
    ['prints no status', printing(credential(undefined)), 'neither token nor certificate'],
    ['prints an empty token', printing(credential({token: ''})), 'neither token nor certificate'],
    ['prints a number', printing(credential({token: 7})), 'whose values are not text'],
    ['prints a token with a line break', printing(credential({token: `${TOKEN}\n`})), 'a token with a line break'],
    ['prints a certificate without its key', printing(credential({clientCertificateData: cert})), 'without its key'],
    [
      'prints a key that is none',
      printing(credential({clientCertificateData: cert, clientKeyData: TOKEN})),
      'not a PEM private key',
    ],
    [
      'prints no certificate',
      printing(credential({clientCertificateData: TOKEN, clientKeyData: key})),
      'not a PEM certificate',
    ],
    ['is not there', plugin('', {command: `${process.execPath}-not-there.exe`}), 'The program does not exist.'],
    ['is a folder', plugin('', {command: `${import.meta.dirname}/`}), 'could not be started'],
    ['has a bare name', plugin('', {command: 'node'}), 'It is not the absolute path of an .exe.'],
    ['has a bare name of Windows', plugin('', {command: 'node.exe'}), 'It is not the absolute path of an .exe.'],
    [
      'is a script of Windows',
      plugin('', {command: String.raw`C:\bin\login.cmd`}),
      'It is not the absolute path of an .exe.',
    ],
  ])('%s', async (_, user, why) => {
    const {seen, server} = await serveCluster()
    const {fix, id, reason} = await refusal((await clusterAt(server, {user})).node('win-1'))
    expect(id).toBe('EXEC_PLUGIN_FAILED')
    expect(reason).toContain(why)
    expect(fix).toContain('manually')
    expect(seen).toEqual([])
  })

  it('hangs', async () => {
    const {seen, server} = await serveCluster()
    const user = plugin('setInterval(() => undefined, 1000)')
    const {id, reason} = await refusal((await clusterAt(server, {machine: impatient(40), user})).about())
    expect(id).toBe('EXEC_PLUGIN_FAILED')
    expect(reason).toContain('It did not exit within')
    expect(seen).toEqual([])
  })
})

it('a client certificate of the kubeconfig is shown beside what a plugin gives', async () => {
  const {seen, server} = await serveCluster()
  await (await clusterAt(server, {user: {...NODE_USER, ...printing(credential({token: TOKEN}))}})).about()
  expect(seen).toEqual(['GET /version system:node:win-1'])
})
