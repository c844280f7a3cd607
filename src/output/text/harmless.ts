// Text from outside that cannot steer a terminal. Everything that is shown, logged or collected passes here, in linear time.

/** Sequences as programs colour their lines with: dropped. Every repetition has an end. */
const CSI = String.raw`(?:\u001B\[|\u009B)[0-?]{0,32}[ -/]{0,4}[@-~]`
/** Titles and links; they end before the next escape, so no letter is read twice. */
const OSC = String.raw`(?:\u001B\]|\u009D)[^\u0007\u001B\u009C\u009D\n]{0,500}(?:\u0007|\u001B\\|\u009C)`
/** The zeros of UTF-16 that was read byte by byte, and letters without width, which would hide a word from a search. */
const WITHOUT_WIDTH = /\0|(?!\p{Bidi_Control})\p{Cf}/gu
/** All other control characters but line ends and tabs, separators of lines, and those that turn the direction of text. */
const STEERING = String.raw`[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]`
/** In one pass. A run ends where a sequence may begin. */
const CONTROL = new RegExp(String.raw`\r\n?|${CSI}|${OSC}|${STEERING}(?:(?![\u001B\u009B\u009D])${STEERING})*`, 'g')
const SEQUENCE = new RegExp(`^(?:${CSI}|${OSC})$`)
/** A run of one control character is shown once, and so much of a run of several: no text grows by what is shown of it. */
const MOST_SHOWN = 8
/** Most text contains nothing to examine. */
const ORDINARY = /^[\n\t -~]*$/

/** The text with its line ends as "\n". What is left of control characters is shown as editors show it: ^G, <U+202E>. */
export function harmless(text: string): string {
  if (ORDINARY.test(text)) return text
  return text.replaceAll(WITHOUT_WIDTH, '').replaceAll(CONTROL, shown)
}

/** The same in one line. */
export function printable(text: string): string {
  const safe = harmless(text)
  if (!/[\n\t]/.test(safe)) return safe.trim()
  const lines = safe.split(/[\n\t]+/).map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

function shown(found: string): string {
  if (found.startsWith('\r')) return '\n'
  if (found.length === 1) return visible(found.charCodeAt(0))
  if (SEQUENCE.test(found)) return ''
  const different = [...found].filter((control, index) => control !== found[index - 1])
  const more = different.length > MOST_SHOWN ? `<${different.length - MOST_SHOWN} more>` : ''
  return `${different
    .slice(0, MOST_SHOWN)
    .map((control) => visible(control.charCodeAt(0)))
    .join('')}${more}`
}

function visible(code: number): string {
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`
  return code === 0x7f ? '^?' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}
