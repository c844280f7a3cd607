// Windows command lines, parsed as CommandLineToArgvW does.

/**
 * Splits as CommandLineToArgvW does: 2n backslashes before a quote make n, 2n+1 make n and a quote; two quotes
 * inside quotes make one and end them. The first word knows no backslash rule.
 */
export function splitCommandLine(line: string): string[] {
  const words = [firstWord(line)]
  let at = wordEnd(line)
  while (at < line.length) {
    while (isBlank(line[at])) at++
    if (at >= line.length) break
    const word = nextWord(line, at)
    words.push(word.text)
    at = word.end
  }

  return words
}

const isBlank = (letter: string | undefined): boolean => letter === ' ' || letter === '\t'

function wordEnd(line: string): number {
  if (!line.startsWith('"')) return line.search(/[ \t]|$/)
  const close = line.indexOf('"', 1)
  return close === -1 ? line.length : close + 1
}

const firstWord = (line: string): string => line.slice(0, wordEnd(line)).replace(/^"|"$/g, '')

function nextWord(line: string, start: number): {end: number; text: string} {
  let text = ''
  let quoted = false
  let at = start
  for (; at < line.length && (quoted || !isBlank(line[at])); at++) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
    const isBeforeQuote = line[at + slashes] === '"'
    if (slashes > 0) {
      text += '\\'.repeat(isBeforeQuote ? Math.floor(slashes / 2) : slashes)
      at += slashes
      if (isBeforeQuote && slashes % 2 === 1) text += '"'
      else at--
    } else if (line[at] === '"') {
      if (quoted && line[at + 1] === '"') {
        text += '"'
        at++
      }
      quoted = !quoted
    } else text += line[at]
  }

  return {end: at, text}
}
