// Amounts as the kubelet parses them: resource.ParseQuantity of apimachinery, and percentages of eviction thresholds.

const SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/** The number before the suffix; undefined where it is no quantity. */
function numberOf(text: string): number | undefined {
  const [, number = '', suffix = ''] = /^([+-]?[\d.]+)(.*)$/s.exec(text) ?? []
  if (number === '' || !/\d/.test(number) || number.split('.').length > 2) return undefined
  return SUFFIXES.includes(suffix) || /^[Ee][+-]?\d+$/.test(suffix) ? Number(number) : undefined
}

export const isQuantity = (text: string): boolean => numberOf(text) !== undefined
export const isNegative = (text: string): boolean => (numberOf(text) ?? 0) < 0

/** pkg/kubelet/eviction/helpers.go, parseThresholdStatement and parseMinimumReclaims: what is wrong with one. */
export function thresholdProblem(signal: string, text: string, kind: 'reclaim' | 'threshold'): string | undefined {
  if (text.endsWith('%')) {
    const percentage = Number(text.replace(/(?<!%)%+$/, '') || Number.NaN)
    if (Number.isNaN(percentage)) return `strconv.ParseFloat: parsing "${text.slice(0, -1)}": invalid syntax`
    if (kind === 'reclaim') {
      return percentage > 0 ? undefined : `eviction percentage minimum reclaim ${signal} must be positive: ${text}`
    }
    return percentage < 0 || percentage > 100
      ? `eviction percentage threshold ${signal} must be >= 0% and <= 100%: ${text}`
      : undefined
  }
  const number = numberOf(text)
  if (number === undefined) return 'quantities must match the regular expression'
  if (number > 0 || (number === 0 && kind === 'reclaim')) return undefined
  return `eviction threshold ${signal} must be positive: ${text}`
}
