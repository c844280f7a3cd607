// The options of "k8s-win token create".
import {durationMs, type OptionParser} from './parse-option.js'

/** As kubeadm's. */
export const DEFAULT_TTL = '24h'

/** In milliseconds; 0 for a token that never expires. */
export const ttl: OptionParser<number> = (text) => {
  const ms = text === '0' ? 0 : durationMs(text)
  return ms === undefined
    ? {reason: 'It is not a duration.', wanted: 'a duration such as 90m or 24h, or to 0 for a token that never expires'}
    : {value: ms}
}

const LONGEST_DESCRIPTION = 1000

export const description: OptionParser<string> = (text) =>
  // Control characters would reach the terminals of all who list tokens.
  text.length > LONGEST_DESCRIPTION || /\p{Cc}/u.test(text)
    ? {
        reason: 'It has a control character, or is too long.',
        wanted: `one line of at most ${LONGEST_DESCRIPTION} characters`,
      }
    : {value: text}
