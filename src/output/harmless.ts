// Text from outside that cannot steer a terminal. Everything that is shown, logged or collected passes here, in linear time.

/** Sequences as programs colour their lines with: dropped. Every repetition has an end. */
// eslint-disable-next-line no-control-regex
const CSI = /(?:\u001B\[|\u009B)[0-?]{0,32}[ -/]{0,4}[@-~]/g
/** Titles and links; they end before the next escape, so no letter is read twice. */
// eslint-disable-next-line no-control-regex
const OSC = /(?:\u001B\]|\u009D)[^\u0007\u001B\u009C\u009D\n]{0,500}(?:\u0007|\u001B\\|\u009C)/g
/** The zeros of UTF-16 that was read byte by byte, and letters without width, which would hide a word from a search. */
const WITHOUT_WIDTH = /\0|(?!\p{Bidi_Control})\p{Cf}/gu
/** All other control characters but line ends and tabs, separators of lines, and those that turn the direction of text; a run of one is shown once. */
const STEERING = /([^\P{Cc}\n\t]|[\u2028\u2029]|\p{Bidi_Control})\1*/gu
/** Most text has nothing to look at. */
const ORDINARY = /^[\n\t -~]*$/

/** The text with its line ends as "\n". What is left of control characters is shown as editors show it: ^G, <U+202E>. */
export function harmless(text: string): string {
  if (ORDINARY.test(text)) return text
  return text
    .replaceAll(WITHOUT_WIDTH, '')
    .replaceAll(CSI, '')
    .replaceAll(OSC, '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(STEERING, (control) => visible(control.charCodeAt(0)))
}

/** The same in one line. */
export function printable(text: string): string {
  const safe = harmless(text)
  if (!/[\n\t]/.test(safe)) return safe.trim()
  const lines = safe.split(/[\n\t]+/).map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

function visible(code: number): string {
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`
  return code === 0x7f ? '^?' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}
