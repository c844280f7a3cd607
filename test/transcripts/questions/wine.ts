// What Wine's programs are asked for recordings, and in which languages.
import type {Recording} from '../corpus.js'
import type {LabCall} from '../recorders/in-lab.js'

export interface Language {
  readonly code: string
  /** The OEM code page that Windows has in this language. */
  readonly encoding: Recording['encoding']
  readonly locale: string
}

export const LANGUAGES: readonly Language[] = [
  {code: 'en', encoding: 'cp437', locale: 'en_US'},
  {code: 'de', encoding: 'cp850', locale: 'de_DE'},
  {code: 'ja', encoding: 'cp932', locale: 'ja_JP'},
  {code: 'zh-CN', encoding: 'gbk', locale: 'zh_CN'},
]

interface WineCall {
  readonly call: LabCall
  readonly languages: readonly string[]
}

const system = (name: string, ...args: string[]): LabCall => ({args, program: `C:\\windows\\system32\\${name}`})
const ALL = LANGUAGES.map(({code}) => code)
const EAST_ASIAN = ['ja', 'zh-CN']
const NOT_ASCII_IN_GERMAN = ['de', ...EAST_ASIAN]
/** Where only our decoder reads it: in the languages in which it has more than ASCII. */
export const WINE_CALLS: Readonly<Record<string, WineCall>> = {
  'cmd-no-file': {call: system('cmd.exe', '/c', 'type', 'C:\\nonsense'), languages: NOT_ASCII_IN_GERMAN},
  'cmd-no-program': {call: system('cmd.exe', '/c', 'nonsense'), languages: EAST_ASIAN},
  'net-help': {call: system('net.exe', 'help'), languages: EAST_ASIAN},
  'net-start-list': {call: system('net.exe', 'start'), languages: EAST_ASIAN},
  'net-start-unknown': {call: system('net.exe', 'start', 'nonsense'), languages: EAST_ASIAN},
  'net-stop-unknown': {call: system('net.exe', 'stop', 'nonsense'), languages: EAST_ASIAN},
  'reg-add': {
    call: system('reg.exe', 'add', 'HKLM\\Software\\Lab', '/v', 'mark', '/d', 'mine', '/f'),
    languages: EAST_ASIAN,
  },
  'reg-bad-key': {call: system('reg.exe', 'query', 'HKXX\\Software'), languages: NOT_ASCII_IN_GERMAN},
  'reg-no-key': {call: system('reg.exe', 'query', 'HKLM\\Software\\Nonsense'), languages: NOT_ASCII_IN_GERMAN},
  'reg-no-value': {call: system('reg.exe', 'query', 'HKLM\\Software\\Lab', '/v', 'nonsense'), languages: EAST_ASIAN},
  'taskkill-bad-option': {call: system('taskkill.exe', '/nonsense'), languages: ALL},
  'taskkill-no-image': {call: system('taskkill.exe', '/F', '/IM', 'nonsense.exe'), languages: ALL},
  'taskkill-no-process': {call: system('taskkill.exe', '/F', '/T', '/PID', '4711'), languages: ALL},
  'taskkill-nothing': {call: system('taskkill.exe'), languages: ALL},
  tasklist: {call: system('tasklist.exe'), languages: ALL},
  // They print no words: reported once.
  'sc-create': {call: system('sc.exe', 'create', 'lab', 'binPath=', 'C:\\nonsense.exe'), languages: ['en']},
  'sc-create-again': {call: system('sc.exe', 'create', 'lab', 'binPath=', 'C:\\nonsense.exe'), languages: ['en']},
  'sc-start-no-file': {call: system('sc.exe', 'start', 'lab'), languages: ['en']},
  'sc-stop-not-started': {call: system('sc.exe', 'stop', 'lab'), languages: ['en']},
  'sc-delete': {call: system('sc.exe', 'delete', 'lab'), languages: ['en']},
  'sc-delete-again': {call: system('sc.exe', 'delete', 'lab'), languages: ['en']},
}
