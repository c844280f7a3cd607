// The one place where the length of words of others is limited: of servers, programs, files and users.

/** A server's message may have megabytes. */
const LONGEST = 2000
/** A word of any text; longer than a path of Windows (260) and every digest. A server can redirect to an address of 15 KB. */
const LONG_WORD = /(\S{300})\S+/g
const LONGEST_WORD = 300

export const shortened = (text: string, longest = LONGEST): string =>
  text.length > longest ? `${wholeWords(text, text.slice(0, longest))}…` : text

/** A word that would lose this much of a line is cut: a path, a digest. */
const LONGEST_LOSS = 30

/** The beginning of a text, without a word that it would cut in the middle. */
export function wholeWords(text: string, beginning: string): string {
  const blank = beginning.lastIndexOf(' ')
  const isWhole = !/\S/.test(text.charAt(beginning.length))
  const isLost = blank < 1 || beginning.length - blank > Math.min(LONGEST_LOSS, beginning.length / 2)
  return (isWhole || isLost ? beginning : beginning.slice(0, blank)).trimEnd()
}

/** As a part of a message. Most texts are short, and watch judges a node with dozens of them at each check. */
export const quoted = (text: string, longest = LONGEST): string =>
  text.length > LONGEST_WORD ? shortened(text.replaceAll(LONG_WORD, '$1…'), longest) : shortened(text, longest)
