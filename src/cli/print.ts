// What a command that ends at once prints: lines for people, or one document for programs.
import {documentText} from '../output/run/json-view.js'
import {bannerLines} from '../output/screen.js'
import {type GlobalFlags, outputFormat} from './arguments/flag-table.js'

/** Returns the exit code. */
export function print(flags: GlobalFlags, lines: readonly string[], document: {readonly simulated: boolean}): number {
  const format = outputFormat(flags)
  const text =
    format === 'text'
      ? `${[...bannerLines(document.simulated), ...lines].join('\n')}\n`
      : documentText(document, format)
  process.stdout.write(text)
  return 0
}
