// A plan reports commands, a run reports deeds: both as the same words, so that a plan can be held against what was then done.
import type {RunResultDocument} from '../../src/pipeline/run/events.js'

type Wording = readonly (readonly [RegExp, (...parts: string[]) => string])[]

/** The first line of each: a diff may follow. What has no deed of its own (a description, a variable) is left out. */
const PLANNED: Wording = [
  [/^(?:write|replace) (\S+)/, (path) => `file ${path}`],
  [/^create the folder (\S+)/, (path) => `folder ${path}`],
  [/^equivalent to: sc\.exe (create|start) (\S+)/, (what, name) => `${what} ${name}`],
  [/^equivalent to: (?:sc\.exe config|reg\.exe add HKLM\\.*\\Services)[ \\](\S+)/, (name) => `change ${name}`],
  [/^docker (pull|tag) (\S+)/, (what, image) => `${what} ${image}`],
  [/^docker run .* (\S+) cmd \/c ver$/, (image) => `run ${image}`],
  [/^\S+\\crictl\.exe --config \S+ (pull) (\S+)/, (what, image) => `${what} ${image}`],
  [/^\S+\\ctr\.exe .* images (tag) --force (\S+)/, (what, image) => `${what} ${image}`],
  [/^\S+\\ctr\.exe .* (run) --rm (\S+)/, (what, image) => `${what} ${image}`],
  [/^docker build --tag ([^:]+):latest/, (image) => `build ${image}`],
]

const DONE: Wording = [
  [/^(?:write|install) (\S+)/, (path) => `file ${path}`],
  [/^copy .* to (\S+)$/, (path) => `file ${path}`],
  [/^create ([A-Za-z]:\\\S+)/, (path) => `folder ${path}`],
  [/^(create|change|start) the service (\S+)/, (what, name) => `${what} ${name}`],
  [/^(pull|run|tag|build) (\S+)/, (what, image) => `${what} ${image}`],
]

/**
 * Downloads are reported as such in a plan, and by what was installed from them in a deed. The log of a run, which a plan has
 * not, makes its folder before the service that writes there too.
 */
const LEFT_OUT = /\\downloads(?:\\|$)|\\logs\\k8s-win$/

/** What of the plan was not done, and what was done without being planned. Nothing of it: the plan was kept. */
export function brokenPromises(plan: RunResultDocument, deed: RunResultDocument): string[] {
  const [promised, done] = [told(plan, PLANNED), told(deed, DONE)]
  return [
    ...promised.filter((line) => !done.includes(line)).map((line) => `not done: ${line}`),
    ...done.filter((line) => !promised.includes(line)).map((line) => `not planned: ${line}`),
  ]
}

function told({steps}: RunResultDocument, wording: Wording): string[] {
  const lines = steps.flatMap(({changes, id}) => changes.map((change) => ({change, id})))
  const words = lines.flatMap(({change, id}) => {
    const first = wording.flatMap(([pattern, say]) => {
      const parts = pattern.exec(change)?.slice(1)
      return parts ? [say(...parts)] : []
    })[0]
    return first === undefined || LEFT_OUT.test(first) ? [] : [`${id}: ${first}`]
  })
  // A service that is made is not changed, whatever it takes.
  return [...new Set(words)].filter(
    (word) => !words.includes(word.replace(': change ', ': create ')) || !/: change /.test(word),
  )
}
