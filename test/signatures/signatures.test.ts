// Every known failure is found in lines of the true shape, in any language, and not in lines that are only close to it.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {recognise, recogniseAll, SIGNATURES, type SignatureSource} from '../../src/signatures/index.js'
import {messageOf} from '../../src/signatures/message.js'
import {SIGNATURE_SOURCES} from '../../src/signatures/signature.js'
import {HNS_CODES, HNS_WINDOWS_CODES, hnsLines, SERVICE_CODES} from './code-lines.js'
import {LINES} from './lines/index.js'
import {errorS, flannelEnds, flannelSays, klog, logrus, shawl} from './log-lines.js'

describe('the table', () => {
  it('has 45 and more, each with an id of its own', () => {
    const ids = SIGNATURES.map(({id}) => id)
    expect(ids.length).toBeGreaterThanOrEqual(45)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^[a-z][a-z\d]*(?:-[a-z\d]+)*$/.test(id))).toEqual([])
  })

  it('reports cause, fix and source of each, in plain letters', () => {
    for (const {cause, fix, id, seenIn, sources} of SIGNATURES) {
      expect(`${cause}${fix}${sources.join('')}`, id).toMatch(/^[\x20-\x7e]+$/)
      expect(cause, id).toMatch(/^[A-Za-z].*[.]$/)
      expect(fix, id).toMatch(/[.]$/)
      expect(sources.length, id).toBeGreaterThan(0)
      expect(seenIn.length, id).toBeGreaterThan(0)
    }
  })

  it('review D3-1: has a thread, a page or a program of each: a list of codes gives no cause', () => {
    const isList = (source: string): boolean => /^Microsoft: .*(?:error codes|NTSTATUS values)/.test(source)
    expect(SIGNATURES.filter(({sources}) => sources.every(isList)).map(({id}) => id)).toEqual([])
  })

  it('review D3-1: the crash of HNS without a known fix is not explained by a missing update', () => {
    const {fix, sources} = SIGNATURES.find(({id}) => id === 'hns-request-unsupported') ?? {fix: '', sources: []}
    expect(sources).toContain('microsoft/Windows-Containers#485')
    expect(fix).not.toMatch(/install/i)
  })

  it('has a line for each of them', () => {
    const covered = new Set([
      ...LINES.map(({id}) => id),
      ...[...HNS_CODES, ...HNS_WINDOWS_CODES].map(([id]) => id),
      ...SERVICE_CODES.map((code) => `service-error-${code}`),
    ])
    expect(SIGNATURES.map(({id}) => id).filter((id) => !covered.has(id))).toEqual([])
  })

  it('has no repetition without an end, and no state', () => {
    for (const {id, pattern} of SIGNATURES) {
      expect(pattern.flags, id).not.toMatch(/[gy]/)
      // Every repetition has an end, so that no line takes more than its length times a constant.
      expect(pattern.source, id).not.toMatch(/(?<!\\)[*+]|\{\d+,\}/)
    }
  })
})

describe.each(LINES)('$id', ({id, is, isNot, source}) => {
  it('is found in its line', () => {
    expect(recognise(is, source)?.id).toBe(id)
  })

  it('is not found in what is close to it', () => {
    for (const close of isNot) expect(recogniseAll(close, source).map((one) => one.id)).not.toContain(id)
  })
})

describe.each([...HNS_CODES, ...HNS_WINDOWS_CODES])('%s', (id, code) => {
  const seenIn = SIGNATURES.find((one) => one.id === id)?.seenIn ?? []

  it.each(hnsLines(code).filter(([source]) => seenIn.includes(source)))('is found as %s reports it', (source, line) => {
    expect(recognise(line, source)?.id).toBe(id)
  })

  it('is not found in a longer code, nor without the one who hands it on', () => {
    const longer = `code 0x${(code < 0x1_0000 ? 0x8007_0000 + code : code).toString(16)}0`
    expect(recognise(longer, 'hns')).toBeUndefined()
    expect(recognise(`allocated 0x${code.toString(16)} bytes`, 'hns')?.id).not.toBe(code < 0x1_0000 ? id : '')
  })
})

it('a parameter that HNS refuses for an endpoint or a load balancer is no reason to remove networks', () => {
  const found = new Map(hnsLines(0x57).map(([source, line]) => [source, recognise(line, source)?.id]))
  expect(Object.fromEntries(found)).toEqual({
    flanneld: 'hns-parameter-incorrect',
    hns: 'hns-parameter-incorrect',
    'kube-proxy': 'kube-proxy-policy-refused',
    kubelet: undefined,
  })
})

it('the program of a pod that does not answer its probes and hooks is not the API server', () => {
  const refused =
    'dial tcp 10.244.3.5:8080: connectex: No connection could be made because the target machine actively refused it.'
  const probe = `"Probe failed" probeType="Readiness" pod="shop/web" containerName="web" probeResult="failure" output=${JSON.stringify(`Get "http://10.244.3.5:8080/": ${refused}`)}`
  const lines = [
    klog('I', 'prober.go:120', probe),
    errorS('handlers.go:90', 'HTTP lifecycle hook for Container in Pod failed', `Get "http://10.244.3.5/": ${refused}`),
    errorS('kuberuntime_container.go:748', 'PreStop hook failed', `Get "http://10.244.3.5/": ${refused}`),
  ]
  expect(recogniseAll(lines.join('\n'), 'kubelet')).toEqual([])
  expect(recognise(klog('E', 'reflector.go:200', `"Failed to watch" err="${refused}"`), 'kubelet')?.id).toBe(
    'api-server-unreachable',
  )
})

describe.each(SERVICE_CODES)('Windows error %i of a service', (code) => {
  it.each([String(code), `Windows error ${code}`, `[SC] StartService FAILED ${code}:`, `%%${code}`])('%s', (text) => {
    expect(recognise(text, 'service-manager')?.id).toBe(`service-error-${code}`)
  })

  it.each([`${code}0`, `port ${code} is free`, `error 9${code}`, `${code}.5`])('not %s', (text) => {
    expect(recognise(text, 'service-manager')).toBeUndefined()
  })
})

describe('a file that daemons complain of', () => {
  const unready = 'container runtime network not ready: NetworkReady=false message:docker: cni config uninitialized'
  const inLog = klog('E', 'kubelet.go:2337', `"Container runtime network not ready" networkReady="${unready}"`)

  it('is missing where it is not known to be there', () => {
    expect(recognise(unready, 'kubelet')?.id).toBe('cni-config-missing')
    expect(recognise(inLog, 'kubelet', ['subnet.env'])?.id).toBe('cni-config-missing')
  })

  it('is not missing where it is there: the condition of the node has another reason, a line of a log is old', () => {
    expect(recognise(unready, 'kubelet', ['cni.conf'])?.id).toBe('cni-config-unusable')
    expect(recogniseAll(inLog, 'kubelet', ['cni.conf'])).toEqual([])
  })
})

describe('of many lines', () => {
  const old = flannelEnds('failed to acquire lease: node "win-1" pod cidr not assigned')
  const newer = flannelEnds('invalid VXLAN backend config. VNI [1] must be greater than or equal to 4096 on Windows')

  it('the newest that is known decides', () => {
    expect(recognise([old, newer, flannelSays('I', 'main.go:400', 'Exiting')].join('\n'), 'flanneld')?.id).toBe(
      'flannel-vni-too-small',
    )
  })

  it('all are reported, each once, the newest first', () => {
    const found = recogniseAll([old, newer, old, newer, ''].join('\r\n'), 'flanneld').map(({id}) => id)
    expect(found).toEqual(['flannel-vni-too-small', 'flannel-no-pod-cidr'])
  })

  it('a reason comes before what only reports that something failed', () => {
    const line = errorS(
      'proxier.go:1202',
      'Policy creation failed',
      'hcnCreateLoadBalancer failed in Win32: x (0x803b0013)',
    )
    expect(recognise(line, 'kube-proxy')?.id).toBe('hns-port-exists')
  })

  it('what one says, another need not know', () => {
    expect(recognise(old, 'kube-proxy')).toBeUndefined()
    expect(recognise('1053', 'kubelet')).toBeUndefined()
  })
})

describe('what a line says', () => {
  const message = String.raw`open C:\k\x "quoted" \ end`

  it.each([
    ['klog', klog('E', 'a_b.go:12', message)],
    ['klog in shawl', shawl(klog('I', 'main.go:1', message))],
    ['logrus', logrus(message)],
    ['nothing before it', message],
  ])('%s', (_, line) => {
    expect(messageOf(line)).toBe(message)
  })

  it('never fails, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({maxLength: 200, unit: 'binary'}),
        fc.constantFrom(...SIGNATURE_SOURCES),
        (text, source: SignatureSource) => {
          expect(Array.isArray(recogniseAll(text, source))).toBe(true)
        },
      ),
    )
  })

  it('is quick with a line of a hundred thousand letters, and with every beginning of a pattern repeated', () => {
    const pieces = LINES.map(({is}) => messageOf(is).slice(0, 25)).concat(
      'hnsCall failed in Win32: ',
      'x509: ',
      ' '.repeat(50),
    )
    for (const piece of pieces) {
      const line = piece.repeat(Math.ceil(100_000 / piece.length))
      for (const source of SIGNATURE_SOURCES) recogniseAll(line, source)
    }
    expect(pieces.length).toBeGreaterThan(50)
  })
})
