// Lines that make a pattern with a way back take for ever, and everything in src that reads text of others.
import {at} from '../../src/host/document.js'
import {readEvent} from '../../src/host/event-log.js'
import {Assembler} from '../../src/logs/assemble.js'
import {klogName} from '../../src/logs/file-names.js'
import {ownLine} from '../../src/logs/own-line.js'
import {readLine} from '../../src/logs/read-line.js'
import {fromRustText} from '../../src/logs/read-line.js'
import {encodingOf, LineSplitter} from '../../src/logs/split-lines.js'
import {isAge, parseMoment} from '../../src/logs/time-range.js'
import {UTC_ZONE} from '../../src/logs/zone.js'
import {safeUrl, withoutCredentials} from '../../src/machine/credentials.js'
import {harmless, printable} from '../../src/output/text/harmless.js'
import {logText} from '../../src/output/text/log-text.js'
import {plainChange, plainLine} from '../../src/output/run/plain-lines.js'
import {createRedactor, redactAll} from '../../src/output/text/redact.js'
import {isSecretName} from '../../src/output/text/secret-names.js'
import {changeLines} from '../../src/output/run/terminal-lines.js'
import {ascii, breakHard, textWidth, truncate, truncateMiddle, wrap} from '../../src/output/text/text-shape.js'
import {openScreen} from '../../src/output/screen.js'
import {errorLines} from '../../src/output/text/problems.js'
import {checkText} from '../../src/output/run/verdict.js'
import {fileLines} from '../../src/pipeline/plan/file-lines.js'
import {recogniseAll} from '../../src/signatures/index.js'
import {messageOf} from '../../src/signatures/message.js'
import {SIGNATURE_SOURCES} from '../../src/signatures/signature.js'

const redactor = createRedactor()
redactor.register('a registered secret')
redactor.register('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')
const {redact} = redactor
const screen = openScreen({columns: 81, isTTY: true, write: () => {}})
const {theme} = screen

const entry = (text: string) => ({
  component: 'kubelet' as const,
  file: text,
  level: 'info' as const,
  lines: [text],
  message: text,
  offset: 0,
  source: text,
  time: 0,
})
const shownLog = (['json', 'raw', 'text'] as const).map((format) =>
  logText({components: ['kubelet'], format, redact, theme, zone: UTC_ZONE}),
)
const file = (text: string) => ({content: Buffer.from(text), kind: 'file' as const})

type TextFunctions = Readonly<Record<string, (text: string) => unknown>>

/** By name. Each is given a text of any length. */
export const TEXT_FUNCTIONS: TextFunctions = {
  Assembler(text) {
    const assembler = new Assembler({component: 'kubelet', file: 'f', zone: UTC_ZONE}, 0)
    for (const line of text.split('\n').slice(0, 1000)) assembler.add({offset: 0, text: line})
    return assembler.end()
  },
  LineSplitter: (text) => new LineSplitter(encodingOf(Buffer.from(text)), 0).push(Buffer.from(text)),
  ascii,
  'break hard': (text) => breakHard(text, 80),
  'file lines': (text) =>
    fileLines([{after: file(`${text}b`), before: file(text), kind: 'file', path: 'p', secret: false}]),
  'from Rust text': fromRustText,
  harmless,
  'is an age': isAge,
  'is a secret name': isSecretName,
  'klog name': klogName,
  'message of': messageOf,
  'own line': ownLine,
  'own line of an effect': (text) => ownLine(`files read ${text}-> error ${text}`),
  'own line of an event': (text) => ownLine(`event {"type":"log","message":${JSON.stringify(text)}}`),
  'parse a moment': (text) => parseMoment(text, UTC_ZONE),
  printable,
  'read a Windows event': readEvent,
  'read a Windows event with data': (text) =>
    at(readEvent(`<Event><System><Provider Name='${text}'/></System><EventData><Data>${text}`), 'data'),
  'read line': (text) => readLine(text, 0, UTC_ZONE),
  'read line of klog': (text) => readLine(`E1115 06:04:02.823958    7 ${text}:1] x`, 0, UTC_ZONE),
  'read line of shawl': (text) => readLine(`2026-01-01 00:00:00 [INFO] stderr: "${text}"`, 0, UTC_ZONE),
  redact,
  'safe URL': (text) => safeUrl(`https://${text}`),
  'text width': textWidth,
  truncate: (text) => truncate(text, 80),
  'truncate in the middle': (text) => truncateMiddle(text, 80),
  'without credentials': withoutCredentials,
  wrap: (text) => wrap(text, 80, '  '),
  ...Object.fromEntries(
    SIGNATURE_SOURCES.map((source) => [`recognise what ${source} says`, (text: string) => recogniseAll(text, source)]),
  ),
}

/** What hands a text on to some of these. */
export const VIEWS: TextFunctions = {
  'change lines': (text) => changeLines([text], screen),
  'check text': (text) => checkText({durationMs: 0, fix: text, id: 'disk', message: text, result: 'warn', title: 'x'}),
  'error lines': (text) =>
    errorLines([{cause: text, command: null, fix: text, id: 'X', message: text, url: text}], screen),
  'log as JSON': (text) => shownLog[0]?.(entry(text)),
  'log as text': (text) => shownLog[2]?.(entry(text)),
  'log raw': (text) => shownLog[1]?.(entry(text)),
  'plain change': (text) => plainChange('at', 'step', text),
  'plain line': (text) => plainLine('at', text),
  'redact a document': (text) =>
    redactAll({[text.slice(0, 200_000)]: text, list: ['--token', text], name: text, value: text}, redact),
}

/** Repeated to any length: what the patterns begin with, what they repeat, and what they wait for. */
export const PIECES: readonly string[] = [
  ...[
    'a',
    ',a:@',
    '=a:@',
    '1',
    ' ',
    '\n',
    '\r\n',
    '\n ',
    '.',
    '-',
    ':',
    '/',
    '\\',
    '"',
    "'",
    '(',
    '{',
    '<',
    '@',
    '%',
    '=',
    '&',
    ';',
    '$',
  ],
  ...[
    '\u0000',
    '\u001B[;',
    '\u001B]a',
    '\u009D0;',
    '\u202E\u202D',
    '\u200B',
    '漢',
    '🎉',
    'a ',
    'a:',
    'a.',
    '\\"',
    '\\n',
  ],
  ...['x://a:b', 'x://@', '%41', '&quot;', 'password=', 'password="', 'password:\\"', 'password:\n', 'password: |\n  '],
  ...[
    'password: |\\n  ',
    'password is ',
    'did pass: ',
    'token: is ',
    'token:[',
    'token:{',
    '"--token",',
    '--token\n- ',
  ],
  ...['login -p ', '-u=', 'name=', 'name:"', 'value=', 'value:a name:token ', '<key>token</key><string>', '<password>'],
  ...[
    'Authorization: is ',
    'Authorization:[',
    'Cookie: ',
    'auth":"',
    'bearer ',
    'basic YTph',
    '&sig',
    '?sig=a&',
    'tokentoken',
  ],
  ...[
    'eyJ-',
    '-ghp_',
    '/AKIA',
    'abcdef.0123456789abcde',
    'Q~',
    '$6$a',
    '-LS0tLS1CRUdJTi',
    '-----BEGIN PRIVATE KEY-----',
  ],
  ...[
    '-----END PRIVATE KEY-----',
    'MIIEpAIBAAKCAQEA\n',
    'cGFzc3dvcmQ9YWJj',
    'aB3/',
    'deadbeef',
    '0x803b0006',
    'a(',
    'a)(',
  ],
  ...[
    'goroutine 1 [running]:\n',
    '-> error a (1',
    '<Data Name="',
    '<System>',
    '{"a":',
    '[',
    '10m',
    'hnsCall failed in Win32: ',
  ],
  ...['password="""', 'token:\n\n', 'token:\n\n  a', 'password a1', 'token "', '- token\n- ', '<password value="'],
  ...['password="a""', 'password=""a', '"password","', '"password","a""b"', '-Name token -Value ', '-Value a -Name '],
  ...['setx token ', 'setx token "', 'token REG_SZ ', 'REG_SZ ', 'ConvertTo-SecureString -Force ', ' /rp ', '"/rp",'],
  ...['net use ', 'net use * /user:', 'net use * "', 'net user a b /', 'mysql -p', ' -p1', 'mysql', 'Key Content:'],
  // A secret that is registered, with a line break inside.
  'a registered\n secret',
  'proxy a:b',
]

/** Some of them, for what only hands a text on, and for patterns without a repetition that has no end. */
export const FEW_PIECES = PIECES.filter((_, index) => index % 12 === 0)
