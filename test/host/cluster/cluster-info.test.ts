// Signatures of cluster-info, held against those of Kubernetes' own tests, and against anything else.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {detachedSignature, isSignedBy, readClusterInfo, readClusterOf} from '../../../src/host/cluster/cluster-info.js'
import {UnusableFileError} from '../../../src/errors/k8s-win-error.js'
import {configMap, infoText, signed, TOKEN} from './loopback-control-plane.js'

/** kubernetes: staging/src/k8s.io/cluster-bootstrap/token/jws/jws_test.go */
const CONTENT = 'Hello from the other side. I must have called a thousand times.'
const SECRET = 'my voice is my passcode'
const HEADER = 'eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9'

describe('a detached signature', () => {
  it.each([
    [CONTENT, SECRET, 'VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8'],
    ['', SECRET, '7Ui1ALizW4jXphVUB7xUqC9vLYLL9RZeOFfVLoB7Tgk'],
    [CONTENT, '', 'UfkqvDGiIFxrMnFseDj9LYJOLNrvjW8aHhF71mvvAs8'],
  ])('is that of Go', (content, secret, mac) => {
    expect(detachedSignature(content, {id: 'joshua', secret})).toBe(`${HEADER}..${mac}`)
  })

  it('is valid as a whole, for its content and its token only', () => {
    const text = infoText('https://h:1')
    const info = read(signed(text))
    expect(isSignedBy(TOKEN, info)).toBe(true)
    const right = info.signatureOf(TOKEN)
    const [header = '', , mac = ''] = right.split('.')
    for (const other of [`${right}A`, right.slice(0, -1), `${header}.${mac}`, `${header}.e30.${mac}`, ` ${right}`])
      expect(isSignedBy(TOKEN, read(configMap(text, other)))).toBe(false)
    expect(isSignedBy(TOKEN, read(configMap(`${text} `, right)))).toBe(false)
    // No other algorithm is taken, whatever the header says.
    const none = Buffer.from('{"alg":"none","kid":"abcdef"}').toString('base64url')
    expect(isSignedBy(TOKEN, read(configMap(text, `${none}..`)))).toBe(false)
  })

  it('of any text is valid for that text alone', () => {
    fc.assert(
      fc.property(fc.string({unit: 'binary'}), fc.string(), (text, other) => {
        const info = read(signed(text))
        expect(isSignedBy(TOKEN, info)).toBe(true)
        expect(isSignedBy(TOKEN, {...info, kubeconfig: `${text}${other}`})).toBe(other === '')
        expect(isSignedBy(TOKEN, {...info, signatureOf: () => other})).toBe(false)
      }),
    )
  })
})

describe('any answer', () => {
  it('is a ConfigMap, or none', () => {
    const parts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify({data: value, metadata: {}})),
    )
    fc.assert(
      fc.property(parts, (text) => {
        const info = readClusterInfo(Buffer.from(text))
        if (info) expect([typeof info.kubeconfig, typeof info.signatureOf(TOKEN)]).toEqual(['string', 'string'])
      }),
    )
  })

  it('with any kubeconfig is a CA and an https server, or says in a sentence why not', () => {
    const cluster = fc.record(
      {
        'certificate-authority-data': fc.oneof(fc.base64String(), fc.jsonValue()),
        'insecure-skip-tls-verify': fc.oneof(fc.boolean(), fc.string()),
        server: fc.oneof(fc.webUrl(), fc.string(), fc.jsonValue()),
      },
      {requiredKeys: []},
    )
    const documents = fc.oneof(
      fc.string(),
      cluster.map((one) => JSON.stringify({clusters: [{cluster: one, name: ''}]})),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(documents, (kubeconfig) => {
        try {
          expect(readClusterOf({kubeconfig}).server).toMatch(/^https:\/\//)
        } catch (error) {
          expect(error).toBeInstanceOf(UnusableFileError)
          expect((error as Error).message).toMatch(/^(?:it|its) /)
        }
      }),
    )
  })
})

function read(document: object) {
  const info = readClusterInfo(Buffer.from(JSON.stringify(document)))
  if (!info) throw new Error('it was not read')
  return info
}
