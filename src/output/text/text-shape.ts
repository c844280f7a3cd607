// Text that fits: how wide it is on a terminal, cut or wrapped to a width, in pure ASCII. Linear in the length of the text.
import {wholeWords} from '../../errors/shortened.js'

export {printable} from './harmless.js'

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/u
const ZERO = /[\p{Mn}\p{Me}\p{Cf}]/u
const ASCII = /^[ -~]*$/
/** The theme's; text from outside has none when it comes here. */
// eslint-disable-next-line no-control-regex
const COLOUR = /\u001B\[[\d;]{0,20}m/g

/** Columns the text takes, colours not counted. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  const plain = text.includes('\u001B') ? text.replaceAll(COLOUR, '') : text
  let width = 0
  for (let at = 0; at < plain.length;) {
    const code = plain.codePointAt(at) ?? 0
    width += columnsOf(code)
    at += code > 0xff_ff ? 2 : 1
  }
  return width
}

/** Columns plus one, of the characters that were asked for: Unicode's tables are slow, and a text has few different ones. */
const columnsByCode = new Uint8Array(0x1_00_00)

function columnsOf(code: number): number {
  if (code >= 0x20 && code <= 0x7e) return 1
  const known = columnsByCode[code] ?? 0
  if (known > 0) return known - 1
  const character = String.fromCodePoint(code)
  const columns = ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  // What is beyond the table's end is not kept.
  columnsByCode[code] = columns + 1
  return columns
}

export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)))
}

/** Rows of cells, in columns; the last column is not padded. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => textWidth(row[column] ?? '')))
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column))
  return rows.map((row) => {
    const cells = row.map((cell, column) => padded(cell, widths[column] ?? 0))
    return cells.join('  ').trimEnd()
  })
}

/** At most `width` columns of plain text, with the ellipsis where something was cut. */
export function truncate(text: string, width: number, ellipsis = '…'): string {
  if (textWidth(text) <= width) return text
  const room = width - ellipsis.length
  if (room <= 0) return ''
  return wholeWords(text, takeColumns(text, room)) + ellipsis
}

/** The same for names, whose end matters as much as their beginning: a version, a tag, a file's type. */
export function truncateMiddle(text: string, width: number, ellipsis = '…'): string {
  if (textWidth(text) <= width) return text
  const room = width - ellipsis.length
  if (room <= 0) return ''
  // No letter has more than a few units; half of one at the beginning is too far from the end to be taken.
  const end = reversed(takeColumns(reversed(text.slice(-8 * width)), Math.floor(room / 2)))
  return takeColumns(text, room - textWidth(end)) + ellipsis + end
}

/** Lines of at most `width` columns, all but the first indented. Words are broken only where one alone is too wide. */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = []
  let line = ''
  let columns = 0
  const room = (): number => width - (lines.length === 0 ? 0 : indent.length)
  const finish = (): void => {
    lines.push((lines.length === 0 ? '' : indent) + line)
    line = ''
    columns = 0
  }

  for (const word of text.split(' ')) {
    let rest = word
    let restColumns = textWidth(rest)
    if (line !== '' && columns + 1 + restColumns > room()) finish()
    while (line === '' && restColumns > room()) {
      line = takeColumns(rest, Math.max(room(), 2))
      rest = rest.slice(line.length)
      restColumns -= textWidth(line)
      finish()
    }
    columns = line === '' ? restColumns : columns + 1 + restColumns
    line = line === '' ? rest : `${line} ${rest}`
  }
  finish()
  return lines
}

/** Lines of at most `width` columns, broken wherever that is, blanks kept: for text that is not prose. */
export function breakHard(text: string, width: number): string[] {
  const lines: string[] = []
  for (let rest = text; rest !== '' || lines.length === 0;) {
    const line = takeColumns(rest, Math.max(width, 2))
    lines.push(line)
    rest = rest.slice(line.length)
  }
  return lines
}

/** Letters outside ASCII as \u escapes: unattended logs are read in any code page. */
export function ascii(text: string): string {
  return text.replaceAll('\u2192', '->').replaceAll(/[^\x20-\x7E]+/g, (run) => {
    let escaped = ''
    for (let at = 0; at < run.length; at++) {
      const unit = run.charCodeAt(at)
      escaped += escapes[unit] ??= `\\u${unit.toString(16).padStart(4, '0')}`
    }
    return escaped
  })
}

/** Those that were needed, by their unit. */
const escapes: string[] = []

const reversed = (text: string): string => [...text].reverse().join('')

function takeColumns(text: string, columns: number): string {
  let taken = 0
  let width = 0
  while (taken < text.length) {
    const code = text.codePointAt(taken) ?? 0
    width += columnsOf(code)
    if (width > columns) break
    taken += code > 0xff_ff ? 2 : 1
  }
  return text.slice(0, taken)
}
