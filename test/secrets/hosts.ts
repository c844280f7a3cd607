// Hosts and command lines with secrets in every input, by how the run ends.
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import type {GivenOptions} from '../../src/config/options/options.js'
import type {HostFolder} from '../steps/host-folder.js'
import {
  bootstrapToken,
  type Canary,
  dockerAuth,
  execSecret,
  jwt,
  password,
  proxyUrl,
  sasUrl,
  serverUrl,
  signature,
  token,
} from './canaries.js'

export interface SecretCase {
  readonly canaries: readonly Canary[]
  readonly environment?: Readonly<Record<string, string>>
  readonly exitCode: number
  /** `<dir>` is a folder of the machine the rehearsal runs on. */
  readonly given?: GivenOptions
  make?(host: HostFolder, dir: string): void
  readonly name: string
}

const KUBECONFIG = String.raw`k\kubeconfig`

/** The fresh host's kubeconfig with other credentials. */
const withUser =
  (user: Readonly<Record<string, unknown>>) =>
  (host: HostFolder): void =>
    rewrite(host, (text) => text.replace(/ {2}user:\n[^]*$/, `  user: ${JSON.stringify(user)}\n`))

const withServer =
  (server: string, more = '') =>
  (host: HostFolder): void =>
    rewrite(host, (text) => text.replace(/server: .*/, `server: ${JSON.stringify(server)}${more}`))

function rewrite(host: HostFolder, change: (text: string) => string): void {
  host.put(KUBECONFIG, change(host.read(KUBECONFIG)))
}

function knownToken(secret: string, where: 'inside' | 'beside') {
  return (host: HostFolder): void => {
    host.edit(({cluster}) => (cluster.tokens = {[secret]: 'system:node:win-1'}))
    if (where === 'beside') host.put(String.raw`k\token.kubeconfig`, secret)
    withUser(where === 'inside' ? {token: secret} : {tokenFile: String.raw`C:\k\token.kubeconfig`})(host)
  }
}

/** A configuration file of the machine the rehearsal runs on. */
const configFile =
  (text: string) =>
  (_: HostFolder, dir: string): void =>
    writeFileSync(join(dir, 'node.yaml'), text)
/** hosts.toml of a registry, in a folder of that machine. */
const hostsFile =
  (text: string) =>
  (_: HostFolder, dir: string): void => {
    mkdirSync(join(dir, 'registries', 'registry.example.com'), {recursive: true})
    writeFileSync(join(dir, 'registries', 'registry.example.com', 'hosts.toml'), text)
  }
const HEAD = 'apiVersion: k8s-win/v1\nkind: NodeConfig\n'

const exec = (command: string): Readonly<Record<string, unknown>> => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    args: ['get-token'],
    command,
    env: [{name: 'CLIENT_SECRET', value: execSecret.secret}],
  },
})

/** All of these are read: by k8s-win, by Node.js, or by programs that it starts. */
const PROXIES = {ALL_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl, https_proxy: proxyUrl}

export const CASES: readonly SecretCase[] = [
  {canaries: [token], exitCode: 0, make: knownToken(token.secret, 'inside'), name: 'a token'},
  {canaries: [jwt], exitCode: 0, make: knownToken(jwt.secret, 'beside'), name: 'a token in a file of its own'},
  {
    canaries: [bootstrapToken],
    exitCode: 0,
    make: knownToken(bootstrapToken.secret, 'inside'),
    name: 'a bootstrap token',
  },
  {canaries: [token], exitCode: 3, make: withUser({token: token.secret}), name: 'a token that the server refuses'},
  {
    canaries: [password],
    environment: PROXIES,
    exitCode: 0,
    make: (host) =>
      host.edit((world) => {
        Object.assign(world.environment, PROXIES)
        const key = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
        world.registry[key] = {...world.registry[key], HTTPS_PROXY: {data: proxyUrl, type: 'REG_SZ'}}
      }),
    name: 'proxies in the environment, of the process and of the host',
  },
  {
    canaries: [password, token],
    exitCode: 3,
    make(host) {
      withUser({token: token.secret})(host)
      withServer('https://10.0.0.99:6443', `\n    proxy-url: ${JSON.stringify(proxyUrl)}`)(host)
    },
    name: 'a proxy in the kubeconfig, and nobody behind it',
  },
  {canaries: [password], exitCode: 0, make: withServer(serverUrl), name: 'a user in the address of the server'},
  {
    canaries: [password],
    exitCode: 3,
    make: withUser({password: password.secret, username: 'bob'}),
    name: 'a user name and password',
  },
  {
    canaries: [token, password],
    exitCode: 3,
    make: withUser({
      'auth-provider': {config: {'access-token': token.secret, 'client-secret': password.secret}, name: 'oidc'},
    }),
    name: 'an auth provider',
  },
  {canaries: [execSecret], exitCode: 3, make: withUser(exec(String.raw`C:\none\plugin.exe`)), name: 'an exec plugin'},
  {
    canaries: [token],
    exitCode: 3,
    make: (host) => rewrite(host, (text) => `${text}\n\tbroken: [${token.secret}`),
    name: 'a kubeconfig that cannot be parsed',
  },
  {
    given: {kubeconfig: `users:\n- user:\n    token: ${token.secret}\n`},
    canaries: [token],
    exitCode: 3,
    name: 'a kubeconfig in place of its path',
  },
  ...[
    `[header]\nAuthorization = "Basic ${dockerAuth.secret}"\n`,
    `[header]\nAuthorization = "Basic ${dockerAuth.secret}\n`,
    `["${dockerAuth.secret}"\n`,
    `header = "Basic ${dockerAuth.secret}"\nserver = ["${dockerAuth.secret}"]\n`,
    `server = "https://bob:${dockerAuth.secret}@registry.example.com"\n`,
  ].map((text, nth): SecretCase => ({
    canaries: [dockerAuth],
    // With Docker the option is refused, whatever is in the folder.
    exitCode: 2,
    given: {'registry-config': '<dir>/registries'},
    make: hostsFile(text),
    name: `a registry with a header, ${nth + 1}`,
  })),
  ...[
    [proxyUrl, password] as const,
    [sasUrl, signature] as const,
    [`Bearer ${token.secret}`, token] as const,
    [`{"auths":{"registry.example.com":{"auth":"${dockerAuth.secret}"}}}`, dockerAuth] as const,
  ].flatMap(([value, canary]): SecretCase[] => [
    {given: {'image-registry': value}, canaries: [canary], exitCode: 2, name: `${canary.kind} in a flag`},
    {
      canaries: [canary],
      environment: {K8S_WIN_DOCKER_ENDPOINT: value, K8S_WIN_IMAGE_REGISTRY: value},
      exitCode: 2,
      name: `${canary.kind} in a variable`,
    },
    {
      given: {config: '<dir>/node.yaml'},
      canaries: [canary],
      exitCode: 2,
      make: configFile(`${HEAD}images:\n  registry: ${JSON.stringify(value)}\nclusterCIDR: ${JSON.stringify(value)}\n`),
      name: `${canary.kind} in the configuration file`,
    },
  ]),
  {
    given: {config: '<dir>/node.yaml'},
    canaries: [token, password],
    exitCode: 2,
    make: configFile(`${HEAD}token: ${token.secret}\npassword: ${JSON.stringify(password.secret)}\n`),
    name: 'keys of the configuration file that are none',
  },
  {
    given: {config: '<dir>/node.yaml'},
    canaries: [token],
    exitCode: 2,
    make: configFile(`${HEAD}token: "${token.secret}\n  - [`),
    name: 'a configuration file that cannot be parsed',
  },
]
