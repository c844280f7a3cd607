// What the daemons accept as a value: the kinds of KubeletConfiguration's fields, as Go and Kubernetes read them from JSON.
import {isPassable} from '../../machine/run.js'
import {goDuration} from '../go-duration.js'
import {isBoolean, isText, type Guard} from '../shape.js'

interface Kind {
  readonly is: Guard
  /** What messages call one. */
  readonly wanted: string
}

/** apimachinery, resource.ParseQuantity. */
const QUANTITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[EGKMPT]i|[EGMPTkmnu]|e[+-]?\d{1,3}|E[+-]?\d{1,3})?$/
const PERCENTAGE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)%+$/

/** A range of whole numbers, both ends included. */
const whole =
  (least: number, most: number): Guard<number> =>
  (value): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
const isInt64 = (value: unknown): boolean => whole(-(2 ** 63), 2 ** 63)(value) && value !== 2 ** 63
const isFinite: Guard<number> = (value): value is number => Number.isFinite(value)

const isDuration: Guard<string> = (value): value is string => isText(value) && goDuration(value) !== undefined

const isQuantity: Guard<string> = (value): value is string => isText(value) && QUANTITY.test(value)
const isAmount = (value: unknown): value is string => isQuantity(value) && (!value.startsWith('-') || isZero(value))
const isPercentage = (value: unknown): value is string => isText(value) && PERCENTAGE.test(value)
const isZero = (text: string): boolean => !/[1-9]/.test(/^[\d+.-]*/.exec(text)?.[0] ?? '')

/** Neither Windows nor Kubernetes has names with control characters, and no command line has half a letter. */
export const isPlain: Guard<string> = (value): value is string =>
  isText(value) && isPassable(value) && !/\p{Cc}/u.test(value)

const QUANTITY_TEXT = 'a quantity such as "500Mi" or "2"'
const DURATION_TEXT = 'a duration such as 30s or 1h30m'
const kind = (wanted: string, is: (value: unknown) => boolean): Kind => ({is: is as Guard, wanted})

/** By the name that the data gives them; every other name is a structure of the data. */
export const KINDS: Readonly<Record<string, Kind>> = {
  /** Reserved resources: not negative. */
  amount: kind(QUANTITY_TEXT, isAmount),
  boolean: kind('true or false', isBoolean),
  duration: kind(DURATION_TEXT, isDuration),
  /** logs/api/v1, TimeOrMetaDuration. */
  durationOrNumber: kind(DURATION_TEXT, (value) => isDuration(value) || isInt64(value)),
  gracePeriod: kind(DURATION_TEXT, (value) => isText(value) && (goDuration(value) ?? -1) >= 0),
  int32: kind('a whole number up to 2147483647', whole(-(2 ** 31), 2 ** 31 - 1)),
  int64: kind('a whole number', isInt64),
  number: kind('a number', isFinite),
  /** In a text field, where an empty one is none. */
  quantity: kind(QUANTITY_TEXT, (value) => value === '' || isQuantity(value)),
  quantityOrNumber: kind(QUANTITY_TEXT, (value) => isQuantity(value) || isFinite(value)),
  /** eviction/helpers.go: parseMinimumReclaims. */
  reclaim: kind(
    `${QUANTITY_TEXT}, or a percentage such as 10%`,
    (value) => isAmount(value) || (isPercentage(value) && Number.parseFloat(value) > 0),
  ),
  string: kind('text in quotes', isPlain),
  /** eviction/helpers.go: parseThresholdStatement. */
  threshold: kind(
    `${QUANTITY_TEXT}, or a percentage such as 10%`,
    (value) =>
      (isAmount(value) && !isZero(value)) ||
      (isPercentage(value) && Number.parseFloat(value) >= 0 && Number.parseFloat(value) <= 100),
  ),
  time: kind('a time', isText),
  uint32: kind('a whole number from 0 to 4294967295', whole(0, 2 ** 32 - 1)),
}

/** Kinds whose text has no default: null, which Go takes for an empty text, is none of them. */
const NEVER_NULL: ReadonlySet<unknown> = new Set(['amount', 'duration', 'gracePeriod', 'reclaim', 'threshold'])
export const acceptsNull = (type: unknown): boolean => !NEVER_NULL.has(type)

const WHOLE = /^[+-]?(?:0|[1-9]\d*)$/
const wholeText = (name: 'int32' | 'int64'): Kind => {
  const {is, wanted} = KINDS[name] as Kind
  return kind(wanted, (value) => isText(value) && WHOLE.test(value) && is(Number(value)))
}

/** Pairs with commas between them; the flags of component-base leave out empty ones. */
const pairs = (wanted: string, separator: string, isRight: (pair: string) => boolean = () => true): Kind =>
  kind(
    wanted,
    (value) =>
      isText(value) && value.split(',').every((pair) => pair === '' || (pair.includes(separator) && isRight(pair))),
  )
const isBool = (text: string): boolean => /^(?:[01FTft]|true|false|True|False|TRUE|FALSE)$/.test(text)

/** The kinds of flags, which are all text: pflag, component-base/cli/flag. */
export const FLAG_KINDS: Readonly<Record<string, Kind>> = {
  bool: kind('true or false', (value) => isText(value) && isBool(value)),
  duration: kind(DURATION_TEXT, isDuration),
  float: kind('a number', (value) => isText(value) && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(value)),
  gates: pairs('pairs such as Gate=true,Other=false', '=', (pair) => isBool(pair.slice(pair.indexOf('=') + 1).trim())),
  headers: pairs('pairs such as name:value', ':'),
  int32: wholeText('int32'),
  int64: wholeText('int64'),
  list: kind('texts with commas between them', isText),
  map: pairs('pairs such as name=value,other=value', '='),
  quantity: kind(QUANTITY_TEXT, isQuantity),
  string: kind('text', isText),
  thresholds: pairs('pairs such as memory.available<500Mi', '<'),
  uint64: kind('a whole number', (value) => isText(value) && /^(?:0|[1-9]\d*)$/.test(value) && Number(value) < 2 ** 64),
}
