// logs: chooses machine, zone and format, and shows the entries as they come.
import {HOST_ZONE, UTC_ZONE} from '../../logs/zone.js'
import {openRealClock} from '../../machine/real/clock.js'
import {type LogFolderLine, type LogFormat, logText} from '../../output/text/log-text.js'
import {harmless, printable} from '../../output/text/harmless.js'
import {bannerLines, openScreen} from '../../output/screen.js'
import {logPaths, runLogs} from '../../runs/logs/logs.js'
import {type LogsFlags, readLogsRequest} from '../../runs/logs/logs-request.js'
import {chooseMachine} from '../choose-machine.js'
import type {GlobalFlags} from '../arguments/flag-table.js'
import {steadyWriter} from '../lost-console.js'
import {redactor} from '../redactor.js'
import {watchSignals} from '../signals.js'

export interface ShowFlags extends LogsFlags, Omit<GlobalFlags, 'output'> {
  readonly 'base-dir'?: string | undefined
  readonly output: LogFormat
}

/** Returns the exit code. */
export async function showLogs(words: readonly string[], flags: ShowFlags): Promise<number> {
  const {env: environment, platform, stderr, stdout} = process
  const {output: format, ...global} = flags
  // A simulated host's clock shows UTC.
  const zone = flags.simulate === undefined ? HOST_ZONE : UTC_ZONE
  const request = readLogsRequest(words, flags, zone)
  const {machine} = await chooseMachine(global, platform, true)
  const write = steadyWriter(stdout)
  const isText = format !== 'json' && format !== 'ndjson'
  // On stderr: stdout has lines of logs and nothing else.
  for (const line of bannerLines(isText && machine.simulated)) stderr.write(`${line}\n`)
  const signals = watchSignals(process, () => {})
  const node = {baseDir: flags['base-dir'], environment, machine, request, signal: signals.signal}
  try {
    if (flags.path) {
      const folders = await logPaths(node)
      const lines = folders.map(({component, path}) =>
        isText ? path : JSON.stringify({component, path} satisfies LogFolderLine),
      )
      await write(lines.map((line) => `${harmless(line)}\n`).join(''))
      return 0
    }

    const {redact} = redactor
    const {theme} = openScreen(stdout, environment, platform)
    let render: ReturnType<typeof logText> | undefined
    return await runLogs({
      ...node,
      clock: openRealClock(),
      emit: (entries, components) => {
        render ??= logText({components, format, redact, theme, zone})
        return write(entries.map(render).join(''))
      },
      note: (text) => void stderr.write(`${printable(redact(text))}\n`),
      redactor,
      zone,
    })
  } finally {
    signals.close()
  }
}
