// review S2-9: the credentials that setup itself handles (proxies, registries, kubeconfigs, tokens), in every notation that
// programs write them in. Their names and places give most of them away; one that is registered is hidden in all of them.
import {describe, expect, test} from 'vitest'
import {createRedactor} from '../../../src/output/text/redact.js'

const SECRET = 'winterqkxj&garden'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const html = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const bytes = [...Buffer.from(SECRET)]
const hex = bytes.map((byte) => byte.toString(16))
const LOGIN = base64(`bob:${SECRET}`)

/** Recognised by what is around them. */
const RECOGNISED: Readonly<Record<string, string>> = {
  'a proxy': `HTTPS_PROXY=http://bob:${SECRET}@proxy:3128`,
  'a proxy of netsh': `netsh winhttp set proxy http://bob:${SECRET}@proxy:80`,
  'a proxy in a sentence': `CONNECT failed: proxy bob:${SECRET}@proxy.example.com`,
  "a proxy in Go's struct": `&url.URL{Scheme:"http", User:url.UserPassword("bob", "${SECRET}"), Host:"proxy:3128"}`,
  'a proxy without a port': `HTTPS_PROXY=bob:${SECRET}@proxy`,
  'a proxy without a scheme': `HTTPS_PROXY=bob:${SECRET}@proxy:3128`,
  'a login at a proxy': `Proxy-Authorization: Basic ${LOGIN}`,
  "curl's proxy": `curl --proxy-user bob:${SECRET} -x proxy https://example.com`,
  'crictl --auth': `crictl pull --auth ${LOGIN} r/x`,
  'crictl --creds': `crictl pull --creds bob:${SECRET} r/x`,
  'ctr --user': `ctr images pull --user bob:${SECRET} r/x`,
  'nerdctl login': `nerdctl login -u bob -p ${SECRET} r`,
  'a password from a pipe': `echo "${SECRET}" | docker login -u bob --password-stdin r`,
  'a registry in a URL': `https://bob:${SECRET}@r.example/v2/`,
  "a registry's token in a URL": `https://${SECRET}@r.example/v2/`,
  "a registry's login in a URL": `https://auth.example/token?account=bob&password=${encodeURIComponent(SECRET)}&service=r`,
  "docker's config.json": `{"auths":{"r.example":{"username":"bob","password":"${SECRET}"}}}`,
  'a header of Docker': `X-Registry-Auth: ${base64(JSON.stringify({username: 'bob', password: SECRET}))}`,
  'an identity token': `identitytoken: ${SECRET}`,
  'a token of a registry': `{"registrytoken":"${SECRET}"}`,
  'headers of a probe': `httpHeaders:\n- name: Authorization\n  value: ${SECRET}\n- name: X-Custom-Auth\n  value: ${SECRET}`,
  "headers of a probe in Go's struct": `HTTPHeaders:[]HTTPHeader{HTTPHeader{Name:X-Auth-Token,Value:${SECRET},},}`,
  'a pull secret': `kubectl create secret generic x --from-literal=any=${SECRET}`,
  'a Secret before it is encoded': `stringData:\n  any: ${SECRET}\nnext: 1`,
  'an element of XML in HTML': html(`<password>${SECRET}</password>`),
  'a connection string with brackets': `Server=x;PWD={${SECRET}};Driver=y`,
  'a database of Go': `bob:${SECRET}@tcp(10.0.0.1:3306)/db`,
  'a token of kubeadm': 'kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef --v 2',
  'a token on a command line': `-Token:'${SECRET}'`,
  'a token in a variable': `K8S_WIN_TOKEN=${SECRET}`,
  'a user of a kubeconfig': `users:\n- name: x\n  user:\n    password: ${SECRET}\n    username: bob`,
  'a user of a kubeconfig in one line': `users: [{name: x, user: {token: ${SECRET}}}]`,
  "a user of a kubeconfig in Go's struct": `AuthInfo{Token:"${SECRET}", Password:"${SECRET}"}`,
  'the environment of an exec plugin': `env:\n    - name: AWS_SECRET_ACCESS_KEY\n      value: ${SECRET}`,
  'arguments of an exec plugin': `args:\n    - --client-secret\n    - ${SECRET}`,
  'an auth provider': `auth-provider:\n  config:\n    id-token: ${SECRET}\n    refresh-token: ${SECRET}`,
  'an answer with a token': `{"access_token":"${SECRET}","expires_in":300}`,
}

/** Nothing gives these away but that they are known. */
const KNOWN_ONLY: Readonly<Record<string, string>> = {
  'a header of a registry with any name': `X-Meta = ["${SECRET}"]`,
  'a variable of an exec plugin with any name': `env:\n    - name: CLIENT_CODE\n      value: ${SECRET}`,
  "a user in Go's struct": `User:(*url.Userinfo)(0xc000) bob:${SECRET}`,
  'letters of hex': `raw ${hex.join('')} x`,
  'capital letters of hex': `raw ${hex.join('').toUpperCase()} x`,
  'a dump': hex.join(' '),
  "bytes in Go's source": `[]byte{${hex.map((byte) => `0x${byte}`).join(', ')}}`,
  'bytes as Go prints them': `Token [${bytes.join(' ')}] x`,
  'a list of bytes in JSON': JSON.stringify(bytes).replaceAll(',', ', '),
  HTML: html(`x ${SECRET} y`),
  'two lines': `at ${SECRET.slice(0, 7)}\n    ${SECRET.slice(7)} x`,
}

/** Every way in which it could still be read in what is shown. */
const READABLE = [
  SECRET,
  SECRET.slice(7),
  html(SECRET),
  encodeURIComponent(SECRET),
  base64(SECRET).slice(0, 14),
  LOGIN.slice(6, 20),
  bytes.join(' '),
  bytes.join(', '),
  hex.join(''),
  hex.join('').toUpperCase(),
  hex.join(' '),
  hex.map((byte) => `0x${byte}`).join(', '),
  'abcdef.0123456789abcdef',
]
const readable = (text: string): string[] => READABLE.filter((form) => text.includes(form))
const {redact} = createRedactor()
const knowing = createRedactor()
knowing.register(SECRET)

describe('review S2-9: credentials of setup', () => {
  test.each(Object.entries(RECOGNISED))('are recognised in %s', (_, text) => {
    expect(readable(redact(text))).toEqual([])
    expect(redact(text)).toContain('***')
  })

  test.each(Object.entries({...RECOGNISED, ...KNOWN_ONLY}))('that are known are hidden in %s', (_, text) => {
    expect(readable(knowing.redact(text))).toEqual([])
    expect(knowing.redact(text)).toContain('***')
  })

  test('leave what is around them, also over several lines', () => {
    expect(knowing.redact(`a\n b ${SECRET.slice(0, 4)}\n  ${SECRET.slice(4)} c\nd`)).toBe('a\n b *** c\nd')
  })
})
