// Wine's own programs in four languages, in the bytes they write there: what our decoder has to read.
// They stand beside Microsoft's, not for them: their words are Wine's.
import {openLab, type LabMachine} from '../../lab/lab.js'
import type {Recording} from '../corpus.js'
import {type Heard, saveGroup} from '../sink.js'
import {type LabCall, runInLab, typed} from './in-lab.js'

interface Language {
  readonly code: string
  /** The OEM code page that Windows has in this language. */
  readonly encoding: Recording['encoding']
  readonly locale: string
}

const LANGUAGES: readonly Language[] = [
  {code: 'en', encoding: 'cp437', locale: 'en_US'},
  {code: 'de', encoding: 'cp850', locale: 'de_DE'},
  {code: 'ja', encoding: 'cp932', locale: 'ja_JP'},
  {code: 'zh-CN', encoding: 'gbk', locale: 'zh_CN'},
]

const system = (name: string, ...args: string[]): LabCall => ({args, program: `C:\\windows\\system32\\${name}`})
const CALLS: Readonly<Record<string, LabCall>> = {
  'cmd-no-file': system('cmd.exe', '/c', 'type', 'C:\\nonsense'),
  'cmd-no-program': system('cmd.exe', '/c', 'nonsense'),
  'net-help': system('net.exe', 'help'),
  'net-start-list': system('net.exe', 'start'),
  'net-start-unknown': system('net.exe', 'start', 'nonsense'),
  'net-stop-unknown': system('net.exe', 'stop', 'nonsense'),
  'reg-add': system('reg.exe', 'add', 'HKLM\\Software\\Lab', '/v', 'mark', '/d', 'mine', '/f'),
  'reg-bad-key': system('reg.exe', 'query', 'HKXX\\Software'),
  'reg-no-key': system('reg.exe', 'query', 'HKLM\\Software\\Nonsense'),
  'reg-no-value': system('reg.exe', 'query', 'HKLM\\Software\\Lab', '/v', 'nonsense'),
  'taskkill-bad-option': system('taskkill.exe', '/nonsense'),
  'taskkill-no-image': system('taskkill.exe', '/F', '/IM', 'nonsense.exe'),
  'taskkill-no-process': system('taskkill.exe', '/F', '/T', '/PID', '4711'),
  'taskkill-nothing': system('taskkill.exe'),
  tasklist: system('tasklist.exe'),
}
/** What prints no words: told once. */
const WORDLESS: Readonly<Record<string, LabCall>> = {
  hostname: system('hostname.exe'),
  'sc-create': system('sc.exe', 'create', 'lab', 'binPath=', 'C:\\nonsense.exe'),
  'sc-create-again': system('sc.exe', 'create', 'lab', 'binPath=', 'C:\\nonsense.exe'),
  'sc-query': system('sc.exe', 'query', 'lab'),
  'sc-query-unknown': system('sc.exe', 'query', 'nonsense'),
  'sc-start-no-file': system('sc.exe', 'start', 'lab'),
  'sc-stop-not-started': system('sc.exe', 'stop', 'lab'),
  'sc-delete': system('sc.exe', 'delete', 'lab'),
  'sc-delete-again': system('sc.exe', 'delete', 'lab'),
  'sc-qc-not-there': system('sc.exe', 'qc', 'lab'),
}

export async function recordWine(): Promise<number> {
  const lab = await openLab()
  const heard: Heard[] = []
  try {
    const machine = await lab.machine()
    await makeLocales(machine)
    for (const language of LANGUAGES) heard.push(...(await record(machine, language)))
    await saveGroup(
      {
        name: 'wine',
        program: 'Wine 10.0',
        replacements: [],
        source: `Debian 13, package wine64 ${await versionOf(machine, 'wine64')}`,
      },
      heard,
    )
  } finally {
    await lab.close()
  }

  return heard.length
}

async function record(machine: LabMachine, {code, encoding, locale}: Language): Promise<Heard[]> {
  const calls = Object.entries(code === 'en' ? {...CALLS, ...WORDLESS} : CALLS)
  const answers = await runInLab(
    machine,
    calls.map(([, call]) => call),
    {LC_ALL: `${locale}.UTF-8`},
  )
  return answers.map(({err, exitCode, out}, index) => {
    const [name, call] = calls[index]!
    return {
      asked: typed(call),
      // The one of them that writes UTF-16, in every language.
      encoding: name === 'tasklist' ? 'utf-16le' : encoding,
      exitCode,
      language: code,
      name: `${code}/${name}`,
      parts: {err, out},
    }
  })
}

/** Wine takes its language from the locale, and the lab has none but C. */
async function makeLocales(machine: LabMachine): Promise<void> {
  const script = `
    mkdir -p /tmp/locales /usr/lib/locale && cd /tmp/locales
    apt-get --quiet download locales >/dev/null && dpkg-deb --extract locales_*.deb .
    for name in ${LANGUAGES.map(({locale}) => locale).join(' ')}; do
      I18NPATH=/tmp/locales/usr/share/i18n localedef -i $name -f UTF-8 --no-archive /usr/lib/locale/$name.UTF-8
    done`
  const {code, stderr} = await machine.linux(['sh', '-ec', script])
  if (code !== 0) throw new Error(`The locales were not made: ${stderr}`)
}

export async function versionOf(machine: LabMachine, name: string): Promise<string> {
  const {stdout} = await machine.linux(['dpkg-query', '--showformat=${Version}', '--show', name])
  return stdout
}
