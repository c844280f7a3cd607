// Which name was meant: for "Did you mean".
import {distance} from 'fastest-levenshtein'

/** The letters that count in PowerShell's style. */
export function plainName(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}

/** The candidate most like the word, if one is like it at all. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({candidate, far: distance(plainName(word), plainName(candidate))}))
    .sort((a, b) => a.far - b.far)
  const [best] = ranked
  return best !== undefined && best.far <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : undefined
}
