import {describe, expect, it} from 'vitest'
import type {LogEntry} from '../../../src/logs/entry.js'
import {UTC_ZONE} from '../../../src/logs/zone.js'
import {type LogFormat, logText, type LogTextOptions} from '../../../src/output/text/log-text.js'
import {createRedactor} from '../../../src/output/text/redact.js'
import {createTheme} from '../../../src/output/screen.js'
import {schemaErrors} from '../../schemas.js'

const entry: LogEntry = {
  component: 'kubelet',
  file: String.raw`C:\k\logs\kubelet\a.log`,
  level: 'error',
  lines: ['E1115 06:04:02.823958    7 a.go:1] it broke', '\tat main'],
  message: 'it broke\n\tat main',
  offset: 0,
  process: 7,
  source: 'a.go:1',
  time: Date.parse('2026-11-15T06:04:02.823Z'),
}

function shown(format: LogFormat, of: Partial<LogEntry> = {}, options: Partial<LogTextOptions> = {}): string {
  const {redact} = createRedactor()
  const theme = createTheme({colour: false, unicode: false})
  const shared = {
    components: ['kubelet', 'kubeproxy'] as const,
    format,
    redact,
    theme,
    zone: UTC_ZONE,
  }
  return logText({...shared, ...options})({...entry, ...of})
}

describe('an entry', () => {
  it('is shown with time, component, level and source, and what belongs to it below', () => {
    expect(shown('text')).toBe('2026-11-15 06:04:02.823 kubelet   E a.go:1] it broke\n    \tat main\n')
    expect(shown('text', {}, {components: ['kubelet']})).toBe(
      '2026-11-15 06:04:02.823 E a.go:1] it broke\n    \tat main\n',
    )
  })

  it('is shown raw as it stands in its file', () => {
    expect(shown('raw')).toBe(`${entry.lines.join('\n')}\n`)
  })

  it.each(['json', 'ndjson'] as const)('is one line of %s', (format) => {
    const text = shown(format)
    expect(text.indexOf('\n')).toBe(text.length - 1)
    expect(schemaErrors('log-entry', JSON.parse(text))).toEqual([])
    expect(JSON.parse(text)).toEqual({
      component: 'kubelet',
      file: entry.file,
      level: 'error',
      message: entry.message,
      process: 7,
      raw: entry.lines.join('\n'),
      source: 'a.go:1',
      time: '2026-11-15T06:04:02.823Z',
    })
  })

  it.each(['text', 'raw', 'json'] as const)('hides secrets in %s, also one of several lines', (format) => {
    const lines = [
      'Authorization: Bearer abcdefgh12345',
      '-----BEGIN RSA PRIVATE KEY-----',
      'c2VjcmV0',
      '-----END RSA PRIVATE KEY-----',
    ]
    const text = shown(format, {lines, message: lines.join('\n')})
    expect(text).not.toMatch(/abcdefgh12345|c2VjcmV0/)
    expect(text).toContain('***')
  })

  it.each(['text', 'raw', 'json'] as const)('review S8: cannot steer a terminal by any field: %s', (format) => {
    const evil = 'a\u001B[2J\u001B]0;title\u0007\u0000\u0007\u009B31m\u0085\u007F\r\u2028b'
    const text = shown(format, {file: evil, lines: [evil], message: `${evil}\tc`, source: evil})
    // eslint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028]/)
    expect(text).toContain('a^G<U+0085>^?')
  })

  it.each(['text', 'raw', 'json'] as const)('review S8: hides secrets in every field: %s', (format) => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
    const text = shown(format, {file: `C:\\${secret}`, lines: [secret], message: secret, source: `${secret}:1`})
    expect(text).not.toContain('0123456789')
  })

  it.each(['\u061C', '\u200E', '\u200F', '\u202A', '\u202E', '\u2066', '\u2069'])(
    'review S8: cannot turn its text: %j',
    (mark) => {
      const code = (mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      const turned = {lines: [`a${mark}b`], message: `a${mark}b`, source: `a${mark}:1`}
      for (const format of ['text', 'raw', 'json'] as const) {
        expect(shown(format, turned)).toContain(`a<U+${code}>b`)
        expect(shown(format, turned)).not.toContain(mark)
      }
    },
  )
})
