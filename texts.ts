// Prints every text that the program can print, by source file, for reading from end to end: `npm run texts > texts.txt`.
// Texts are the string and template literals of src that have words in them, so that nothing can be forgotten.
import {readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('.', import.meta.url))
/** Stands in for parts that are known only at run time. */
const PART = '…'
/** The simulator prints nothing of its own. */
const files = ts.sys
  .readDirectory(`${root}src`, ['.ts'], ['**/simulator'])
  .map((file) => ({file, source: ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)}))

for (const {file, source} of files) {
  const texts = textsIn(source)
  if (texts.length > 0) console.log([`\n== ${file.slice(root.length)}`, ...texts].join('\n'))
}

function textsIn(source: ts.SourceFile): string[] {
  const texts: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return
    const text = textOf(node)
    if (text !== undefined && isProse(text)) {
      const {line} = source.getLineAndCharacterOfPosition(node.getStart())
      texts.push(`${String(line + 1).padStart(4)}  ${text.replaceAll('\n', '\n      ')}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return texts
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return [node.head.text, ...node.templateSpans.map(({literal}) => `${PART}${literal.text}`)].join('')
}

/** Two words at least; a title may be one. */
function isProse(text: string): boolean {
  return /[A-Za-z]{2,}[ .,:;]+[A-Za-z"'<(…]/.test(text) || /^[A-Z][a-z]+$/.test(text)
}
