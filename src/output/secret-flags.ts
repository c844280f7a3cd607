// Finds the values of flags on command lines: --token X, -Password X, curl -u bob:X.
import {isProse} from './secret-names.js'
import {FLAG_GAP, PairReader} from './secret-pairs.js'
import {BARE, REFERENCE} from './value-reader.js'

const PORTS = /(?:[\d.]{7,15}:)?(?:(?:\d{1,5}(?:-\d{1,5})?)?:)?\d{1,5}(?:-\d{1,5})?(?:\/\w{3,4})?(?=[\\"'\s,\]]|$)/y
/** Up to the password, which a URL does not have here. */
const USER_NAME = /[^\s:]{1,100}:(?!\/\/)/y
const LONGEST_USER = 100

export class FlagReader extends PairReader {
  /** Of the last word that asks for a password on this command line. */
  protected login = -1
  /** The first colon from the place where one was looked for. */
  protected colon = -1

  /** "--token X", "-Password X" */
  protected flagValue(after: number, isShort: boolean): number {
    const at = this.at(FLAG_GAP, after) ?? (isShort && this.text[after] === ':' ? after + 1 : undefined)
    if (at === undefined) return after
    const quoted = this.quoted(at)
    const from = quoted?.[0] ?? at
    if (isShort && this.at(PORTS, from) !== undefined) return after
    if (quoted) return isProse(this.text.slice(...quoted)) ? after : this.hide(quoted)
    const end = this.at(BARE, at)
    if (end === undefined || this.at(REFERENCE, at) !== undefined) return after
    return isProse(this.text.slice(at, Math.min(end, at + 40))) ? after : this.hide([at, end])
  }

  /** curl -u bob:X; of numbers it is a user and a group. */
  protected userAndPassword(after: number): number {
    const at = this.at(FLAG_GAP, after) ?? (this.text[after] === '=' ? after + 1 : undefined)
    if (at === undefined) return after
    const [from = at, quotedTo] = this.quoted(at) ?? []
    const password = this.colonNear(from) ? this.at(USER_NAME, from) : undefined
    if (password === undefined || (quotedTo !== undefined && password > quotedTo)) return after
    const end = quotedTo ?? this.at(BARE, at) ?? password
    if (/^(?:\d+:\d+$|system:)/.test(this.text.slice(from, Math.min(end, from + 200)))) return after
    return this.hide([password, end])
  }

  /** Known until it is passed. */
  protected colonNear(at: number): boolean {
    if (at > this.colon) {
      const colon = this.text.indexOf(':', at)
      this.colon = colon === -1 ? Infinity : colon
    }
    return this.colon - at <= LONGEST_USER
  }
}
