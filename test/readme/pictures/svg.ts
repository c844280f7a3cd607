// What the pictures of the documentation share: a frame with a title, two colour schemes, and text that is known to fit.

export const WIDTH = 800

interface Scheme {
  readonly accent: string
  readonly back: string
  readonly bad: string
  readonly changed: string
  readonly dim: string
  readonly good: string
  readonly line: string
  readonly panel: string
  readonly soft: string
  readonly text: string
}

const LIGHT: Scheme = {
  accent: '#0969da',
  back: '#ffffff',
  bad: '#cf222e',
  changed: '#9a6700',
  dim: '#59636e',
  good: '#1a7f37',
  line: '#d1d9e0',
  panel: '#f6f8fa',
  soft: '#ddf4ff',
  text: '#1f2328',
}
const DARK: Scheme = {
  accent: '#4493f8',
  back: '#0d1117',
  bad: '#f85149',
  changed: '#d29922',
  dim: '#9198a1',
  good: '#3fb950',
  line: '#3d444d',
  panel: '#151b23',
  soft: '#0b2545',
  text: '#f0f6fc',
}

/** Shapes are filled and outlined by class, text by the name of its colour. */
const rules = (scheme: Scheme): string =>
  [
    ...(['accent', 'bad', 'changed', 'dim', 'good', 'text'] as const).map((name) => `.${name}{fill:${scheme[name]}}`),
    `.back{fill:${scheme.back};stroke:${scheme.line}}`,
    `.panel{fill:${scheme.panel};stroke:${scheme.line}}`,
    `.soft{fill:${scheme.soft};stroke:${scheme.accent}}`,
    `.wire{fill:none;stroke:${scheme.dim};stroke-width:1.5}`,
    `.tunnel{fill:none;stroke:${scheme.accent};stroke-width:3}`,
    `.wire-end{fill:${scheme.dim}}.tunnel-end{fill:${scheme.accent}}`,
  ].join('')

/** No font is loaded: each system has one of these. */
const FONTS =
  'text{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-size:14px}' +
  '.mono{font-family:ui-monospace,"Cascadia Mono",Consolas,Menlo,"DejaVu Sans Mono",monospace;white-space:pre}' +
  '.bold{font-weight:600}.console{font-size:15px}.small{font-size:13px}.big{font-size:16px}'

interface Picture {
  readonly body: readonly string[]
  /** What it shows, in words, for those who do not see it. */
  readonly description: string
  readonly height: number
  readonly title: string
}

export const svg = ({body, description, height, title}: Picture): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(description)}</desc>`,
    `<style>${FONTS}${rules(LIGHT)}@media(prefers-color-scheme:dark){${rules(DARK)}}</style>`,
    rectangle({height: height - 1, width: WIDTH - 1, x: 0.5, y: 0.5}, 'back'),
    ...body,
    '</svg>',
    '',
  ].join('\n')

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

interface Box {
  readonly height: number
  readonly width: number
  readonly x: number
  readonly y: number
}

export const rectangle = ({height, width, x, y}: Box, look: string): string =>
  `<rect class="${look}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`

/** Of an em, as wide fonts have it. */
const LETTER = {bold: 0.6, mono: 0.605, plain: 0.56}
const SIZE = {big: 16, small: 13}

interface Words {
  readonly anchor?: 'end' | 'middle'
  /** Classes: a colour, and `mono`, `bold`, `small`, `big`. */
  readonly look?: string
  /** How wide it may be. */
  readonly room: number
}

/** Throws for what does not fit, so that no picture has text outside of its box. */
export function words(x: number, y: number, text: string, {anchor, look = 'text', room}: Words): string {
  const traits = look.split(' ')
  const size = traits.includes('big') ? SIZE.big : traits.includes('small') ? SIZE.small : 14
  const letter = LETTER[traits.includes('mono') ? 'mono' : traits.includes('bold') ? 'bold' : 'plain']
  const needed = Math.ceil(text.length * size * letter)
  if (needed > room) throw new Error(`"${text}" needs ${needed} of ${room} pixels`)
  const at = anchor === undefined ? '' : ` text-anchor="${anchor}"`
  return `<text class="${look}" x="${x}" y="${y}"${at}>${escaped(text)}</text>`
}

const LINE = 19
const PADDING = 12

export const cardHeight = (lines: readonly string[]): number => lines.length * LINE + 15

type Corner = readonly [x: number, y: number, width: number]

/** A box with a title and lines below it; a line in `code` is set in letters of one width. */
export const card = ([x, y, width]: Corner, all: readonly string[], look = 'back'): string[] => {
  const [title = '', ...lines] = all
  const [left, room] = [x + PADDING, width - 2 * PADDING]
  return [
    rectangle({height: cardHeight(all), width, x, y}, look),
    words(left, y + 22, title, {look: 'text bold', room}),
    ...lines.map((line, index) => {
      const isCode = /^`.*`$/.test(line)
      const at = y + 22 + LINE * (index + 1)
      return words(left, at, isCode ? line.slice(1, -1) : line, {look: isCode ? 'dim mono small' : 'dim small', room})
    }),
  ]
}

type Ends = readonly [fromX: number, fromY: number, toX: number, toY: number]

export const line = ([fromX, fromY, x, y]: Ends, look = 'wire'): string =>
  `<path class="${look}" d="M${fromX} ${fromY}L${x} ${y}"/>`

/** Straight across or straight down, with a point at its end, or at both. */
export function arrow(ends: Ends, {both = false, look = 'wire'} = {}): string[] {
  const [fromX, fromY, x, y] = ends
  const [dx, dy] = [Math.sign(x - fromX) * 8, Math.sign(y - fromY) * 8]
  const head = (atX: number, atY: number, back: 1 | -1): string => {
    const wing = (side: number): string =>
      `${atX - (dx - (dy / 2) * side) * back},${atY - (dy - (dx / 2) * side) * back}`
    return `<polygon class="${look}-end" points="${atX},${atY} ${wing(1)} ${wing(-1)}"/>`
  }
  return [line(ends, look), head(x, y, 1), ...(both ? [head(fromX, fromY, -1)] : [])]
}
