// Which name was meant: for "Did you mean".
import {distance} from 'fastest-levenshtein'

/** The letters that count in PowerShell's style. */
export function plainName(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}

/** Two letters that were exchanged cost two changes, as two wrong letters do, but leave the same letters. */
const lettersOf = (name: string): string => [...plainName(name)].sort().join('')

/** The candidate most like the word, if one is like it at all. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const letters = lettersOf(word)
  const ranked = candidates
    .map((candidate) => ({
      candidate,
      far: distance(plainName(word), plainName(candidate)),
      others: distance(letters, lettersOf(candidate)),
    }))
    .sort((a, b) => a.far - b.far || a.others - b.others)
  const [best] = ranked
  return best !== undefined && best.far <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : undefined
}
