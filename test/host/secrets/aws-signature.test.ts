// The signature of AWS, against the published vectors and against the package aws4.
import aws4 from 'aws4'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {signed} from '../../../src/host/secrets/aws-signature.js'

/**
 * Of AWS' signing test suite (awslabs/aws-c-auth, tests/aws-signing-test-suite/v4): every POST to / without a query, except
 * post-header-key-case, which is post-vanilla again, and post-sts-header-after, which leaves the session token unsigned.
 */
const CREDENTIALS = {accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'}
const SESSION =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='
const HOST = {Host: 'example.amazonaws.com'}
const BODY_DIGEST = '9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e'
const form = (type: string) => ({
  ...HOST,
  'Content-Length': '13',
  'Content-Type': type,
  'x-amz-content-sha256': BODY_DIGEST,
})

interface Vector {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly name: string
  readonly sessionToken?: string
  readonly signature: string
}

const VECTORS: readonly Vector[] = [
  {name: 'post-vanilla', signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'},
  {
    headers: {...HOST, 'My-Header1': 'value1'},
    name: 'post-header-key-sort',
    signature: 'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  },
  {
    headers: {...HOST, 'My-Header1': 'VALUE1'},
    name: 'post-header-value-case',
    signature: 'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  },
  {
    name: 'post-sts-header-before',
    sessionToken: SESSION,
    signature: '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  },
  {
    body: 'Param1=value1',
    headers: form('application/x-www-form-urlencoded'),
    name: 'post-x-www-form-urlencoded',
    signature: 'd3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b',
  },
  {
    body: 'Param1=value1',
    headers: form('application/x-www-form-urlencoded; charset=utf-8'),
    name: 'post-x-www-form-urlencoded-parameters',
    signature: '328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422',
  },
]

describe("AWS' own vectors", () => {
  it.each(VECTORS)('$name', ({body = '', headers = HOST, sessionToken, signature}) => {
    const credentials = {...CREDENTIALS, ...(sessionToken !== undefined && {sessionToken})}
    const now = Date.UTC(2015, 7, 30, 12, 36)
    const {authorization} = signed({body, credentials, headers, now, region: 'us-east-1', service: 'service'})
    expect(authorization).toContain('Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ')
    expect(authorization).toMatch(new RegExp(`Signature=${signature}$`))
  })
})

/** What the package signs besides: it adds the length of a body. */
it('is that of aws4, of any body, name, time and credentials', () => {
  const word = fc.stringMatching(/^[\w/+=]{1,40}$/)
  const times = fc.date({max: new Date('2099-01-01'), min: new Date('2000-01-01'), noInvalidDate: true})
  const target = fc.stringMatching(/^[\w.]{1,20}( {1,3}[\w.]{1,20})?$/)
  fc.assert(
    fc.property(
      fc.string({unit: 'grapheme'}),
      word,
      word,
      word,
      times,
      target,
      (body, id, key, session, date, action) => {
        const now = Math.floor(date.getTime() / 1000) * 1000
        const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
        const headers = {
          'Content-Length': String(Buffer.byteLength(body)),
          'Content-Type': 'application/x-amz-json-1.1',
          Host: 'ssm.eu-central-1.amazonaws.com',
          'X-Amz-Target': action,
        }
        const credentials = {accessKeyId: id, secretAccessKey: key, sessionToken: session}
        const own = signed({body, credentials, headers, now, region: 'eu-central-1', service: 'ssm'})
        const request = {body, headers: {...headers, 'X-Amz-Date': time}, method: 'POST', path: '/', service: 'ssm'}
        const theirs = aws4.sign({...request, region: 'eu-central-1'}, credentials)
        expect(own['authorization']).toBe(theirs.headers?.['Authorization'])
        expect(own['x-amz-security-token']).toBe(session)
      },
    ),
  )
})
