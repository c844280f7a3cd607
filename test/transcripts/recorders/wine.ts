// Wine's own programs in four languages, in the bytes they write there: what our decoder has to read.
// They stand beside Microsoft's, not for them: their words are Wine's.
import {openLab, type LabMachine} from '../../lab/lab.js'
import {type Language, LANGUAGES, WINE_CALLS} from '../questions/wine.js'
import {type Heard, saveGroup} from '../sink.js'
import {runInLab, typed} from './in-lab.js'

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
  const calls = Object.entries(WINE_CALLS).filter(([, {languages}]) => languages.includes(code))
  const answers = await runInLab(
    machine,
    calls.map(([, {call}]) => call),
    {LC_ALL: `${locale}.UTF-8`},
  )
  return answers.map(({err, exitCode, out}, index) => {
    const [name, {call}] = calls[index]!
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
