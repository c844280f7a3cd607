// Every text that the program can print, by source file: `npm run texts > texts.txt` prints them for reading from end to end,
// and a test searches them. Texts are the string and template literals of src that contain words, so none can be forgotten.
import {readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import ts from 'typescript'

export interface Text {
  readonly file: string
  readonly line: number
  readonly text: string
}

const root = fileURLToPath(new URL('.', import.meta.url))
/** Stands in for parts that are known only at run time. */
const PART = '…'

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let last = ''
  for (const {file, line, text} of collectTexts()) {
    if (file !== last) console.log(`\n== ${file}`)
    console.log(`${String(line).padStart(4)}  ${text.replaceAll('\n', '\n      ')}`)
    last = file
  }
}

/** Of files whose content matches. Without the simulator, which prints nothing of its own. */
export function collectTexts(matches: (content: string) => boolean = () => true): Text[] {
  return ts.sys.readDirectory(`${root}src`, ['.ts'], ['**/simulator']).flatMap((file) => {
    const content = readFileSync(file, 'utf8')
    if (!matches(content)) return []
    const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true)
    return textsIn(source).map((text) => ({...text, file: file.slice(root.length)}))
  })
}

function textsIn(source: ts.SourceFile): Omit<Text, 'file'>[] {
  const texts: Omit<Text, 'file'>[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return
    const text = textOf(node)
    if (text !== undefined && isProse(text)) {
      const {line} = source.getLineAndCharacterOfPosition(node.getStart())
      texts.push({line: line + 1, text})
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return texts
}

/** The text as it is printed: backslashes of String.raw are kept. */
function textOf(node: ts.Node): string | undefined {
  const read = (part: ts.TemplateLiteralLikeNode): string => (isRaw(node) ? part.rawText : undefined) ?? part.text
  if (ts.isStringLiteral(node)) return node.text
  if (ts.isNoSubstitutionTemplateLiteral(node)) return read(node)
  if (!ts.isTemplateExpression(node)) return undefined
  return [read(node.head), ...node.templateSpans.map(({literal}) => `${PART}${read(literal)}`)].join('')
}

function isRaw({parent}: ts.Node): boolean {
  return ts.isTaggedTemplateExpression(parent) && parent.tag.getText() === 'String.raw'
}

/** Two words at least; a title may be one. */
function isProse(text: string): boolean {
  return /[A-Za-z]{2,}[ .,:;]+[A-Za-z"'<(…]/.test(text) || /^[A-Z][a-z]+$/.test(text)
}
