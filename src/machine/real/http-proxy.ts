// Which proxy a request goes through: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in either case, as Go reads them (golang.org/x/net,
// http/httpproxy): where setup reaches the API server, the daemons must reach it the same way. curl takes more for an
// exception: spaces between two, and example.com for .example.com.
import {BlockList, isIP} from 'node:net'
import {safeUrl} from '../credentials.js'
import {HttpError} from '../http.js'
import {parseProxy} from '../proxy.js'

/** Undefined where the request goes straight to its host. */
export function proxyFor(url: URL, environment: NodeJS.ProcessEnv): URL | undefined {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = variable(environment, name)
  const host = bareHost(url.hostname)
  if (proxy === '' || isLoopback(host)) return undefined
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const exceptions = variable(environment, 'NO_PROXY')
    .split(',')
    .map((exception) => exception.trim())
  if (exceptions.some((exception) => exception !== '' && covers(exception.toLowerCase(), host, port))) return undefined
  return proxyAt(proxy, url, name)
}

export function proxyAt(proxy: string, url: URL, name: string): URL {
  const {url: address} = parseProxy(proxy)
  if (address) return address
  throw new HttpError(safeUrl(url.href), 'INVALID_PROXY', `${name} does not hold the URL of an HTTP proxy`)
}

function variable(environment: NodeJS.ProcessEnv, name: string): string {
  return (environment[name] ?? environment[name.toLowerCase()] ?? '').trim()
}

function bareHost(hostname: string): string {
  return hostname.toLowerCase().replace(/^\[(?<address>.*)\]$/u, '$<address>')
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}

function covers(exception: string, host: string, port: string): boolean {
  if (exception === '*') return true
  const slash = exception.indexOf('/')
  if (slash !== -1) return inNetwork(exception.slice(0, slash), Number(exception.slice(slash + 1)), host)
  if (isIP(bareHost(exception)) !== 0) return bareHost(exception) === host
  const withPort = /^(?<name>.+):(?<port>\d+)$/u.exec(exception)?.groups
  if (withPort && withPort['port'] !== port) return false
  const name = bareHost(withPort?.['name'] ?? exception)
  const domain = name.replace(/^\*?\./u, '')
  if (host === domain) return name === domain
  return isIP(host) === 0 && host.endsWith(`.${domain}`)
}

function inNetwork(network: string, prefix: number, host: string): boolean {
  const family = isIP(network)
  const bits = family === 4 ? 32 : 128
  if (family === 0 || isIP(host) !== family || !Number.isInteger(prefix) || prefix < 0 || prefix > bits) return false
  const list = new BlockList()
  const type = family === 4 ? 'ipv4' : 'ipv6'
  list.addSubnet(network, prefix, type)
  return list.check(host, type)
}
