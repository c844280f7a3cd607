// Whatever a metadata service or a secret store answers, a fetch ends with a text or an error of the catalogue, in time, asks
// only addresses of its form, and shows nothing that was hidden.
import fc from 'fast-check'
import {expect, it} from 'vitest'
import {K8sWinError} from '../../../src/errors/k8s-win-error.js'
import {fetchSecret} from '../../../src/host/secrets/fetch-secret.js'
import {type Http, HttpError, type HttpResponse} from '../../../src/machine/http.js'
import {handClock} from '../../fakes/hand-clock.js'
import {only} from '../../fakes/partial.js'
import {parsed, SOURCES} from './loopback-cloud.js'

const KEYS =
  'Code AccessKeyId SecretAccessKey Token Parameter Value SecretString SecretBinary __type message azEnvironment access_token value payload data error code status error_description'
const leaf = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'Success',
    'AzurePublicCloud',
    'us-east-1',
    'amazonaws.com',
    '1',
    'xn--a',
    'ExpiredTokenException',
    'a\r\nHost: evil',
  ),
  fc.integer(),
  fc.constant(null),
)
const {tree} = fc.letrec((tie) => ({
  tree: fc.oneof(
    {depthSize: 'small'},
    leaf,
    fc.array(tie('tree'), {maxLength: 3}),
    fc.dictionary(fc.constantFrom(...KEYS.split(' '), '__proto__'), tie('tree'), {maxKeys: 6}),
  ),
}))
const body = fc.oneof(
  fc.string({unit: 'binary'}),
  tree.map((value) => JSON.stringify(value)),
  fc.constantFrom('us-east-1', 'role'),
)
const answer = fc.record({
  body,
  headers: fc.constantFrom<Record<string, string>>(
    {},
    {'retry-after': '1'},
    {'retry-after': 'never'},
    {'retry-after': '-5'},
  ),
  status: fc.constantFrom(200, 200, 200, 200, 400, 401, 403, 404, 410, 429, 500, 503),
})
const failure = fc.constantFrom('ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'TOO_LARGE', 'TRUNCATED')
const ADDRESS =
  /^(?:http:\/\/169\.254\.169\.254|https:\/\/(?:(?:ssm|secretsmanager)\.us-east-1\.amazonaws\.com|k8s-vault\.vault\.azure\.net|secretmanager\.googleapis\.com))\/[\w./?&=:%+,@-]*$/

it('ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SOURCES),
      fc.array(fc.oneof(answer, failure), {minLength: 1}),
      async ([, source], answers) => {
        const clock = handClock()
        let nth = 0
        const hidden: string[] = []
        const shown: string[] = []
        const http = only<Http>('http', {
          async request({headers = {}, url}): Promise<HttpResponse> {
            expect(url).toMatch(ADDRESS)
            for (const value of Object.values(headers)) expect(value).not.toMatch(/[\r\n]/)
            clock.advance(100)
            const next = answers[nth++ % answers.length] ?? 'ECONNREFUSED'
            if (typeof next === 'string') throw new HttpError(url, next, `${url}: it failed`)
            return {...next, body: Buffer.from(next.body)}
          },
        })
        const parts = {
          clock,
          http,
          inform: (text: string) => void shown.push(text),
          register: (text: string) => void hidden.push(text),
          secretHosts: [],
        }
        const outcome = await fetchSecret({...parts, signal: new AbortController().signal}, parsed(source)).catch(
          (error: unknown) => error,
        )
        expect(clock.now()).toBeLessThan(660_000)
        if (typeof outcome === 'string') return void expect(hidden).toContain(outcome)
        expect(outcome).toBeInstanceOf(K8sWinError)
        expect((outcome as K8sWinError).id).toMatch(/^SECRET_/)
        expect((outcome as K8sWinError).reason.length).toBeLessThan(1000)
      },
    ),
    {numRuns: 500},
  )
})
