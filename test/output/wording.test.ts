// The texts that the program can print use the words of kubeadm, kubectl, Docker and Microsoft's documentation.
import {expect, test} from 'vitest'
import {collectTexts} from '../../texts.js'

/** Words that messages do not use, and the words to use instead. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:told|tells?)\b/i, 'reported, shows, says'],
  [/\b(?:looked at|look at|(?:a|each|every|last|next|one) look)\b/i, 'checked, a check'],
  [/\b(?:mend|mends|mended|put right|heal|heals|healed)\b/i, 'repair, fix'],
  [/\b(?:go|goes|went) on\b/i, 'resume, continue'],
  [/\b(?:sick|is well|not well|unwell)\b/i, 'healthy, unhealthy'],
  [/\b(?:ours?|of our names)\b/i, "k8s-win's, managed by k8s-win"],
  [/\b(?:somebody|nobody|foreign)\b/i, 'not created by k8s-win, unmanaged; name the actor'],
  [/\b(?:takes?|taken|took) (?:apart|down|away)\b/i, 'remove, stop, delete'],
  [/\b(?:gives?|given|gave) back\b/i, 'restore'],
  [/\b(?:comes?|came) to (?:its|an) end\b/i, 'finished, completed'],
  [/\bgo together\b/i, 'are compatible'],
  [/\bSee Docker\b/, 'Check Docker'],
  [/\ba restart that waits\b/i, 'pending restart'],
  [/\bgraver\b/i, 'this level and above'],
  [/\bfor people\b/i, 'text'],
  [/\bonly warn\b/i, 'downgrade to a warning'],
  [/\bcounts as done\b/i, 'treat it as done'],
  [/\bas far as they\b|\bto its end\b|\bby another way\b/i, 'say what is meant'],
  [/(?<!there )\b(?:is|are) no (?!longer)[a-z]/i, 'is not a valid …, must be …'],
  [/\banswered with no\b/i, 'cancelled'],
]

const wrongIn = (text: string): string[] => WORDS.flatMap(([word]) => word.exec(text)?.[0] ?? [])

test('review U13: no text of the program uses a word that users of kubeadm and Docker would not', () => {
  let files = 0
  // Parsing takes most of the time: only files that contain one of the words anywhere are parsed.
  const texts = collectTexts((content) => {
    files += 1
    return wrongIn(content).length > 0
  })
  const wrong = texts.flatMap(({file, line, text}) =>
    wrongIn(text).map((word) => `${file}:${line}: "${word}" in: ${text}`),
  )
  expect(wrong).toEqual([])
  expect(files).toBeGreaterThan(200)
}, 180_000)

test('review U13: each of these words is found', () => {
  const examples = [
    'it is told',
    'not looked at',
    'it heals by itself',
    'run again to go on',
    'the node is sick',
    'a service of our names',
    'nobody answers',
    'take away the network',
    'give back the address',
    'it came to its end',
    'do not go together',
    'See Docker',
    'a restart that waits',
    'this level and graver ones',
    'text for people',
    'let a check only warn',
    'counts as done',
    'read to its end',
    'it is no version',
    'answered with no',
  ]
  expect(WORDS.filter(([word], at) => !word.test(examples[at] ?? ''))).toEqual([])
})
