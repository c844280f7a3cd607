// Which errors time may cure: a golden list, so that a new error is put on one side on purpose.
import {describe, expect, it} from 'vitest'
import {ERRORS} from '../../src/errors/catalogue.js'
import {isTransient, TRANSIENT_IDS} from '../../src/errors/catalogue.js'

/** Exit codes of a run that changed or could change something. */
const CODES = [4, 5, 6, 7, 10, 11, 130]

describe('a transient error', () => {
  it('is one of the catalogue', () => {
    const ids = new Set(ERRORS.map(({id}) => id))
    for (const id of TRANSIENT_IDS) expect(ids).toContain(id)
  })

  it('makes a run transient only where every error is one', () => {
    expect(isTransient(['DOWNLOAD_FAILED'])).toBe(true)
    expect(isTransient(['API_SERVER_UNREACHABLE', 'NOT_ADMINISTRATOR'])).toBe(false)
    expect(isTransient(['WRONG_DIGEST'])).toBe(false)
    expect(isTransient(['BUG'])).toBe(false)
    expect(isTransient([])).toBe(false)
  })

  it('of a check is one that the network or the cluster causes', () => {
    const ids = ERRORS.filter(({exitCode, id}) => exitCode === 3 && TRANSIENT_IDS.has(id)).map(({id}) => id)
    expect(ids.sort()).toMatchInlineSnapshot(`
      [
        "ADMISSION_WEBHOOK_FAILED",
        "API_SERVER_BUSY",
        "API_SERVER_CERTIFICATE_LAPSED",
        "API_SERVER_UNREACHABLE",
        "CLOCK_WRONG",
        "CLUSTER_DNS_UNKNOWN",
        "DOCKER_STOPPED",
        "INTERFACE_WITHOUT_ADDRESS",
        "JOIN_NO_CLUSTER_INFO",
        "JOIN_OTHER_SERVER_UNREACHABLE",
        "JOIN_SERVER_UNREACHABLE",
        "JOIN_TOKEN_REFUSED",
        "JOIN_TOKEN_UNSIGNED",
        "SECRET_IDENTITY_MISSING",
        "SECRET_UNREACHABLE",
      ]
    `)
  })

  it.each(CODES)('with exit code %d is known from a permanent one', (code) => {
    const all = ERRORS.filter(({exitCode}) => exitCode === code)
      .map(({id}) => id)
      .sort()
    const lines = all.map((id) => `${TRANSIENT_IDS.has(id) ? 'transient' : 'permanent'} ${id}`)
    expect(lines).toMatchSnapshot()
  })
})
