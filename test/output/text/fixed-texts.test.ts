// Redaction hides values, never a text of k8s-win itself: the advice that it hides is of no use.
import {expect, test} from 'vitest'
import {createRedactor} from '../../../src/output/text/redact.js'
import {collectTexts} from '../../../texts.js'

/** What stands for values in the texts: "…" in templates, {name} in the catalogue of errors. */
const VALUES = /…|\{\w+(?::\w+)?\}/g
/** Ordinary values, none of them a secret. */
const FILLINGS = ['7', 'kubelet', String.raw`C:\k\kubeconfig`, 'https://10.0.0.10:6443']

/** Texts with a secret in them on purpose: headers, the token that was asked for, and examples of what is hidden. */
const SECRET = /^Bearer …$|^Token: +…$|^set "K8S_WIN_TOKEN=…"$/
const EXAMPLES = 'src/output/text/secret-rules.ts'

// "sc" is an alias of Set-Content in Windows PowerShell: "sc stop k8s-win" writes a file there, and reports nothing.
test('no text has sc without .exe', () => {
  const bare = collectTexts((content) => /\bsc [a-z]/.test(content)).filter(({text}) =>
    /(?:^|["`\s(])sc (?:config|create|delete|qc|query|queryex|start|stop)\b/.test(text),
  )
  expect(bare).toEqual([])
})

test('review U2-11: no text of k8s-win is redacted', () => {
  const {redact} = createRedactor()
  const texts = collectTexts().filter(({file, text}) => file !== EXAMPLES && !SECRET.test(text))
  const hidden = texts.flatMap(({file, line, text}) =>
    [...new Set(FILLINGS.map((value) => text.replaceAll(VALUES, value)))]
      .filter((filled) => redact(filled) !== filled)
      .slice(0, 1)
      .map((filled) => `${file}:${line}: ${redact(filled)}`),
  )
  expect(hidden).toEqual([])
  expect(texts.length).toBeGreaterThan(1000)
}, 180_000)
